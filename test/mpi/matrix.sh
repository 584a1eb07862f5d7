#!/bin/sh
# The matrix of calls, memory, datatypes and ops (matrix.c) with 1 to 5 ranks.
#
#   matrix.sh [ARGUMENTS]    instead of CI's, as --cases 100000 --seed 7
#
# A case that kills its job fails, and the job is started again behind it.
. "${srcdir:-.}/test/mpi/jobs.sh"

deaths=20 # of a job, until it is given up

# Prints the last case that a rank died in, if any did.
died_in() {
    sed -nE 's/^# (died|hung) in .* --case ([0-9]+) .*/\2/p' "$log" |
        sort -n | tail -n 1
}

# All cases of one number of ranks; what was said about any goes to $all.
run_matrix() {
    ranks=$1
    shift
    all=$work/all
    : >"$all"
    from=0
    for _ in $(seq "$deaths"); do
        limit=600 job "$ranks" "$programs/matrix" "$@" --from "$from"
        cat "$log" >>"$all"
        from=$(died_in)
        [ -n "$from" ] || break
        from=$((from + 1))
    done
    mv "$all" "$log"
}

all_passed() {
    passed && says 0 '^# (died|hung) in '
}

for ranks in 1 2 3 4 5; do
    run_matrix $ranks "$@"
    grep -E '^# (rank|died|hung)' "$log" | sort -u
    ok "every call: $(sed -n 's/^.*ok 1 - //p' "$log" | tail -n 1)" all_passed
    [ $ranks -ne 1 ] || grep -E '^# ([0-9]+ pairs|impossible|left out)' "$log"
done
finish
