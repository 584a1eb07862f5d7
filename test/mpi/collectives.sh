#!/bin/sh
# The five collectives on every kind of memory, with 1 to 5 ranks; then buffers
# from MPI_BOTTOM, communicators and threads.
. "${srcdir:-.}/test/mpi/jobs.sh"

for ranks in 1 4 5; do
    limit=300 job $ranks "$programs/collectives" small
    ok "every kind of memory, $ranks ranks" passed
done
for ranks in 2 3; do
    limit=300 job $ranks "$programs/collectives"
    ok "every kind of memory, $ranks ranks, large counts too" passed
done

# Through two pinned chunks of 64 KiB, and with none at all.
export HCOMM_PINNED_MAX=128KiB HCOMM_CHUNK=64KiB
limit=300 job 2 "$programs/collectives" large
ok "every kind of memory, two pinned chunks of 64 KiB" passed
HCOMM_PINNED_MAX=0
limit=300 job 2 "$programs/collectives" large
ok "every kind of memory, no pinned memory" passed
unset HCOMM_PINNED_MAX HCOMM_CHUNK

# Where a driver lets commands overtake each other, barriers are in their places.
HCOMM_EMU_OVERTAKE=1 job 2 "$programs/collectives" small
ok "every kind of memory, commands that overtake" passed

# Two stand-ins of such a buffer take most of the address space, in whose middle
# PMIx 5 else puts memory that it shares.
PMIX_MCA_gds='hash' job 3 "$programs/bottom"
ok "one buffer in memory of every vendor" passed
for ranks in 2 3 4; do
    job $ranks "$programs/comms"
    ok "communicators, $ranks ranks" passed
done
job 3 --mca coll hcomm "$programs/comms"
ok "communicators, --mca coll hcomm" passed
job 3 "$programs/session"
if [ "$status" -eq 77 ]; then
    skip "sessions" "this MPI has none"
else
    ok "sessions" all_right 3
fi
job 3 "$programs/threads"
ok "threads" passed
finish
