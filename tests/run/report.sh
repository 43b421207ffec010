#!/bin/sh
# tests/run/report.sh - heddle report: pages of what other commands leave, their
# form, their size, and what a browser does with them.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
export XDG_CACHE_HOME="$tmp/cache"

report() { "$heddle" report "$@"; }
wellformed() { python3 "$pages/check.py" "$@"; }

# ---- Wrong command lines ----
echo text >"$tmp/text"
expect "no file" 2 'expected a results file' -- report
expect "a file that is not there" 3 'none.db' -- report "$tmp/none.db"
expect "a file of something else" 3 'text' -- report "$tmp/text"
expect "nothing was written" 1 -- test -e report.html

# ---- A comparison ----
for name in ones twos; do
    cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" "$tmp/k.ptx"
    cat >"$tmp/$name.yaml" <<S
program: k.ptx
buffers:
  a: {type: f32, count: 8192, init: uniform, seed: 1}
  b: {type: f32, count: 8192, init: uniform, seed: 2}
  c: {type: f32, count: 8192}
launches:
  - {grid: [32], block: [256], args: [a, b, c, 8192]}
S
done
sed -i 's/seed: 1/seed: 3/; s/8192}/8192}\n  d: {type: f32, count: 16}/' \
    "$tmp/twos.yaml"
sed 's/[[]32]/[64]/; s/c, 8192]/c, 81920000]/' "$tmp/ones.yaml" >"$tmp/bad.yaml"
expect "a comparison is stored and drawn" 0 -- "$heddle" compare l1-size \
    "$tmp/ones.yaml" "$tmp/twos.yaml" --store "$tmp/c.db" --html "$tmp/c1.html"
expect "and drawn again" 0 -- report "$tmp/c.db" -o "$tmp/c2.html"
sed 's/<dt>date.*//' "$tmp/c1.html" >"$tmp/1"
sed 's/<dt>date.*//' "$tmp/c2.html" >"$tmp/2"
expect "the same but for its date" 0 -- cmp "$tmp/1" "$tmp/2"
expect "it is well formed and alone" 0 -- wellformed "$tmp/c2.html"
expect "it says what came out" 0 '48K is .* as fast as 16K' '<svg' \
    'l1.sets' 'no_warp' 'heddle compare l1-size' -- cat "$tmp/c2.html"
expect "with single launches" 0 '>Single launches<' '>32<' -- \
    cat "$tmp/c2.html"
# numbers PAGE TABLE: the column 'launch', which people count from 1, as options do
numbers() {
    sed -n "/data-file=\"$2.csv\"/,/<\/table>/p" "$1" | tr '\n' ' ' |
        sed 's/<\/tr>/\n/g' | sed -n "s/.*<td class=\"r\"[^>]*>\([0-9]*\)<\/td><td>ok<.*/\1/p" |
        sort -nu | head -n 1
}
expect "launches of a comparison count from 1" 0 '^1$' -- \
    numbers "$tmp/c2.html" launches
expect "so do the steps of a run" 0 -- sh -c "'$heddle' run --gpu gtx480 -q \
    --launch '$tmp/ones.yaml' --store '$tmp/one.db' >'$tmp/said' &&
    '$heddle' report '$tmp/one.db' -o '$tmp/one.html'"
expect "from 1" 0 '^1$' -- numbers "$tmp/one.html" launches
mkdir "$tmp/tmp"
expect "without a results file, too" 0 -- env TMPDIR="$tmp/tmp" "$heddle" \
    compare l1-size \
    "$tmp/ones.yaml" "$tmp/twos.yaml" --html "$tmp/c3.html"
sed '/heddle compare /d' "$tmp/1" >"$tmp/1.short"
sed 's/<dt>date.*//; /heddle compare /d' "$tmp/c3.html" >"$tmp/3.short"
expect "nothing is left of one" 1 -- test -n "$(ls "$tmp/tmp")"
expect "the same page" 0 -- cmp "$tmp/1.short" "$tmp/3.short"
expect "it is small" 0 -- test "$(wc -c <"$tmp/c2.html")" -lt 300000
expect "to standard output" 0 '^<!doctype html>' -- \
    report "$tmp/c.db" -o -
expect "one study" 0 -- report "$tmp/c.db" --study 1 -o "$tmp/one.html"
expect "no such study" 3 'no such study' -- report "$tmp/c.db" --study 9
expect "a folder that is not there" 1 'nowhere' -- \
    report "$tmp/c.db" -o "$tmp/nowhere/x.html"

