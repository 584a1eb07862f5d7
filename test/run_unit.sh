#!/bin/sh
# Run a test program.  cmocka 1.1.5 writes "not ok N # SKIP" for a test that
# was skipped, which TAP reads as a failure.
said=$(mktemp) || exit 99
trap 'rm -f "$said"' EXIT
"$@" >"$said"
status=$?
sed 's/^not ok \([0-9]*\) # SKIP/ok \1 # SKIP/' "$said"
exit $status
