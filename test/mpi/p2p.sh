#!/bin/sh
# Point-to-point on every kind of memory, over pml/ob1 and, where it is
# installed, pml/ucx.
. "${srcdir:-.}/test/mpi/jobs.sh"
limit=300

for ranks in 1 3; do
    job $ranks "$programs/p2p" small
    ok "every way to send, $ranks ranks" passed
done
job 2 "$programs/p2p"
ok "every way to send, 2 ranks, large counts too" passed

# Through two pinned chunks of 64 KiB, and with none at all.
HCOMM_PINNED_MAX=128KiB HCOMM_CHUNK=64KiB job 2 "$programs/p2p" large
ok "every way to send, two pinned chunks of 64 KiB" passed
HCOMM_PINNED_MAX=0 job 2 "$programs/p2p" large
ok "every way to send, no pinned memory" passed

# What does not depend on the amount of data.
others() { # others OVER
    job 2 "$programs/p2p_arrival"
    ok "what arrives, $1" passed
    job 2 "$programs/p2p_requests"
    ok "requests, $1" passed
    job 2 "$programs/p2p_threads"
    ok "threads, $1" passed
    for mode in pending alone wrapped; do
        job 2 "$programs/p2p_end" $mode
        ok "the end: $mode, $1" all_right 2
    done
}

others pml/ob1
# Debian's defaults exclude pml/ucx, and its transports other than RDMA.
if [ -e "$component_dir/mca_pml_ucx.so" ]; then
    export OMPI_MCA_pml=ucx OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any
    job 2 "$programs/p2p"
    ok "every way to send, pml/ucx" passed
    others pml/ucx
    unset OMPI_MCA_pml OMPI_MCA_opal_common_ucx_tls OMPI_MCA_opal_common_ucx_devices
else
    skip "pml/ucx" "Open MPI has none here"
fi

# Components that wrap the PML.
job 2 --mca pml_monitoring_enable 1 "$programs/p2p_requests"
ok "requests, with pml/monitoring" passed
# Here it finds that it can't run, and puts back what was in the PML's table.
job 2 --mca vprotocol pessimist "$programs/p2p_requests"
if says 1 'failed to connect to an Event Logger'; then
    skip "requests, with pml/v" "it runs, and wants a server of its own"
else
    ok "requests, with pml/v" passed
fi

# Some distributions' libmpi calls its own functions directly, past any hook.
libmpi=$(ldd "$programs/p2p_requests" | sed -n 's/.*libmpi\.so[^ ]* => \([^ ]*\).*/\1/p')
if objdump -R "$libmpi" | grep -q 'JUMP_SLOT.*mca_pml_base_bsend_attach'; then
    job 2 "$programs/p2p_requests" attach
    ok "long messages in an attached buffer on a device" passed
else
    skip "long messages in an attached buffer on a device" "this libmpi can't be hooked there"
fi

# In order: where the log line comes from, and what it must name.
fails() { # fails WHAT PATTERN ARGUMENTS...
    what=$1
    pattern=$2
    shift 2
    job 2 "$programs/p2p_errors" "$@"
    ok "$what" expected
    ok "$what: one line" one_line "$pattern"
}
expected() {
    succeeded && says 2 ': as expected$'
}
one_line() {
    says 1 '^hcomm error' && says 1 "^hcomm error [^ ]*:[0-9]*:1 .*$1"
}

limit=60
for way in blocking nonblocking persistent; do
    for side in send recv; do
        fails "a freed buffer, $way $side" freed $side $way freed buffer
        # The program's own copies in its driver are not asynchronous.
        export HCOMM_EMU_FAULT=1:cuMemcpyAsync@1=1
        fails "a copy fails, $way $side" '4000 bytes.*device [0-9]' $side $way good other
        unset HCOMM_EMU_FAULT
    done
done
fails "no buffer to make a persistent send of" freed send persistent gone buffer
fails "no buffer to make a persistent receive of" freed recv persistent gone buffer
finish