# A page that could not be written at the end is told of before anything runs:
# nothing is reported.
soon() { # NAME COMMAND...
    name=$1 command=$2
    shift 2
    for to in "$tmp/nowhere/x.html" "$tmp"; do
        expect "$name, $to" 1 "$to: error: cannot" -- \
            sh -c '"$@" >"$0"' "$tmp/soon" "$heddle" "$command" --html "$to" "$@"
        expect "at once" 1 -- test -s "$tmp/soon"
    done
}
soon run run --launch "$tmp/ones.yaml"
soon compare compare l1-size "$tmp/ones.yaml"
soon explain explain "$tmp/ones.yaml"
soon probe probe latency
soon exec exec -- echo started
soon validate validate "$root/truth" --programs "$tmp"
echo old >"$tmp/kept"
for command in "compare l1-size" explain probe "validate --programs $tmp"; do
    operand=$tmp/ones.yaml
    case $command in
    probe) operand=latency ;;
    validate*) operand=$root/truth ;;
    esac
    # shellcheck disable=SC2086  # a command and its operand
    expect "$command leaves the old report" 1 'nowhere' -- "$heddle" $command \
        "$operand" -o "$tmp/kept" --html "$tmp/nowhere/x.html"
    expect "as it was" 0 '^old$' -- cat "$tmp/kept"
done

# ---- Power of its sides ----
expect "power needs a place to go" 2 'energy-series goes with' -- \
    "$heddle" compare l1-size "$tmp/ones.yaml" --energy-series 100
expect "power over time" 0 -- "$heddle" compare scheduler --gpu gtx480 \
    "$tmp/ones.yaml" --energy-series 100 --html "$tmp/p.html" -q
expect "as much energy as in all" 0 'the same energy' -- \
    python3 "$pages/power.py" "$tmp/p.html"
expect "no front ends that sleep" 1 -- grep 'Power of front ends' "$tmp/p.html"
expect "front ends that are shared" 0 -- "$heddle" compare --gpu gtx480 \
    --with two:gpu.cluster.size=2,gpu.cluster.slip=0 "$tmp/ones.yaml" \
    --energy-series 100 --html "$tmp/f.html" -q
expect "have a chart of their own" 0 'Power of front ends: ones' -- \
    cat "$tmp/f.html"

# ---- Warps on the SMs ----
expect "warps need a place to go, too" 2 'occupancy goes with' -- \
    "$heddle" compare l1-size "$tmp/ones.yaml" --occupancy
expect "warps over time" 0 -- "$heddle" compare dispatch \
    "$tmp/ones.yaml" --occupancy --html "$tmp/w.html" -q
expect "a map of each side" 0 '>Warps on the SMs over time</h2>' \
    '>turns</span><svg' '>linear</span><svg' 'SM 14: mean' -- cat "$tmp/w.html"
expect "well formed" 0 -- wellformed "$tmp/w.html"

expect "what failed is left out" 1 -- "$heddle" compare scheduler --gpu gtx480 \
    "$tmp/ones.yaml" "$tmp/bad.yaml" --store "$tmp/bad.db" -q
expect "a page of it" 0 -- report "$tmp/bad.db" -o "$tmp/bad.html"
expect "loudly" 0 'class="alarm".*Left out' '1 of 2 workloads does not count' \
    'no mean' 'bad.yaml: lrr: ' -- cat "$tmp/bad.html"
expect "no mean is drawn" 1 -- grep -q 'geometric mean<' "$tmp/bad.html"
expect "still well formed" 0 -- wellformed "$tmp/bad.html"

# ---- Runs, and names that are markup ----
cp "$tmp/ones.yaml" "$tmp/<b>x&y.yaml"
for gpu in gtx480 v100; do
    expect "a run on $gpu" 0 -- "$heddle" run --gpu "$gpu" \
        --launch "$tmp/<b>x&y.yaml" --energy-series 50 --occupancy \
        --store "$tmp/r.db" -q
done
window='{"version":1,"launch":1,"kernel":"</script>","sm":0,"from":10,"to":60,
"cut":false,"why":["raw_mem","ready"],"unit":["fma"],
"code":[[0,"0x0000 LDG.E R1, [R2]","k.cu:3"]],"warps":[
{"warp":0,"cta":0,"index":0,"waits":[[10,20,0,0],[30,5,1,-1]],
"insts":[[0,12,18,0,32]],"requests":[[14,12,0,"L1 miss, L2 hit"]]},
{"warp":1,"cta":0,"index":1,"waits":[[11,40,0,0]],"insts":[],"requests":[]}]}'
sqlite3 "$tmp/r.db" "INSERT INTO artifact SELECT 1, 'waterfall',
    length('$window'), CAST('$window' AS BLOB)" 2>"$tmp/none" ||
    skip "a window of warps" "no sqlite3"
