#!/bin/sh
# tests/run/library.sh - the library as it is installed: examples/lib compiled
# with pkg-config and as a CMake project, run from there, and its report beside
# that of `heddle run`.
. "$(dirname "$0")/../lib.sh"
need_heddle
command -v jq >/dev/null || { skip library "no jq"; finish; }
command -v pkg-config >/dev/null || { skip library "no pkg-config"; finish; }
if sanitized; then
    skip library "what is linked to it would need the sanitizers, too"
    finish
fi
build=$(dirname "$heddle")
kernels=$root/examples/lib/kernels.ptx

# Moved behind installing: nothing in it may depend on where it was.
install_library() {
    cmake --install "$build" --prefix "$tmp/first" --component library &&
        mv "$tmp/first" "$tmp/usr"
}
expect "installs" 0 -- install_library
pc=$(find "$tmp/usr" -name heddle.pc)
expect "has a pkg-config file" 0 -- test -s "$pc"
lib=$(dirname "$(dirname "$pc")")
expect "the header, and the library by its number" 0 -- \
    test -s "$tmp/usr/include/heddle/heddle.h" -a -e "$lib/libheddle.so.1"
expect "SONAME" 0 'SONAME.*\[libheddle.so.1\]' -- readelf -d "$lib/libheddle.so"

# Its names are those of the header, all and no others, of one version.
nm -D --defined-only "$lib/libheddle.so" | sed -n 's/.* T //p' | sort >"$tmp/has"
sed -n 's/^HEDDLE_API .*[ *]\(heddle_[a-z_]*\)(.*/\1@@HEDDLE_1/p' \
    "$tmp/usr/include/heddle/heddle.h" | sort >"$tmp/says"
expect "the header says at least 40 functions" 0 -- \
    test "$(wc -l <"$tmp/says")" -gt 40
expect "exports what the header says" 0 -- diff "$tmp/says" "$tmp/has"
expect "one version" 0 -- \
    sh -c "! nm -D --defined-only '$lib/libheddle.so' | grep -v HEDDLE_1"
# What would print, end the process or catch signals: of these, only what must.c
# and alloc.c have, and reports, which write to streams that they are given.
for name in printf puts putchar exit signal setlocale setenv; do
    expect "does not call $name" 0 -- \
        sh -c "! nm -D --undefined-only '$lib/libheddle.so' | grep -w $name"
done

# pkg-config.
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs heddle)
for name in saxpy step fault hottest; do
    # shellcheck disable=SC2086  # flags are words
    expect "$name compiles" 0 -- cc -std=c99 -Wall -Wextra -Werror \
        "$root/examples/lib/$name.c" $flags -o "$tmp/$name"
done
run() { LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH} "$@"; }
# 10,000 threads are 313 warps with two loads each, all of lines never seen.
expect "saxpy" 0 '^10000 of 10000 right, [0-9]* cycles, ' \
    ' 0 of 626 loads hit$' -- run "$tmp/saxpy" "$kernels"
expect "step" 0 '^cycle 5[0-9]*: [0-9]* of 157 CTAs, [1-9]' \
    '^sum 199990000 after [0-9]* cycles' \
    '^the second: cancelled, 0 of 157 CTAs' -- run "$tmp/step" "$kernels"
expect "fault" 0 '^message: line 67: access outside every allocation' \
    '^access outside every allocation: thread 63 of CTA 0, lane 31 of warp 1, 4 bytes at y + 256, line 67$' \
    -- run "$tmp/fault" "$kernels"
expect "a program that is not there" 1 \
    '^load: /nonexistent.ptx: .*No such file' -- \
    run "$tmp/saxpy" /nonexistent.ptx

# Most of saxpy's time goes to the line that needs what was loaded.
expect "hottest" 0 '^saxpy: [0-9]* cycles$' \
    '^ .*kernels.ptx:28  fma.rn.f32 %f3, %f1, %f2, %f3;  (raw_mem)$' \
    '^sum: [0-9]* cycles$' -- run "$tmp/hottest" "$root/examples/lib/launch.yaml"
expect "a launch file that is not there" 1 'none.yaml: cannot open' -- \
    run "$tmp/hottest" "$tmp/none.yaml"

# The program of the guide: 64 words are two lines of 128 bytes.
sed -n '/^```c$/,/^```$/{/^```/!p}' "$root/docs/library.md" >"$tmp/guide.c"
# shellcheck disable=SC2086
expect "the guide's program compiles" 0 -- cc -std=c99 -Wall -Wextra -Werror \
    "$tmp/guide.c" $flags -o "$tmp/guide"
