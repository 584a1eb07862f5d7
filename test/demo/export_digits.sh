#!/bin/sh
# scripts/export_digits writes what the example reads.
set -u
# shellcheck source=test/demo/tap.sh
. "$srcdir/test/demo/tap.sh"

dpkg-query -L python3-sklearn >/dev/null 2>&1 ||
    skip_all 'python3-sklearn is not installed'

export_digits=$srcdir/scripts/export_digits
digits=$work/digits.csv

rows_of_65_numbers() {
    awk -F, 'NF != 65 || /[^0-9,]/ || $65 > 9 { exit 1 }
        { for (i = 1; i < 65; i++) if ($i > 16) exit 1 }
        END { exit NR != 1797 }' "$digits"
}

leaves_nothing_behind() {
    # A directory in the way: the last step fails.
    mkdir -p "$work/taken/x"
    "$export_digits" "$work/none/digits.csv" && return 1
    [ ! -e "$work/none" ] && [ ! -e "$work/digits.csv.part" ]
}

ok 'digits_are_exported' "$export_digits" "$digits"
ok 'there_are_1797_rows_of_64_levels_and_a_digit' rows_of_65_numbers
ok 'a_file_that_cannot_be_written_is_a_failure' leaves_nothing_behind
finish
