#!/bin/sh
# Every way to ask for hcomm, and every way not to.  A reduction on device
# memory tells which it was: stock Open MPI dies of it.
. "${srcdir:-.}/test/mpi/jobs.sh"

served='hcomm debug .* coll/hcomm serves MPI_COMM_WORLD'

job 3 "$programs/allreduce"
ok "used without being asked for" all_right 3

job 3 --mca coll hcomm "$programs/allreduce"
ok "--mca coll hcomm" all_right 3

job 3 --mca coll hcomm,tuned,basic,libnbc,self,inter,sync "$programs/allreduce"
ok "an explicit list with hcomm" all_right 3

doomed_job 2 --mca coll tuned,basic,libnbc,self,inter,sync "$programs/allreduce"
ok "an explicit list without hcomm" segfaulted

doomed_job 2 --mca coll ^hcomm "$programs/allreduce"
ok "--mca coll ^hcomm is stock Open MPI" segfaulted

job 2 --mca coll ^hcomm --mca coll_hcomm_log_level debug "$programs/allreduce" host
ok "--mca coll ^hcomm: host memory works" all_right 2
ok "--mca coll ^hcomm: hcomm is silent" says 0 'hcomm'

export OMPI_MCA_coll=hcomm
job 3 "$programs/allreduce"
ok "OMPI_MCA_coll=hcomm" all_right 3
alone "$programs/allreduce"
ok "OMPI_MCA_coll=hcomm, without mpirun" all_right 1
job 2 --mca coll_hcomm_log_level debug "$programs/allreduce" host
ok "host memory through hcomm" all_right 2
ok "host memory through hcomm: each rank says that it serves" says 2 "$served"
job 1 "$programs/spawn"
ok "MPI_Comm_spawn" all_right 3
job 2 "$programs/spawn"
ok "MPI_Comm_spawn by two" all_right 4
OMPI_MCA_coll=^hcomm
doomed_job 2 "$programs/allreduce"
ok "OMPI_MCA_coll=^hcomm" segfaulted
unset OMPI_MCA_coll

alone "$programs/allreduce"
ok "without mpirun, not asked for" all_right 1

# Parameter files
mkdir -p "$HOME/.openmpi"
printf 'coll = hcomm\ncoll_hcomm_log_level = debug\n' >"$HOME/.openmpi/mca-params.conf"
job 2 "$programs/allreduce"
ok "coll = hcomm in a parameter file" all_right 2
ok "a setting in a parameter file" says 2 "$served"
# shellcheck disable=SC2016 # expanded by the ranks
job 1 sh -c 'echo "level=${OMPI_MCA_coll_hcomm_log_level-unset}"'
if says 1 '^level=debug$'; then
    skip "HCOMM_LOG_LEVEL outweighs a parameter file" \
        "this mpirun passes parameter files on as OMPI_MCA_ variables, which outweigh it"
else
    HCOMM_LOG_LEVEL=warn job 2 "$programs/allreduce"
    ok "HCOMM_LOG_LEVEL outweighs a parameter file" says 0 "$served"
fi
HCOMM_LOG_LEVEL=warn job 2 --mca coll_hcomm_log_level debug "$programs/allreduce"
ok "--mca outweighs HCOMM_LOG_LEVEL" says 2 "$served"
echo 'coll = ^hcomm' >"$HOME/.openmpi/mca-params.conf"
doomed_job 2 "$programs/allreduce"
ok "coll = ^hcomm in a parameter file" segfaulted
rm -r "$HOME/.openmpi"

# Where it stays out
export OMPI_MCA_coll_hcomm_log_level=debug
job 2 --mca coll_hcomm_enable 0 "$programs/allreduce" host
ok "coll_hcomm_enable 0: host memory works" all_right 2
ok "coll_hcomm_enable 0: serves nothing" says 0 "$served"
doomed_job 2 --mca coll_hcomm_enable 0 "$programs/allreduce"
ok "coll_hcomm_enable 0: stock Open MPI" segfaulted
emulate=$HCOMM_EMULATE
unset HCOMM_EMULATE
if [ -e /dev/nvidiactl ] || [ -e /dev/kfd ] || [ -e /dev/dxg ]; then
    tests=$((tests + 1))
    echo "ok $tests - no accelerator # SKIP this machine has one"
else
    job 2 --mca coll hcomm "$programs/allreduce" host
    ok "no accelerator: steps aside" eval 'all_right 2 && says 0 "$served"'
fi
export HCOMM_EMULATE=$emulate
if ! starts_two_programs; then
    skip "ranks unlike each other" "this mpirun can't start two programs"