expect "runs" 0 -- report "$tmp/r.db" "$tmp/c.db" -o "$tmp/all.html" \
    --title '<img src=x onerror="alert(1)">'
expect "names are no markup" 1 -- \
    grep -qE '<b>x|<img|&amp;lt;' "$tmp/all.html"
expect "a cold start is told" 0 'cold start: [0-9.]* % of the slots.*--warm 1' \
    'What an access takes' -- cat "$tmp/all.html"
expect "all of it" 0 'median' '&lt;img src=x' 'Power of' 'uPlot' 'of peak' \
    'Every parameter of v100' 'SM 79: mean' -- cat "$tmp/all.html"
expect "well formed, too" 0 -- wellformed "$tmp/all.html" "$tmp/one.html"

# ---- A sweep, and one that lacks points ----
cat >"$tmp/plan.yaml" <<S
name: plan
gpus: gtx480
axes: {l1.ways: [2, 4], sm.issue.scheduler: [lrr, gto]}
workloads: [ones.yaml, twos.yaml]
S
expect "a sweep" 0 "8 done" -- "$heddle" sweep "$tmp/plan.yaml" -o "$tmp/s" -q -j 2
expect "its page" 0 -- report "$tmp/s" -o "$tmp/s.html"
expect "it says what came out" 0 '8 of 8 points passed' 'The fastest is' \
    'Front E' 'Speed-up along' 'class="heat"' -- cat "$tmp/s.html"
expect "well formed" 0 -- wellformed "$tmp/s.html"
# With a base of each configuration's own, charts of all have one.
sed 's/^gpus: .*/&\nbase: {l1.ways: 2}/' "$tmp/plan.yaml" >"$tmp/own.yaml"
expect "a base for each scheduler" 0 "8 done" -- \
    "$heddle" sweep "$tmp/own.yaml" -o "$tmp/own" -q -j 2
expect "its page, too" 0 -- report "$tmp/own" -o "$tmp/own.html"
expect "fronts say whom they are against" 0 \
    'the base of all: ways=2 scheduler=lrr' -- cat "$tmp/own.html"
if sqlite3 "$tmp/s/results.db" 'DELETE FROM point WHERE number = 5' \
    2>"$tmp/none"; then
    expect "a file with a hole" 0 -- report "$tmp/s/results.db" -o "$tmp/h.html"
    expect "no mean is made of it" 0 'refused' -- cat "$tmp/h.html"
    expect "nor of the steps" 0 '<td>lrr<td>gto<td[^>]*>refused' -- \
        sh -c "tr -d '\n' <'$tmp/h.html' | sed 's/<.td>//g'"
else
    skip "a hole" "no sqlite3"
fi

# ---- In a browser ----
# What a browser must not find is found.
spoilt() { # NAME SED
    ! sanitized || return 0
    sed "$2" "$tmp/one.html" >"$tmp/spoilt.html"
    page_got=0
    python3 "$pages/browser.py" open "$tmp/spoilt.html" >"$tmp/browser" 2>&1 ||
        page_got=$?
    if [ "$page_got" = 77 ]; then
        skip "$1" "$(tail -n 1 "$tmp/browser")"
    else
        expect "$1" 1 ' [1-9][0-9]* failed' -- \
            sh -c 'cat "$1"; exit "$2"' sh "$tmp/browser" "$page_got"
    fi
}
spoilt "a page without its policy's style" 's/body {/body { top: 0;/'
spoilt "a page that fetches" 's,<main,<img src="http://127.0.0.1:9/x"><main,'
spoilt "a page without a button that its script wants" 's/id="theme"/id="then"/'
spoilt "a page wider than a phone" \
    's,<main[^>]*>,&<svg width="600" height="9"></svg>,'
page_used "runs and comparisons" "$tmp/all.html" "$tmp/p.html"
page_opens "power, warps, sweeps and failures" "$tmp/f.html" "$tmp/w.html" \
    "$tmp/s.html" "$tmp/own.html" "$tmp/h.html" "$tmp/bad.html"
finish
