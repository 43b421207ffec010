/* src/probe/find/basic.c - what a clock read costs, how long instructions take
 * and how many of them a multiprocessor does in a cycle. */
#include <stdio.h>
#include <string.h>

#include "probe/harness.h"

enum {
    /* Instructions of a dependent chain, and independent ones, then twice as
     * many: with what is around them they are less than a kilobyte of an 8-byte
     * encoding, half of the smallest instruction cache there is
     * [GSIM:SM2_GTX480]. */
    CHAIN = 24,
    STREAM = 48,
    WARPS = 16, /* at least four of each scheduler [PPOPP:method] */
    NAME = 64,
};

typedef struct op_class {
    const char *id, *one, *chain, *families, *help;
} op_class;

static const op_class classes[] = {
#define CLASS(id, one, chain, families, help) {#id, one, chain, families, help},
#include "probe/class.def"
#undef CLASS
};
enum { CLASSES = sizeof classes / sizeof *classes };

static bool has_class(const probe_run *r, const op_class *c)
{
    return strchr(c->families, "FKV"[r->machine->family]) != NULL;
}

/* A destination that the sixteen instructions before do not have: of a pair,
 * so that it suits all widths. */
static const probe_var destination = {"d", "R$(16 + 2 * (i % 16))"};

status probe_run_overhead(probe_run *r)
{
    probe_body empty = {.text = "", .n = 0};
    probe_body move = {
        .text = "MOV $d, R8", .n = STREAM, .vars = {destination}};
    status st = probe_time(r, &empty, &r->known.overhead);

    if (st == ST_OK)
        st = probe_cost(r, &move, &r->known.issue);
    if (st != ST_OK)
        return st;
    probe_number(r, "overhead", "between two clock reads", "cycle",
                 r->known.overhead);
    probe_number(r, "issue.warp", "between independent instructions of a warp",
                 "cycle", r->known.issue);
    return ST_OK;
}

/* Of an instruction that cannot read its own result: it and one that reads it
 * in turn; the second is followed a cycle later, unless both need the same
 * unit for longer, so several are tried. */
static status time_use(probe_run *r, const op_class *c, double *latency)
{
    static const char *const users[] = {"MOV R12, $d", "FADD R12, $d, $d",
                                        "IADD3 R12, $d, $d, $d"};
    char text[2 * NAME];
    probe_body body = {.text = text, .n = CHAIN, .vars = {{"d", "R16"}}};
    status st = ST_OK;

    for (size_t i = 0; i < sizeof users / sizeof *users && st == ST_OK; i++) {
        double each = 0;

        snprintf(text, sizeof text, "%s\n    %s", c->one, users[i]);
        st = probe_cost(r, &body, &each);
        if (!i || each - 1 < *latency)
            *latency = each - 1;
    }
    return st;
}

static status find_latency(probe_run *r, const op_class *c)
{
    char id[NAME], what[NAME];
    double each = 0;
    status st;

    if (*c->chain) {
        probe_body chain = {.text = c->chain, .n = CHAIN};

        st = probe_cost(r, &chain, &each);
    } else {
        st = time_use(r, c, &each);
    }
    if (st != ST_OK)
        return st;
    snprintf(id, sizeof id, "latency.%s", c->id);
    snprintf(what, sizeof what, "%s to its dependent", c->help);
    probe_number(r, id, what, "cycle", each);
    return ST_OK;
}

status probe_run_latency(probe_run *r)
{
    status st = ST_OK;

    for (size_t i = 0; i < CLASSES && st == ST_OK; i++)
        if (has_class(r, &classes[i]) && *classes[i].chain != '-')
            st = find_latency(r, &classes[i]);
    return st;
}

static status find_throughput(probe_run *r, const op_class *c)
{
    probe_body stream = {
        .text = c->one, .n = STREAM, .warps = WARPS, .vars = {destination}};
    char id[NAME], what[NAME];
    double each = 0;
    status st = probe_cost(r, &stream, &each);

    if (st != ST_OK)
        return st;
    snprintf(id, sizeof id, "throughput.%s", c->id);
    snprintf(what, sizeof what, "%s of a multiprocessor", c->help);
    probe_number(r, id, what, "lane/cycle", 32 * stream.warps / each);
    return ST_OK;
}

status probe_run_throughput(probe_run *r)
{
    status st = ST_OK;

    for (size_t i = 0; i < CLASSES && st == ST_OK; i++)
        if (has_class(r, &classes[i]))
            st = find_throughput(r, &classes[i]);
    return st;
}

/* ---- matrix operations -------------------------------------------------- */

typedef struct tensor_op {
    const char *id, *one, *chain;
    unsigned work;
    const char *help;
} tensor_op;

static const tensor_op tensor_ops[] = {
#define TENSOR(id, one, chain, work, help) {#id, one, chain, work, help},
#include "probe/tensor.def"
#undef TENSOR
};

static status find_tensor(probe_run *r, const tensor_op *op)
{
    probe_body chain = {.text = op->chain, .n = CHAIN};
    probe_body stream = {.text = op->one,
                         .n = STREAM,
                         .warps = WARPS,
                         .vars = {{"d", "R$(16 + 4 * (i % 8))"}}};
    char id[NAME], what[NAME];
    double latency = 0, each = 0;
    status st = probe_cost(r, &chain, &latency);

    if (st == ST_OK)
        st = probe_cost(r, &stream, &each);
    if (st != ST_OK)
        return st;
    snprintf(id, sizeof id, "tensor.%s.latency", op->id);
    snprintf(what, sizeof what, "%s, to its dependent", op->help);
    probe_number(r, id, what, "cycle", latency);
    snprintf(id, sizeof id, "tensor.%s.rate", op->id);
    snprintf(what, sizeof what, "%s, of a multiprocessor", op->help);
    probe_number(r, id, what, "FMA/cycle", op->work * stream.warps / each);
    return ST_OK;
}

status probe_run_tensor(probe_run *r)
{
    status st = ST_OK;

    for (size_t i = 0; i < sizeof tensor_ops / sizeof *tensor_ops && !st; i++)
        st = find_tensor(r, &tensor_ops[i]);
    return st;
}
