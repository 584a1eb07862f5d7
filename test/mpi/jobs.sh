# Sourced by the tests here: how to start a job with the plugin of the build
# tree on emulated devices, and how to say what came of it (TAP).
#
#   job RANKS ARGUMENTS...   mpirun; all output in $log, exit status in $status
#   ok WHAT COMMAND...       one test line: whether the command succeeds
#   says N PATTERN           whether exactly N lines of $log match

builddir=${builddir:-$PWD}
srcdir=${srcdir:-.}
programs=$builddir/test/mpi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' INT TERM
log=$work/log
tests=0

component_dir=$(ompi_info --parsable --path pkglibdir | sed -n 's/^path:pkglibdir://p')
export OMPI_MCA_mca_base_component_path="$builddir/ompi_component:$component_dir"
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1 # more ranks than cores, and engines beside
# Open MPI 5.0's mpirun is another program, with other names for the same.
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export PRTE_MCA_hwloc_default_binding_policy=none
# There, PMIx looks into our folder too, and tells of every file it can't use.
export PMIX_MCA_mca_base_component_show_load_errors=none
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
emulators=$builddir/emulator/nvidia:$builddir/emulator/amd:$builddir/emulator/intel
export LD_LIBRARY_PATH="$emulators${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export HCOMM_EMULATE=nvidia:2,amd:2,intel:2
export HOME="$work" # no settings but the test's own
unset HCOMM_LOG_LEVEL HCOMM_LOG_FILE HCOMM_ENABLE OMPI_MCA_coll
ulimit -c 0

if [ ! -e "$builddir/emulator/nvidia/libcuda.so.1" ]; then
    echo "1..0 # SKIP the emulator is not built"
    exit 0
fi

# A job that hangs is killed and fails: status 124.
job() {
    ranks=$1
    shift
    timeout -k 5 "${limit:-120}" mpirun -n "$ranks" "$@" >"$log" 2>&1 </dev/null
    status=$?
}

# A job that is to die.  mpirun 4.1.4 over PMIx 4.2 may hang or crash in its own
# finalize after an abort, hcomm or not, and lose Open MPI's words: neither how
# it ends nor what they were is looked at.
doomed_job() {
    limit=15 job "$@"
}

# Open MPI 5.0.7's mpirun over PMIx 5.0.7 dies of any second program.
starts_two_programs() {
    job 1 true : -n 1 true
    [ "$status" -ne 139 ]
}

alone() { # a program without mpirun
    timeout -k 5 "${limit:-120}" "$@" >"$log" 2>&1 </dev/null
    status=$?
}

ok() {
    tests=$((tests + 1))
    what=$1
    shift
    if "$@"; then
        echo "ok $tests - $what"
    else
        echo "not ok $tests - $what"
        echo "# exit status ${status:-none}; output:"
        sed 's/^/#   /' "$log" | tail -n 40
    fi
}

# Whether the dynamic linker finds a library, for users without /sbin in PATH
# as well.
has_library() { # has_library NAME
    PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | grep -q "$1"
}

skip() { # skip WHAT REASON
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

says() {
    [ "$(grep -cE -- "$2" "$log")" -eq "$1" ]
}

succeeded() {
    [ "$status" -eq 0 ]
}

# Every rank of N found its result right.
all_right() {
    succeeded && says "$1" ': right$'
}

failed() {
    [ "$status" -ne 0 ]
}

# Died of touching device memory: nothing but a stock Open MPI does.
segfaulted() {
    failed && grep -qE 'signal 11|Segmentation fault' "$log" && says 0 ': right$'
}

# A TAP program under mpirun: as many ok lines as planned, and no other.
passed() {
    planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log")
    succeeded && [ "${planned:-0}" -gt 0 ] && says "$planned" '^ok ' && says 0 '^not ok '
}

finish() {
    echo "1..$tests"
}
