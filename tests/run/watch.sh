#!/bin/sh
# tests/run/watch.sh - heddle watch: who may ask its server and for what; that a
# pause stops the machine and a step moves it as far as was asked; registers and
# waiting warps of kernels that are known; that watching changes no result; and
# that it ends with the run. watch_client.py has the cases.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
here=$root/tests/run

# Each thread counts down from n.
cat >"$tmp/loop.sass" <<'END'
.arch volta
.kernel loop
.param int n
    MOV R0, c[0x0][n];
again:
    IADD3 R0, R0, -1, RZ;
    ISETP.NE.AND P0, PT, R0, RZ, PT;
    @P0 BRA again;
    EXIT;
.end
END
# So does this, with registers whose values are known.
cat >"$tmp/known.sass" <<'END'
.arch volta
.kernel known
.param int n
    S2R R0, SR_TID.X;
    ISETP.LT.AND P1, PT, R0, 16, PT;
    MOV R4, 0x1234abcd;
    IADD3 R5, R0, 100, RZ;
    MOV R6, c[0x0][n];
.file "known.cu"
.line 3
again:
    IADD3 R6, R6, -1, RZ;
    ISETP.NE.AND P0, PT, R6, RZ, PT;
    @P0 BRA again;
    EXIT;
.end
END
cat >"$tmp/known.cu" <<'END'
// what known.sass could come from
    do {
        ; // counts down
    } while (--n);
END
# Warp 0 counts down from n before it comes to the barrier.
cat >"$tmp/barrier.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry late(.param .u32 n)
{
    .reg .b32 %r<4>;
    .reg .pred %p<3>;
    mov.u32 %r0, %tid.x;
    ld.param.u32 %r1, [n];
    setp.ge.u32 %p0, %r0, 32;
    @%p0 bra meet;
again:
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra again;
meet:
    bar.sync 0;
    ret;
}
END
# Warp 0 waits at one barrier and warp 1 at another, each for all of the CTA.
cat >"$tmp/hang.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry apart()
{
    .reg .b32 %r<2>;
    .reg .pred %p<2>;
    mov.u32 %r0, %tid.x;
    setp.ge.u32 %p0, %r0, 32;
    @%p0 bra other;
    bar.sync 0, 64;
    bra.uni end;
other:
    bar.sync 1, 64;
end:
    ret;
}
END
cat >"$tmp/fault.sass" <<'END'
.arch volta
.kernel fault
    MOV R2, RZ;
    MOV R3, RZ;
    STG.E [R2.64], R2;
    EXIT;
.end
END
# Atomics of which each needs the result of the one before.
cat >"$tmp/chase.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry chase(.param .u64 at, .param .u32 n)
{
    .reg .b64 %d<3>;
    .reg .b32 %r<4>;
    .reg .pred %p<2>;
    ld.param.u64 %d0, [at];
    ld.param.u32 %r0, [n];
    mov.u64 %d1, %d0;
again:
    atom.global.and.b32 %r1, [%d1], 0;
    mad.wide.u32 %d1, %r1, 4, %d1;
    sub.u32 %r0, %r0, 1;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra again;
    ret;
}
END
cat >"$tmp/two.yaml" <<'END'
program: loop.sass
gpu: v100
launches:
  - {kernel: loop, grid: [16], block: [64], args: [300], repeat: 2}
  - {kernel: loop, grid: [2], block: [64], args: [30]}
END
cat >"$tmp/streams.yaml" <<'END'
program: loop.sass
gpu: v100
launches:
  - {kernel: loop, grid: [16], block: [64], args: [3000], stream: a}
  - {kernel: loop, grid: [8], block: [64], args: [3000], stream: b}
END

