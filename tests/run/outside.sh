#!/bin/sh
# tests/run/outside.sh - accesses outside of what was allocated, where devices
# let them pass: told by every command that runs kernels, or a fault.
. "$(dirname "$0")/../lib.sh"
need_heddle
program=$(dirname "$heddle")/heddle-behave

# ---- Kernels on their own: strict unless told otherwise ----
cat >"$tmp/k.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry behind(.param .u64 a)
{
    .reg .b64 %d<2>;
    .reg .b32 %r0;
    ld.param.u64 %d0, [a];
    mov.u32 %r0, %tid.x;
    mad.wide.u32 %d0, %r0, 4, %d0;
    st.global.u32 [%d0], %r0;
    ret;
}
P
kernel() {
    "$heddle" run "$tmp/k.ptx" --grid 1 --block 64 --arg buf:u32[60]=zero "$@"
}
beside="^4 accesses outside of what was allocated"
expect "heddle run is strict" 5 'access outside every allocation' -- kernel
expect "and lenient if asked" 0 "$beside" \
    "behind (.*k.ptx:11): 4 writes outside of a buffer, by up to 16 bytes" \
    "1 byte past the last byte of allocation 0 '0'" -- kernel --lenient
expect "the last word counts" 5 'access outside every' -- kernel --lenient --strict
expect "also without timing" 0 "$beside" -- kernel --lenient --functional
expect "in JSON" 0 '^\[4,4,16,true\]$' -- sh -c "'$heddle' run '$tmp/k.ptx' \
    --grid 1 --block 64 --arg buf:u32[60]=zero --lenient -f json |
    jq -c '[.outside[0].count, .launches[0].outside[0].count,
    .outside[0].reach_bytes, .outside[0].write]'"
expect "none inside" 0 '^false$' -- sh -c "'$heddle' run '$tmp/k.ptx' --grid 1 \
    --block 60 --arg buf:u32[60]=zero --lenient -f json | jq 'has(\"outside\")'"
for threads in 1 3; do
    kernel --lenient --hash -t $threads | grep -e ^hash -A 2 -e "$beside" \
        >"$tmp/$threads"
done
expect "the same for any number of threads" 0 -- cmp "$tmp/1" "$tmp/3"
expect "it says something" 0 'hash:' 'behind' -- cat "$tmp/1"
cat >"$tmp/launch.yaml" <<'L'
program: k.ptx
buffers:
  a: {type: u32, count: 60}
launches:
  - {grid: [1], block: [64], args: [a]}
L
expect "launch files of a comparison are strict" 1 'LEFT OUT' \
    'outside every allocation' -- "$heddle" compare --with l1.ways=8 \
    --gpu k20 "$tmp/launch.yaml"
expect "or lenient, and told" 0 'speed-up' '^  outside of what was allocated' \
    '^    behind .*: 4 writes outside of a buffer' -- "$heddle" compare \
    --lenient --with l1.ways=8 --gpu k20 "$tmp/launch.yaml"

# ---- Programs: lenient unless told otherwise ----
if [ ! -x "$program" ] || [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip programs "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
mkdir "$tmp/suite"
cat >"$tmp/suite/suite.yaml" <<S
name: steps
programs:
  - {name: beyond, run: ["$program", set, beyond, read], expect: {stdout: "first is 1"}}
  - {name: inside, run: ["$program", set, twice, read]}
S
line='^    beyond (<source>:23): 4,096 writes outside of a buffer'
expect "a suite tells it of its program" 0 '^2 programs: 2 pass' "$line" -- \
    "$heddle" suite run "$tmp/suite" --gpu k20 -q
cp "$out" "$tmp/told"
expect "and no other" 0 '^3$' -- grep -c '^    ' "$tmp/told"
expect "in JSON" 0 '^true$' -- sh -c "'$heddle' suite run '$tmp/suite' -g k20 \
    -q -f json | jq '(.programs[0].outside | test(\"allocation 0\")) and
    .programs[1].outside == null'"
expect "unless it is strict" 1 '^beyond  *fail' '1 pass, 1 fail' -- \
    "$heddle" suite run "$tmp/suite" --gpu k20 -q --strict
expect "a comparison tells it once" 0 "$line" -- "$heddle" compare -g k20 -q \
    --with l1.ways=8 --store "$tmp/c.db" -- "$program" set beyond read
cp "$out" "$tmp/told"
expect "not twice" 0 '^3$' -- grep -c '^    beyond' "$tmp/told"
expect "also from what was kept" 0 "$line" -- \
    "$heddle" compare --from "$tmp/c.db"
expect "and on its page" 0 'Outside of buffers' '4,096 reads outside of a buffer' -- \
    sh -c "'$heddle' report '$tmp/c.db' -o '$tmp/c.html' && cat '$tmp/c.html'"
"$heddle" exec -g k20 -q --store "$tmp/e.db" -o "$tmp/e" "$program" beyond finish
expect "the page of a program" 0 'Outside of buffers' -- sh -c \
    "'$heddle' report '$tmp/e.db' -o '$tmp/e.html' && cat '$tmp/e.html'"
cat >"$tmp/plan.yaml" <<P
name: steps
gpus: [k20]
axes: {l1.ways: [4, 8]}
workloads: [{suite: "$tmp/suite"}]
P
expect "a sweep counts them" 0 '4 done' \
    '^outside of what was allocated.* 2 points' -- \
    "$heddle" sweep "$tmp/plan.yaml" -q -o "$tmp/a.sweep"
expect "on its page they are told once" 0 '^1$' -- sh -c "'$heddle' report \
    '$tmp/a.sweep' -o '$tmp/a.html' && grep -c 'beyond, 2 runs' '$tmp/a.html'"
echo 'options: {strict: true}' >>"$tmp/plan.yaml"
expect "unless the plan is strict" 1 '2 done, 2 failed' -- \
    "$heddle" sweep "$tmp/plan.yaml" -q -o "$tmp/b.sweep"
echo 'options: {strict: true, lenient: true}' >"$tmp/options"
sed '/^options/d' "$tmp/plan.yaml" | cat - "$tmp/options" >"$tmp/both.yaml"
expect "it cannot be both" 3 'contradict' -- \
    "$heddle" sweep "$tmp/both.yaml" -q -o "$tmp/d.sweep"
finish
