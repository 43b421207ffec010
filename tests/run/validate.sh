#!/bin/sh
# tests/run/validate.sh - heddle validate: rows of truth beside runs, against
# what `heddle run` and `heddle exec` say of the same.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
export XDG_CACHE_HOME="$tmp/cache"
cd "$tmp" || exit 1

validate() { "$heddle" validate -q "$@"; }
# says NAME CODE JQ ARGUMENT...: true of the JSON
says() {
    says_name=$1 says_code=$2 says_what=$3
    shift 3
    says_got=0
    validate "$@" -f json >v.json 2>&1 || says_got=$?
    expect "$says_name: exit status" 0 "^$says_code\$" -- echo "$says_got"
    expect "$says_name" 0 '^true$' -- jq "$says_what" v.json
}

# ---- Launch files, of which `heddle run` knows the cycles ----
cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" add.ptx
mkdir -p truth bin in
for n in 256 2048; do
    cat >truth/add$n.launch <<S
program: $tmp/add.ptx
buffers:
  a: {type: f32, count: $n, init: uniform, seed: 1}
  b: {type: f32, count: $n, init: uniform, seed: 2}
  c: {type: f32, count: $n}
launches:
  - {grid: [$((n / 256))], block: [256], args: [a, b, c, $n]}
  - {grid: [$((n / 256))], block: [256], args: [a, b, c, $n]}
S
    mkdir launches$n
    cp truth/add$n.launch launches$n/add.yaml
