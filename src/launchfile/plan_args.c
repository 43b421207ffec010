/* The command line's half of launchfile/plan.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "launchfile/buffer.h"
#include "launchfile/element.h"
#include "launchfile/plan.h"

static status wrong(diag *dg, const char *text, const char *why)
{
    diag_error(dg, "argument '%s': %s", text, why);
    return ST_USAGE;
}

static bool is_number(const char *text)
{
    double scratch;

    return element_parse(TYPE_F64, text, &scratch);
}

/* INIT[,KEY=VALUE...]; writes to `text`, which the plan owns. */
static const char *set_init(plan_buffer *b, char *text)
{
    if (*text == '@') {
        b->init = INIT_FILE;
        b->file = text + 1;
        return text[1] ? NULL : "'@' needs the name of a file behind it";
    }
    if (!buffer_init_find(strsep(&text, ","), &b->init))
        return "generators are zero, iota, constant, uniform, or @FILE";
    while (text) {
        const char *key = strsep(&text, ",");
        char *value = strchr(key, '=');

        if (!value)
            return "options of a generator are KEY=VALUE";
        *value = 0;
        const char *why = buffer_set(b, key, value + 1);
        if (why)
            return why;
    }
    return NULL;
}

/* TYPE[COUNT]=INIT or TYPE=@FILE; writes to `text`. */
static const char *parse_buffer(plan_buffer *b, char *text, arena *mem)
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
        if (!isdigit((unsigned char)*count) || strcmp(end, "]") || errno ||
            b->count > PLAN_COUNT_MAX)
            return "the number of elements must be like [1024]";
    }
    b->type = plan_type_find(text);
    if (b->type == TYPE_NONE)
        return plan_type_unknown(text, mem);
    if (!init)
        return count ? NULL : "it needs [COUNT] or =@FILE";
    const char *why = set_init(b, init);
    if (!why && !count && b->init != INIT_FILE)
        why = "it needs [COUNT]";
    return why ? why : buffer_check(b);
}

static void append_argument(plan_launch *l, plan_arg *a)
{
    plan_arg **end = &l->args;

    while (*end)
        end = &(*end)->next;
    *end = a;
}

static unsigned argument_count(const plan_launch *l)
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
    const char *why = parse_buffer(b, arena_strdup(p->mem, spec), p->mem);

    if (why)
        return wrong(dg, text, why);
    b->name = name_end ? arena_strndup(p->mem, text, (size_t)(name_end - text))
                       : arena_printf(p->mem, "%u", argument_count(l));
    if (name_end && !buffer_name_good(b->name))
        return wrong(dg, text, "a buffer's name begins with a letter or _");
    if (plan_find_buffer(p, b->name))
        return wrong(dg, text, "a buffer of this name exists already");
    *p->buffers_end = b;
    p->buffers_end = &b->next;
    plan_arg *a = ARENA_NEW(p->mem, plan_arg);
    a->buffer = b;
    append_argument(l, a);
    return ST_OK;
}

/* A number or the name of a buffer, the argument `whole` or a field of it. */
static status parse_plain(plan *p, const char *whole, const char *text,
                          plan_arg *a, diag *dg)
{
    const char *colon = strchr(text, ':');
    /* 0 is a number, though an unnamed buffer may be called so */
    plan_buffer *known =
        buffer_name_good(text) ? plan_find_buffer(p, text) : NULL;
    plan_type type = TYPE_NONE;
    uint8_t scratch[8];

    if (colon) {
        const char *name = arena_strndup(p->mem, text, (size_t)(colon - text));

        type = plan_type_find(name);
        if (type == TYPE_NONE)
            return wrong(dg, whole, plan_type_unknown(name, p->mem));
        if (!element_parse(type, colon + 1, scratch))
            return wrong(dg, whole, "the value is not of that type");
        known = NULL;
    } else if (!known && !is_number(text)) {
        return wrong(dg, whole,
                     "expected a number, TYPE:NUMBER, buf:TYPE[COUNT]=INIT, "
                     "the name of a buffer or {FIELD,...}");
    }
    a->buffer = known;
    a->type = type;
    a->text = arena_strdup(p->mem, colon ? colon + 1 : text);
    return ST_OK;
}

/* {FIELD,...}: a structure by value. */
static status parse_struct(plan *p, const char *text, plan_arg *a, diag *dg)
{
    size_t n = strlen(text);
    char *fields, *next;
    plan_arg **end = &a->fields;

    if (n < 3 || text[n - 1] != '}')
        return wrong(dg, text, "a structure is written {FIELD,...}");
    fields = arena_strndup(p->mem, text + 1, n - 2);
    for (; fields; fields = next) {
        status st;

        next = strchr(fields, ',');
        if (next)
            *next++ = 0;
        *end = ARENA_NEW(p->mem, plan_arg);
        st = parse_plain(p, text, fields, *end, dg);
        if (st != ST_OK)
            return st;
        end = &(*end)->next;
    }
    a->text = arena_strdup(p->mem, text);
    return ST_OK;
}

status plan_add_arg(plan *p, plan_launch *l, const char *text, diag *dg)
{
    const char *buf = strstr(text, "buf:");

    if (buf == text)
        return add_buffer(p, l, text, buf + 4, NULL, dg);
    if (buf && buf[-1] == '=')
        return add_buffer(p, l, text, buf + 4, buf - 1, dg);
    plan_arg *a = ARENA_NEW(p->mem, plan_arg);
    status st = text[0] == '{' ? parse_struct(p, text, a, dg)
                               : parse_plain(p, text, text, a, dg);
    if (st == ST_OK)
        append_argument(l, a);
    return st;
}

status plan_add_output(plan *p, bool expect, const char *text, double tolerance,
                       diag *dg)
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
