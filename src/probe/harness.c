#include "probe/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { NUMBER = 16 }; /* room of a number's text */

static size_t count_vars(const probe_var *v, size_t most)
{
    size_t n = 0;

    while (n < most && v[n].name)
        n++;
    return n;
}

status probe_launch_kernel(probe_run *r, const probe_kernel *k)
{
    enum { OWN = 2, ALL = OWN + sizeof k->vars / sizeof *k->vars };
    char family[NUMBER];
    size_t n = count_vars(k->vars, ALL - OWN);
    probe_var vars[ALL];
    strbuf text = {0};
    status st = ST_INTERNAL;

    snprintf(family, sizeof family, "%d", (int)r->machine->family);
    vars[0] = (probe_var){"arch", r->machine->arch};
    vars[1] = (probe_var){"family", family};
    memcpy(vars + OWN, k->vars, n * sizeof *vars);
    if (probe_expand(k->name, vars, n + OWN, &text, r->dg)) {
        probe_launch l = {.name = k->name,
                          .text = text.text,
                          .ctas = k->ctas ? k->ctas : 1,
                          .threads = k->threads,
                          .shared_bytes = k->shared_bytes,
                          .data = k->data,
                          .out = k->out,
                          .out_words = k->out_words};

        memcpy(l.args, k->args, sizeof l.args);
        st = r->machine->run(r->machine->self, &l);
    }
    strbuf_fini(&text);
    return st;
}

/* Pairs of clocks, one of each thread. */
static double span_of(const uint32_t *clock, size_t threads)
{
    uint32_t first = clock[0], last = clock[1];

    for (size_t i = 1; i < threads; i++) {
        if ((int32_t)(clock[2 * i] - first) < 0)
            first = clock[2 * i];
        if ((int32_t)(clock[2 * i + 1] - last) > 0)
            last = clock[2 * i + 1];
    }
    return (double)(uint32_t)(last - first);
}

status probe_time(probe_run *r, const probe_body *b, double *cycles)
{
    unsigned threads = b->threads ? b->threads : 32 * (b->warps ? b->warps : 1);
    unsigned ctas = b->ctas ? b->ctas : 1;
    char n[NUMBER], passes[NUMBER], shared[NUMBER];
    probe_kernel k = {
        .name = "timed",
        .vars = {{"n", n},
                 {"passes", passes},
                 {"shared", shared},
                 {"setup", b->setup ? b->setup : ""},
                 {"body", b->text}},
        .ctas = ctas,
        .threads = threads,
        .data = b->data,
        .out_words = (size_t)2 * threads * ctas,
    };

    snprintf(n, sizeof n, "%u", b->n);
    snprintf(passes, sizeof passes, "%u", b->passes ? b->passes : 2);
    snprintf(shared, sizeof shared, "%u", b->shared_bytes);
    memcpy(k.args, b->args, sizeof k.args);
    memcpy(k.vars + 5, b->vars, sizeof b->vars);
    k.out = new0(k.out_words, sizeof *k.out);
    status st = probe_launch_kernel(r, &k);
    if (st == ST_OK)
        *cycles = span_of(k.out, threads);
    free(k.out);
    return st;
}

status probe_cost(probe_run *r, const probe_body *b, double *each)
{
    probe_body twice = *b;
    double one = 0, two = 0;

    twice.n = 2 * b->n;
    status st = probe_time(r, b, &one);
    if (st == ST_OK)
        st = probe_time(r, &twice, &two);
    *each = (two - one) / b->n;
    return st;
}

void probe_number(probe_run *r, const char *id, const char *what,
                  const char *unit, double number)
{
    probe_found_number(r->found, r->kind->name, id, what, unit, number);
}

void probe_word(probe_run *r, const char *id, const char *what,
                const char *word)
{
    probe_found_word(r->found, r->kind->name, id, what, word);
}
