#!/bin/sh
# Acceptance cases, each of which once broke an MPI, a vendor's library or an
# application, by their numbers.
#
#   cases.sh        on emulated devices
#   cases.sh real   on the GPUs of this machine
#
# By hand, on a large machine: mpirun -n 2 .../rooted --long, and so on, for
# sizes up to 1 GiB and 20,000 communicators; checklist --only "case 48d".
mode=${1-}
real_path=${LD_LIBRARY_PATH-}
. "${srcdir:-.}/test/mpi/jobs.sh"

cases=$programs/cases
if [ "$mode" = real ]; then
    unset HCOMM_EMULATE
    export LD_LIBRARY_PATH="$real_path"
    vendors=cuda
    mixed=cuda
    amd=cuda
else
    vendors=cuda,hip
    mixed=mixed
    amd=hip
    if has_library libze_loader; then
        vendors=$vendors,ze
    else
        skip "cases on Level Zero" "no libze_loader.so.1: install libze1"
    fi
fi

# Every line of the job is one of ours; what it prints beside is shown where
# one fails or where it does not come to its end.
lines() { # lines WHERE, after a job
    planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log")
    awk -v n="$tests" -v where="$1" '
        /^(not )?ok [0-9]+ - / {
            verdict = /^not/ ? "not ok" : "ok"
            sub(/^(not )?ok [0-9]+ - /, "")
            skip = ""
            if (i = index($0, " # SKIP")) { skip = substr($0, i); $0 = substr($0, 1, i - 1) }
            print verdict " " ++n " - " $0 ", " where skip
        }' "$log"
    count=$(grep -cE '^(not )?ok [0-9]+ - ' "$log")
    tests=$((tests + count))
    if grep -qE '^hcomm (error|warn)' "$log"; then
        ok "$1: nothing to complain of" false
    fi
    if [ "$status" -ne 0 ] || [ "${planned:-0}" -ne "$count" ] || [ "$count" -eq 0 ]; then
        ok "$1: a job comes to its end" false
    fi
}

group() { # group RANKS PROGRAM ARGUMENTS...
    ranks=$1
    program=$2
    shift 2
    limit=240 job "$ranks" "$cases/$program" "$@"
    lines "$program of $ranks"
}

# Each number of ranks with other kinds of memory, so that each program meets
# every kind and every number.
for program in reduce nonblocking rooted alltoall memory zero checklist; do
    group 2 $program --kinds $vendors
    group 3 $program --kinds $mixed
    group 4 $program --kinds $amd
    group 7 $program --kinds $mixed
done
group 2 devices --kinds $vendors
group 3 devices --kinds cuda
group 4 devices --kinds $amd
group 7 devices --kinds $mixed
group 8 rooted --kinds cuda --only "case 22"
group 3 reduce --kinds pinned,managed,pool
group 3 alltoall --kinds pinned,managed,pool
# In a process that has no use for HCOMM all is as it was.
for program in nonblocking rooted alltoall zero checklist; do
    group 2 $program --kinds host
done
group 2 churn --kinds $vendors
group 4 churn --kinds $mixed
group 3 spawn --kinds $vendors,$mixed

# --- jobs of their own
for ranks in 2 8; do
    group $ranks devices --only "case 45" --device 0 --kinds $vendors
done
group 4 checklist --only "case 48j" --kinds $mixed
if [ "$mode" = real ]; then
    skip "case 44: one visible device per rank" "needs two GPUs"
else
    for way in index uuid; do
        job 2 "$cases/visible" $way "$cases/devices" --only "case 44" --kinds cuda,hip
        lines "by $way"
    done
    # A link so slow that who doesn't wait sees nothing yet.
    export HCOMM_EMU_LINK='*/h2d=50MB/s'
    job 2 --mca coll_hcomm_stream_order device "$cases/checklist" --only "case 48i" --kinds cuda
    lines "a slow link"
    unset HCOMM_EMU_LINK
fi
# Each rank sees one vendor, or none.
if ! starts_two_programs; then
    skip "4 unlike ones" "this mpirun can't start two programs"
elif [ "$mode" != real ]; then
    for program in reduce nonblocking rooted alltoall zero checklist; do
        set -- "$cases/$program" --kinds here
        job 1 -x HCOMM_EMULATE=nvidia:1 "$@" : -n 1 -x HCOMM_EMULATE=amd:1 "$@" : \
            -n 1 -x HCOMM_EMULATE=intel:1 "$@" : -n 1 -x HCOMM_EMULATE= "$@"
        lines "$program of 4 unlike ones"
    done
