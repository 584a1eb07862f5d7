#!/bin/sh
# Another Open MPI than the plugin serves: words first, and no crash.
. "${srcdir:-.}/test/mpi/jobs.sh"

fake=$builddir/test/mpi/.libs/fake_library.so
[ -e "$fake" ] || fake=$builddir/test/mpi/fake_library.so

as_version() { # as_version TEXT JOB-ARGUMENTS...
    export FAKE_VERSION="$1"
    shift
    limit=20 job 2 -x FAKE_VERSION -x LD_PRELOAD="$fake" "$@"
}

first_words() {
    sed -n '1p' "$log" | grep -qE "$1"
}

running=$(ompi_info --version | sed -n 's/^Open MPI v//p')
case $running in
4.1.*)
    serves='4\.1\.z'
    as_version "Open MPI v4.1.99, package: none" "$programs/allreduce"
    ok "any 4.1.z is served" all_right 2
    ;;
*)
    serves=$(echo "$running" | sed 's/\./\\./g')
    as_version "Open MPI v$running, package: none" "$programs/allreduce"
    ok "what it was built for is served" all_right 2
    ;;
esac

as_version "Open MPI v5.0.3, package: Debian OpenMPI" "$programs/allreduce" host
ok "5.0.3: host memory works without hcomm" all_right 2
ok "5.0.3: said once, with both versions and what to install" \
    says 1 "^hcomm error .*$serves,.* 5\.0\.3 .*install"

as_version "Open MPI v5.0.3, package: Debian OpenMPI" --mca coll hcomm \
    "$programs/allreduce" host
ok "5.0.3 and --mca coll hcomm: our words come first" \
    first_words "^hcomm error .*$serves,.* 5\.0\.3 "
ok "5.0.3 and --mca coll hcomm: the job fails" failed

as_version "MPICH Version: 4.2" "$programs/allreduce" host
ok "another library is named" says 1 '^hcomm error .*MPICH Version: 4\.2'
unset FAKE_VERSION

job 2 -x LD_PRELOAD="$fake" "$programs/allreduce"
ok "preloading alone changes nothing" all_right 2
FAKE_GROWTH=16 job 2 -x LD_PRELOAD="$fake" "$programs/allreduce" host
ok "other structures: host memory works without hcomm" all_right 2
ok "other structures: said once, with what differs" \
    says 1 '^hcomm error .*built for another Open MPI .*communicator has [0-9]+ bytes, not'
finish
