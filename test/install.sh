#!/bin/sh
# Whether an installation works: test/install.sh BUILD-DIR PREFIX, with BUILD-DIR
# configured for that (private) prefix.  Installs, runs a job from there as an
# ordinary user, then from the user's own component directory, and uninstalls.
set -eu
build=$1
prefix=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

say() {
    echo "== $*"
}

as_user() { # in a clean environment; not as root where that can be helped
    home=$work/home
    mkdir -p "$home" && chmod 777 "$home"
    if [ "$(id -u)" -eq 0 ]; then
        set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    fi
    env -i PATH="$prefix/bin:/usr/bin:/bin" HOME="$home" TMPDIR="$home" \
        OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm=isolated \
        OMPI_MCA_mpi_yield_when_idle=1 "$@"
}

trains() { # the main job, emulated, from what is installed
    as_user "$@" --emulate nvidia:1,amd:1 -n 2 "$work/train_digits" --memory device \
        "$work/digits.csv" >"$work/out" 2>&1 || {
        cat "$work/out"
        return 1
    }
    cat "$work/out"
    grep -q '^accuracy 0\.9[5-9]' "$work/out"
    grep -q '^rank 1 .*amd:0 .*(emulated)' "$work/out"
}

say "make install"
make -C "$build" install
test -f "$prefix/include/hcomm.h"
test ! -e "$prefix/lib/hcomm/openmpi-4.1/mca_coll_hcomm.la"
cp "$build/.libs/train_digits" "$work" 2>/dev/null || cp "$build/train_digits" "$work"
"$(dirname "$0")/../scripts/export_digits" "$work/digits.csv"
chmod -R a+rX "$work"
if ! as_user test -x "$prefix/bin/hcc"; then
    say "an ordinary user cannot reach $prefix: run as root instead"
    as_user() {
        mkdir -p "$work/home"
        env -i PATH="$prefix/bin:/usr/bin:/bin" HOME="$work/home" OMPI_MCA_plm=isolated \
            OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
            OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
    }
fi

say "hcc"
as_user hcc || [ $? -eq 1 ] # no plugin in a default place: FAIL or WARN, said
as_user hcc --version

say "pkg-config and hcomm.h"
cat >"$work/version.c" <<'EOF'
#include <hcomm.h>
#include <stdio.h>
int main(void)
{
    return puts(hcomm_version()) < 0;
}
EOF
PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig -type d)
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are words
${CC:-cc} "$work/version.c" -o "$work/version" $(pkg-config --cflags --libs hcomm) \
    -Wl,-rpath,"$(pkg-config --variable=libdir hcomm)"
"$work/version"

say "from the per-version component directory"
trains hcc-launch

say "from ~/.openmpi/components"
make -C "$build" install-user-component HOME="$work/home"
ls -l "$work/home/.openmpi/components/"
HOME="$work/home" ompi_info --param coll hcomm --level 1 | grep -q coll_hcomm_enable
make -C "$build" uninstall-user-component HOME="$work/home"

say "make uninstall"
make -C "$build" uninstall
left=$(find "$prefix" -type f -o -type l)
test -z "$left" || {
    echo "left behind: $left"
    exit 1
}