fi
skip "case 44: which path it is, and why" "comes with issue 5"
skip "case 13: fp16 and bf16 tensors through torch" "comes with hcomm.torch"

# --- case 31: copies grow with peers, not with the matrix
copies() { # copies TEXT: calls of the driver that copy, on all ranks
    HCOMM_EMU_TRACE=1 job 4 "$cases/alltoall" --kinds cuda --only "$1"
    grep -c ': cuMemcpy' "$log"
}
if [ "$mode" != real ]; then
    small=$(copies "case 31: transposing by a type of columns, small")
    large=$(copies "case 31: transposing by a type of columns, large")
    ok "case 31: as many copies for 256 columns ($large) as for 64 ($small)" \
        test "$small" -gt 0 -a "$large" -eq "$small"
fi
skip "case 31: within 20 times the time of contiguous data" "comes with issue 4"

# --- case 48
toolkit=${CUDA_HOME:-/usr/local/cuda}
runtime_linked() { # runtime_linked LIBRARY
    mpicc -o "$work/cudart" "$srcdir/test/mpi/cases/cudart.c" -I"$toolkit/include" \
        -L"$toolkit/lib64" "$1" -ldl -lrt -lpthread >"$log" 2>&1 &&
        job 2 "$work/cudart" && all_right 2
}
if [ ! -e "$toolkit/lib64/libcudart_static.a" ]; then
    skip "case 48a: the CUDA runtime linked as a library" "needs a CUDA toolkit"
    skip "case 48a: the CUDA runtime linked statically" "needs a CUDA toolkit"
else
    ok "case 48a: the CUDA runtime linked as a library" runtime_linked -lcudart
    if [ "$mode" = real ]; then
        ok "case 48a: the CUDA runtime linked statically" runtime_linked -lcudart_static
    else
        skip "case 48a: the CUDA runtime linked statically" "needs a real GPU"
    fi
fi

skip "case 48b: MPIX_Query_cuda_support answers 1 under hcc-launch" "comes with issue 8"

for kind in $(echo $vendors | tr , ' '); do
    alone "$cases/local" $kind
    lines "alone"
done

skip "case 48d: counts and displacements over 2 GiB" "needs 40 GiB: by hand"
skip "cases 30, 48e: what a host-only program pays" "is measured by make perf, by hand"

# Another component for the collectives, that makes communicators of its own.
job 4 --mca coll_han_priority 100 "$cases/checklist" --only "case 48h" --kinds $mixed
lines "with coll/han"
job 4 --mca coll_han_priority 100 "$cases/reduce" --only "case 1:" --kinds $mixed
lines "with coll/han"
job 4 --mca coll_han_priority 100 "$cases/nonblocking" --only "case 16" --kinds $mixed
lines "with coll/han"

# Fortran: what the compiler makes of MPI_IN_PLACE and of a device pointer.
fortran_made() {
    flags="-D_GNU_SOURCE -I$srcdir"
    (cd "$work" && cc -c $flags "$srcdir/test/mpi/mem.c" "$srcdir/test/mpi/mem_ze.c" \
        "$srcdir/test/mpi/cases/fortran_memory.c" &&
        mpifort -o fortran "$srcdir/test/mpi/cases/fortran.f90" mem.o mem_ze.o fortran_memory.o -ldl) \
        >"$log" 2>&1
}
srcdir=$(cd "$srcdir" && pwd)
if command -v gfortran >/dev/null && command -v mpifort >/dev/null; then
    status=none
    ok "case 48k: a Fortran program is made" fortran_made
    for kind in $(echo $vendors | tr , ' '); do
        job 3 "$work/fortran" $kind
        ok "case 48k: mpi and mpi_f08, MPI_IN_PLACE, $kind" all_right 3
    done
else
    skip "case 48k: mpi and mpi_f08, MPI_IN_PLACE" "needs gfortran and mpifort"
fi

skip "case 48l: torch's collectives" "comes with hcomm.torch"

# Slurm started each rank as a job of its own.
SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_NTASKS=4 alone "$builddir/hcc"
ok "case 48n: hcc tells of srun without PMIx" says 1 '^FAIL  Slurm .*without PMIx'
skip "case 48n: the job itself tells of it" "comes with issue 8"
finish
