# shellcheck shell=sh
# tools/conformance.sh - sourced by tools/piglit and tools/pyopencl: a suite of
# OpenCL tests on Heddle's driver, and beside another one. Each test is a process
# of its own, computed without timing. What fails and why is written in
# docs/conformance.md, below the suite's heading, and nowhere else: a failure that
# stands there is known, any other is an error.
#
# The tool has these, and ends with `suite_main "$@"`:
#   tool                  its name, which is the suite's heading, too
#   suite_seconds         how long a test may take if --timeout does not say
#   usage                 prints the help: what it does, its options and suite_usage
#   suite_option NAME VALUE   takes an option of its own, or fails
#   suite_find            looks for the suite and sets $folder, in which tests
#                         run; ends with 77 if it is not there
#   suite_tests SIDE      prints a line for each test, with tabs between the words:
#                         NAME COMMAND ARGUMENT...
#   suite_verdict FILE STATUS     of what a test wrote and ended with: prints pass,
#                         skip, fail, crash or timeout
# SIDE is heddle or beside; `on SIDE REPORT COMMAND...` runs a command there.
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck disable=SC2154  # the tool has it
self=$root/tools/$tool

suite_usage() {
    cat <<E
  --beside VENDOR   also on another implementation: a file of /etc/OpenCL/vendors,
                    with or without .icd, or a path; prints where they differ, too
  --gpu GPU         the simulated GPU; default v100
  --heddle FILE     the command; default build/release/heddle
  --known FILE      where verdicts are; default docs/conformance.md
  --out FOLDER      keep what each test writes, in FOLDER/heddle and FOLDER/beside
  --resume          run only the tests that have no verdict in that folder yet
  --jobs N          so many at once; default: as many as there are processors
  --timeout S       for each test; default $suite_seconds seconds
  --list            only list the tests
E
}

fail() {
    echo "tools/$tool: $*" >&2
    exit 2
}

# ---- One test, of xargs ----

# on SIDE REPORT COMMAND...: on Heddle with its report in a file, or beside it.
on() {
    on_side=$1 on_report=$2
    shift 2
    if [ "$on_side" = heddle ]; then
        timeout -k 5 "$SUITE_SECONDS" "$SUITE_HEDDLE" exec --functional \
            --quiet -g "$SUITE_GPU" -o "$on_report" -- "$@"
    else
        OCL_ICD_VENDORS=$SUITE_VENDOR OCL_ICD_FILENAMES=$SUITE_VENDOR \
            timeout -k 5 "$SUITE_SECONDS" "$@"
    fi
}

# kept SIDE NAME: the file of a test, without its end
kept() {
    printf '%s/%s/%s' "$SUITE_OUT" "$1" "$(printf %s "$2" | tr / %)"
}

# run_one SIDE NAME COMMAND...: its output is a file, its verdict another.
run_one() {
    side=$1 file=$(kept "$1" "$2") code=0
    shift 2
    [ -z "$SUITE_RESUME" ] || [ ! -e "$file.verdict" ] || return 0
    on "$side" "$file.report" "$@" >"$file.txt" 2>&1 </dev/null || code=$?
    case $code in
    124 | 137) echo timeout ;;
    *) suite_verdict "$file.txt" "$code" ;;
    esac >"$file.verdict"
}

one_of_xargs() { # SIDE "NAME<tab>WORD<tab>WORD..."
    side=$1 line=$2 old=$IFS
    IFS='	'
    set -f
    # shellcheck disable=SC2086  # words are separated by tabs
    set -- $line
    IFS=$old
    run_one "$side" "$@"
}

# ---- Arguments ----

options() { # sets $words, how many arguments were options
    words=$#
    while [ $# != 0 ]; do
        case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --list) list=1 ;;
        --resume) SUITE_RESUME=1 ;;
        -*)
            option "$@"
            shift
            ;;
        *) break ;;
        esac
        shift
    done
    words=$((words - $#))
    [ -z "$SUITE_RESUME" ] || [ -n "$SUITE_OUT" ] ||
        fail "--resume needs the folder of the run before: --out FOLDER"
}

option() { # NAME VALUE...
    case $1 in
    --beside | --gpu | --heddle | --known | --out | --jobs | --timeout) ;;
    *) suite_option "$1" "${2-}" ;;
    esac
    [ $# != 1 ] || fail "$1 needs a value"
    case $1 in
    --beside) beside=$2 ;;
    --gpu) SUITE_GPU=$2 ;;
    --heddle) SUITE_HEDDLE=$2 ;;
    --known) known=$2 ;;
    --out) SUITE_OUT=$2 ;;
    --jobs) jobs=$2 ;;
    --timeout) SUITE_SECONDS=$2 ;;
    esac
}

find_drivers() {
    [ -x "$SUITE_HEDDLE" ] ||
        fail "there is no $SUITE_HEDDLE: build it, or name one with --heddle"
    SUITE_HEDDLE=$(realpath "$SUITE_HEDDLE")
    [ -n "$beside" ] || return 0
    for each in "$beside" "/etc/OpenCL/vendors/$beside" \
        "/etc/OpenCL/vendors/$beside.icd"; do
        [ ! -f "$each" ] || SUITE_VENDOR=$(realpath "$each")
    done
    [ -n "$SUITE_VENDOR" ] || fail "no driver '$beside' in /etc/OpenCL/vendors"
}