done
cycles() { # N OPTION...: of both launches together
    cycles_n=$1
    shift
    "$heddle" run -q --gpu gtx480 -f json -l launches"$cycles_n"/add.yaml "$@" |
        jq '[.launches[].cycles] | add'
}
small=$(cycles 256) large=$(cycles 2048)
rm truth/*.launch
cat >truth/a.yaml <<S
name: sums
device: a device of ours
gpu: gtx480
every_row: {source: "me 1", class: launch, input: same}
rows:
  - {name: right, launch: $tmp/launches256/add.yaml, value: $small}
  - {name: half, launch: $tmp/launches256/add.yaml, value: $((2 * small)), class: other, input: likely}
  - {name: one, launch: $tmp/launches2048/add.yaml, kernel: "*", value: $large, others: {Another: +10 %}}
S
cat >truth/b.yaml <<S
name: more
gpu: gtx480
every_row: {source: "me 2", fitted: true}
rows:
  - {name: insts, launch: $tmp/launches256/add.yaml, metric: launches, value: 4}
  - {name: found, probe: shared, metric: shared.banks, value: 16, unit: bank, class: micro}
S
expect "rows and scores" 0 '^sums, a device of ours, simulated: gtx480$' \
    '^  half  *other  *likely  *no  *-  *cycles .*-50\.0 %$' \
    '^  insts (launches) .*-50\.0 %$' \
    '^  found (shared.banks) .* +100\.0 %$' \
    '^  all rows  *5  *50\.0 %  *50\.0 %  *' '^  class: launch  *2  *25\.0 %' \
    '^  parameters: fitted  *2  *75\.0 %' "^  with Another: its own  *1  *10\.0 %" \
    -- validate truth -j 2
expect "at most 80 columns" 1 -- sh -c "'$heddle' validate -q truth \
    --width 80 | grep -E '.{81}'"
says "values" 0 "[.rows[].ours] == [$small, $small, $large / 2, 2, 32]" truth
says "what was run is known" 0 '.cached == 2' truth
says "errors, mean and geometric mean" 0 '
    ([.rows[].error | fabs] | add / 5) as $mape |
    ([.rows[] | (.ours / .device | log)] | add / 5 | exp) as $mean |
    .scores[0] | .mape - $mape | fabs < 1e-9' truth/b.yaml truth/a.yaml
says "geometric mean" 0 '
    ([.rows[] | (.ours / .device | log)] | add / 5 | exp) as $mean |
    .scores[0] | .geomean - $mean | fabs < 1e-9' truth
expect "CSV" 0 '^file,row,gpu,program,kernel,metric,unit,class,input,fitted,half,' \
    "^truth/a.yaml,half,gtx480,.*,cycles,cycles,other,likely,false,-,me 1,$((2 * small)),$small,-0.5,$" \
    -- validate truth -f csv
says "only some rows" 0 '[.rows[].name] == ["right", "found"]' truth \
    --row 'r*' --row found
expect "a row that is not there" 2 "no row is called 'wrong'" -- \
    validate truth --row wrong
expect "another GPU in its place" 0 'right ' -- validate truth/a.yaml --gpu k20
quick=$(cycles 256 --set noc.latency=10)
expect "another parameter has an effect" 1 -- [ "$quick" = "$small" ]
says "parameters" 0 ".rows[0].ours == $quick" truth/a.yaml \
    --set noc.latency=10
says "results are kept" 0 '.rows | length == 3' truth/a.yaml --store v.db
expect "in the file" 0 '^2$' -- "$heddle" results sql v.db -f csv \
    "SELECT count(*) FROM run WHERE status = 'pass'"
expect "a page" 0 'all rows' -- validate truth --html page.html
page_opens "the page" page.html
expect "a mark for each row" 0 '^5$' -- \
    sh -c 'grep -o "class=\"mark c" page.html | wc -l'
expect "its words" 0 'aria-label="half, other: device [0-9,]*, ours [0-9,]*, error -50.0 %"' -- \
    grep -o 'aria-label="half[^"]*"' page.html
expect "a page that cannot be written" 1 'nowhere/p.html' -- \
    validate truth/a.yaml --html nowhere/p.html
expect "an error that is too large" 1 'all rows' -- validate truth --max-error 49
expect "one that is not" 0 'all rows' -- validate truth --max-error 50

# ---- Programs, of which `heddle exec` knows the cycles ----
run_programs() {
    vecadd=$(dirname "$heddle")/workloads/vecadd
    "$heddle" exec -q --gpu gtx480 -f json -o exec.json -- "$vecadd" \
        --size small >exec.txt 2>&1 || {
        skip "programs" "$(tail -n 1 exec.txt)"
        return 0
    }
    added=$(jq '[.kernels[].cycles] | add' exec.json)
    name=$(jq -r '.kernels[0].kernel' exec.json)
    cat >programs.yaml <<S
gpu: gtx480
defaults: {run: ["{build}/workloads/vecadd", --size, small]}
programs:
  - vecadd
  - {name: untimed, timed: another}
every_row: {source: "me 5"}
rows:
  - {name: whole, program: vecadd, value: $added}
  - {name: kernel, program: vecadd, kernel: "$name", value: $added}
  - {name: untimed, program: untimed, value: $added}
S
    says "programs" 1 "[.rows[].ours][0:2] == [$added, $added] and
        .rows[2].why == \"no launch was timed\"" programs.yaml
}
run_programs

# ---- Rows that cannot run are told ----
cat >missing.yaml <<S
gpu: gtx480
programs:
  - {name: gone, run: ["{programs}/gone", -n, 3], from: "example.org/gone, folder src", inputs: ["{inputs}/x"]}
  - {name: here, run: ["{programs}/here"], expect: {status: 3}}
  - {name: hungry, run: ["{programs}/here"], inputs: ["{inputs}/x"]}
every_row: {source: "me 3"}
rows:
  - {name: add, launch: $tmp/launches256/add.yaml, value: $small}
  - {name: gone, program: gone, value: 1}
  - {name: none, program: here, value: 1}
  - {name: hungry, program: hungry, value: 1}
  - {name: kernel, launch: $tmp/launches256/add.yaml, kernel: sub, value: 1}
S
printf '#!/bin/sh\nexit 3\n' >bin/here
chmod +x bin/here
expect "rows without a value" 1 '^  add .* +0\.0 %$' \
    '^without a value: 4 of 5 rows$' \
    '^  gone: .*the program is missing; it comes from example.org/gone, folder src$' \
    '^  none: no launch was timed$' "^  hungry: not started: cannot read its input $tmp/in/x: " \
    "^  kernel: no launch of a kernel 'sub' was timed; these were: " \
    '^  all rows  *1 of 5 ' -- validate missing.yaml --programs bin --inputs in
expect "allowed" 0 '4 of 5 rows' -- validate missing.yaml --programs bin \
    --inputs in --allow-missing
expect "the list" 1 '^missing  gone$' '^there    here$' \
    '^         from: example.org/gone, folder src$' \
    "^         run: $tmp/bin/gone -n 3$" '^         input: ' \
    '^2 of 3 programs are there$' -- validate missing.yaml --list --programs bin

# ---- What profilers wrote, with launches whose cycles `heddle run` knows ----
each() { # NUMBER: cycles of a launch
    "$heddle" run -q --gpu gtx480 -f json -l launches256/add.yaml |
        jq ".launches[$1].cycles"
}
first=$(each 0) second=$(each 1)
kernel=$("$heddle" run -q --gpu gtx480 -f json -l launches256/add.yaml |
    jq -r '.launches[0].kernel')
head='"ID","Kernel Name","Block Size","Grid Size"'
cat >ncu.csv <<S
==PROF== Connected to process 1
a line of the program
$head,"sm__cycles_elapsed.max"
"","","","","cycle"
"0","$kernel(float *)","(256, 1, 1)","(1, 1, 1)","$((2 * first))"
"1","other(int)","(256, 1, 1)","(1, 1, 1)","5,000"
"2","$kernel(float *)","(256, 1, 1)","(1, 1, 1)","$second"
==PROF== Disconnected
S
hardware() {
    hardware_file=$1
    shift
    validate --gpu gtx480 --hardware "$hardware_file" launches256/add.yaml "$@"
}
expect "launches of Nsight Compute" 1 '^ncu.csv, Nsight Compute, simulated: gtx480$' \
    "^  $kernel at line 5 .* -50\\.0 %$" "^  $kernel at line 7 .* +0\\.0 %$" \
    '^  other: nothing was launched here ' -- hardware ncu.csv
expect "only those of both" 0 '^  all rows  *2 of 3  *25\.0 %' -- \
    hardware ncu.csv --allow-missing
expect "a row for a kernel" 0 "^  $kernel x2 " -- hardware ncu.csv --by-kernel \
    --allow-missing
sed '/Kernel Name/,$d' ncu.csv >none.csv
expect "nothing of a profiler" 3 'none.csv: error: this is no output of ncu' -- \
    hardware none.csv
grep -v other ncu.csv | grep -v Disconnected | head -c -4 >cut.csv
expect "a file that is cut" 3 'cut.csv:6: error: .*it is cut' -- hardware cut.csv
cat >trace.csv <<S
==7== Profiling result:
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Name"
s,ms,,,,,,,
0.1,1,1,1,1,256,1,1,"$kernel(float*) [9]"
0.2,2,,,,,,,"[CUDA memcpy DtoH]"
S
expect "durations without a clock" 2 'trace.csv:4: error: .*--clock 1380MHz' -- \
    hardware trace.csv
expect "with one" 0 "^  $kernel at line 4 .* 100,000  *$(echo "$first" |
    sed 's/\([0-9]\)\([0-9]\{3\}\)$/\1,\2/') " "^only here: $kernel, 1 launch$" -- \
    hardware trace.csv --clock 100MHz
expect "a clock that is none" 2 "'fast' is no clock" -- \
    hardware trace.csv --clock fast
expect "no program" 2 'expected workloads' -- validate --hardware ncu.csv
expect "options of the other way" 2 'go with truth' -- hardware ncu.csv --list
expect "and the other way round" 2 'go with --hardware' -- \
    validate truth --clock 1GHz

# ---- What was done when it was stopped ----
cat >stop.yaml <<S
gpu: gtx480
programs: [{name: stop, run: "kill -INT \$PPID; sleep 60"}]
every_row: {source: "me 4"}
rows:
  - {name: first, launch: $tmp/launches256/add.yaml, value: $small}
  - {name: second, program: stop, value: 1}
S
expect "interrupted" 130 '^  first .* +0\.0 %$' '^  second: ' \
    '^interrupted: ' -- validate stop.yaml

# ---- What comes with Heddle ----
expect "all programs of our truth" 1 '^missing  b+tree$' \
    '^         from: github.com/accel-sim/gpu-app-collection: src/cuda/rodinia' \
    '^0 of 31 programs are there$' -- validate "$root/truth" --list --programs bin
expect "its probes" 0 '^  all rows  *3 ' -- \
    validate "$root/truth/gtx480-probes.yaml"
validate "$root/truth/gtx480-probes.yaml" -f csv |
    awk -F, 'NR > 1 { print $6, $13 + 0 }' | sort >ours.txt
"$heddle" probe -q --gpu gtx480 latency throughput shared -f csv |
    awk -F, '$6 != "" { print $2, $6 + 0 }' | sort >published.txt
expect "truth of probes is what is published" 0 -- \
    sh -c 'comm -23 ours.txt published.txt | grep . && exit 1; test -s ours.txt'
expect "the tool says the same" 1 '^0 of 31 programs are there$' -- \
    env HEDDLE_BUILD="$(dirname "$heddle")" "$root/tools/truth-programs" bin
expect "inputs are made" 0 '^nn$' -- "$root/tools/truth-inputs" "$tmp/made" nn
expect "in their format" 0 '^523859 made/cane4_3.db$' -- wc -c made/cane4_3.db
cp -r made again
"$root/tools/truth-inputs" again nn >/dev/null
expect "the same every time" 0 -- diff -r made again
expect "inputs of nobody" 2 "no inputs of 'lud'" -- \
    "$root/tools/truth-inputs" made lud

# ---- Wrong files and calls ----
wrong() { # NAME TEXT PATTERN
    echo "$2" >wrong.yaml
    expect "$1" 3 "wrong.yaml:$3" -- validate wrong.yaml
}
wrong "an unknown key" 'rows: [{name: a, lunch: x}]' \
    "1:18: error: unknown key 'lunch' (did you mean 'launch'?)"
wrong "no rows" 'name: x' '1:1: error: there are no rows'
wrong "no source" 'rows: [{name: a, launch: x.yaml, value: 1}]' \
    "1:8: error: row 'a' has no source"
wrong "an unknown word" \
    "$(printf 'programs: [{name: a, run: ["{program}/x"]}]\nrows: []')" \
    "1:28: error: '{program}' means nothing"
expect "a suite is none" 3 'this is no truth file: it is a suite' -- \
    validate "$root/workloads/suite.yaml"
expect "truth is no suite" 3 'this is no suite: it is a truth file' -- \
    "$heddle" suite list truth/a.yaml
expect "no such file" 3 'none.yaml' -- validate none.yaml
mkdir elsewhere
expect "no truth where one stands" 2 'no folder truth here.*name a file' -- \
    sh -c "cd elsewhere && '$heddle' validate -q"
expect "an empty folder" 3 'in has no truth files' -- validate in
expect "no such folder" 2 -- validate truth --programs nowhere
expect "two GPUs" 2 'one is enough' -- validate truth --gpu k20 --gpu v100
expect "no such GPU" 3 'nosuch' -- validate truth --gpu nosuch
finish
