/* tests/reference/gen_meet.c - what threads of random programs do together:
 * barriers, words passed through shared memory, votes and shuffles, atomics
 * in any order. */
#include "base/must.h"
#include "reference/gen.h"

static unsigned linear_threads(const gen *g) { return g->threads; }

/* A barrier of all threads, in one of its spellings. */
static void barrier(gen *g, unsigned number)
{
    unsigned n = linear_threads(g);

    switch (gen_below(g, n % 32 ? 4 : 6)) {
    case 0:
        gen_say(g, "bar.sync %u; ", number);
        break;
    case 1:
        gen_say(g, "barrier.sync %u; ", number);
        break;
    case 2:
        gen_say(g, "barrier.cta.sync.aligned %u; ", number);
        break;
    case 3:
        gen_say(g, "mov.u32 %%t6, %u; bar.sync %%t6; ", number);
        break;
    case 4:
        gen_say(g, "bar.sync %u, %u; ", number, n);
        break;
    default:
        gen_say(g, "mov.u32 %%t6, %u; barrier.sync %u, %%t6; ", n, number);
    }
}

/* Each thread reads what another one wrote. */
static void pass_on(gen *g)
{
    unsigned n = linear_threads(g), by = gen_below(g, n);

    barrier(g, gen_below(g, 16));
    gen_say(g, "st.shared.u32 [%%slot], %%r%u; ", gen_below(g, NR));
    barrier(g, gen_below(g, 16));
    gen_form(g,
             "add.u32 %%t5, %%lin, %u; rem.u32 %%t5, %%t5, %u; "
             "mov.u64 %%a3, pass; mad.wide.u32 %%a3, %%t5, 4, %%a3; "
             "ld.shared.u32 $R, [%%a3];",
             by, n);
}

static void reduction(gen *g)
{
    static const char *const lines[] = {
        "bar.red.popc.u32 $R, $j, $p;", "bar.red.and.pred $P, $j, $p;",
        "bar.red.or.pred $P, $j, $n;", "barrier.red.popc.u32 $R, $j, $n;"};

    gen_line(g, lines[gen_below(g, COUNTOF(lines))]);
}

/* Even warps write and go on, odd ones wait and read. */
static void hand_over(gen *g)
{
    unsigned n = linear_threads(g), l = g->labels++, id = gen_below(g, 16);

    if (n % 64) {
        pass_on(g);
        return;
    }
    barrier(g, (id + 1) % 16);
    gen_form(g,
             "and.b32 %%t5, %%lin, 32; setp.ne.u32 %%q3, %%t5, 0; "
             "@%%q3 bra Y%u; st.shared.u32 [%%slot], $v; membar.cta; "
             "bar.arrive %u, %u; bra Z%u; Y%u: bar.sync %u, %u; "
             "ld.shared.u32 $R, [%%slot+-128]; Z%u: bar.sync %u;",
             l, id, n, l, l, id, n, l, (id + 2) % 16);
}

/* Lanes that take one side of a branch, among themselves. */
static void some_lanes(gen *g)
{
    static const char *const what[] = {
        "shfl.sync.idx.b32 $R, $v, %t6, 31, %t5;",
        "match.any.sync.b32 $R, $v, %t5;",
        "vote.sync.all.pred %q3, $p, %t5; selp.b32 $R, $v, $v, %q3;",
        "vote.sync.ballot.b32 $R, $p, %t5;", "redux.sync.max.s32 $R, $v, %t5;"};
    unsigned l = g->labels++, p = gen_below(g, NP);

    gen_form(g,
             "vote.sync.ballot.b32 %%t5, %%p%u, -1; @!%%p%u bra Y%u; "
             "bar.warp.sync %%t5; bfind.u32 %%t6, %%t5; %s "
             "Y%u: bar.warp.sync -1;",
             p, p, l, what[gen_below(g, COUNTOF(what))], l);
}

static const char *const warps[] = {
    "vote.sync.all.pred $P, $n, -1;",
    "vote.sync.any.pred $P, $p, 0xffffffff;",
    "vote.sync.uni.pred $P, $p, -1;",
    "vote.sync.ballot.b32 $R, $n, -1;",
    "match.any.sync.b32 $R, $v, -1;",
    "{.reg .b32 x; and.b32 x, $v, 1; match.any.sync.b32 $R, x, -1;}",
    "match.all.sync.b32 $R|$P, $v, -1;",
    "match.any.sync.b64 $R, $w, -1;",
    "redux.sync.add.s32 $R, $v, -1;",
    "redux.sync.min.u32 $R, $v, -1;",
    "redux.sync.xor.b32 $R, $v, -1;",
    "activemask.b32 $R;",
};

