# shellcheck shell=sh
# tests/lib.sh - sourced by tests written in shell.
#   expect NAME CODE [PATTERN...] -- COMMAND...   one test: the command ends
#       with CODE and its output (both streams) matches every grep PATTERN
#   skip NAME WHY
#   finish                        the last line, and the exit status for CTest
# Output of the last command stays in $out; $tmp is removed at the end.
#
# Tests begin again in an environment of their own, so that nothing of the
# host's counts but where things are: no locale, width, terminal, home, OpenCL
# or settings of Heddle, and no signals that a job in the background ignores.
if [ -z "${HEDDLE_TEST-}" ]; then
    set -- PATH="$PATH" HEDDLE_TEST=1 LC_ALL=C TERM=xterm
    for name in TMPDIR HEDDLE_BUILD HEDDLE_CLANG HEDDLE_LIBCLC \
        LD_LIBRARY_PATH PYTHONPATH ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS \
        TSAN_OPTIONS; do
        eval "[ -z \"\${$name+set}\" ] || set -- \"\$@\" \"$name=\$$name\""
    done
    exec env -i --default-signal=INT,QUIT,HUP,TERM,PIPE "$@" sh "$0"
fi
umask 022
# Names that are words: options of tests are lists of them.
case ${TMPDIR-} in *[!a-zA-Z0-9_./-]*) unset TMPDIR ;; esac
passed=0 failed=0 skipped=0
tmp=$(mktemp -d)
mkdir "$tmp/home"
export HOME="$tmp/home"
# The tree may belong to somebody else.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
out=$tmp/output
trap 'rm -rf "$tmp"' EXIT
# shellcheck disable=SC2034  # for the test
root=$(cd "$(dirname "$0")/../.." && pwd)

expect() {
    expect_name=$1 expect_code=$2 expect_bad= expect_got=0
    shift 2
    : >"$tmp/patterns"
    while [ "$1" != -- ]; do
        printf '%s\n' "$1" >>"$tmp/patterns"
        shift
    done
    shift
    "$@" >"$out" 2>&1 </dev/null || expect_got=$?
    [ "$expect_got" = "$expect_code" ] ||
        expect_bad="exit status $expect_got, not $expect_code"
    while read -r pattern; do
        grep -qe "$pattern" "$out" ||
            expect_bad="$expect_bad
  no line matches: $pattern"
    done <"$tmp/patterns"
    if [ -z "$expect_bad" ]; then
        passed=$((passed + 1))
        return 0
    fi
    failed=$((failed + 1))
    printf 'FAIL %s: %s\n  command: %s\n' "$expect_name" "$expect_bad" "$*"
    head -n 20 "$out" | sed 's/^/  | /'
    return 0
}

# Is the build with sanitizers?
sanitized() {
    grep -q '^HEDDLE_SANITIZE:[^=]*=.' \
        "${HEDDLE_BUILD-$root/build/release}/CMakeCache.txt" 2>/dev/null
}

skip() {
    skipped=$((skipped + 1))
    echo "SKIP $1: $2"
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ] || exit 1
    [ "$passed" != 0 ] || exit 77
    exit 0
}

# Ends the test file as skipped if the command is not built.
need_heddle() {
    heddle=${HEDDLE_BUILD-$root/build/release}/heddle
    workload=${HEDDLE_BUILD-$root/build/release}/heddle-workload
    if [ ! -x "$heddle" ]; then
        skip "$(basename "$0" .sh)" "no $heddle"
        finish
    fi
}

# Ends the test file as skipped if no OpenCL C can be compiled here.
need_opencl_c() {
    echo 'kernel void f(void) {}' >"$tmp/need.cl"
    "$root/tools/ptxcc" "$tmp/need.cl" -o "$tmp/need.ptx" >"$out" 2>&1 ||
        {
            skip "$(basename "$0" .sh)" "$(tail -n 1 "$out")"
            finish
        }
}

# gen NAME SIZE: makes a workload in $tmp/NAME, with clang's OpenCL PTX.
gen() {
    gen_ptx=$root/workloads/$1/ptx/clang14-opencl.ptx
    [ -e "$gen_ptx" ] || gen_ptx=$root/workloads/$1/ptx/clang14-cuda.ptx
    "$workload" gen "$1" --size "$2" --out "$tmp/$1" --program "$gen_ptx"
}
