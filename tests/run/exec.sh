#!/bin/sh
# tests/run/exec.sh - heddle exec: programs that behave, and others.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
program=$(dirname "$heddle")/heddle-behave
if [ ! -x "$program" ] || [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip exec "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache" # where the tests compile only once
run() { "$heddle" exec --gpu k20 --quiet "$@"; }
line="'$heddle' exec --gpu k20 --quiet" # for sh -c

# ---- what is reported ----

expect "a program runs and is reported" 0 \
    '^first is 8$' '^Tesla K20' '^  twice  *3  *3 ' '^  set  *1  *1 ' \
    '^total: 4 launches of 2 kernels$' 'launch 4 of 4' '4 B read' -- \
    run --launches all "$program" set twice:3 read
expect "launches of a kernel together" 0 '3 timed launches together' -- \
    run "$program" set twice:3 finish
expect "the report can go to a file" 0 \
    '^first is 2$' -- run -o "$tmp/report" "$program" set twice read
expect "then output is the program's alone" 0 -- test "$(wc -l <"$out")" = 1
expect "and is there" 0 '^total: 2 launches' -- cat "$tmp/report"
expect "JSON" 0 '"status": "ok"' '"kernel": "twice"' '"exit_status": 0' -- \
    run -f json "$program" set twice finish
expect "JSON is JSON" 0 '^2$' -- sh -c \
    "$line -f json -o - '$program' set twice finish | jq '.processes[0].launches | length'"
expect "CSV has a line for each launch" 0 '^4$' -- \
    sh -c "$line -f csv -o - '$program' set twice:2 finish | wc -l"
expect "lines of the OpenCL source" 0 'a\[i\] = a\[i\] \* 2;' -- \
    run --by-line "$program" twice finish
# Counters of launches that nobody sees one by one are sums.
expect "kernels of many launches" 0 '40 timed launches together' -- sh -c \
    "$line --by-line -o '$tmp/sums' '$program' set twice:40 finish &&
     $line --by-line -o '$tmp/each' --store '$tmp/each.db' --store-launches all \
        '$program' set twice:40 finish && cat '$tmp/sums'"
expect "as if each had been kept" 0 -- sh -c \
    "grep -v '^host:\|^CPU:' '$tmp/sums' >'$tmp/a' &&
     grep -v '^host:\|^CPU:' '$tmp/each' | diff '$tmp/a' -"
expect "instructions" 0 'STG\|ST\.' -- run --by-instruction "$program" set finish
expect "CPU time of the program" 0 -- sh -c \
    "$line -f json -o - '$program' set twice finish |
        jq -e '.host | .cpu_s > 0 and .cpu_s < .seconds * 2 + 0.1'"
expect "all counters" 0 'sm\[3\]' -- run --per-block -f json "$program" set finish
expect "a hash" 0 '^hash: [0-9a-f]\{16\}$' -- run --hash "$program" set read
hash=$(grep ^hash "$out")
expect "the same for two threads" 0 "$hash" -- \
    run --hash -t 2 "$program" set read
expect "several devices" 0 '^GPU 1: Tesla V100' 'warp inst' -- \
    "$heddle" exec -g k20 -g v100 -q "$program" set finish
expect "parameters" 0 ', 2 SMs at' -- run --set gpu.sms=2 "$program" set finish
expect "help of the program is the program's" 0 'FILE' -- run ls --help
expect "help of exec is exec's" 0 '^usage: heddle exec' -- \
    "$heddle" exec --gpu k20 --help "$program"

expect "what a kernel prints" 0 '^n is 4096$' -- run "$program" say finish
expect "also in JSON" 0 '"text": "n is 4096' -- \
    run -f json "$program" say finish

# ---- warm caches ----

expect "warm launches do no more" 0 '^first is 8$' '^  twice  *3  *3 ' \
    'timed warm, after 2 runs that do not count' -- \
    run --warm 2 "$program" set twice:3 read
expect "nor do they print more" 0 '^n is 4096$' -- \
    run --warm 2 "$program" say finish
expect "once" 0 -- test "$(grep -c '^n is 4096$' "$out")" = 1
cycles() { run -f json -o - "$@" "$program" set twice:2 finish |
    jq -c '[.processes[0].launches[] | .cycles], [.processes[0].launches[] |
        .cold_start.icache + .cold_start.constant]'; }
cycles >"$tmp/cold"
cycles --warm 1 >"$tmp/warm"
expect "they have no cold start" 0 '^\[0,0,0\]$' -- cat "$tmp/warm"
expect "and are faster" 0 '^true$' -- jq -sc \
    '[.[0], .[2]] | transpose | all(.[1] < .[0])' "$tmp/cold" "$tmp/warm"
expect "others had one" 1 -- grep '^\[0,0,0\]$' "$tmp/cold"

# ---- as CPUs ----

expect "devices call themselves CPUs" 0 '^first is 1$' '^  set  *1 ' -- \
    run --as-cpu "$program" cpu set read
expect "and no longer GPUs" 9 'there are only CPUs: --as-cpu' -- \
    run --as-cpu "$program" gpu set
expect "the default device is one of them" 0 '^first is 1$' -- \
    run --as-cpu "$program" default set read
expect "and so are all" 0 '^first is 1$' -- run --as-cpu "$program" set read
expect "by the environment" 0 '^first is 1$' -- \
    env HEDDLE_AS_CPU=1 "$heddle" exec -g k20 -q "$program" cpu set read
expect "which may also say no" 9 'there are only GPUs' -- \
    env HEDDLE_AS_CPU=0 "$heddle" exec -g k20 -q "$program" cpu set
cat >"$tmp/suite.yaml" <<S
programs:
  - {name: cpu, run: [$program, cpu, set, finish]}
  - {name: own, run: [$program, cpu, set, finish], env: {HEDDLE_AS_CPU: 1}}
S
expect "a suite of GPUs" 1 '^2 programs: 1 pass, 1 fail' -- \
    "$heddle" suite run "$tmp" -g k20 -q
expect "and of CPUs" 0 '^2 programs: 2 pass' -- \
    "$heddle" suite run "$tmp" -g k20 -q --as-cpu
expect "a comparison of CPUs" 0 '^heddle-behave .* 1\.000' -- \
    "$heddle" compare -g k20 -q --no-cache --as-cpu --against gpu.concurrent=1 \
    --with gpu.concurrent=2 -- "$program" cpu set finish
cat >"$tmp/plan.yaml" <<S
gpus: [k20]
options: {as_cpu: true}
workloads: [{suite: $tmp, programs: [cpu]}]
S
expect "a sweep of CPUs" 0 -- "$heddle" sweep "$tmp/plan.yaml" -q -o "$tmp/s"

# ---- what is timed ----

expect "nothing" 0 '^  twice  *3  *0 ' ', 3 functional' '^first is' -- \
    run --functional "$program" twice:3 read
expect "one kernel" 0 '^  twice  *3  *3 ' '^  set  *2  *0 ' -- \
    run --timed 'tw*' "$program" set:2 twice:3 finish
expect "one launch of each" 0 '^  twice  *3  *1 ' '^  set  *2  *1 ' -- \
    run --timed '*:2' "$program" set:2 twice:3 finish
expect "not the first ones" 0 '^  twice  *3  *2 ' '^  set  *1  *0 ' -- \
    run --skip-launches 2 "$program" set twice:3 finish
expect "not many" 0 '^  twice  *3  *1 ' '^  set  *1  *1 ' -- \
    run --max-launches 2 "$program" set twice:3 finish
expect "results do not depend on it" 0 '^first is 8$' -- \
    run --timed twice:2 "$program" set twice:3 read

# ---- programs that end as they should not ----

expect "the exit status is the program's" 7 'exit status 7' -- \
    run "$program" set finish exit:7
expect "a crash is reported with what was done" 139 \
    'signal 11' '^  set  *1  *1 ' -- run "$program" set finish crash
expect "a crash before anything is" 139 'used neither OpenCL nor CUDA' -- \
    run "$program" crash
expect "leaving without finish" 3 'exit status 3' -- \
    run "$program" set twice exit:3
never='without waiting for'
expect "leaving before anything ran: why no kernel was launched" 0 \
    'launched no kernel' \
    "^note: 2 kernels, .* 'set', were enqueued and never ran: .* $never them" -- \
    run "$program" set twice
expect "the last kernel is not waited for" 0 '^  set  *1  *1 ' \
    "^note: kernel 'twice' was enqueued and never ran: .* $never it (clFinish" -- \
    run "$program" set finish twice
expect "also in JSON" 0 "^kernel 'twice' was enqueued" -- sh -c \
    "$line -f json -o - '$program' set finish twice |
        jq -r '.processes[0].notes[0]'"
expect "one waits for what never comes" 0 \
    "^note: kernel 'set' .*: it waits for a user event that was not set" -- \
    run "$program" hold set flush
expect "some do" 0 "^note: 3 kernels.*: 2 of them wait for a user event" -- \
    run "$program" set hold set twice
expect "nothing is said where all ran" 0 -- sh -c \
    "! $line '$program' set finish 2>&1 | grep 'never ran'"
expect "leaving without a word" 4 'without a word' '^  set  *1  *1 ' -- \
    run "$program" set finish _exit:4
expect "a launch that never ends" 9 'FAILED: limit' -- \
    run --max-cycles 20000 "$program" set finish endless finish
expect "a crash while a launch runs" 139 'DID NOT END' "'endless'" -- \
    run "$program" set endless flush nap crash
expect "a kernel that faults" 9 'FAILED: fault' '^  set  *1 ' -- \
    run "$program" set finish fault finish

# ---- accesses outside of buffers ----

# 4096 threads read and write a[n] and write a[-1].
beyond='^12,288 accesses outside of what was allocated'
expect "a kernel that steps out of its buffer" 0 '^first is 1$' '^  beyond  *1 ' \
    "$beyond" 'beyond (<source>:22): 4,096 reads outside of a buffer, by up to 4 bytes' \
    '<source>:23.: 4,096 writes' "1 byte past the last byte of allocation 0 'buffer'" \
    "4 bytes before allocation 0 'buffer'" -- run "$program" set beyond read
grep -A 6 "$beyond" "$out" >"$tmp/timed"
expect "the same without timing" 0 "$beyond" -- \
    run --functional "$program" set beyond read
grep -A 6 "$beyond" "$out" >"$tmp/functional"
expect "and told alike" 0 -- cmp "$tmp/timed" "$tmp/functional"
expect "once for each place" 0 '^24,576 accesses' '8,192 reads' -- \
    run -t 2 "$program" beyond:2 finish
expect "in JSON" 0 '^3$' '^12288$' '^"beyond"$' '^22$' '^4$' -- sh -c \
    "$line -f json -o - '$program' beyond finish | jq '(.outside | length,
    (map(.count) | add), .[0].kernel, .[0].line, .[0].reach_bytes)'"
