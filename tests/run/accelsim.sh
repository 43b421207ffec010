#!/bin/sh
# tests/run/accelsim.sh - traces of Accel-Sim: replayed, and written; what is wrong
# with them is told with its place.
. "$(dirname "$0")/../lib.sh"
need_heddle

# trace VERSION CTAS WARPS TURNS: a kernel that copies and adds, on standard
# output. Its warps execute 6 + 5 TURNS instructions.
trace() {
    awk -v version="$1" -v ctas="$2" -v warps="$3" -v turns="$4" '
    function line(text) { print text (version > 3 ? " 0" : "") }
    BEGIN {
        print "-kernel name = copy"
        print "-kernel id = 1"
        print "-grid dim = (" ctas ",1,1)"
        print "-block dim = (" warps * 32 ",1,1)"
        print "-shmem = 1024"
        print "-nregs = 24"
        print "-binary version = 70"
        print "-cuda stream id = 0"
        print "-shmem base_addr = 0x00007f0e8e000000"
        print "-local mem base_addr = 0x00007f0e8c000000"
        print "-nvbit version = 1.5.5"
        print "-accelsim tracer version = " version
        if (version > 3)
            print "-enable lineinfo = 0"
        print "\n#traces format = PC mask dest_num [reg_dests] opcode ...\n"
        for (c = 0; c < ctas; c++) {
            print "#BEGIN_TB\n\nthread block = " c ",0,0"
            for (w = 0; w < warps; w++) {
                print "\nwarp = " w "\ninsts = " 6 + 5 * turns
                line("0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0")
                line("0010 ffffffff 1 R0 S2R 0 0")
                line("0020 00000000 0 EXIT 0 0")
                for (t = 0; t < turns; t++) {
                    at = 4096 * (t + turns * (w + warps * c))
                    line("0030 ffffffff 1 R4 LDG.E.64.SYS 1 R2 8 1 0x" \
                         sprintf("7f%010x", at) " 8")
                    line("0040 000000ff 0 STS 2 R8 R4 4 2 0x0 4 8 4 4 4 4 4")
                    line("0050 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0")
                    line("0060 0000000f 1 R6 LDS 1 R8 4 0 0x0 0x80 0x100 0x180")
                    line("0070 ffffffff 1 R2 IADD3 3 R2 R6 R255 0")
                }
                line("0080 ffffffff 0 STG.E.SYS 2 R2 R6 4 2 0x7fe000000000" \
                     " 32 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4" \
                     " 4 4 4 4")
                line("0090 ffff0000 0 EXIT 0 0")
                line("0090 0000ffff 0 EXIT 0 0")
            }
            print "\n#END_TB\n"
        }
    }'
}
replay() { "$heddle" run --quiet "$@"; }
cycles() { sed -n 's/^ *cycles *\([0-9,]*\) .*/\1/p' "$out" | tr -d ,; }

# ---- Replay ----

trace 3 10 4 6 >"$tmp/v3.traceg"
expect "version 3, counted to the instruction" 0 \
    'copy on Tesla V100' '24 registers, 1024 B shared' \
    ' warp instructions  *1,440 ' ' thread instructions  *31,040$' -- \
    replay "$tmp/v3.traceg" --gpu v100
three=$(cycles)
for version in 4 5; do
    trace "$version" 10 4 6 >"$tmp/v$version.traceg"
    expect "version $version the same" 0 " cycles  *$(echo "$three" |
        sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta') " -- \
        replay "$tmp/v$version.traceg"
done
sed 's/^\(00[0-9]*\) /17 \1 /; s/lineinfo = 0/lineinfo = 1/' "$tmp/v5.traceg" \
    >"$tmp/lines.traceg"
expect "numbers of source lines" 0 ' warp instructions  *1,440 ' -- \
    replay "$tmp/lines.traceg"
for gpu in a100 h100; do
    expect "on $gpu" 0 ' warp instructions  *1,440 ' -- \
        replay "$tmp/v4.traceg" --gpu "$gpu"
done
expect "the same for any number of threads" 0 -- \
    replay "$tmp/v4.traceg" --hash --threads 1
one=$(sed -n 's/^hash: //p' "$out")
expect "threads" 0 "hash: $one" -- replay "$tmp/v4.traceg" --hash --threads 4
expect "every cycle ticked" 0 "hash: $one" -- \
    replay "$tmp/v4.traceg" --hash --no-skip
expect "by instruction" 0 'LDG' 'BAR.SYNC' -- \
    replay "$tmp/v4.traceg" --by-instruction
expect "a trace of it" 0 -- replay "$tmp/v4.traceg" --konata "$tmp/k.log"

