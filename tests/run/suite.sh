#!/bin/sh
# tests/run/suite.sh - heddle suite: verdicts, what it takes from programs that
# misbehave, and wrong suite files. Without OpenCL.
. "$(dirname "$0")/../lib.sh"
need_heddle

run() { # OPTION...: the suite in $tmp
    "$heddle" suite run "$tmp" --native "$@"
}

row() { # NAME VERDICT: a pattern
    printf '^%s  *%s  ' "$1" "$2"
}

# ---- Every verdict ----
cat >"$tmp/suite.yaml" <<'S'
name: verdicts
defaults: {timeout: 20}
programs:
  - {name: good, run: echo ok, expect: {stdout: ^ok$}}
  - {name: status, run: exit 3}
  - {name: expected, run: exit 3, expect: {status: 3}}
  - {name: any, run: exit 9, expect: {status: any}}
  - {name: says, run: echo no; echo why >&2, expect: {stdout: ^ok$}}
  - {name: warns, run: echo w >&2, expect: {stderr: ^w$}}
  - {name: dies, run: kill -SEGV $$}
  - {name: within, run: "sh -c 'kill -ABRT $$'; exit $?"}
  - {name: hangs, run: sleep 1000 & sleep 1000, timeout: 1}
  - {name: lacks, run: echo no images; exit 77}
  - {name: unbuilt, build: echo cannot; false, run: exit 0}
  - {name: nowhere, run: [/no/such/program]}
  - {name: nofolder, folder: /no/such/folder, run: exit 0}
  - {name: noinput, stdin: no-such-file, run: exit 0}
  - {name: last, run: echo still here}
S
expect "every verdict" 1 '^verdicts, size small, on the machine' \
    "$(row good pass)" "$(row status fail)" '  exit status 3, not 0' \
    "$(row expected pass)" "$(row any pass)" "$(row says 'wrong output')" \
    '  | no' '  | why' "$(row warns pass)" "$(row dies crash)" \
    '  signal 11 (Segmentation fault)' "$(row within crash)" \
    '  signal 6 (Aborted)' "$(row hangs timeout)" \
    "$(row lacks skipped)" '  no images' "$(row unbuilt 'not built')" \
    '  | cannot' "$(row nowhere 'not started')" \
    '  cannot run /no/such/program: No such file' \
    "$(row nofolder 'not started')" "$(row noinput 'not started')" \
    "$(row last pass)" '^15 programs: 5 pass, 1 fail, 1 wrong output' \
    -- run
expect "all at once, in the same order" 1 '^15 programs: 5 pass' -- run -j 14
"$heddle" suite run "$tmp" --native -j 14 2>&1 | cut -c 1-22 >"$tmp/a"
"$heddle" suite run "$tmp" --native 2>&1 | cut -c 1-22 >"$tmp/b"
expect "the same table for any number of jobs" 0 -- cmp "$tmp/a" "$tmp/b"
expect "some programs, in the order of the file" 1 \
    '^2 programs: 1 pass, 1 fail' -- run status good
expect "those that pass" 0 '^3 programs: 2 pass, 1 skipped' -- \
    run good expected lacks
expect "JSON" 0 '^true$' -- sh -c "'$heddle' suite run '$tmp' --native \
    good dies -f json | jq '(.programs | length) == 2 and
    .programs[1].verdict == \"crash\" and .programs[1].signal == 11'"
expect "CSV" 1 '^program,verdict,exit_status' '^status,fail,3,0,' -- \
    run good status -f csv
expect "a file for the table" 0 '^good  *pass' -- \
    sh -c "'$heddle' suite run '$tmp' --native good -o '$tmp/t' && cat '$tmp/t'"
expect "the list" 0 '^verdicts$' '^good ' '^last' -- \
    "$heddle" suite list "$tmp"
expect "those named" 0 '^good ' -- "$heddle" suite list "$tmp" good
expect "a tag that none has" 2 "has the tag 'none'" -- \
    "$heddle" suite list "$tmp" --tag none

# ---- Programs that misbehave ----
cat >"$tmp/suite.yaml" <<S
programs:
  - name: orphan
    run: (sleep 1000; touch '$tmp/lived') & echo \$! >'$tmp/pid'; exit 0
  - {name: flood, run: yes, timeout: 60}
  - {name: deaf, run: trap '' TERM INT HUP; sleep 1000 & wait, timeout: 1}
  - {name: closed, run: exec >&- 2>&- <&-; exit 0}
  - {name: next, run: exit 0}
S
expect "orphans, floods, the deaf" 1 "$(row orphan pass)" "$(row flood fail)" \
    '  ended after 256 MB of output' "$(row deaf timeout)" \
    "$(row closed pass)" "$(row next pass)" -- run
# Ended, or only not yet waited for; within two seconds.
gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$1" || return 0
        grep -q '^State:.Z' "/proc/$1/status" && return 0
        sleep 0.2
    done
    return 1
}
expect "what a program leaves behind is ended" 0 -- gone "$(cat "$tmp/pid")"
expect "a limit for all" 1 "$(row deaf timeout)" -- run deaf --timeout 1
cat >"$tmp/suite.yaml" <<'S'
programs:
  - {name: first, run: exit 0}
  - {name: long, run: sleep 1000}
  - {name: never, run: exit 0}