# ---- Tests ----

chosen() { # PATTERN...: the lines whose names are or match one, or all
    [ $# != 0 ] || {
        cat
        return
    }
    while IFS= read -r line; do
        name=${line%%	*}
        for pattern; do
            # shellcheck disable=SC2254  # it is a pattern
            case $name in
            "$pattern" | $pattern)
                printf '%s\n' "$line"
                break
                ;;
            esac
        done
    done
}

# run SIDE: all tests, and the table of names and verdicts
run() {
    mkdir -p "$SUITE_OUT/$1" || exit 2
    (cd "$folder" && xargs -d '\n' -P "$jobs" -n 1 \
        "$self" --one "$1" <"$tmp/$1.tests")
    cut -f 1 "$tmp/$1.tests" | while IFS= read -r name; do
        printf '%s\t%s\n' "$name" "$(of "$1" "$name")"
    done >"$tmp/$1.verdicts"
}

# ---- Verdicts ----

of() { # SIDE NAME
    cat "$(kept "$1" "$2").verdict" 2>/dev/null || echo -
}

# known_rows: of "| `test` | why |" below the suite's heading: test and why
known_rows() {
    awk -v tool="$tool" '/^## / { inside = tolower($2) == tool } inside' \
        "$known" | sed -n 's/^| `\([^`]*\)` | \(.*\) |$/\1\t\2/p'
}

why() { # NAME
    # shellcheck disable=SC2016  # awk's
    name=$1 awk -F'\t' '$1 == ENVIRON["name"] { print $2 }' "$tmp/known"
}

# tell_failures: each with its reason; sets $new, those without
tell_failures() {
    new=0
    grep -v '	\(pass\|skip\)$' "$tmp/heddle.verdicts" >"$tmp/bad"
    while IFS='	' read -r name is; do
        reason=$(why "$name")
        [ -n "$reason" ] || new=$((new + 1))
        printf '%s: %s%s\n  %s\n' "$name" "$is" \
            "${SUITE_VENDOR:+, beside it: $(of beside "$name")}" \
            "${reason:-NEW: docs/conformance.md does not say why}"
    done <"$tmp/bad"
}

tell_repaired() {
    grep '	pass$' "$tmp/heddle.verdicts" | while IFS='	' read -r name is; do
        [ -z "$(why "$name")" ] ||
            printf '%s: pass\n  %s\n' "$name" \
                'NEW: it is among the failures in docs/conformance.md'
    done
}

tell_differences() {
    while IFS='	' read -r name is; do
        [ "$is" = pass ] || [ "$is" = skip ] ||
            [ "$(of heddle "$name")" != pass ] ||
            printf '%s: pass, beside it: %s\n' "$name" "$is"
    done <"$tmp/beside.verdicts"
}

count() { # FILE VERDICT
    grep -c "	$2\$" "$1"
}

summary() { # WHO FILE
    printf '%s: %s tests, %s pass, %s skip, %s fail' "$1" "$(wc -l <"$2")" \
        "$(count "$2" pass)" "$(count "$2" skip)" \
        "$(grep -vc '	\(pass\|skip\)$' "$2")"
}

suite_main() {
    if [ "${1-}" = --one ]; then
        one_of_xargs "$2" "$3"
        return
    fi
    beside='' folder='' known=$root/docs/conformance.md list=''
    jobs=$(getconf _NPROCESSORS_ONLN)
    SUITE_HEDDLE=$root/build/release/heddle SUITE_GPU=v100 SUITE_VENDOR=''
    SUITE_OUT='' SUITE_SECONDS=$suite_seconds SUITE_RESUME=''
    options "$@"
    shift "$words"
    [ -e "$known" ] || fail "there is no $known"

    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    trap 'exit 130' INT TERM
    suite_find
    find_drivers
    SUITE_OUT=${SUITE_OUT:-$tmp/out}
    mkdir -p "$SUITE_OUT" || exit 2
    SUITE_OUT=$(realpath "$SUITE_OUT")
    export SUITE_HEDDLE SUITE_GPU SUITE_VENDOR SUITE_OUT SUITE_SECONDS \
        SUITE_RESUME
    unset HEDDLE_SESSION
    for side in heddle ${SUITE_VENDOR:+beside}; do
        suite_tests "$side" >"$tmp/$side.all" || exit 2
        chosen "$@" <"$tmp/$side.all" >"$tmp/$side.tests"
    done
    [ -s "$tmp/heddle.tests" ] || fail "no test matches: $*"
    if [ -n "$list" ]; then
        cut -f 1 "$tmp/heddle.tests"
        return
    fi

    known_rows >"$tmp/known"
    run heddle
    [ -z "$SUITE_VENDOR" ] || run beside
    tell_failures
    tell_repaired
    [ -z "$SUITE_VENDOR" ] || tell_differences
    summary heddle "$tmp/heddle.verdicts"
    printf ', %s of them known\n' $(($(wc -l <"$tmp/bad") - new))
    [ -z "$SUITE_VENDOR" ] || {
        summary "$beside" "$tmp/beside.verdicts"
        echo
    }
    [ "$new" = 0 ]
}