expect "of each launch" 0 '^0$' '^3$' -- sh -c \
    "$line -f json -o - '$program' set beyond finish |
    jq '.processes[0].launches[].outside | length'"
expect "nothing else changes" 0 '^first is 1$' -- \
    run "$program" set finish beyond set read
expect "which --strict ends" 9 'past the last byte' 'FAILED: fault' -- \
    run --strict "$program" beyond finish
expect "what is far out is a fault" 9 'FAILED: fault' -- \
    run --lenient "$program" fault finish
expect "slack belongs to the buffer" 0 '^  beyond  *1 ' -- \
    run --strict --slack 256 "$program" beyond finish
expect "and is not told" 0 -- sh -c \
    "! $line --slack 256 '$program' beyond finish 2>&1 | grep outside"
lenient='no device would notice: --lenient lets it pass, as does'
let='would let it pass'
while read -r kernel first bytes after; do
    expect "$kernel: what lets it pass that no device does" 9 \
        "FAILED: fault\|DID NOT" "; --slack $bytes $let$" -- \
        run "$program" "$kernel" finish
    expect "$kernel: less does not" 9 -- \
        run --strict --slack $((after - 256)) "$program" "$kernel" finish
    cp "$out" "$tmp/less"
    expect "$kernel: it says as much" 0 -- grep -qe "--slack $bytes\( $let\)*$" \
        "$tmp/less"
    expect "$kernel: it does" 0 "^first is $first$" -- \
        run --slack "$bytes" "$program" "$kernel" read
    expect "$kernel: and it is not told" 0 -- sh -c \
        "! $line --strict --slack $bytes '$program' $kernel finish 2>&1 |
            grep -e outside -e FAILED"
