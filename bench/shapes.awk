# bench/shapes.awk - writes a PTX kernel of about `lines` lines and one shape:
#   awk -v shape=NAME -v lines=N -f bench/shapes.awk
# straight  one block, few values live      wide      one block, a third live
# memory    loads and stores in turn        branches  short divergent branches
# ifs       branches in branches, 15 deep   loops     loops in loops, 40 deep
# nest      loops in loops, 1,250 deep      switch    a jump through a table
# kernels   many short kernels
# What compilers emit stands between these; each was once slow to compile.
function line(text) { print text }
function kernel(name, regs) {
    line(".visible .entry " name "(.param .u64 a, .param .u32 b)\n{")
    line(".reg .b32 %r<" regs + 100 ">;")
    line(".reg .pred %p<" regs + 100 ">;")
    line(".reg .b64 %rd<4>;")
    line("ld.param.u64 %rd0, [a];")
    line("ld.param.u32 %r0, [b];")
    line("mov.u32 %r1, %tid.x;")
    line("mad.lo.u32 %r1, %r1, 4, %r0;")
    line("cvt.u64.u32 %rd1, %r1;")
    line("add.u64 %rd2, %rd0, %rd1;")
    line("mov.u32 %r9, 0;")
}
function finish() {
    line("st.global.u32 [%rd2], %r9;")
    line("ret;\n}")
}
function random(below) { # the same everywhere
    seed = (seed * 1103 + 12345) % 1048573
    return seed % below
}
function load(r, at) { line("ld.global.u32 %r" r ", [%rd2+" 4 * at "];") }
function store(r, at) { line("st.global.u32 [%rd2+" 4 * at "], %r" r ";") }
function straight(   i, a, b) {
    split("add.s32 sub.s32 xor.b32 and.b32 mul.lo.s32 min.s32", op, " ")
    for (i = 10; i < 30; i++)
        load(i, i)
    for (; i < lines; i++) {
        a = i - 1 - random(18)
        b = i - 1 - random(18)
        line(op[1 + random(6)] " %r" i ", %r" a ", %r" b ";")
    }
    for (a = 0; a < 18; a++)
        store(i - 1 - a, a)
}
function memory(   i) {
    for (i = 0; i < lines / 3; i++) {
        load(2 * i + 10, i)
        line("add.s32 %r" 2 * i + 11 ", %r" 2 * i + 10 ", %r" 2 * i + 9 ";")
        store(2 * i + 11, i)
    }
}
function wide(   i, n) {
    n = int(lines / 3)
    for (i = 0; i < n; i++)
        load(10 + i, i)
    for (i = 0; i < n; i++)
        line("add.s32 %r" 10 + n + i ", %r" 10 + i ", %r" 9 + n - i ";")
    for (i = 0; i < n; i++)
        store(10 + n + i, i)
}
function branches(   i) {
    for (i = 0; i < lines / 7; i++) {
        line("and.b32 %r" i + 20 ", %r1, " 2 ^ (i % 31) ";")
        line("setp.eq.s32 %p" i ", %r" i + 20 ", 0;")
        line("@%p" i " bra L" i ";")
        line("mad.lo.s32 %r9, %r9, " i + 3 ", %r1;")
        line("st.global.u32 [%rd2], %r9;")
        line("L" i ":")
        line("xor.b32 %r9, %r9, " i ";")
    }
}
function ifs(   i, d) {
    for (i = 0; i < lines / (7 * 15); i++) {
        for (d = 0; d < 15; d++) {
            line("and.b32 %r" 20 + d ", %r1, " 2 ^ d ";")
            line("setp.eq.s32 %p" d ", %r" 20 + d ", 0;")
            line("@%p" d " bra L" i "_" d ";")
            line("mad.lo.s32 %r9, %r9, 3, %r1;")
            line("st.global.u32 [%rd2], %r9;")
        }
        while (d-- > 0)
            line("L" i "_" d ":\nxor.b32 %r9, %r9, " d ";")
    }
}
function loops(   i, d) {
    for (i = 0; i < lines / (6 * 40); i++) {
        for (d = 0; d < 40; d++)
            line("mov.u32 %r" 20 + d ", 0;\nL" i "_" d ":")
        line("mad.lo.s32 %r9, %r9, 3, %r1;")
        while (d-- > 0) {
            line("add.s32 %r" 20 + d ", %r" 20 + d ", 1;")
            line("setp.lt.s32 %p" d ", %r" 20 + d ", %r0;")
            line("@%p" d " bra L" i "_" d ";")
            line("xor.b32 %r9, %r9, " d ";")
        }
    }
}
function nest(   i, n, d) {
    n = int(lines / (7 * 1250))
    for (i = 0; i < n; i++) {
        for (d = 0; d < 1250; d++) {
            line("L" i "_" d ":")
            line("setp.gt.s32 %p" d ", %r9, " d ";")
            line("@%p" d " bra M" i "_" d ";")
            line("add.s32 %r9, %r9, %r1;")
        }
        while (d-- > 0) {
            line("xor.b32 %r9, %r9, " d ";")
            line("bra L" i "_" d ";\nM" i "_" d ":")
        }
    }
}
function switches(   i, n) {
    n = int(lines / 5)
    line("rem.u32 %r2, %r1, " n ";")
    printf "T: .branchtargets C0"
    for (i = 1; i < n; i++)
        printf ", C%d", i
    line(";\nbrx.idx %r2, T;")
    for (i = 0; i < n; i++) {
        line("C" i ":")
        line("mad.lo.s32 %r9, %r9, " i ", %r1;")
        line("xor.b32 %r9, %r9, " 7 * i ";")
        line("bra E;")
    }
    line("E:")
}
function kernels(   i, k) {
    for (k = 0; k < lines / 45; k++) {
        kernel("k" k, 40)
        for (i = 10; i < 20; i++) {
            load(i, i)
            line("mad.lo.s32 %r" i + 20 ", %r" i ", " k ", %r" i - 1 ";")
        }
        for (i = 10; i < 20; i++)
            store(i + 20, i)
        finish()
    }
}
BEGIN {
    seed = 1
    line(".version 7.0\n.target sm_70\n.address_size 64")
    if (shape == "kernels") {
        kernels()
        exit
    }
    kernel("k", lines)
    if (shape == "straight") straight()
    else if (shape == "memory") memory()
    else if (shape == "wide") wide()
    else if (shape == "branches") branches()
    else if (shape == "ifs") ifs()
    else if (shape == "loops") loops()
    else if (shape == "nest") nest()
    else if (shape == "switch") switches()
    else exit 1
    finish()
}