printf '%s\n' 'MemcpyHtoD,0x00007f0000000000,4096' v3.traceg v4.traceg |
    sed 's/^v/kernel-v/' >"$tmp/kernelslist.g"
cp "$tmp/v3.traceg" "$tmp/kernel-v3.traceg"
cp "$tmp/v4.traceg" "$tmp/kernel-v4.traceg"
expect "a list: the second finds its code in the caches" 0 \
    'launches' '"warp_insts": 1440' -- \
    replay "$tmp/kernelslist.g" --format json
expect "with copies that fill the L2" 0 -- \
    replay "$tmp/kernelslist.g" -s l2.copies=fill

if command -v xz >/dev/null && "$heddle" help run | grep -q accelsim; then
    xz -k "$tmp/v4.traceg"
    expect "compressed with xz" 0 ' warp instructions  *1,440 ' -- \
        replay "$tmp/v4.traceg.xz"
    head -c 300 "$tmp/v4.traceg.xz" >"$tmp/cut.traceg.xz"
    expect "cut off" 3 'cut.traceg.xz.* middle of compressed data' -- \
        replay "$tmp/cut.traceg.xz"
    { head -c 200 "$tmp/v4.traceg.xz"; echo garbage garbage garbage garbage; } \
        >"$tmp/garbage.traceg.xz"
    expect "garbage in it" 3 'garbage.traceg.xz.* is damaged' -- \
        replay "$tmp/garbage.traceg.xz"
fi

if command -v zstd >/dev/null && command -v python3 >/dev/null; then
    trace 5 2 2 2 >"$tmp/z.traceg"
    expect "a small one" 0 -- replay "$tmp/z.traceg" --hash
    plain=$(sed -n 's/^hash: //p' "$out")
    sed 's/version = 5/version = 6/; /^00/s/ 0$/ 0 0 NoVal/' "$tmp/z.traceg" \
        >"$tmp/six.traceg"
    expect "version 6" 0 "hash: $plain" -- replay "$tmp/six.traceg" --hash
    head -c 3000 "$tmp/z.traceg" >"$tmp/words"
    for words in '' "$tmp/words"; do
        # shellcheck disable=SC2086  # one or none
        python3 "$root/tests/run/tracez_write.py" "$tmp/six.traceg" \
            "$tmp/z.tracez" $words
        expect "in a container" 0 "hash: $plain" -- \
            replay "$tmp/z.tracez" --hash
    done
    size=$(wc -c <"$tmp/z.tracez")
    for cut in 10 $((size / 2)) $((size - 9)) $((size - 1)); do
        head -c "$cut" "$tmp/z.tracez" >"$tmp/cut.tracez"
        expect "cut off after $cut bytes" 3 'cut.tracez.*error: is ' -- \
            replay "$tmp/cut.tracez"
    done
    { head -c $((size / 3)) "$tmp/z.tracez"; printf XXXX
        tail -c +$((size / 3 + 5)) "$tmp/z.tracez"; } >"$tmp/bent.tracez"
    expect "a damaged piece" 3 'bent.tracez.*error: ' -- \
        replay "$tmp/bent.tracez"
fi

# ---- Bad input: one error, with its place ----

# bad NAME PATTERN SCRIPT: the trace after the script of sed.
bad() {
    sed "$3" "$tmp/v4.traceg" >"$tmp/bad.traceg"
    expect "$1" 3 "bad.traceg.*error: .*$2" -- replay "$tmp/bad.traceg"
    [ "$(grep -c 'error:' "$out")" = 1 ] || {
        failed=$((failed + 1))
        echo "FAIL $1: more than one error"
    }
}
expect "no such file" 3 'none.traceg.*No such file' -- \
    replay "$tmp/none.traceg"
bad "too few fields" 'the line ends where the bytes' '23s/ 0 0$//'
bad "too many fields" 'goes on with .7' '23s/$/ 7 7 7/'
bad "a mask of more than 32 lanes" "'1ffffffff' is not a mask of 32 lanes" \
    '23s/ffffffff/1ffffffff/'
bad "a register that is none" "'R256' is not a register" '23s/R1/R256/'
bad "registers above the last" 'above R254' '26s/R4/R254/'
bad "more instructions than are said" 'more instructions than' \
    '22s/36/35/'
bad "fewer" "says that 1 more instruction" '22s/36/37/'
bad "an unknown version" 'version 9 are not known; 3 to 6 are' \
    's/version = 4/version = 9/'
