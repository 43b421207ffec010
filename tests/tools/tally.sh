#!/bin/sh
# tests/tools/tally.sh - tools/tally counts tests, not test programs.
. "$(dirname "$0")/../lib.sh"

# case STATUS INNER
junit() {
    echo '<testsuite>'
    while [ $# -gt 0 ]; do
        printf '\t<testcase name="t" time="1" status="%s">\n' "$1"
        printf '%s\n\t</testcase>\n' "$2"
        shift 2
    done
    echo '</testsuite>'
}
sum() { junit "$@" | "$root/tools/tally" /dev/stdin; }
skip_code='<skipped message="SKIP_RETURN_CODE=77"/>'

expect "the own count of a test is taken" 0 '^3 passed, 1 failed, 2 skipped$' \
    -- sum fail '<system-out>3 passed, 1 failed, 2 skipped
</system-out>'
expect "a skipped test does not pass" 0 '^0 passed, 0 failed, 1 skipped$' \
    -- sum notrun "$skip_code"
expect "a test that is not there failed" 0 '^0 passed, 1 failed, 0 skipped$' \
    -- sum notrun '<skipped message="Unable to find executable"/>'
expect "a crash after the count fails" 0 '^3 passed, 1 failed, 0 skipped$' \
    -- sum fail '<system-out>3 passed, 0 failed, 0 skipped
</system-out>'
expect "a crash before the count fails" 0 '^0 passed, 1 failed, 0 skipped$' \
    -- sum fail '<system-out></system-out>'
expect "counts of several tests add up" 0 '^2 passed, 1 failed, 0 skipped$' \
    -- sum run '' run '' fail ''
finish