done <<'K'
far 5 200004 200192
tiles 7 164 256
stack 8 60 256
K
expect "with --strict: both" 9 "; $lenient --slack 12$" -- \
    run --strict "$program" tile finish
expect "either is enough" 0 '^first is 6$' '4,096 reads outside of shared memory, by up to 12' -- \
    run "$program" tile read
expect "or the other" 0 '^first is 6$' -- \
    run --strict --slack 12 "$program" tile read
expect "an image" 9 "; $lenient --slack 32$" -- \
    run --strict "$program" paint finish
expect "is told" 0 'writes outside of an image' -- run "$program" paint finish
expect "but not with slack" 0 -- sh -c \
    "! $line --strict --slack 32 '$program' paint finish 2>&1 | grep outside"
expect "what is too far out has no option" 1 -- sh -c \
    "$line '$program' fault finish 2>&1 | grep -e --slack -e --lenient"
expect "strict as a whole" 9 "; $lenient --slack 4$" -- \
    run --strict "$program" beyond finish
driver=$(dirname "$heddle")/libheddle-opencl.so
expect "without heddle exec the driver tells it" 0 "$beyond" -- \
    env OCL_ICD_VENDORS="$driver" OCL_ICD_FILENAMES="$driver" HEDDLE_GPU=k20 \
    "$program" beyond finish