bad "no grid" "does not give '-grid dim'" '/grid dim/d'
bad "a grid of nothing" "'grid dim' has no value" 's/(10,1,1)/(0,1,1)/'
bad "no end" 'in the middle of a CTA' '$d;40,$d'
bad "CTAs are missing" 'with 10 of 12 CTAs' 's/(10,1,1)/(12,1,1)/'
bad "a CTA outside of the grid" 'CTA 3,0,0 of a grid of 3x1x1' \
    's/(10,1,1)/(3,1,1)/'
bad "a CTA twice" 'CTA 0,0,0 comes twice' 's/thread block = 1,/thread block = 0,/'
bad "a warp outside of the CTA" 'warp 7 of a CTA of 4' 's/^warp = 3/warp = 7/'
bad "a warp twice" 'warp 0 comes twice' 's/^warp = 3/warp = 0/'
bad "a raw trace" 'has to be grouped by CTAs' '/BEGIN_TB/d'
bad "no trace at all" 'this is no trace' '1s/.*/int main(void)/'
bad "addresses are missing" 'ends where a distance' \
    's/4 2 0x0 4 8 4 4 4 4 4 0/4 2 0x0 4 8/'
bad "code where none can be" 'no kernel has code at' 's/^0080 /7fffff80 /'
bad "names that are not known, all of them" \
    '2 operations cannot.*: FROB.X (240), BAZ (40)' \
    's/IADD3/FROB.X/; s/S2R/BAZ/'
echo 'frobnicate' >"$tmp/bad.g"
expect "a list with something else" 3 'bad.g:1: error: neither a copy' -- \
    replay "$tmp/bad.g"
echo 'MemcpyHtoD,0x10' >"$tmp/bad.g"
expect "a bad copy" 3 "bad.g:1: error: expected 'MemcpyHtoD" -- \
    replay "$tmp/bad.g"
: >"$tmp/bad.g"
expect "an empty list" 3 'there is no kernel' -- replay "$tmp/bad.g"
expect "no Kepler" 2 'Volta or later' -- replay "$tmp/v4.traceg" --gpu k20
expect "no values" 2 'has no values' -- replay "$tmp/v4.traceg" --functional
expect "its own launches" 2 'has its launches' -- \
    replay "$tmp/v4.traceg" --grid 4
sed '/^0090 0000ffff/d; s/^insts = 36/insts = 35/; s/^0090 ffff0000.*/NOP/' \
    "$tmp/v4.traceg" | sed 's/^NOP$/00a0 ffffffff 0 NOP 0 0 0/' \
    >"$tmp/open.traceg"
expect "without EXIT" 0 '40 warps do not end with EXIT' \
    ' warp instructions  *1,440 ' -- replay "$tmp/open.traceg"

# ---- Written, and replayed ----

cat >"$tmp/k.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .b64 %d<9>;
.reg .b32 %r<20>;
.reg .pred %p<4>;
.shared .align 4 .b8 tile[4096];
.local .align 4 .b8 own[64];
ld.param.u64 %d1, [p];
ld.param.u32 %r9, [n];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r3, %r2, 64, %r1;
mul.wide.u32 %d3, %r3, 4;
add.u64 %d4, %d1, %d3;
and.b32 %r4, %r1, 15;
shl.b32 %r6, %r4, 2;
mov.u32 %r7, own;
add.u32 %r6, %r6, %r7;
mov.u32 %r8, tile;
mov.u32 %r12, 0;
LOOP: ld.global.u32 %r5, [%d4];
st.local.u32 [%r6], %r5;
mad.lo.u32 %r10, %r1, 4, %r8;
st.shared.u32 [%r10], %r5;
bar.sync 0;
setp.lt.u32 %p1, %r1, %r4;
@%p1 bra SKIP;
atom.global.add.u32 %r11, [%d1], %r5;
SKIP: ld.local.u32 %r11, [%r6];
add.u32 %r12, %r12, 1;
setp.lt.u32 %p2, %r12, %r9;
@%p2 bra LOOP;
st.global.u32 [%d4], %r11;
ret;
}
END
run() {
    "$heddle" run "$tmp/k.ptx" --grid 40 --block 64 --quiet \
        --arg 'a=buf:u32[65536]=iota' --arg u32:3 "$@"
}
figures() {
    sed -n 's/^ *\(cycles\|warp instructions\) *\([0-9,]*\) .*/\1 \2/p
        s/.*thread instructions *\([0-9,]*\)$/threads \1/p' "$out"
}
for gpu in v100 a100; do
    expect "the kernel on $gpu" 0 ' cycles ' -- run --gpu "$gpu"
    figures >"$tmp/want"
    for pack in none zstd xz; do
        "$heddle" run "$tmp/k.ptx" --accelsim-pack "$pack" 2>&1 |
            grep -q liblzma && continue
        expect "its trace, $pack" 0 'warp instructions' -- \
            run --gpu "$gpu" --accelsim "$tmp/$gpu-$pack" --accelsim-pack "$pack"
        expect "the replay of it" 0 ' cycles ' -- \
            replay "$tmp/$gpu-$pack/kernelslist.g" --gpu "$gpu"
        figures >"$tmp/got"
        expect "as many cycles and instructions" 0 -- \
            diff "$tmp/want" "$tmp/got"
    done
