#!/bin/sh
# tests/run/passes.sh - heddle compile --dump: the code after a pass of the
# compiler.
. "$(dirname "$0")/../lib.sh"
need_heddle

cat >"$tmp/k.ptx" <<'P'
.version 6.3
.target sm_70
.address_size 64
.visible .entry first(.param .u64 p)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    .reg .pred %q<2>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 20;
    mov.u32 %r3, %tid.x;
    xor.b32 %r7, %r3, 99;
L:
    add.s32 %r3, %r3, %r1;
    setp.lt.u32 %q1, %r3, 700;
    @%q1 bra L;
    st.global.u32 [%rd2], %r3;
    ret;
}
.visible .entry second()
{
    ret;
}
P
dump() { "$heddle" compile "$tmp/k.ptx" "$@"; }
steps() { dump "$@" | grep '^//'; }
count() { # TEXT OPTION...: lines of the dump with it
    count_text=$1
    shift
    dump "$@" | grep -c -- "$count_text"
}

# The addend is still a register, and the xor that nobody reads still there.
dump --dump lower --kernel first >"$tmp/lower"
has() { grep -E -- "$1" "$tmp/$2"; }
expect "lowered, one by one" 0 '^// kernel first: step 1, after lower$' \
    '^b0:$' ' IADD3 v[0-9]*, v[0-9]*, v' ' LOP3.*, 0x63' ' STG' -- \
    cat "$tmp/lower"
expect "no other kernel then" 1 -- has second lower
dump --dump simplify --kernel first | sed -n '/step 9/,$p' >"$tmp/simplify"
expect "simplified: the addend is known" 0 'after simplify$' \
    ' IADD3 v[0-9]*, v[0-9]*, 0x14' -- cat "$tmp/simplify"
expect "and what nobody reads is gone" 1 -- has LOP3 simplify
expect "that runs three times" 0 '^3$' -- \
    count 'after simplify$' --dump simplify --kernel first
dump --dump allocate --kernel first >"$tmp/allocate"
expect "allocated: registers of the machine" 0 ' IADD3 R[0-9]*, R' -- \
    cat "$tmp/allocate"
expect "and no virtual one" 1 -- has '[ ,][vp][0-9]' allocate

# Groups, several passes, all kernels.
expect "all kernels without --kernel" 0 '^// kernel first: ' \
    '^// kernel second: ' -- dump --dump lower
expect "several passes, in the order they run" 0 -- sh -c "
    '$heddle' compile '$tmp/k.ptx' -k first --dump legalise --dump lower |
    grep '^//' | sed 's/.*after //' | tr '\n' ' ' | grep '^lower legalise \$'"
expect "scheduled before and after allocation" 0 '^2$' -- \
    count 'after schedule$' --dump schedule --kernel first
order() {
    steps --dump "$1" --kernel first | sed 's/.*after //' | tr '\n' ' '
    echo
}
expect "before allocation" 0 '^lower .* legalise schedule $' -- order before
expect "from it on" 0 '^allocate frame balance schedule $' -- order after
order before >"$tmp/both"
order after >>"$tmp/both"
tr -d '\n' <"$tmp/both" >"$tmp/one"
whole() { [ "$(order all)" = "$(cat "$tmp/one")" ]; }
expect "all is both" 0 -- whole

# What is compiled does not depend on it.
dump --dump all -o "$tmp/shown.sass" >/dev/null
dump -o "$tmp/plain.sass"
expect "-o and --dump: both, and the same code" 0 -- \
    cmp "$tmp/shown.sass" "$tmp/plain.sass"
# Where lanes leave a loop at different times they meet again behind it.
for gpu in gtx480 k20; do
    expect "how lanes meet on $gpu" 0 ' SSY -> b' ' SYNC' -- \
        dump --gpu $gpu --dump reconverge --kernel first
done
expect "and on v100" 0 ' BSSY' ' BSYNC' -- \
    dump --gpu v100 --dump reconverge --kernel first

# Which there are, and wrong input.
expect "--dump list" 0 '^  legalise  *constants' '^  schedule  *ordered' \
    '^  all  *every pass' -- "$heddle" compile --dump list
expect "a pass that there is not" 2 \
    "no pass 'simplifi' (did you mean 'simplify'" '^  frame  *the stack' -- \
    dump --dump simplifi
expect "no file" 2 'expected one file' -- "$heddle" compile --dump lower
expect "machine code has no passes" 4 "plain.sass: error: this is machine code" \
    'give PTX' -- "$heddle" compile "$tmp/plain.sass" --dump lower
dump -o "$tmp/k.hobj"
expect "nor has an object file" 4 'k.hobj: error: this is machine code' -- \
    "$heddle" compile "$tmp/k.hobj" --dump lower
expect "the help has it" 0 '--dump PASS' -- "$heddle" help compile
expect "so has the completion" 0 'convert_branches' -- \
    "$heddle" completion bash
finish