expect "and runs" 0 '^p.63. = 126, [0-9]* cycles, IPC 0.0[0-9]*, 2 misses$' -- \
    run "$tmp/guide"

# C++ takes the header.
printf '#include <heddle/heddle.h>\nint main() { return heddle_version()[0] == 0; }\n' \
    >"$tmp/plus.cc"
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2086
    expect "C++ compiles" 0 -- \
        c++ -Wall -Wextra -Werror "$tmp/plus.cc" $flags -o "$tmp/plus"
    expect "and runs" 0 -- run "$tmp/plus"
else
    skip "C++" "no compiler"
fi

# A CMake project.
project() {
    cmake -S "$root/examples/lib" -B "$tmp/project" \
        -DCMAKE_PREFIX_PATH="$tmp/usr" && cmake --build "$tmp/project"
}
expect "find_package" 0 -- project
expect "the project's program runs" 0 '^10000 of 10000 right' -- \
    "$tmp/project/saxpy" "$kernels"

# The same figures as the command, but for what the host took.
strip='del(.host, .launches[].host_s, .schema, .heddle) |
    .launches[] |= del(.host_s)'
run "$tmp/saxpy" "$kernels" --json >"$tmp/library.json"
expect "the command" 0 -- sh -c "'$heddle' run '$kernels' --gpu v100 \
    --set sm.issue.scheduler=lrr --kernel saxpy --grid 40 --block 256 \
    --arg x=buf:f32[10000]=iota --arg y=buf:f32[10000]=zero --arg f32:2 \
    --arg u32:10000 --format json -q >'$tmp/command.json'"
for which in library command; do
    jq -S "$strip" "$tmp/$which.json" >"$tmp/$which.plain"
done
expect "there are many lines" 0 -- \
    test "$(wc -l <"$tmp/command.plain")" -gt 400
expect "the report is the command's" 0 -- \
    diff "$tmp/command.plain" "$tmp/library.plain"

# So is that of a launch file with streams, each with its lines.
cat >"$tmp/streams.yaml" <<S
program: $kernels
buffers:
  x: {type: f32, count: 10000, init: iota}
  y: {type: f32, count: 10000, init: zero}
  n: {type: u32, count: 20000, init: iota}
  total: {type: u32, count: 1, init: zero}
launches:
  - {kernel: saxpy, grid: 40, block: 256, args: [x, y, 2, 10000], stream: a}
  - {kernel: sum, grid: 157, block: 128, args: [n, total, 20000], stream: b}
  - {kernel: saxpy, grid: 40, block: 256, args: [x, y, 2, 10000]}
S
run "$tmp/hottest" "$tmp/streams.yaml" k20 --json >"$tmp/library.json"
expect "the command, with streams" 0 -- sh -c "'$heddle' run --gpu k20 \
    --launch '$tmp/streams.yaml' --by-line --by-instruction --format json -q \
    >'$tmp/command.json'"
for which in library command; do
    jq -S "$strip" "$tmp/$which.json" >"$tmp/$which.plain"
done
expect "three launches in flight together, in parts" 0 '^3$' -- \
    jq '.launches[0].parts | length' "$tmp/library.json"
expect "with lines" 0 '^true$' -- \
    jq '[.launches[0].parts[].lines | length > 3] | all' "$tmp/library.json"
expect "the report is the command's, too" 0 -- \
    diff "$tmp/command.plain" "$tmp/library.plain"

# And of a trace, which has its launches.
expect "a trace" 0 -- "$heddle" run --launch "$root/examples/lib/launch.yaml" \
    --functional -q --accelsim "$tmp/trace"
run "$tmp/hottest" "$tmp/trace/kernelslist.g" v100 --json >"$tmp/library.json"
expect "the command, with a trace" 0 -- sh -c "'$heddle' run --gpu v100 \
    '$tmp/trace/kernelslist.g' --by-line --by-instruction --format json -q \
    >'$tmp/command.json'"
for which in library command; do
    jq -S "$strip" "$tmp/$which.json" >"$tmp/$which.plain"
done
expect "both of its kernels" 0 '^"saxpy sum"$' -- \
    jq '[.launches[].kernel] | join(" ")' "$tmp/library.json"
expect "replayed the same" 0 -- diff "$tmp/command.plain" "$tmp/library.plain"
finish