done
sed '/^-heddle code/d' "$tmp/v100-none/kernel-1.traceg" >"$tmp/bare.traceg"
expect "by the lines alone: as many instructions" 0 \
    "warp instructions  *$(sed -n 's/^warp instructions //p' "$tmp/want") " -- \
    replay "$tmp/bare.traceg"
cp "$tmp/v100-none/kernel-1.traceg" "$tmp/alone.traceg"
expect "without its code" 0 'warning: without .*kernel-1.hobj' -- \
    replay "$tmp/alone.traceg"
expect "as Accel-Sim has it" 0 'MemcpyHtoD,0x0000[0-9a-f]*,262144' \
    '^kernel-1.traceg$' -- cat "$tmp/v100-none/kernelslist.g"
expect "not twice to a folder" 1 'there are traces in' -- \
    run --accelsim "$tmp/v100-none"
expect "a folder that cannot be" 1 'cannot make the folder' -- \
    run --accelsim "$tmp/none/none"
expect "no way to compress" 2 'is not xz, zstd or none' -- \
    run --accelsim "$tmp/x" --accelsim-pack lzw
expect "compressing nothing" 2 'goes with --accelsim' -- \
    run --accelsim-pack zstd
expect "one kind of trace" 2 'do not go with it' -- \
    run --accelsim "$tmp/x" --konata "$tmp/x.log"
expect "a trace of a trace" 2 'not written again' -- \
    replay "$tmp/v4.traceg" --accelsim "$tmp/x"

program=$(dirname "$heddle")/workloads/vecadd
if [ -x "$program" ]; then
    expect "a program's" 0 'PASS' -- \
        "$heddle" exec --quiet --accelsim "$tmp/program" -- "$program"
    expect "replayed" 0 ' cycles ' -- replay "$tmp/program/kernelslist.g"
    replayed=$(cycles)
    expect "as the program itself" 0 'PASS' -- \
        "$heddle" exec --quiet -- "$program"
    [ "$(cycles)" = "$replayed" ] || {
        failed=$((failed + 1))
        echo "FAIL program: $(cycles) cycles, its trace $replayed"
    }
else
    skip "a program's trace" "workloads are not built"
fi

# ---- Compared and swept ----

expect "variants of the machine" 0 '0 faster, 0 slower, 1 the same' \
    -- "$heddle" compare --with sm.issue.scheduler=lrr \
    "$tmp/v4.traceg"
expect "two GPUs" 0 'a100 against v100' -- \
    "$heddle" diff --gpu v100 --gpu a100 "$tmp/kernelslist.g"
sed 's/IADD3/FROB/' "$tmp/v4.traceg" >"$tmp/frob.traceg"
expect "one that cannot be replayed" 1 'cannot be replayed' -- \
    "$heddle" compare --with sm.issue.scheduler=lrr "$tmp/frob.traceg"
echo kernel-none.traceg >"$tmp/none.g"
expect "a list of what is not there" 3 'there is no file' -- \
    "$heddle" compare --with sm.issue.scheduler=lrr "$tmp/none.g"
cat >"$tmp/sweep.yaml" <<'END'
gpus: [v100]
workloads: [v4.traceg]
axes:
  sm.issue.scheduler: [gto, lrr]
END
expect "a sweep" 0 'sm.issue.scheduler' -- \
    "$heddle" sweep "$tmp/sweep.yaml" -o "$tmp/out.sweep"

# ---- Larger than memory should be ----

peak() { sed -n 's/.* \([0-9.]*\) MB peak memory/\1/p' "$out"; }
if ! sanitized; then
    trace 4 2000 4 1 >"$tmp/small.traceg"
    expect "a small one" 0 'peak memory' -- replay "$tmp/small.traceg"
    small=$(peak)
    trace 4 2000 4 20 >"$tmp/large.traceg"
    expect "a large one" 0 ' warp instructions  *848,000 ' -- \
        replay "$tmp/large.traceg"
    large=$(peak)
    expect "takes no more memory" 0 -- \
        awk -v a="$small" -v b="$large" 'BEGIN { exit !(b < a + 12) }'
fi
finish
