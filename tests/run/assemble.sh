#!/bin/sh
# tests/run/assemble.sh - machine code of real GPUs by hand: it is assembled, runs
# by its control codes, and text of a cubin becomes that cubin's code again.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1

# out[i] = 2 * in[i] + i: the example of docs/machine-code.md.
sed -n '/^\.target sm_80/,/^\.end/p' "$root/docs/machine-code.md" >k.sass
expect "it is right" 0 -- "$heddle" asm k.sass
expect "it becomes a cubin" 0 -- "$heddle" asm k.sass -o k.cubin
expect "which says what it is" 0 '^code for sm_80, linked' '10 registers' \
    '^    1: 8 bytes at 8$' -- "$heddle" disasm --info k.cubin
for program in k.cubin k.sass; do
    expect "$program: what it computes" 0 -- "$heddle" run $program -g a100 \
        --set sm.issue.hazard=codes --set sm.issue.oracle=true -b 64 \
        --arg in=buf:f32[64]=iota --arg out=buf:f32[64] --dump out=$program.bin
    expect "$program: i + 2 i" 0 '^0 3 6 9 12 15$' -- sh -c \
        "od -An -v -t f4 -w4 $program.bin | head -n 6 | tr -d ' ' | paste -sd' '"
done

# A stall that is too short for its result: the machine issues by it.
sed 's/:S05] FFMA/:S01] FFMA/' k.sass >early.sass
expect "one cycle is too few" 5 "pending in kernel 'twice', instruction 7" -- "$heddle" run \
    early.sass -g a100 --set sm.issue.hazard=codes --set sm.issue.oracle=true \
    -b 64 --arg in=buf:f32[64]=iota --arg out=buf:f32[64]

# Without control codes: Heddle finds them.
sed 's/^    \[B[^]]*\] /    /' k.sass >bare.sass
expect "without codes" 0 -- "$heddle" run bare.sass -g a100 -b 64 \
    --set sm.issue.hazard=codes --set sm.issue.oracle=true \
    --arg in=buf:f32[64]=iota --arg out=buf:f32[64] --expect out=k.sass.bin
"$heddle" asm bare.sass -o bare.cubin
expect "they wait for what memory gives" 0 \
    '^\[B.*[0-9].*:S..\] /\*0060\*/  FFMA R5, R4, 2, R5' -- \
    "$heddle" disasm bare.cubin
sed '5s/^/    [B------:R-:W-:-:S01] NOP ;\n/' bare.sass >mixed.sass
expect "some of them" 4 'mixed.sass:[0-9]*: error: control codes, .* or of none' -- \
    "$heddle" asm mixed.sass

# Mistakes, with their places.
printf '.target sm_80\n.kernel k\n.registers 8\n  [B------:R-:W-:-:S01] FOO R1 ;\n.end\n' \
    >foo.sass
expect "no such instruction" 4 "foo.sass:4:25: error: sm_80 has no instruction 'FOO'" \
    '^  *\^~~' -- "$heddle" asm foo.sass -o foo.cubin
expect "nothing is written" 1 -- test -e foo.cubin
expect "the same when it runs" 4 'foo.sass:4:25: error' -- \
    "$heddle" run -g a100 foo.sass
expect "of another GPU" 4 'the code is for sm_80, but the GPU' -- \
    "$heddle" run -g v100 k.sass
head -c 300 k.sass >short.sass
expect "one that is cut off" 4 "short.sass" 'has no .end' -- "$heddle" asm short.sass
expect "no GPU" 4 'sm_70 to sm_90 have to be here' -- sh -c \
    "echo .target sm_100 >new.sass; '$heddle' asm new.sass"
expect "--source is for cubins" 4 'is for machine code' -- sh -c \
    "printf '.arch volta\n.kernel k\nEXIT;\n.end\n' >v.sass &&
    '$heddle' asm v.sass -o v.hobj && '$heddle' disasm --source v.hobj"

ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
if [ ! -x "$ptxas" ]; then
    skip "text of what ptxas makes" "no ptxas"
    finish
fi
# code FILE: its instructions with their words.
code() { "$heddle" disasm "$1" | grep '^\['; }
for sm in 75 80 90; do
    for ptx in "$root"/workloads/*/ptx/clang14-cuda.ptx \
        "$root/tests/run/kernels/services.ptx"; do
        sed "s/^\.target .*/.target sm_$sm/; s/^\.version [67].*/.version 8.0/" \
            "$ptx" >k.ptx
        "$ptxas" -arch=sm_$sm k.ptx -o was.cubin 2>log || continue
        name=${ptx%/ptx/*}
        name=${name##*/}
        expect "sm_$sm: text of $name" 0 -- \
            "$heddle" disasm --source was.cubin -o text.sass
        expect "sm_$sm: $name is a cubin again" 0 -- \
            "$heddle" asm text.sass -o is.cubin
        code was.cubin | sort >was.txt
        code is.cubin | sort >is.txt
        expect "sm_$sm: $name has the same code" 0 -- cmp was.txt is.txt
    done
done
finish
