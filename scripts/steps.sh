# Sourced by scripts/test and scripts/nightly: how a run is told and counted.
# $logs is where logs are kept; what a step runs reads no input, and in it
# `set -e` has no effect: commands are joined by && there.

passed=0 failed=0 skipped=0
started=$(date +%s)

log_of() {
    echo "$logs/$(echo "$1" | tr -c 'a-z0-9\n' '-').log"
}

# step NAME COMMAND...: one test that is a command; its log is kept.
step() {
    name=$1
    shift
    log=$(log_of "$name")
    if "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name; the end of $log:"
        tail -n 40 "$log" | sed 's/^/    /'
        return 1
    fi
}

# checks NAME COMMAND...: the command is a make check; its tests are counted.
checks() {
    name=$1
    shift
    log=$(log_of "$name")
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    count() { sed -n "s/^# $1: *//p" "$log" | awk '{n += $1} END {print n + 0}'; }
    p=$(count PASS) f=$(($(count FAIL) + $(count ERROR) + $(count XPASS))) s=$(count SKIP)
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ $status -ne 0 ] || [ "$f" -gt 0 ] || [ "$p" -eq 0 ]; then
        # What broke before its first test has counted nothing: it must not pass for that.
        [ "$f" -gt 0 ] || failed=$((failed + 1))
        echo "FAILED  $name: $p passed, $f failed, $s skipped; all of it is in $log"
        grep -ahE '^(FAIL|ERROR|XPASS):|error:|\*\*\*' "$log" | sort -u | head -n 40 | sed 's/^/    /'
    else
        echo "ok      $name: $p passed, $s skipped"
    fi
    grep -ahE '^SKIP:' "$log" | sort -u | sed 's/^/    /'
}

# The last lines.
summary() {
    seconds=$(($(date +%s) - started))
    echo "took $((seconds / 60)) min $((seconds % 60)) s; all devices emulated"
    echo "$passed passed, $failed failed, $skipped skipped"
}
