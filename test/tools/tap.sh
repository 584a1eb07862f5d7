# shellcheck shell=sh
# Sourced by the tests here: TAP, and a build tree of our own making whose
# mpirun and ompi_info only note how they were called.
#
#   ok WHAT COMMAND...   one claim: whether the command succeeds
#   run COMMAND...       its stdout, stderr and exit status in $out $err $status

builddir=${builddir:-$PWD}
srcdir=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' INT TERM
claims=0
failures=0

tree=$work/tree # what the tools take for the tree they were built in
out=$work/out
err=$work/err
asked=$work/asked   # the arguments of mpirun, one a line
around=$work/around # its environment

mkdir -p "$tree/ompi_component" "$tree/emulator/nvidia" "$tree/emulator/amd" \
    "$tree/emulator/intel" "$work/bin" "$work/home"
touch "$tree/libtool" "$tree/ompi_component/mca_coll_hcomm.so" \
    "$tree/emulator/nvidia/libcudart.so.13" \
    "$tree/emulator/nvidia/libcuda.so.1" \
    "$tree/emulator/amd/libamdhip64.so.5" \
    "$tree/emulator/intel/libze_intel_gpu.so.1"
for tool in hcc hcc-launch; do
    cp "$builddir/.libs/$tool" "$tree/" || exit 99
done

# No settings but the test's own.
for variable in $(env | sed -n 's/^\(OMPI_[A-Za-z0-9_]*\|HCOMM_[A-Za-z0-9_]*\|UCX_[A-Za-z0-9_]*\|SLURM_[A-Za-z0-9_]*\|PMIX_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$variable"
done
# shellcheck disable=SC2034 # for a test that wants the machine's own mpirun
real_path=$PATH
export HOME="$work/home" PATH="$work/bin:$PATH" asked around
export LD_LIBRARY_PATH="$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

cat >"$work/bin/mpirun" <<'EOF'
#!/bin/sh
if [ "$1" = --version ]; then
    echo "${fake_version:-mpirun (Open MPI) 4.1.4}"
    exit 0
fi
printf '%s\n' "$@" >"$asked"
env >"$around"
[ -z "$fake_says" ] || printf "$fake_says"
exit "${fake_status:-0}"
EOF
chmod +x "$work/bin/mpirun"

ok() {
    claim=$1
    shift
    claims=$((claims + 1))
    if "$@" >"$work/said" 2>&1; then
        echo "ok $claims - $claim"
    else
        echo "not ok $claims - $claim"
        sed 's/^/# /' "$work/said"
        for file in "$out" "$err" "$asked"; do
            sed "s/^/# ${file##*/}: /" "$file" 2>/dev/null
        done
        failures=$((failures + 1))
    fi
}

skip() { # skip WHAT REASON
    claims=$((claims + 1))
    echo "ok $claims - $1 # SKIP $2"
}

run() {
    rm -f "$asked" "$around"
    "$@" >"$out" 2>"$err" </dev/null
    status=$?
}

exited() { [ "$status" -eq "$1" ]; }
silent() { [ ! -s "$err" ]; }
says() { grep -q -e "$1" "$err"; }
printed() { grep -q -e "$1" "$out"; }
not() { ! "$@"; }
both() { # both exited 2 says WORDS
    exited "$2" || return
    shift 2
    "$@"
}

finish() {
    echo "1..$claims"
    [ "$failures" -eq 0 ]
    exit
}