/* Only of full warps: a lane that is not there gives nothing. */
static const char *const shuffles[] = {
    "shfl.sync.up.b32 $R|$P, $v, $i, 0, -1;",
    "shfl.sync.down.b32 $R|$P, $v, $i, 31, -1;",
    "shfl.sync.bfly.b32 $R, $v, $j, 31, -1;",
    "shfl.sync.idx.b32 $R|$P, $v, $r, 31, -1;",
    "shfl.sync.idx.b32 $R, $v, $i, 0x181f, -1;",
    "shfl.sync.bfly.b32 $R|$P, $v, $j, 0x1c1f, -1;",
    "shfl.sync.down.b32 $R, $v, $v, 0x101f, -1;",
    "shfl.sync.up.b32 $R|$P, $v, $v, $l, -1;",
};

void gen_together(gen *g)
{
    switch (gen_below(g, 8)) {
    case 0:
    case 1:
        pass_on(g);
        break;
    case 2:
        reduction(g);
        break;
    case 3:
        hand_over(g);
        break;
    case 4:
        some_lanes(g);
        break;
    case 5:
        gen_line(g, warps[gen_below(g, COUNTOF(warps))]);
        break;
    default:
        if (linear_threads(g) % 32)
            gen_line(g, warps[gen_below(g, COUNTOF(warps))]);
        else
            gen_line(g, shuffles[gen_below(g, COUNTOF(shuffles))]);
    }
}

/* ---- atomics ---- */

/* Operations that many threads do on one word; each word sees one kind. */
static const struct {
    const char *op, *value;
    unsigned bytes;
} shared_ops[] = {
    {"add.u32", "$r", 4}, {"min.s32", "$r", 4}, {"max.u32", "$r", 4},
    {"and.b32", "$r", 4}, {"or.b32", "$r", 4},  {"xor.b32", "$v", 4},
    {"add.u64", "$w", 8}, {"inc.u32", "99", 4},
};

/* On words of the thread's own: results are known. */
static const char *const own[] = {
    "atom.global.add.u32 $R, [%mine+$4], $r;",
    "atom.shared.add.u32 $R, [%tile+$4], $r;",
    "atom.add.u64 $D, [%gtile+$8], $w;",
    "atom.shared.min.s32 $R, [%tile+$4], $r;",
    "atom.global.max.u64 $D, [%mine+$8], $w;",
    "atom.shared.and.b32 $R, [%tile+$4], $r;",
    "atom.global.or.b64 $D, [%mine+$8], $w;",
    "atom.xor.b32 $R, [%mine+$4], $v;",
    "atom.global.exch.b32 $R, [%mine+$4], $v;",
    "atom.shared.exch.b64 $D, [%tile+$8], $w;",
    "atom.global.cas.b32 $R, [%mine+$4], $r, $r;",
    "atom.shared.cas.b32 $R, [%tile+$4], $r, $v;",
    "atom.shared.cas.b64 $D, [%tile+$8], $w, $w;",
    "atom.global.inc.u32 $R, [%mine+$4], $r;",
    "atom.shared.dec.u32 $R, [%tile+$4], $r;",
    ("{.reg .b32 x; ld.global.u32 x, [%mine+8]; "
     "atom.global.cas.b32 $R, [%mine+8], x, $v;}"),
    "red.shared.add.u32 [%tile+$4], $r;",
    "red.global.max.s32 [%mine+$4], $v;",
    "red.relaxed.gpu.global.add.u32 [%mine+$4], $r;",
    "atom.acquire.cta.shared.add.u32 $R, [%tile+$4], $r;",
};

void gen_atomic(gen *g)
{
    static const char *const where[][2] = {{".global", "%sums"},
                                           {".shared", "%ssum"},
                                           {"", "%sums"},
                                           {"", "%gssum"}};
    unsigned k, w, at;
    bool returns;

    if (gen_chance(g, 2)) {
        gen_line(g, own[gen_below(g, COUNTOF(own))]);
        return;
    }
    k = gen_below(g, COUNTOF(shared_ops));
    w = gen_below(g, COUNTOF(where));
    at = shared_ops[k].bytes * gen_below(g, 4);
    returns = gen_chance(g, 3);
    gen_form(g, "%s%s%s.%s %s[%s+%u], %s;", gen_chance(g, 4) ? "@$p " : "",
             returns ? "atom" : "red", where[w][0], shared_ops[k].op,
             returns ? "_, " : "", where[w][1], 32 * k + at,
             shared_ops[k].value);
}
