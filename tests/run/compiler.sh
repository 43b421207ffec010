#!/bin/sh
# tests/run/compiler.sh - a compiler of kernels that is missing or broken is
# told before anything runs, once, with what to do about it; who needs none is
# not kept from running; and what a program that failed wrote last is told
# wherever its failure is.
. "$(dirname "$0")/../lib.sh"
need_heddle
build=$(dirname "$heddle")
if [ ! -x "$build/workloads/vecadd" ] ||
    [ ! -e "$build/libheddle-opencl.so" ]; then
    skip compiler "built without OpenCL"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
works() { "$heddle" suite run "$root/workloads" --functional vecadd; }
if ! works >"$tmp/works" 2>&1 && grep -q '^(HEDDLE_CLANG=none' "$tmp/works"
then
    skip compiler "no clang or no libclc: $(sed -n 2p "$tmp/works")"
    finish
fi
rm -rf "$tmp/cache"

cat >"$tmp/counted" <<C
#!/bin/sh
echo x >>'$tmp/calls'
exec "\${REAL_CLANG-clang}" "\$@"
C
cat >"$tmp/broken" <<C
#!/bin/sh
echo "broken: cannot load libLLVM.so" >&2
exit 1
C
printf '#!/bin/sh\nexit 0\n' >"$tmp/silent"
chmod +x "$tmp/counted" "$tmp/broken" "$tmp/silent"
cat >"$tmp/plan.yaml" <<P
name: p
gpus: [gtx480]
axes: {sm.issue.scheduler: [gto, lrr]}
workloads: [{suite: $root/workloads, programs: [vecadd]}]
P
cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" "$tmp/k.ptx"
cat >"$tmp/launch.yaml" <<L
program: k.ptx
buffers: {a: {type: f32, count: 256, init: iota}}
launches: [{kernel: vecadd, grid: 1, block: 256, args: [a, a, a, 256]}]
L
with() { # CLANG COMMAND...
    with_clang=$1
    shift
    env HEDDLE_CLANG="$with_clang" "$heddle" "$@"
}
suite() { with "$1" suite run "$root/workloads" --functional vecadd bfs; }
compare() { # CLANG OPTION...
    compare_clang=$1
    shift
    with "$compare_clang" compare l1-size "$root/workloads" vecadd bfs "$@"
}

# ---- Missing or broken ----
missing="$tmp/no-such is no program"
expect "a suite: which one it is, and nothing runs" 125 \
    'heddle suite: nothing was run' "$missing" -- suite "$tmp/no-such"
cp "$out" "$tmp/said"
expect "no table, no verdicts" 1 -- grep 'verdict\|fail' "$tmp/said"
expect "said once" 0 '^1$' -- grep -c 'no-such' "$tmp/said"
expect "a comparison" 125 'heddle compare: nothing was run' "$missing" -- \
    compare "$tmp/no-such"
expect "a sweep" 125 'heddle sweep: nothing was run' "$missing" -- \
    with "$tmp/no-such" sweep "$tmp/plan.yaml" -o "$tmp/sweep"
expect "a worker of it" 125 'heddle sweep: nothing was run' "$missing" -- \
    with "$tmp/no-such" sweep worker "$tmp/sweep"
expect "no point has failed" 0 '2 points: 0 done, 0 failed, 0 running, 2 left' \
    -- "$heddle" sweep status "$tmp/sweep"
expect "one that does not work: which, with which libclc, and its words" 125 \
    "^$tmp/broken with .*nvptx64--nvidiacl.bc cannot compile" \
    '^broken: cannot load libLLVM.so$' -- suite "$tmp/broken"
expect "one that writes nothing" 125 "^$tmp/silent with .* cannot compile" \
    'wrote nothing' -- suite "$tmp/silent"
printf 'BC\300\336' >"$tmp/libclc.bc"
expect "a libclc that is none" 125 "with $tmp/libclc.bc cannot compile" -- \
    env HEDDLE_LIBCLC="$tmp/libclc.bc" "$heddle" suite run "$root/workloads" \
    --functional vecadd

# ---- Who needs none ----
expect "a launch file" 0 'geometric mean' -- \
    with "$tmp/no-such" compare l1-size "$tmp/launch.yaml"
expect "the machine's own OpenCL" 0 -- sh -c "HEDDLE_CLANG='$tmp/no-such' \
    '$heddle' suite run '$root/workloads' --native vecadd 2>&1 |
    grep -c 'nothing was run' | grep -qx 0"
expect "results that are known" 0 'speed-up' -- \
    "$heddle" compare l1-size "$root/workloads" vecadd bfs
expect "are told without it" 0 'geometric mean .* x' -- compare "$tmp/no-such"

# ---- It costs one compilation, once ----
for REAL_CLANG in clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang; do
    export REAL_CLANG
    command -v "$REAL_CLANG" >/dev/null &&
        suite "$tmp/counted" >"$tmp/works" 2>&1 && break
done
rm -rf "$tmp/cache" "$tmp/calls"
calls() { wc -l <"$tmp/calls"; }
expect "the first time" 0 '2 pass' -- suite "$tmp/counted"
expect "one for each program and one to try" 0 '^3$' -- calls
expect "the second time" 0 '2 pass' -- suite "$tmp/counted"
expect "none" 0 '^3$' -- calls

# ---- A program that failed, wherever it is told ----
said='| HEDDLE_CLANG=none is no program'
expect "the suite" 1 '^  exit status 1, not 0' "^  $said" -- suite none
rm -rf "$tmp/cache"
expect "a comparison" 1 'LEFT OUT: 16K: fail: exit status 1, not 0' \
    '^    | vecadd: FAIL: clBuildProgram: error -3' "^    $said" -- \
    compare none --html "$tmp/c.html" --store "$tmp/c.db"
expect "told again from its results" 1 "^    $said" -- \
    "$heddle" compare --from "$tmp/c.db"
expect "its page" 0 -- grep -q 'HEDDLE_CLANG=none is no program' "$tmp/c.html"
expect "a page from its results" 0 -- \
    "$heddle" report "$tmp/c.db" -o "$tmp/d.html"
expect "has it, too" 0 -- grep -q 'HEDDLE_CLANG=none is no program' \
    "$tmp/d.html"
expect "a sweep, by cause" 1 '^  2 fail: exit status 1, not 0' "^    $said" \
    '^            | HEDDLE_CLANG=none is no program' -- \
    with none sweep "$tmp/plan.yaml" -o "$tmp/sweep"
expect "its status" 0 "^    $said" -- "$heddle" sweep status "$tmp/sweep"
expect "as JSON" 0 '^vecadd: FAIL: .*$' '^HEDDLE_CLANG=none' -- sh -c \
    "'$heddle' sweep status '$tmp/sweep' -f json | jq -r '.causes[0].output'"
expect "its page" 0 -- "$heddle" report "$tmp/sweep" -o "$tmp/s.html"
expect "says it" 0 -- grep -q 'HEDDLE_CLANG=none is no program' "$tmp/s.html"
expect "a suite's results file" 1 -- with none suite run "$root/workloads" \
    --functional --store "$tmp/s.db" vecadd
expect "has it" 0 '^HEDDLE_CLANG=none$' -- "$heddle" results sql "$tmp/s.db" \
    "SELECT substr(CAST(content AS TEXT), -31, 17) AS x FROM artifact
     WHERE kind = 'tail'"
finish
