/* tests/reference/workload.c - the launches of a launch file by the reference
 * and by Heddle's functional runner:
 *   workload PROGRAM.ptx LAUNCH.yaml GPU
 * Buffers must agree bit by bit, or, where the file expects a result within a
 * tolerance, as closely; and so must the expected results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "config/sheet.h"
#include "launchfile/plan.h"
#include "reference/ref.h"

enum { MOST_BUFFERS = 32 };

typedef struct shadow { /* a buffer as the reference sees it */
    const plan_buffer *b;
    uint8_t *bytes;
    uint64_t size;
} shadow;

typedef struct session {
    diag *dg;
    arena *mem;
    config_sheet *sheet;
    rt_device *d;
    plan *p;
    ptx_module *m;
    rt_module *code;
    ref *r;
    shadow s[MOST_BUFFERS];
    unsigned n;
} session;

static bool open_all(session *s, char **argv)
{
    rt_options opt = {.functional = true};
    char *text = NULL;
    size_t size;
    bool good;

    s->dg = diag_new();
    s->mem = arena_new();
    s->p = plan_new();
    s->sheet = config_sheet_new();
    good = config_sheet_load(s->sheet, argv[3], s->dg) == ST_OK &&
           file_read(argv[1], s->dg, &text, &size) == ST_OK &&
           ptx_parse(argv[1], text, size, s->mem, s->dg, &s->m) == ST_OK &&
           plan_read(s->p, argv[2], s->dg) == ST_OK;
    if (good)
        s->d = rt_device_new(config_sheet_values(s->sheet), &opt, s->dg);
    good = s->d && rt_module_load_text(s->d, argv[1], text, size, s->dg,
                                       &s->code) == ST_OK;
    free(text);
    if (!good || plan_allocate(s->p, s->d, s->dg) != ST_OK)
        return false;
    s->r = ref_new(s->m);
    return s->r;
}

static void close_all(session *s)
{
    for (unsigned k = 0; k < s->n; k++)
        free(s->s[k].bytes);
    ref_free(s->r);
    plan_free(s->p);
    rt_device_free(s->d);
    config_sheet_free(s->sheet);
    arena_free(s->mem);
    diag_free(s->dg);
}

static bool copy_buffers(session *s)
{
    for (const plan_buffer *b = s->p->buffers; b; b = b->next) {
        shadow *x = &s->s[s->n];
        if (s->n++ == MOST_BUFFERS)
            return false;
        x->b = b;
        x->size = b->count * plan_type_bytes(b->type);
        x->bytes = malloc(x->size + 1);
        if (!rt_read(rt_device_memory(s->d), b->addr, x->bytes, x->size))
            return false;
        ref_map(s->r, b->addr, x->bytes, x->size);
    }
    return true;
}

static bool launch(session *s, const plan_launch *l)
{
    const isa_kernel *k = rt_module_kernel(s->code, l->kernel, s->dg);
    void *params = NULL;
    rt_result res;

    if (!k || plan_arguments(s->p, l, k, s->dg, &params) != ST_OK)
        return false;
    rt_launch by_heddle = {.module = s->code,
                           .kernel = k,
                           .shared_bytes = l->shared_bytes,
                           .params = params};
    ref_launch by_ref = {
        .kernel = k->name, .dynamic = l->shared_bytes, .params = params};
    memcpy(by_heddle.grid, l->grid, sizeof l->grid);
    memcpy(by_heddle.block, l->block, sizeof l->block);
    memcpy(by_ref.grid, l->grid, sizeof l->grid);
    memcpy(by_ref.cta, l->block, sizeof l->block);
    bool good = true;
    for (uint32_t n = 0; good && n < (l->repeat ? l->repeat : 1); n++) {
        good = rt_run(s->d, &by_heddle, s->dg, &res) == ST_OK;
        if (good && !ref_run(s->r, &by_ref)) {
            printf("FAIL reference: %s\n", ref_error(s->r));
            good = false;
        }
    }
    free(params);
    return good;
}

/* The largest of the file: what leads to a result may be as inexact as it. */
static double tolerance(const session *s)
{
    double most = 0;

    for (const plan_output *e = s->p->expects; e; e = e->next)
        if (e->tolerance > most)
            most = e->tolerance;
    return most;
}

static bool near(double a, double b, double by)
{
    double error = fabs(a - b), size = fmax(fabs(a), fabs(b));

    return a == b || error <= by || error <= by * size;
}

/* Elements that differ. */
static uint64_t compare(const session *s, const shadow *x, const uint8_t *got)
{
    double by = x->b->type == TYPE_F32 ? tolerance(s) : 0;
    unsigned size = plan_type_bytes(x->b->type);
    uint64_t bad = 0;

    for (uint64_t at = 0; at < x->size; at += size) {
        float a, b;
        if (!memcmp(x->bytes + at, got + at, size))
            continue;
        if (by > 0) {
            memcpy(&a, x->bytes + at, sizeof a);
            memcpy(&b, got + at, sizeof b);
            if (near((double)a, (double)b, by))
                continue;
        }
        bad++;
    }
    return bad;
}

static bool same_memory(session *s)
{
    bool good = true;

    for (unsigned k = 0; k < s->n; k++) {
        uint8_t *got = malloc(s->s[k].size + 1);
        uint64_t bad;
        good &=
            rt_read(rt_device_memory(s->d), s->s[k].b->addr, got, s->s[k].size);
        bad = compare(s, &s->s[k], got);
        if (bad)
            printf("FAIL buffer %s: %llu of %llu elements differ\n",
                   s->s[k].b->name, (unsigned long long)bad,
                   (unsigned long long)s->s[k].b->count);
        good &= !bad;
        free(got);
    }
    return good;
}

/* What the CPU says, against the reference. */
static bool expected(session *s)
{
    bool good = true;

    for (unsigned k = 0; k < s->n; k++)
        good &= rt_write(rt_device_memory(s->d), s->s[k].b->addr, s->s[k].bytes,
                         s->s[k].size);
    for (const plan_output *e = s->p->expects; e; e = e->next) {
        plan_check c;
        status st = plan_compare(s->p, e, s->d, s->dg, &c);
        if (st != ST_OK) {
            printf("FAIL the reference's %s is not what is expected\n",
                   e->buffer->name);
            good = false;
        }
    }
    return good;
}

int main(int argc, char **argv)
{
    session s = {0};
    bool good = argc == 4 && open_all(&s, argv) && copy_buffers(&s);

    for (const plan_launch *l = good ? s.p->launches : NULL; l && good;
         l = l->next)
        good = launch(&s, l);
    good = good && same_memory(&s) && expected(&s);
    if (!good && s.dg)
        diag_print(s.dg, stdout, false);
    printf("%s\n", good ? "the same" : "FAIL");
    close_all(&s);
    return !good;
}
