#!/bin/sh
# tests/run/bad_input.sh - what is wrong is named, with its place, and the
# exit status says which kind it is: 1 check failed, 2 usage, 3 files,
# 4 program, 5 fault, 6 no progress.
. "$(dirname "$0")/../lib.sh"
need_heddle
kernels=$root/tests/run/kernels

# one KERNEL OPTION...: one CTA of 32 threads, a buffer of 32 words
one() {
    kernel=$1
    shift
    "$heddle" run "$kernels/$kernel.ptx" --gpu v100 --grid 1 --block 32 \
        --arg 'buf:u32[32]=zero' "$@"
}

# Files.
expect "a file that is not there" 3 'none.ptx' 'No such file' -- \
    "$heddle" run none.ptx --gpu v100 --grid 1 --block 1
expect "a folder instead of a file" 3 "$kernels" -- \
    "$heddle" run "$kernels" --gpu v100 --grid 1 --block 1
head -c 700 "$root/workloads/sgemm/ptx/nvcc13.ptx" >"$tmp/cut.ptx"
expect "a truncated file" 4 'cut.ptx:[0-9]*:[0-9]*: error' -- \
    "$heddle" run "$tmp/cut.ptx" --gpu v100 --grid 1 --block 1
: >"$tmp/empty.ptx"
expect "an empty file" 4 'empty.ptx' -- \
    "$heddle" run "$tmp/empty.ptx" --gpu v100 --grid 1 --block 1
head -c 5000 /dev/urandom >"$tmp/noise.ptx"
expect "noise" 4 'noise.ptx' -- \
    "$heddle" run "$tmp/noise.ptx" --gpu v100 --grid 1 --block 1

"$heddle" compile "$kernels/divide.ptx" --gpu v100 -o "$tmp/whole.hobj"
head -c 1000 "$tmp/whole.hobj" >"$tmp/cut.hobj"
expect "a truncated object" 4 'cut.hobj: error: the file ends too early' -- \
    "$heddle" run "$tmp/cut.hobj" --gpu v100 --grid 1 --block 1

# Programs.
expect "a syntax error, with its place" 4 \
    'syntax.ptx:9:[0-9]*: error' '%missing' '\^' -- one syntax
expect "every unsupported instruction, in one go" 4 \
    'unsupported.ptx:11:[0-9]*: error.*multimem.st' \
    'unsupported.ptx:13:[0-9]*: error.*tcgen05' \
    'unsupported.ptx:14:[0-9]*: error.*multimem.red' -- \
    one unsupported --kernel unsupported
expect "a kernel beside one that is not supported" 0 -- \
    one unsupported --kernel supported
partly=$kernels/partly.ptx
expect "a kernel beside others that are not supported" 0 \
    'warning: unsupported initial value' -- \
    "$heddle" run "$partly" --kernel good --arg 'buf:u32[1]' --functional
expect "each place once" 4 \
    'partly.ptx:20:[0-9]*: error.*nobody.*(from partly.cu:7)' \
    'partly.ptx:45:[0-9]*: error.*nobody' -- "$heddle" compile "$partly"
expect "two places and a variable" 0 -- sh -c \
    "'$heddle' compile '$partly' 2>&1 | grep -c error: | grep -qx 3"
expect "what can be compiled is" 0 "warning: kernel 'bad' is left out" \
    "warning: kernel 'user' is left out" '\.kernel good' -- \
    "$heddle" compile "$partly" --keep-going
expect "a kernel left out" 4 'partly.ptx:20.*error.*nobody' -- \
    "$heddle" run "$partly" --kernel bad
expect "a variable that cannot be had" 4 'partly.ptx:11.*error.*place' -- \
    "$heddle" run "$partly" --kernel user --arg 'buf:u32[1]'
expect "an unknown kernel: which there are" 2 'third' 'first' 'second' -- \
    one two --kernel third
expect "no kernel named and there are two" 2 'first' 'second' -- one two
expect "too few arguments" 2 'second' '3' '1' -- one two --kernel second
expect "too many arguments" 2 'first' -- \
    one two --kernel first --arg u32:1
expect "an argument of the wrong size" 2 'n' -- \
    one two --kernel second --arg u64:1 --arg f32:1
expect "a malformed argument" 2 'f33' -- one two --kernel first --arg f33:1

# Launches.
expect "a CTA too large" 2 '2048' '1024' -- \
    "$heddle" run "$kernels/divide.ptx" --gpu v100 --grid 1 --block 2048 \
    --arg 'buf:u32[32]=zero' --arg u32:1
expect "a grid of nothing" 2 -- \
    "$heddle" run "$kernels/divide.ptx" --gpu v100 --grid 0 --block 32 \
    --arg 'buf:u32[32]=zero' --arg u32:1