expect "unless it is to be strict" 9 'past the last byte' -- \
    env OCL_ICD_VENDORS="$driver" OCL_ICD_FILENAMES="$driver" HEDDLE_GPU=k20 \
    HEDDLE_STRICT=1 "$program" beyond finish
expect "forks" 0 'in 2 processes' '^  twice  *1 ' '^  set  *1 ' -- \
    run sh -c "'$program' set finish; '$program' twice finish"
expect "a child" 0 '^  set  *1 ' -- run "$program" fork set finish
expect "a child of a program that has a GPU open" 0 'in 2 processes' -- \
    run "$program" set finish fork twice finish
expect "many at a time" 0 'in 6 processes' '^  set  *6  *6 ' -- \
    run --launches 0 sh -c "for i in 1 2 3 4 5 6; do '$program' set finish & done; wait"
expect "one that is left behind" 0 'still runs' -- \
    run sh -c "'$program' set finish sleep >/dev/null 2>&1 & sleep 1"

# ---- calls that fail ----

expect "a build that fails: the first error, not the warnings" 9 \
    'launched no kernel' '^calls that failed: 1$' \
    '^  clBuildProgram: CL_BUILD_PROGRAM_FAILURE$' \
    "^    <source>:.* error: use of undeclared identifier 'missing'" -- \
    run "$program" broken
expect "also in JSON" 0 '^clBuildProgram CL_BUILD_PROGRAM_FAILURE -11 1$' -- \
    sh -c "$line -f json -o - '$program' broken 2>/dev/null |
        jq -r '.processes[0].failed_calls[0] | \"\\(.function) \\(.error) \\(.code) \\(.count)\"'"
expect "mistakes that a program overlooks, though it ends well" 0 \
    '^total: 1 launch ' '^calls that failed: 3$' \
    '^  clSetKernelArg: CL_INVALID_ARG_INDEX, 3 times: ' -- \
    run "$program" slip set finish
