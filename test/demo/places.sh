#!/bin/sh
# scripts/demo shows the same on machines that allow less.
set -u
# shellcheck source=test/demo/tap.sh
. "$srcdir/test/demo/tap.sh"

[ -x "$builddir/train_digits" ] || skip_all 'train_digits is not built: no Open MPI'
command -v mpirun >/dev/null || skip_all 'no mpirun'
[ -n "$(HCOMM_EMULATE=intel:1 LD_LIBRARY_PATH=$builddir/emulator/intel \
    "$builddir/train_digits" --devices)" ] || skip_all 'no libze1'
digits=$builddir/digits.csv
[ -s "$digits" ] || "$srcdir/scripts/export_digits" "$digits" 2>/dev/null ||
    skip_all 'python3-sklearn is not installed'

# With an absolute path, since others change the directory.
demo=$(cd "$srcdir" && pwd)/scripts/demo
root=$(id -u)

# shown COMMAND...: the demo, run by the command, holds all it promises.
shown() {
    "$@" "$demo" --no-setup --build "$builddir" >"$work/demo" 2>&1 </dev/null
    code=$?
    cat "$work/demo"
    [ "$code" -eq 0 ] && four_ranks_on_three_vendors
}

# The GPUs of the last of the three runs.
four_ranks_on_three_vendors() {
    grep -o '^    rank [0-9]  *[a-z]*:' "$work/demo" | tail -n 4 |
        tr -cd 'a-z\n' >"$work/vendors"
    [ "$(tr '\n' ' ' <"$work/vendors")" = \
        'ranknvidia ranknvidia rankamd rankintel ' ]
}

# As any user may where user namespaces are allowed.
unshared() {
    if [ "$root" -eq 0 ]; then
        unshare -m "$@"
    else
        unshare -rm "$@"
    fi
}

# in_small_container COMMAND...: what a bare container gives, on one core.
in_small_container() {
    core=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' \
        /proc/self/status)
    # shellcheck disable=SC2016 # expanded inside
    unshared sh -c 'mount -t tmpfs -o size=64m,mode=1777 none /dev/shm &&
        core=$1 && shift && exec taskset -c "$core" "$@"' sh "$core" "$@"
}

as_nobody() {
    if [ "$root" -eq 0 ]; then
        setpriv --reuid nobody --regid nogroup --clear-groups \
            --inh-caps=-all "$@"
    else
        "$@"
    fi
}

# refused COMMAND...: an ordinary user whose processes can't look into others.
refused() {
    as_nobody "$builddir/test/demo/refuse" "$@"
}

# A render node that no GPU driver of ours stands behind.
with_render_node() {
    bwrap --bind / / --dev /dev --dir /dev/dri \
        --dev-bind /dev/null /dev/dri/renderD128 -- "$@"
}

refused_what_it_needs() {
    OMPI_MCA_btl_vader_single_copy_mechanism='' shown refused &&
        grep -q '^export OMPI_MCA_btl_vader_single_copy_mechanism=none' \
            "$work/demo"
}

# last_line_works COMMAND...: its last line, with a program of one's own, run by the
# command.
last_line_works() {
    next=$(tail -n 1 "$work/demo")
    (
        cd "$builddir" || exit
        "$@" timeout 180 sh -c \
            "${next%./your_app}./train_digits --memory device '$digits'" </dev/null
    ) >"$work/next" 2>&1
    code=$?
    cat "$work/next"
    [ "$code" -eq 0 ] && [ "$(grep '^accuracy' "$work/next")" = \
        "$(sed -n 's/^ *\(accuracy .*[0-9a-f]\{16\}\)$/\1/p' "$work/demo" |
            tail -n 1)" ]
}

fails_without_hcomm() {
    HCOMM_ENABLE=0 "$demo" --no-setup --build "$builddir" >"$work/broken" 2>&1 \
        </dev/null
    code=$?
    cat "$work/broken"
    [ "$code" -eq 1 ] && tail -n 1 "$work/broken" | grep -q '^demo: '
}

ok 'demo_holds_here' shown env
ok 'last_line_runs_a_program' last_line_works env
ok 'demo_fails_where_hcomm_does_nothing' fails_without_hcomm
if in_small_container true 2>/dev/null; then
    ok 'demo_holds_with_64_MB_of_shm_and_one_core' shown in_small_container
else
    skip 'demo_holds_with_64_MB_of_shm_and_one_core' \
        'mount namespaces are not allowed here'
fi
if ! as_nobody test -x "$builddir/train_digits" -a -x "$demo" -a -r "$digits"; then
    skip 'demo_holds_for_a_user_who_may_not_look_into_processes' \
        "an ordinary user can't read $builddir"
elif ! refused true; then
    skip 'demo_holds_for_a_user_who_may_not_look_into_processes' \
        'seccomp filters are not allowed here'
else
    ok 'demo_holds_for_a_user_who_may_not_look_into_processes' \
        refused_what_it_needs
    ok 'last_line_runs_a_program_there' last_line_works refused
fi
if with_render_node true 2>/dev/null; then
    ok 'demo_holds_with_a_render_node_without_driver' shown with_render_node
else
    skip 'demo_holds_with_a_render_node_without_driver' \
        'bubblewrap is missing or not allowed here'
fi
finish
