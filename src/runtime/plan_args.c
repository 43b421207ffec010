/* The command line's half of runtime/plan.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/element.h"
#include "runtime/plan.h"

static status wrong(diag *dg, const char *text, const char *why)
{
    diag_error(dg, "argument '%s': %s", text, why);
    return ST_USAGE;
}

static bool parse_number(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end;
}

/* One of `seed=1,min=0`. NULL, or what is wrong. */
static const char *set_option(plan_buffer *b, char *option)
{
    char *value = strchr(option, '=');
    double v;

    if (!value)
        return "options of a generator are KEY=VALUE";
    *value++ = 0;
    if (!parse_number(value, &v))
        return "an option of a generator is no number";
    if (!strcmp(option, "seed")) {
        b->seed = strtoull(value, NULL, 0);
    } else if (!strcmp(option, "min")) {
        b->min = v;
        b->ranged = true;
    } else if (!strcmp(option, "max")) {
        b->max = v;
        b->ranged = true;
    } else if (!strcmp(option, "value")) {
        b->value = v;
    } else {
        return "generators know seed, min, max and value";
    }
    return NULL;
}

/* INIT[,KEY=VALUE...]; writes to `text`. */
static const char *set_init(plan *p, plan_buffer *b, char *text)
{
    static const char *const names[] = {"zero", "iota", "constant",
                                        "uniform"};
    char *rest = text;
    const char *word = strsep(&rest, ",");

    if (*text == '@') {
        b->init = INIT_FILE;
        b->file = arena_strdup(p->mem, text + 1);
        return rest ? "a file has no options" : NULL;
    }
    b->ranged = false;
    b->max = 1;
    for (unsigned i = 0; i < 4; i++) {
        if (strcmp(word, names[i]))
            continue;
        b->init = (plan_init)i;
        while (rest) {
            const char *why = set_option(b, strsep(&rest, ","));
            if (why)
                return why;
        }
        return NULL;
    }
    return "generators are zero, iota, constant, uniform, or @FILE";
}

/* TYPE[COUNT]=INIT or TYPE=@FILE; writes to `text`. */
static const char *parse_buffer(plan *p, plan_buffer *b, char *text)
{
    char *init = strchr(text, '=');

    if (init)
        *init++ = 0;
    char *count = strchr(text, '[');
    if (count) {
        char *end;

        *count++ = 0;
        errno = 0;
        b->count = strtoull(count, &end, 0);
        if (end == count || strcmp(end, "]") || errno || *count == '-' ||
            b->count > (uint64_t)1 << 48)
            return "the number of elements must be like [1024]";
    }
    b->type = plan_type_find(text);
    if (b->type == TYPE_NONE)
        return "unknown type; there are u8 to u64, s8 to s64, f16, f32, f64";
    if (!init)
        return count ? NULL : "it needs [COUNT] or =@FILE";
    const char *why = set_init(p, b, init);
    if (!why && !count && b->init != INIT_FILE)
        why = "it needs [COUNT]";
    return why;
}

static plan_arg *add(plan *p, plan_launch *l)
{
    plan_arg *a = ARENA_NEW(p->mem, plan_arg), **end = &l->args;

    while (*end)
        end = &(*end)->next;
    *end = a;
    return a;
}

static unsigned position(const plan_launch *l)
{
    unsigned n = 0;

    for (const plan_arg *a = l->args; a; a = a->next)
        n++;
    return n;
}

/* [NAME=]buf:...; `spec` is behind the colon, `name_end` behind the name. */
static status add_buffer(plan *p, plan_launch *l, const char *text,
                         const char *spec, const char *name_end, diag *dg)
{
    plan_buffer *b = ARENA_NEW(p->mem, plan_buffer);
    const char *why = parse_buffer(p, b, arena_strdup(p->mem, spec));

    if (why)
        return wrong(dg, text, why);
    b->name = name_end ? arena_strndup(p->mem, text, (size_t)(name_end - text))
                       : arena_printf(p->mem, "%u", position(l));
    if (plan_find_buffer(p, b->name))
        return wrong(dg, text, "a buffer of this name exists already");
    *p->buffers_end = b;
    p->buffers_end = &b->next;
    add(p, l)->buffer = b;
    return ST_OK;
}

status plan_add_arg(plan *p, plan_launch *l, const char *text, diag *dg)
{
    const char *buf = strstr(text, "buf:");

    if (buf == text)
        return add_buffer(p, l, text, buf + 4, NULL, dg);
    if (buf && buf[-1] == '=')
        return add_buffer(p, l, text, buf + 4, buf - 1, dg);
    const char *colon = strchr(text, ':');
    plan_buffer *known = plan_find_buffer(p, text);
    plan_type type = TYPE_NONE;
    uint8_t scratch[8];
    double number;

    if (colon) {
        const char *name = arena_strndup(p->mem, text, (size_t)(colon - text));

        type = plan_type_find(name);
        if (type == TYPE_NONE)
            return wrong(dg, text,
                         "unknown type; there are u8 to u64, s8 to s64, f16, "
                         "f32, f64, and buf:");
        if (!element_parse(type, colon + 1, scratch))
            return wrong(dg, text, "the value is not of that type");
        known = NULL;
    } else if (!known && !parse_number(text, &number)) {
        return wrong(dg, text,
                     "expected a number, TYPE:NUMBER, buf:TYPE[COUNT]=INIT or "
                     "the name of a buffer");
    }
    plan_arg *a = add(p, l);
    a->buffer = known;
    a->type = type;
    a->text = arena_strdup(p->mem, colon ? colon + 1 : text);
    return ST_OK;
}

status plan_add_output(plan *p, bool expect, const char *text,
                       double tolerance, diag *dg)
{
    const char *file = strchr(text, '=');

    if (!file || !file[1]) {
        diag_error(dg, "'%s': expected BUFFER=FILE", text);
        return ST_USAGE;
    }
    const char *name = arena_strndup(p->mem, text, (size_t)(file - text));
    plan_output *o = ARENA_NEW(p->mem, plan_output);
    o->buffer = plan_find_buffer(p, name);
    o->file = arena_strdup(p->mem, file + 1);
    o->tolerance = tolerance;
    if (!o->buffer) {
        diag_error(dg,
                   "'%s': no buffer '%s'; unnamed ones are called by the "
                   "number of their argument, from 0",
                   text, name);
        return ST_USAGE;
    }
    plan_output ***end = expect ? &p->expects_end : &p->dumps_end;
    **end = o;
    *end = &o->next;
    return ST_OK;
}