expect "questions are no mistakes" 0 -- \
    sh -c "! $line '$program' probe set finish 2>&1 | grep 'that failed'"
expect "but where it gives up they may be why" 9 \
    '^  clGetDeviceIDs: CL_DEVICE_NOT_FOUND: there are only GPUs.*--as-cpu' -- \
    run "$program" cpu open
expect "what failed before a crash" 139 'CL_INVALID_ARG_INDEX' -- \
    run "$program" slip crash
expect "each process its own" 0 \
    '^process [0-9]* (heddle-behave): calls that failed: 3$' -- \
    run sh -c "'$program' set finish; '$program' slip"

cat >"$tmp/suite.yaml" <<S
programs:
  - {name: broken, run: [$program, broken]}
  - {name: slips, run: [$program, slip], expect: {stdout: ^ok$}}
  - {name: asks, run: [$program, probe, set, finish], expect: {stdout: ^ok$}}
  - {name: none, run: ["true"]}
  - {name: lazy, run: [$program, set]}
S
expect "a suite tells the cause" 1 \
    "exit status 9, not 0: clBuildProgram: CL_BUILD_PROGRAM_FAILURE: .*'miss" \
    "match '^ok\$': clSetKernelArg: CL_INVALID_ARG_INDEX: " \
    "match '^ok\$'\$" "no kernel on a simulated GPU: 'true' is not linked" \
    "no kernel on a simulated GPU: kernel 'set' was enqueued and never ran" -- \
    "$heddle" suite run "$tmp" -g k20 --quiet
expect "so does a comparison" 1 'LEFT OUT: .*clBuildProgram: CL_BUILD_PROGRAM' -- \
    "$heddle" compare -g k20 -q --no-cache --against gpu.concurrent=1 \
    --with gpu.concurrent=2 -- "$program" broken

# ---- programs that do not come to OpenCL ----

expect "not linked to the loader" 0 \
    "used neither OpenCL nor CUDA: 'true' is not linked to libOpenCL.so.1 itself" -- \
    run true
expect "linked, but not that far" 3 "linked to libOpenCL.so.1, but ended" -- \
    run "$program" exit:3
printf '#!/bin/sh\nexit 0\n' >"$tmp/script"
chmod +x "$tmp/script"
expect "a script" 0 "script' is a script, and no program" -- run "$tmp/script"
expect "a shell" 0 'no program that the shell started' -- run sh -c true
expect "also in JSON" 0 'is a script' -- \
    sh -c "$line -f json -o - '$tmp/script' | jq -r .no_opencl"
if echo 'int main(void) { return 0; }' >"$tmp/still.c" &&
    cc -static -o "$tmp/still" "$tmp/still.c" 2>/dev/null; then
    expect "linked statically" 0 "still' is linked statically" -- \
        run "$tmp/still"
    expect "found by PATH" 0 "'still' is linked statically" -- \
        env PATH="$tmp:$PATH" "$heddle" exec --quiet still
    mkdir "$tmp/vendor"
    cc -shared -fPIC -Dmain=clGetPlatformIDs -o "$tmp/vendor/libOpenCL.so.1" \
        "$tmp/still.c"
    expect "a vendor's library in the loader's place" 0 \
        'vendor/libOpenCL.so.1 is no loader' -- \
        env LD_LIBRARY_PATH="$tmp/vendor" "$heddle" exec --quiet true
    echo nothing >"$tmp/vendor/libOpenCL.so.1"
    expect "no loader" 0 'libOpenCL.so.1, the loader .* cannot be loaded' -- \
        env LD_LIBRARY_PATH="$tmp/vendor" "$heddle" exec --quiet true
else
    skip static "no C compiler that links statically"
fi

# ---- terminals and signals ----

if command -v script >/dev/null; then
    expect "a line of progress, and none after it" 139 \
        'launch 1, lengthy: 0 of 64 CTAs, [0-9]* s so far; [0-9,]* cycles' "^host" -- \
        script -qec "'$heddle' exec -g k20 --launches 0 \
            '$program' lengthy flush nap nap nap crash" /dev/null
    expect "none where it is not wanted" 0 -- \
        sh -c "! script -qec \"$line '$program' set finish\" /dev/null |
            grep '\[K'"
