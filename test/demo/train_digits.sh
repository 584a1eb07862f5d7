#!/bin/sh
# The example: what it makes of good and of bad input.
set -u
# shellcheck source=test/demo/tap.sh
. "$srcdir/test/demo/tap.sh"

program=$builddir/train_digits
digits=$work/digits.csv
[ -x "$program" ] || skip_all 'train_digits is not built: no Open MPI'
command -v mpirun >/dev/null || skip_all 'no mpirun'
"$srcdir/scripts/export_digits" "$digits" 2>/dev/null ||
    skip_all 'python3-sklearn is not installed'

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
unset HCOMM_EMULATE

# train RANKS ARGUMENT...
train() {
    ranks=$1
    shift
    timeout 180 mpirun -n "$ranks" --mca coll ^hcomm "$program" "$@"
}

same_for_any_number_of_ranks() {
    for ranks in 1 3 4; do
        train "$ranks" --memory host "$digits" | grep '^accuracy'
    done | sort -u >"$work/results"
    cat "$work/results"
    [ "$(wc -l <"$work/results")" -eq 1 ] &&
        grep -q '^accuracy 0\.9[5-9].*  weights [0-9a-f]\{16\}$' "$work/results"
}

# refused WORDS ARGUMENT...: exit code 2, and one line of ours with the words.
refused() {
    words=$1
    shift
    train 4 "$@" >"$work/out" 2>&1
    code=$?
    cat "$work/out"
    [ "$code" -eq 2 ] &&
        [ "$(grep -c '^train_digits: ' "$work/out")" -eq 1 ] &&
        grep -qF "$words" "$work/out"
}

sed '7s/,/,,/' "$digits" >"$work/odd.csv"
sed '9s/$/,1/' "$digits" >"$work/long.csv"
sed '3s/^0/17/' "$digits" >"$work/level.csv"
: >"$work/empty.csv"
# More than 0.05 of what it is tested on is wrong: every fifth digit's label.
awk -F, -v OFS=, 'NR % 5 == 1 { $65 = ($65 + 1) % 10 } 1' "$digits" \
    >"$work/lies.csv"

not_learned() {
    train 2 --memory host "$work/lies.csv"
    [ $? -eq 1 ]
}

ok 'result_is_the_same_for_any_number_of_ranks' same_for_any_number_of_ranks
ok 'low_accuracy_is_exit_1' not_learned
ok 'no_arguments_is_a_usage_line' refused 'usage:'
ok 'unknown_memory_is_a_usage_line' refused 'usage:' --memory x "$digits"
ok 'missing_file_is_named' refused "$work/none: No such file" \
    --memory host "$work/none"
ok 'empty_field_is_found_by_line' refused "$work/odd.csv:7:" \
    --memory host "$work/odd.csv"
ok 'long_line_is_found_by_line' refused "$work/long.csv:9:" \
    --memory host "$work/long.csv"
ok 'level_out_of_range_is_found_by_line' refused "$work/level.csv:3:" \
    --memory host "$work/level.csv"
ok 'empty_file_is_named' refused "$work/empty.csv: holds no digits" \
    --memory host "$work/empty.csv"

# From here on with emulated devices and the plugin of this build tree.  Without
# libze1 there are no Intel devices, and one fewer.
emulator=$builddir/emulator
emulated() {
    HCOMM_EMULATE=nvidia:2,amd:2,intel:2 \
        LD_LIBRARY_PATH=$emulator/nvidia:$emulator/amd:$emulator/intel \
        OMPI_MCA_mca_base_component_path=$builddir/ompi_component:SYS_DEFAULT \
        timeout 180 mpirun -n "$1" --mca coll hcomm "$program" \
        --memory device "$digits"
}

# "results" is what host memory gave.
device_memory_gives_the_same() {
    for ranks in 1 3 8; do
        emulated "$ranks" | grep '^accuracy'
    done | sort -u >"$work/device"
    cat "$work/device"
    cmp "$work/results" "$work/device"
}

# On one rank only, in the middle of the training.
failed_copy_is_said() {
    HCOMM_EMU_FAULT=1:cuMemcpyHtoD_v2@99=700 emulated 4 >"$work/out" 2>&1
    code=$?
    cat "$work/out"
    [ "$code" -eq 2 ] &&
        grep -q '^train_digits: rank 1: nvidia: copying .*(code 700)' \
            "$work/out"
}

refused_device_is_said() {
    HCOMM_EMU_FAULT=3:hipSetDevice@1=101 emulated 4 >"$work/out" 2>&1
    code=$?
    cat "$work/out"
    [ "$code" -eq 2 ] &&
        [ "$(grep -c '^train_digits: ' "$work/out")" -eq 1 ] &&
        grep -q '^train_digits: amd:1 on .*(code 101)' "$work/out"
}

ok 'device_memory_gives_the_same_result' device_memory_gives_the_same
ok 'failed_copy_ends_all_ranks' failed_copy_is_said
ok 'refused_device_is_one_line' refused_device_is_said
if [ -n "$("$program" --devices)" ]; then
    skip 'no_gpu_is_said' 'there is a GPU'
else
    ok 'no_gpu_is_said' refused 'no GPU on ' --memory device "$digits"
fi
finish
