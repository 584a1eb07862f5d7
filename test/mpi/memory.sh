#!/bin/sh
# What else of Open MPI touches memory than collectives and messages: packing,
# copies within a process, files, windows.
. "${srcdir:-.}/test/mpi/jobs.sh"
limit=200

# Errors are expected: apart from the results, which they would tear.
export HCOMM_LOG_FILE="$work/said"
said() { # said PATTERN: at least one line of the log
    grep -qE -- "$1" "$work/said"
}

for ranks in 1 3; do
    job $ranks "$programs/pack"
    ok "pack, unpack and sendrecv_replace, $ranks ranks" passed
done
# Without our collectives, MPI_COMM_SELF's copy from buffer to buffer.
job 2 --mca coll_hcomm_priority 0 "$programs/pack" copies
ok "copies within a process" passed
rm -f "$work/said"
job 1 "$programs/pack" freed
ok "packing freed memory: errors" passed
ok "packing freed memory: the log says so" said 'was the buffer freed'
HCOMM_ENABLE=0 doomed_job 1 "$programs/pack"
ok "pack: nothing but hcomm does it" segfaulted

rm -f "$work/said"
for ranks in 2 3; do
    job $ranks "$programs/rma"
    ok "windows, $ranks ranks" passed
done
ok "windows: the log says what to do" said 'MPI_Win_create on .* device memory .* use MPI_Win_allocate'
ok "windows: the log names the call" said 'MPI_Rget_accumulate with a buffer at .* device memory'
if [ -e "$component_dir/mca_osc_pt2pt.so" ]; then
    job 2 --mca osc pt2pt "$programs/rma"
    ok "windows, osc/pt2pt" passed
else
    skip "windows, osc/pt2pt" "this Open MPI has none"
fi
job 2 --mca osc monitoring,rdma,sm --mca pml_monitoring_enable 2 "$programs/rma"
ok "windows, osc/monitoring between" passed

rm -f "$work/said"
job 2 "$programs/io" "$work"
ok "files, ompio" passed
job 2 --mca io ^ompio "$programs/io" "$work" romio
ok "files, romio" passed
ok "files: nothing is said" [ ! -s "$work/said" ]
job 3 "$programs/io" "$work" freed
ok "files, a freed buffer: errors, and no one waits" passed
ok "files, a freed buffer: the log says so" said ':1 .* was the buffer freed'
finish
