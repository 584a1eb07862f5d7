#!/bin/sh
# Calls of the drivers, counted: the pieces of a datatype go by rows and not one
# by one, and those that make no rows enter the driver many at a time.
. "${srcdir:-.}/test/mpi/jobs.sh"

# traced KIND SHAPE: calls of both ranks in $trace, the rest in $log.  Each rank
# writes to a file of its own: mpirun would mix their lines.
traced() {
    trace=$work/trace
    rm -f "$trace".*
    HCOMM_EMU_TRACE=1 job 2 sh -c 'exec "$@" 2>"$0.$$"' "$trace" "$programs/rows" "$1" "$2"
    cat "$trace".* >"$trace"
    grep -v '^emulated ' "$trace" >>"$log"
}

# calls KIND SHAPE FUNCTION: how many, without the program's own, to $calls.
calls() {
    traced "$1" none
    calls=$(grep -c ": $3" "$trace")
    traced "$1" "$2"
    calls=$(($(grep -c ": $3" "$trace") - calls))
}

# few MOST: something was called, and every rank has its bytes right.
few() {
    all_right 2 && [ "$calls" -ge 2 ] && [ "$calls" -le "$1" ]
}

one_vendor() { # one_vendor KIND FUNCTIONS_BEGIN
    calls "$1" vector "$2"
    ok "$1: 10000 rows in $calls copies" few 2
    calls "$1" structs "$2"
    ok "$1: 5000 structures of two fields in $calls copies" few 4
    calls "$1" odd "$2"
    ok "$1: 10000 odd pieces in $calls copies" few 20000
}

one_vendor cuda cuMemcpy
one_vendor hip hipMemcpy
if has_library libze_loader; then
    one_vendor ze zeCommandListAppendMemoryCopy
else
    skip "ze: rows and odd pieces" "no libze_loader.so.1: install libze1"
fi

# At most 32 pieces at a time on both sides, besides looks at events and a few
# calls for other reasons.
traced cuda odd
calls=$(($(grep -c ': cuCtxPushCurrent' "$trace") - $(grep -c ': cuEventQuery' "$trace")))
ok "10000 odd pieces enter the driver $calls times" few 700

# Through two pinned chunks and with none at all.
export HCOMM_PINNED_MAX=128KiB HCOMM_CHUNK=64KiB
calls cuda vector cuMemcpy
ok "10000 rows through two pinned chunks in $calls copies" few 2
for shape in structs odd; do
    job 2 "$programs/rows" cuda $shape
    ok "$shape through two pinned chunks" all_right 2
done
HCOMM_PINNED_MAX=0
calls cuda vector cuMemcpy
ok "10000 rows without pinned memory in $calls copies" few 2
for shape in structs odd; do
    job 2 "$programs/rows" cuda $shape
    ok "$shape without pinned memory" all_right 2
done
finish
