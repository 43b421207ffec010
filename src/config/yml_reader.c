/* src/config/yml_reader.c - see yml_reader.h. */
#include "config/yml_reader.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

void yml_wrong(yml_reader *r, yml_place at, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    r->good = false;
    diag_add(r->dg, DIAG_ERROR, r->path, at.line, at.column, at.length, "%s",
             text);
}

void yml_check_keys(yml_reader *r, const yml_node *map,
                    const char *const *names)
{
    size_t count = 0;

    while (names[count])
        count++;
    for (const yml_node *n = map->first; n; n = n->next) {
        const char *near;
        size_t i = 0;

        while (i < count && strcmp(names[i], n->key) != 0)
            i++;
        if (i < count)
            continue;
        near = suggest_nearest(n->key, names, count);
        if (near)
            yml_wrong(r, n->key_at, "unknown key '%s' (did you mean '%s'?)",
                      n->key, near);
        else
            yml_wrong(r, n->key_at, "unknown key '%s'", n->key);
    }
}

bool yml_is_kind(yml_reader *r, const yml_node *n, yml_kind kind,
                 const char *what)
{
    static const char *const names[] = {"a value", "a mapping {...}",
                                        "a list [...]"};

    if (n->kind == kind)
        return true;
    yml_wrong(r, n->at, "%s must be %s", what, names[kind]);
    return false;
}

bool yml_number(yml_reader *r, const yml_node *n, uint64_t least, uint64_t most,
                uint64_t *out)
{
    char *end;
    unsigned long long v;

    if (!yml_is_kind(r, n, YML_SCALAR, n->key ? n->key : "this"))
        return false;
    errno = 0;
    v = strtoull(n->text, &end, 0);
    if (isdigit((unsigned char)*n->text) && !*end && !errno && v >= least &&
        v <= most) {
        *out = v;
        return true;
    }
    if (least)
        yml_wrong(r, n->at,
                  "'%s' is no whole number from %" PRIu64 " to %" PRIu64,
                  n->text, least, most);
    else
        yml_wrong(r, n->at, "'%s' is no whole number up to %" PRIu64, n->text,
                  most);
    return false;
}