expect "too much shared memory, with the numbers" 2 '65536' '49152' -- \
    "$heddle" run "$kernels/shared.ptx" --gpu k20 --grid 1 --block 32 \
    --arg 'buf:u32[32]=zero'
expect "too much dynamic shared memory" 2 '1000000' -- \
    one two --kernel first --shared 1000000
expect "too many registers, with the numbers" 2 'register' '65536' -- \
    "$heddle" run "$kernels/registers.ptx" --gpu v100 --grid 1 \
    --block 1024 --arg 'buf:u32[256]=zero'

# Faults: kernel, line, instruction, CTA, thread, address, nearest allocation.
expect "an access out of bounds" 5 '^bounds.cu:7: error' "kernel 'bounds'" \
    'instruction [0-9]*: STG' 'CTA (0,0,0) thread (32,0,0)' 'write at 0x' \
    '; 1 byte past the last byte of allocation 0' '+128)' -- "$heddle" run "$kernels/bounds.ptx" --gpu v100 --grid 1 \
    --block 33 --arg 'buf:u32[32]=zero'
expect "the same without timing" 5 'bounds' 'CTA' 'thread' -- \
    "$heddle" run "$kernels/bounds.ptx" --gpu v100 --grid 1 --block 33 \
    --arg 'buf:u32[32]=zero' --functional
expect "the last element is inside" 0 -- \
    "$heddle" run "$kernels/bounds.ptx" --gpu v100 --grid 1 --block 32 \
    --arg 'buf:u32[32]=zero'
expect "a misaligned access" 5 'misaligned' 'thread' '0x' -- one misaligned
expect "an access near zero" 5 'null' '0x10' -- one null
expect "division by zero is defined" 0 -- one divide --arg u32:0

# Programs that do not end.
expect "--max-cycles ends an infinite loop" 6 'forever' '20000' -- \
    one forever --max-cycles 20000
expect "a barrier that cannot complete" 6 'stuck' 'barrier' -- \
    one stuck --set gpu.hang_cycles=5000

# Options.
expect "an unknown option" 2 'max-cycle' -- one divide --max-cycle=1x
expect "an unknown command: the nearest" 2 'run' -- "$heddle" rnu
expect "an unknown GPU: which there are" 3 'v100' -- \
    "$heddle" run "$kernels/divide.ptx" --gpu v1000 --grid 1 --block 32
expect "an unknown parameter: the nearest" 3 'l1.wayz' 'l1.ways' -- \
    one divide --arg u32:1 --set l1.wayz=4
expect "a value out of range" 3 'l1.ways' -- \
    one divide --arg u32:1 --set l1.ways=9999999
expect "a value of the wrong type" 3 'l1.ways' -- \
    one divide --arg u32:1 --set l1.ways=many

# Launch files.
launch() { # TEXT: runs it as a launch file
    printf '%s\n' "$1" >"$tmp/launch.yaml"
    "$heddle" run "$kernels/two.ptx" --gpu v100 --launch "$tmp/launch.yaml"
}
good='buffers: {a: {type: u32, count: 8, init: zero}}
launches: [{kernel: first, grid: [1, 1, 1], block: [32, 1, 1], args: [a]}]'
expect "a good launch file" 0 -- launch "$good"
expect "an unknown key: the nearest" 3 'launch.yaml:1:.*error' 'cuont' \
    'count' -- launch "$(echo "$good" | sed s/count/cuont/)"
expect "an unknown buffer" 3 'launch.yaml:2:.*error' -- \
    launch "$(echo "$good" | sed 's/\[a\]/[b]/')"
expect "an unknown type" 3 'launch.yaml:1:.*error' 'f31' -- \
    launch "$(echo "$good" | sed 's/u32/f31/')"
expect "YAML that ends early" 3 'launch.yaml:.*error' -- \
    launch "$(echo "$good" | head -c 100)"
expect "a buffer's file that is not there" 3 'none.npy' -- \
    launch "$(echo "$good" | sed 's/count: 8, init: zero/file: none.npy/')"

# The world.
expect "a full disk" 1 'No space left' -- \
    one divide --arg u32:1 --dump 0=/dev/full
full() { one divide --arg u32:1 --format json >/dev/full; }
expect "standard output is full" 1 'No space left' -- full
interrupt() {
    timeout --preserve-status -s INT 1 "$heddle" run "$kernels/forever.ptx" \
        --gpu v100 --grid 1 --block 32 --arg 'buf:u32[32]=zero' --format json
}
expect "Ctrl-C: partial statistics, marked" 130 'interrupted' 'cycles' -- \
    interrupt
finish
