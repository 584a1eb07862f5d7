#!/bin/sh
# Point-to-point on every kind of memory, with 1 to 3 ranks, over pml/ob1 and,
# where it is installed, pml/ucx.
. "${srcdir:-.}/test/mpi/jobs.sh"
limit=300

for ranks in 1 2 3; do
    job $ranks "$programs/p2p" small
    ok "every way to send, $ranks ranks" passed
done
job 2 "$programs/p2p" large
ok "every way to send, large counts" passed

# Through two pinned chunks of 64 KiB, and with none at all.
HCOMM_PINNED_MAX=128KiB HCOMM_CHUNK=64KiB job 2 "$programs/p2p" large
ok "every way to send, two pinned chunks of 64 KiB" passed
HCOMM_PINNED_MAX=0 job 2 "$programs/p2p" large
ok "every way to send, no pinned memory" passed

# Debian's defaults exclude it and its transports other than RDMA.
if [ -e "$component_dir/mca_pml_ucx.so" ]; then
    export OMPI_MCA_pml=ucx OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any
    job 2 "$programs/p2p"
    ok "every way to send, pml/ucx" passed
    unset OMPI_MCA_pml OMPI_MCA_opal_common_ucx_tls OMPI_MCA_opal_common_ucx_devices
else
    skip "every way to send, pml/ucx" "Open MPI has no pml/ucx here"
fi
finish