else
    # One rank without devices among others that have some: hcomm all the same.
    job 1 -x HCOMM_EMULATE= "$programs/allreduce" host : -n 2 "$programs/allreduce"
    ok "one rank without an accelerator" all_right 3
    ok "one rank without an accelerator: hcomm serves it too" says 3 "$served"
    # Ranks where hcomm is not installed: asking for what they never published may
    # not be waited for (two seconds each, it was).
    start=$(date +%s)
    job 4 -x OMPI_MCA_coll=^hcomm "$programs/allreduce" host : -n 1 -x HCOMM_EMULATE= \
        "$programs/allreduce" host
    took=$(($(date +%s) - start))
    ok "four ranks without hcomm" all_right 5
    ok "four ranks without hcomm are not waited for" [ "$took" -lt 6 ]
fi
unset OMPI_MCA_coll_hcomm_log_level
# A vendor asked for by name has to be here.
if [ ! -e /dev/kfd ]; then
    doomed_job 2 -x HCOMM_EMULATE=nvidia:1 --mca coll_hcomm_devices hip "$programs/allreduce"
    ok "devices names what is not here: the job fails, without a crash" \
        eval 'failed && ! segfaulted && says 0 ": right$"'
    ok "devices names what is not here: each rank says so" says 2 '^hcomm error .*devices=hip'
fi

# What ompi_info shows
info() {
    ompi_info --param coll hcomm --level 9 --parsable >"$log" 2>&1
    status=$?
}
info
names=$(sed -n 's/^ *X([A-Z_]*, "\([a-z_]*\)".*/\1/p' "$srcdir/config/cfg_param.h")
for name in $names; do
    case $name in
    emulate | emu_*)
        ok "ompi_info leaves out $name, which is no MCA parameter" \
            says 0 "^mca:coll:hcomm:param:coll_hcomm_$name:"
        ;;
    *)
        ok "ompi_info shows coll_hcomm_$name with help" \
            says 1 "^mca:coll:hcomm:param:coll_hcomm_$name:help:.+"
        ;;
    esac
done
value() { # value NAME VALUE SOURCE
    says 1 "^mca:coll:hcomm:param:coll_hcomm_$1:value:\"?$2\"?$" &&
        says 1 "^mca:coll:hcomm:param:coll_hcomm_$1:source:$3"
}
HCOMM_CHUNK=1MiB info
ok "ompi_info shows HCOMM_CHUNK" value chunk 1MiB environment
OMPI_MCA_coll_hcomm_chunk=2MiB HCOMM_CHUNK=1MiB info
ok "OMPI_MCA_ outweighs HCOMM_CHUNK" value chunk 2MiB environment
HCOMM_ENABLE=no info
ok "ompi_info shows HCOMM_ENABLE" value enable false environment
HCOMM_PRIORITY=41 info
ok "ompi_info shows HCOMM_PRIORITY" value priority 41 environment

# Mistakes
job 3 --mca coll_hcomm_pined_max 1MiB "$programs/allreduce"
ok "a misspelt setting stops nothing" all_right 3
ok "a misspelt setting is said once" says 1 'coll_hcomm_pined_max'
ok "a misspelt setting: the nearest name" says 1 'did you mean coll_hcomm_pinned_max'
job 2 --mca coll_hcomm_emulate nvidia:1 "$programs/allreduce"
ok "a setting of the environment alone is said once" says 1 'coll_hcomm_emulate has no effect'
job 1 --mca coll_hcomm_chunk plenty "$programs/allreduce"
ok "a value that is none" says 1 'chunk=plenty'
ok "a value that is none: the default counts" all_right 1
job 1 --mca coll_hcomm_priority high "$programs/allreduce"
ok "a number that is none" says 1 'priority=high'
ok "a number that is none: the default counts" all_right 1
job 1 --mca coll_hcomm_enable perhaps "$programs/allreduce"
ok "a truth that is none" says 1 'enable=perhaps'
ok "a truth that is none: the default counts" all_right 1
OMPI_MCA_coll_hcomm_priority=high info
ok "a number that is none: ompi_info shows the default" value priority 95 default
for component in tuned adapt libnbc; do
    job 2 --mca coll_${component}_priority 100 "$programs/allreduce"
    ok "coll/$component raised above the others stays beneath" all_right 2
done
doomed_job 2 --mca coll_hcomm_priority 0 "$programs/allreduce"
ok "nothing beneath: stock Open MPI" segfaulted
ok "nothing beneath: said once" says 1 '^hcomm warn .*coll_hcomm_priority'
finish