S
interrupt() {
    "$heddle" suite run "$tmp" --native >"$tmp/table" 2>&1 &
    interrupt_pid=$!
    until grep -q '^first' "$tmp/table"; do
        sleep 0.1
    done
    sleep 0.2 # the next one begins
    kill -TERM "$interrupt_pid"
    wait "$interrupt_pid" || interrupt_code=$?
    cat "$tmp/table"
    return "$interrupt_code"
}
expect "what was done when it was stopped" 130 "$(row first pass)" \
    "$(row long stopped)" "$(row never stopped)" \
    '^3 programs: 1 pass, 2 stopped' -- interrupt

# ---- What programs get, and what they make ----
mkdir "$tmp/sub"
echo 'from the file' >"$tmp/in"
printf '1.0 2.0\nx\n' >"$tmp/want"
cat >"$tmp/suite.yaml" <<'S'
build: touch built
defaults: {sizes: {small: [-n, 4], large: "-n 4096"}}
programs:
  - {name: input, stdin: in, run: [cat], sizes: [small], expect: {stdout: ^from the file$}}
  - {name: folder, folder: sub, run: basename "$PWD", expect: {stdout: ^sub$}}
  - {name: own, run: ["env"], env: {MINE: "{name}-{size}"}, expect: {stdout: ^MINE=own--n 4}}
  - {name: arguments, run: [printf, "%s,", "{size}", "a b"], expect: {stdout: "^-n,4,a b,$"}}
  - {name: first, build: "touch '{tmp}/x'", run: "test -e '{dir}/built' && test -e '{tmp}/x'"}
  - {name: makes, run: "echo 1.001 2.0 x >'{tmp}/out'", expect: {files: {"{tmp}/out": want}, tolerance: 0.01}}
  - {name: differs, run: "echo 1.1 2.0 x", expect: {stdout_is: want, tolerance: 0.01}}
  - {name: bytes, run: "echo 1.0 2.0 x", expect: {stdout_is: want}}
S
sed -i 's/build: touch {tmp}\/x/build: "touch {tmp}\/x"/' "$tmp/suite.yaml"
expect "what programs get and make" 1 "$(row input pass)" \
    "$(row folder pass)" "$(row own pass)" "$(row arguments pass)" \
    "$(row first pass)" "$(row makes pass)" "$(row differs 'wrong output')" \
    "  standard output:1: '1.1', not '1.0'" "$(row bytes 'wrong output')" \
    '  standard output:1: differs' -- env TMPDIR="$tmp/sub" \
    "$heddle" suite run "$tmp" --native
expect "nothing is left in its place" 0 '^0$' -- sh -c "ls '$tmp/sub' | wc -l"
expect "a size that one lacks" 1 "$(row input skipped)" \
    '  it has no size large' "$(row folder pass)" -- run --size large
expect "a size that none has" 2 "no program has a size 'huge'" -- \
    run --size huge
expect "an unknown program" 2 "no program 'foldr' .*did you mean 'folder'" -- \
    run foldr
printf 'build: echo oh; false\nprograms: [{name: a, run: [true]}]\n' \
    >"$tmp/suite.yaml"
expect "a suite that cannot be built" 1 'cannot build' '^oh$' -- run
expect "not built on request" 0 "$(row a pass)" -- run --no-build

cat >"$tmp/suite.yaml" <<'S'
programs:
  - {name: has, run: [grep, -q, file, in], inputs: ["{dir}/in"]}
  - {name: lacks, run: ["true"], folder: sub, inputs: [data]}
  - {name: absent, run: [./absent], from: example.org/absent}
S
expect "inputs, and where programs come from" 1 "$(row has pass)" \
    "$(row lacks 'not started')" "  cannot read its input $tmp/sub/data: No " \
    "$(row absent 'not started')" 'No such file.*; it comes from example.org' \
    -- run

# ---- Wrong files and calls ----
wrong() { # NAME TEXT PATTERN
    echo "$2" >"$tmp/suite.yaml"
    expect "$1" 3 "suite.yaml:$3" -- run
}
wrong "an unknown key" 'programs: [{name: a, rum: [x]}]' \
    "1:22: error: unknown key 'rum' (did you mean 'run'?)"
wrong "nothing to run" 'programs: [a]' "1:12: error: 'a' has nothing"
wrong "an unknown word" 'programs: [{name: a, run: ["{fir}"]}]' \
    "1:28: error: '{fir}' means nothing"
wrong "no YAML" 'programs: {' '2:1: error: '
expect "no suite" 3 'suite.yaml' -- "$heddle" suite run "$tmp/sub"
expect "neither run nor list" 2 'expected run or list and a suite' -- \
    "$heddle" suite "$tmp"
expect "a wrong number of jobs" 2 -- run -j x
finish
