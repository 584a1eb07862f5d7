# shellcheck shell=sh
# Sourced by the scripts here: TAP, one claim a line, the plan at the end.
# srcdir and builddir are given by the Makefile.

claims=0
failures=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# ok CLAIM COMMAND...: the claim holds when the command succeeds.  What it
# wrote is shown otherwise.
ok() {
    claim=$1
    shift
    claims=$((claims + 1))
    if "$@" >"$work/said" 2>&1; then
        echo "ok $claims - $claim"
    else
        echo "not ok $claims - $claim"
        sed 's/^/# /' "$work/said"
        failures=$((failures + 1))
    fi
}

# skip CLAIM REASON
skip() {
    claims=$((claims + 1))
    echo "ok $claims - $1 # SKIP $2"
}

skip_all() {
    echo "1..0 # SKIP $*"
    exit 0
}

finish() {
    echo "1..$claims"
    [ "$failures" -eq 0 ]
    exit
}
