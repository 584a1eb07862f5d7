#!/bin/sh
# What fails on one rank is an MPI error there, one line of log, and no one
# else's trouble.  A job that hangs is killed, and fails.
. "${srcdir:-.}/test/mpi/jobs.sh"
limit=60

# In order: where the log line comes from, and what it must name.
one_line() { # one_line PATTERN
    says 1 '^hcomm error' && says 1 "^hcomm error [^ ]*:[0-9]*:1 .*$1"
}

expected() {
    succeeded && says "$1" ': as expected$'
}

# The first copies of rank 1 in its driver are its own uploads through cuMemcpyHtoD_v2, so
# the first cuMemcpyAsync is HCOMM's, of the send buffer; the second of the result.
for form in blocking nonblocking persistent; do
    HCOMM_EMU_FAULT=1:cuMemcpyAsync@1=1 job 3 "$programs/errors" failing other $form
    ok "$form: copying in fails: class, the others and the next call" expected 3
    ok "$form: copying in fails: one line with rank, device and bytes" \
        one_line 'device [0-9].*4000 bytes|4000 bytes.*device [0-9]'

    HCOMM_EMU_FAULT=1:cuMemcpyAsync@2=1 job 3 "$programs/errors" failing other $form
    ok "$form: copying out fails: class, the others and the next call" expected 3
    ok "$form: copying out fails: one line with rank, device and bytes" \
        one_line 'device [0-9].*4000 bytes|4000 bytes.*device [0-9]'

    job 3 "$programs/errors" freed buffer $form
    ok "$form: a freed buffer: class, the others and the next call" expected 3
    ok "$form: a freed buffer: one line" one_line 'freed'
done

HCOMM_EMU_FAULT=1:cuMemcpyAsync@1=2 job 2 "$programs/errors" failing no_mem
ok "out of device memory: class" expected 2

# Nothing here is an error: what is lacking is pinned memory.
HCOMM_PINNED_MAX=0 job 3 "$programs/allreduce"
ok "no pinned memory allowed" all_right 3
ok "no pinned memory allowed: nothing is said" says 0 '^hcomm (error|warn)'
HCOMM_EMU_FAULT='cuMemHostRegister_v2@*=801' job 3 "$programs/allreduce"
ok "the driver does not pin" all_right 3
HCOMM_EMU_FAULT='cuMemHostRegister_v2@*=2' job 3 "$programs/allreduce" pool
ok "the driver has no memory to pin" all_right 3

# Asked for by name, and not there: an error in every rank, and never a crash.
refused() {
    failed && says 2 "^hcomm error .*$1" && says 0 'Segmentation fault' && says 0 ': right$'
}

HCOMM_DEVICES=voodoo doomed_job 2 "$programs/allreduce"
ok "devices: an unknown word" refused "devices=voodoo: 'voodoo' is no vendor"
HCOMM_EMULATE=nvidia:2 HCOMM_DEVICES=cuda,hip doomed_job 2 "$programs/allreduce"
ok "devices: a vendor that is not here" refused 'asks for hip, .*none of its device nodes'
if has_library libamdhip64; then
    skip "devices: a vendor whose library is missing" "this machine has libamdhip64"
else
    HCOMM_DEVICES=cuda,hip LD_LIBRARY_PATH="$builddir/emulator/nvidia" \
        doomed_job 2 "$programs/allreduce"
    ok "devices: a vendor whose library is missing" refused 'not found:.*libamdhip64.so.6'
fi

# Errors are fatal by default.
HCOMM_EMU_FAULT='1:cuMemcpyAsync@1=1' doomed_job 2 "$programs/allreduce"
ok "without an error handler the job fails" failed
ok "without an error handler: one line" one_line '4000 bytes'
finish