# What is refused needs no server.
loop() {
    "$heddle" watch "$tmp/loop.sass" --grid 1 --block 32 --arg u32:1 "$@"
}
expect "a port that is none" 2 'from 0 to 65535' -- loop --port 65536
expect "nothing to watch" 2 'no cycles are simulated' -- loop --functional
expect "no program" 2 'expected a program' -- "$heddle" watch
expect "a program that is not there" 3 'nothing.ptx' -- \
    "$heddle" watch "$tmp/nothing.ptx" --grid 1 --block 1
expect "run has no server" 2 "unknown option '--paused'" -- \
    "$heddle" run "$tmp/loop.sass" --paused

expect "a trace" 0 -- "$heddle" run "$tmp/known.sass" --gpu v100 --quiet \
    --functional --grid 4 --block 64 --arg u32:500 --accelsim "$tmp/trace"
if ! grep -qs '^MICROHTTPD_FOUND:.*=1$' "$(dirname "$heddle")/CMakeCache.txt"; then
    expect "without the library it says so" 1 'libmicrohttpd-dev' -- loop
    skip "the server" "built without libmicrohttpd"
    finish
fi

# A file in place of the library, which is none, and one without its functions.
mkdir "$tmp/none" "$tmp/empty"
echo text >"$tmp/none/libmicrohttpd.so.12"
expect "a library that cannot be loaded" 1 \
    'cannot load libmicrohttpd (.*): install it (Debian: apt-get install' -- \
    env LD_LIBRARY_PATH="$tmp/none" "$heddle" watch "$tmp/loop.sass" \
    --grid 1 --block 32 --arg u32:1
cp "$out" "$tmp/said"
expect "and nothing runs" 1 -- grep -e 'loop on' -e http: "$tmp/said"
expect "a program without it" 1 'cannot load libmicrohttpd' -- \
    env LD_LIBRARY_PATH="$tmp/none" "$heddle" watch -- sh -c 'echo it ran'
cp "$out" "$tmp/said"
expect "does not begin" 1 -- grep -e '^it ran' -e http: "$tmp/said"
expect "others need none" 0 'loop on' -- \
    env LD_LIBRARY_PATH="$tmp/none" "$heddle" run "$tmp/loop.sass" \
    --gpu v100 --grid 1 --block 32 --arg u32:1
if echo 'int nothing;' | cc -shared -fPIC -x c - \
    -o "$tmp/empty/libmicrohttpd.so.12" 2>/dev/null; then
    expect "a library without its functions" 1 'lacks functions' -- \
        env LD_LIBRARY_PATH="$tmp/empty" "$heddle" watch "$tmp/loop.sass" \
        --grid 1 --block 32 --arg u32:1
else
    skip "a library without its functions" "no C compiler"
fi

client() { python3 "$here/watch_client.py" "$1" "$heddle" "$tmp"; }
while read -r case name; do
    expect "$name" 0 -- client "$case"
done <<'END'
refuses who may not ask is refused
wrong what is asked wrongly is refused
headers_of the page and what browsers may do with it
loopback on the loopback interface alone
port a port in use, and one that was asked for
many connections that do nothing, or leave
pause a pause stops the machine
step a step is as far as was asked
progress how far it is, SMs, slots, bandwidth
registers a warp and its registers
barrier warps that wait at a barrier
memory warps that wait for memory
same watching changes no result
launches several launches
last_word a browser hears of the end, and the server is gone
alone without a browser
interrupt Ctrl-C
hang what is held where it hangs
fault what is held where it fails
trace a trace has warps without values
END
expect "the page is well formed and alone" 0 -- \
    python3 "$root/tests/run/page/check.py" "$tmp/live.html"

# In a browser.
if ! sanitized; then
    python3 "$here/page/live.py" "$heddle" "$tmp" >"$tmp/browser" 2>&1
    code=$?
    if [ "$code" = 77 ]; then
        skip "in a browser" "$(tail -n 1 "$tmp/browser")"
    else
        expect "in a browser" 0 ' 0 failed' -- \
            sh -c 'cat "$1"; exit "$2"' sh "$tmp/browser" "$code"
    fi
fi
finish
