#!/bin/sh
# tests/run/memory.sh - the host's memory runs out: at the Nth allocation, for a
# sample of N, and under ulimit -v. A command then ends with a sentence and a
# documented exit status, or with the right results; it never crashes, hangs or
# is silently wrong.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
export ASAN_OPTIONS="${ASAN_OPTIONS-}:allocator_may_return_null=1"

cat >k.ptx <<'END'
.version 6.0
.target sm_20
.address_size 64
.visible .entry twice(.param .u64 p)
{
    .reg .u64 %a<4>;
    .reg .u32 %r<4>;
    ld.param.u64 %a1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %a2, %r1, 4;
    add.u64 %a3, %a1, %a2;
    ld.global.u32 %r2, [%a3];
    add.u32 %r3, %r2, %r2;
    st.global.u32 [%a3], %r3;
    ret;
}
END
small='--gpu gtx480 --set gpu.sms=2 --set l2.slices=2 --set dram.channels=2'
launch="--grid 4 --block 64 -q --arg x=buf:u32[64]=iota --hash"
sentence='^heddle: out of memory: [0-9]* bytes for [a-z_0-9]* ([a-z/_0-9]*\.[ch]:[0-9]*), with [0-9]* MiB in use; .*ulimit -v'

# once N COMMAND...: exit status in $code, streams in got and said.
once() {
    once_n=$1 code=0
    shift
    HEDDLE_FAIL_ALLOCATION=$once_n timeout 20 "$@" >got 2>said </dev/null ||
        code=$?
}

once 1 "$heddle" compile k.ptx --list
if [ "$code" = 0 ]; then
    skip "an allocation that fails" "no test build (HEDDLE_CHECKS)"
    sampled=
else
    sampled=yes
fi

# wrong NAME N WHY
wrong() {
    echo "FAIL $1: allocation $2: $3 (exit status $code)"
    head -n 12 said | sed 's/^/  | /'
    bad=$((bad + 1))
}

# judge NAME N: what `once` left.
judge() {
    case $code in
    0)
        grep -ve host -e '^CPU:' got >got.rest
        cmp -s want got.rest || wrong "$1" "$2" "other results"
        ;;
    7) grep -qe "$sentence" -e 'out of memory' -e 'on this host' said ||
        wrong "$1" "$2" "no sentence" ;;
    [1-6]) grep -q 'error:' said || wrong "$1" "$2" "no error" ;;
    124) wrong "$1" "$2" "it hangs" ;;
    *) wrong "$1" "$2" "it crashes" ;;
    esac
}

# sample NAME COMMAND...: fails the first allocations, then ever rarer ones, up
# to a number that is never reached.
sample() {
    sample_name=$1 bad=0 seen=0 n=1
    shift
    [ "$sampled" ] || return 0
    once '' "$@"
    if [ "$code" != 0 ]; then
        wrong "$sample_name" none "it fails by itself"
    fi
    grep -ve host -e '^CPU:' got >want
    while [ "$n" -lt 2000000 ]; do
        rm -f results.db
        once "$n" "$@"
        judge "$sample_name" "$n"
        [ "$code" != 7 ] || seen=$((seen + 1))
        [ "$code" != 0 ] || [ "$n" -lt 5000 ] || break
        n=$((n + n / 8 + 1))
    done
    [ "$seen" -gt 8 ] || wrong "$sample_name" any "only $seen allocations fail"
    if [ "$bad" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

# shellcheck disable=SC2086  # lists of options
{
    sample "the compiler" "$heddle" compile k.ptx --list
    sample "a launch" "$heddle" run k.ptx $small $launch
    sample "a launch without timing" \
        "$heddle" run k.ptx $small $launch --functional
    sample "results that are kept" \
        "$heddle" run k.ptx $small $launch --store results.db
}

# What the machine was doing is told, too, with the beginning of a dump; the
# last line, which parents of a process show, says why once more.
if [ "$sampled" ]; then
    running='' n=600
    while [ -z "$running" ] && [ "$n" -lt 5000 ]; do
        # shellcheck disable=SC2086
        once "$n" "$heddle" run k.ptx $small $launch
        ! grep -q 'in cycle [1-9]' said || running=yes
        n=$((n + 4))
    done
    expect "a running machine says what it did" 0 \
        "^heddle: this was launch 1, of kernel 'twice', on the GPU 'GTX 480'" \
        '^cycle [1-9][0-9]*: [0-4] of 4 CTAs done' -- cat said
    expect "and that memory is out, at the end" 0 \
        '^heddle: out of memory, see above$' -- tail -n 1 said
    # shellcheck disable=SC2086
    expect "the GPU that is being built is named" 7 \
        "the GPU 'GTX 480' of 2 SMs was being built, for kernel 'twice'" -- \
        env HEDDLE_FAIL_ALLOCATION=700 "$heddle" run k.ptx $small $launch
fi

# The real thing: less and less address space. The machine's own memory is not
# enough for some sizes, and for others not even what starts the process.
if grep -q '^HEDDLE_SANITIZE:[A-Z]*=.' "$(dirname "$heddle")/CMakeCache.txt"; then
    skip "ulimit -v" "a sanitizer needs the address space itself"
else
    bad=0 refused=0
    for mib in 8 9 10 11 12 13 14 15 16 18 20 40; do
        # shellcheck disable=SC2086,SC3045
        (
            ulimit -v $((mib * 1024)) || exit 99
            exec "$heddle" run k.ptx $small $launch \
                --set gpu.global_bytes=1048576
        ) >got 2>said </dev/null && code=0 || code=$?
        case $code in
        0 | 127) ;; # the loader has no memory either
        1 | 7)
            refused=$((refused + 1))
            grep -qe 'out of memory' -e 'address space' -e 'cannot' said ||
                wrong "ulimit -v" "$mib MiB" "no sentence"
            ;;
        *) wrong "ulimit -v" "$mib MiB" "it crashes" ;;
        esac
    done
    expect "less address space ends in a sentence" 0 -- test "$bad" = 0
    expect "and some sizes are too small" 0 -- test "$refused" -gt 1
fi

finish