else
    skip terminal "no script(1)"
fi

"$heddle" exec --gpu k20 --quiet -o "$tmp/report" "$program" set finish sleep &
sleep 1.5
kill -TERM $!
expect_code=0
wait $! || expect_code=$?
expect "SIGTERM ends the program" 0 -- test "$expect_code" = 143
expect "with a report" 0 'signal 15' '^  set  *1 ' -- cat "$tmp/report"

# Sent to heddle alone; shells ignore some for what they run behind them.
traps="trap 'echo int; exit 5' INT; trap 'echo hup' HUP; trap 'echo quit' QUIT
echo up; while :; do sleep 0.1; done"
alone() { # SIGNAL... -- WORDS of exec...
    signals=
    while [ "$1" != -- ]; do
        signals="$signals $1"
        shift
    done
    shift
    env --default-signal=INT,QUIT,HUP "$heddle" exec --gpu k20 --quiet "$@" \
        >"$tmp/alone" 2>"$tmp/alone.report" &
    alone_pid=$!
    sleep 1.5
    for signal in $signals; do
        kill "-$signal" "$alone_pid"
        sleep 0.6
    done
    wait "$alone_pid"
}
expect "SIGINT for heddle alone reaches the program" 130 -- \
    alone INT -- "$program" set finish sleep
expect "with a report" 0 'signal 2' '^  set  *1 ' -- cat "$tmp/alone.report"
expect "one that handles signals gets each once" 5 -- \
    alone HUP QUIT HUP INT -- sh -c "$traps"
expect "in order" 0 '^up hup quit hup int $' -- \
    sh -c "tr '\n' ' ' <'$tmp/alone'; echo"
expect "one that ignores it goes on" 143 -- \
    alone INT TERM -- sh -c "trap '' INT; exec '$program' set finish sleep"
if command -v script >/dev/null; then
    expect "by a terminal the program has it already" 0 '^up$' '^int$' -- \
        sh -c "{ sleep 1.5; printf '\003'; sleep 1; } | script -qc \"$line \
            sh -c \\\"trap 'echo int' INT; echo up; sleep 1; sleep 1\\\"\" \
            /dev/null | tr -d '\r^C'"
    cp "$out" "$tmp/typed"
    expect "once" 0 '^1$' -- grep -cx int "$tmp/typed"
fi

# ---- what is not there ----

expect "no program" 2 'expected a program' -- "$heddle" exec
expect "no such program" 127 "cannot run '/no/such'" -- run /no/such
expect "not a program" 126 "cannot run '/'" -- run /
expect "no such GPU" 3 "no preset 'gtx'" -- "$heddle" exec -g gtx true
expect "no such option" 2 "did you mean '--threads'" -- run --threats 1 true
expect "a selector that is none" 2 'gemm:3' -- run --timed gemm:0 true
expect "a contradiction" 2 'nothing is timed' -- \
    run --functional --timed a true
expect "no room for the report" 1 'cannot write' -- run -o /dev/full true
expect "no folder for the report" 1 'cannot write' -- run -o /no/x/y true
expect "not OpenCL" 0 'used neither OpenCL nor CUDA' -- run true
mkdir "$tmp/bin"
cp "$heddle" "$tmp/bin"
expect "no driver" 125 'libheddle-opencl.so is missing' -- \
    "$tmp/bin/heddle" exec true
for clang in /no/clang /bin/false; do
    expect "$clang as compiler: the program is told" 9 'error -[0-9]*' -- \
        env HEDDLE_CLANG=$clang "$heddle" exec -g k20 -q --no-cache \
        "$program" set finish
done

# ---- Its page ----
expect "kept for a page" 0 -- run --store "$tmp/page.db" "$program" set twice read
expect "a page of a program" 0 -- "$heddle" report "$tmp/page.db" \
    -o "$tmp/page.html"
page_opens "a program" "$tmp/page.html"
finish
