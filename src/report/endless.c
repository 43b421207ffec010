#include "report/endless.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void spin_text(const exec_spins *s, const char *indent, FILE *to)
{
    strbuf b = {0};

    exec_spins_text(s, &b);
    for (const char *at = b.text; at && *at;) {
        size_t n = strcspn(at, "\n");

        fprintf(to, "%s%.*s\n", indent, (int)n, at);
        at += n + (at[n] == '\n');
    }
    strbuf_fini(&b);
}

static void write_site(json *j, const exec_site *x)
{
    json_open(j, NULL, '{');
    json_text(j, "kernel", x->kernel);
    json_text(j, "file", x->file);
    json_u64(j, "line", x->line);
    json_u64(j, "instruction", x->pc);
    json_u64(j, "lanes", x->lanes);
    json_u64(j, "warps", x->warps);
    json_u64(j, "ctas", x->ctas);
    json_bool(j, "may_give_up", x->polls);
    if (!x->nothing) {
        json_bool(j, "atomic", x->atomic);
        json_bool(j, "shared", x->shared);
        json_u64(j, "address", x->addr);
        json_u64(j, "bytes", x->size);
        json_text(j, "where", x->where);
        json_u64(j, "value", x->value);
        json_text(j, "writer", x->writer);
    }
    json_close(j, '{');
}

static void write_waits(json *j, const char *lines)
{
    json_open(j, "barriers", '[');
    for (const char *at = lines; *at;) {
        size_t n = strcspn(at, "\n");
        char *line = new_text_n(at, n);

        json_text(j, NULL, line);
        free(line);
        at += n + (at[n] == '\n');
    }
    json_close(j, '[');
}

void spin_json(json *j, const exec_spins *s)
{
    if (s->waits)
        write_waits(j, s->waits);
    if (!s->count)
        return;
    json_open(j, "spins", '{');
    json_bool(j, "endless", s->endless);
    json_text(j, "unit", s->timed ? "cycle" : "warp instruction");
    json_u64(j, "since", s->since);
    json_u64(j, "to", s->to);
    json_u64(j, "warps", s->warps);
    json_u64(j, "warps_at_barriers", s->waiting);
    json_u64(j, "warps_that_ran_nothing", s->starved);
    json_u64(j, "warps_resident", s->live);
    json_u64(j, "ctas_not_begun", s->ctas - s->started);
    json_u64(j, "lanes_elsewhere", s->more);
    json_open(j, "places", '[');
    for (size_t i = 0; i < s->count; i++)
        write_site(j, &s->is[i]);
    json_close(j, '[');
    json_close(j, '{');
}
