#!/bin/sh
# Ranks on another host, started through a remote shell that brings nothing of
# the environment: what Open MPI forwards has to be enough.
. "${srcdir:-.}/test/mpi/jobs.sh"

# Called with the host's name and the command line; the "host" is this one.
cat >"$work/agent" <<'END'
#!/bin/sh
shift
exec env -i PATH="$PATH" sh -c "$*"
END
chmod +x "$work/agent"
other=hcomm-test-host

through_agent() { # RANKS HOSTS ARGUMENTS...
    ranks=$1 hosts=$2
    shift 2
    job "$ranks" --host "$hosts" --mca plm_rsh_agent "$work/agent" \
        --mca plm_rsh_no_tree_spawn 1 "$@"
}

on_other() {
    through_agent 2 "$other:2" "$@"
}

on_other true
if [ "$status" -ne 0 ]; then
    sed 's/^/# /' "$log"
    echo # what a program that died said last ends in no newline
    echo "1..0 # SKIP this mpirun starts no remote daemon on one machine"
    exit 0
fi

served='hcomm debug .* coll/hcomm serves MPI_COMM_WORLD'
export OMPI_MCA_coll_hcomm_log_level=debug HCOMM_PRIORITY=42
on_other -x LD_LIBRARY_PATH -x HCOMM_EMULATE "$programs/allreduce"
ok "device memory beyond a remote shell" all_right 2
ok "settings in OMPI_MCA_ arrive" says 2 "$served"
on_other sh -c 'echo "emulate=${HCOMM_EMULATE-unset}"'
ok "HCOMM_X does not arrive by itself" says 2 '^emulate=unset$'
on_other -x HCOMM_EMULATE sh -c 'echo "emulate=${HCOMM_EMULATE-unset}"'
ok "HCOMM_X arrives with -x" says 2 "^emulate=$HCOMM_EMULATE\$"

# Rank 0 here has no device; that rank 1 over there has one, it reads of it.
through_agent 1 "localhost:1,$other:1" --map-by node \
    -x HCOMM_EMULATE= "$programs/allreduce" host : \
    -n 1 -x LD_LIBRARY_PATH -x HCOMM_EMULATE "$programs/allreduce"
ok "an accelerator on the other host alone" all_right 2
ok "an accelerator on the other host alone: hcomm serves both" says 2 "$served"
finish
