/* src/config/yml_reader.c - see yml_reader.h. */
#include "config/yml_reader.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/suggest.h"

enum { NAMES_MOST = 12 }; /* that are listed */

void yml_wrong(yml_reader *r, yml_place at, const char *fmt, ...)
{
    strbuf text = {0};
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&text, fmt, ap);
    va_end(ap);
    r->good = false;
    diag_add(r->dg, DIAG_ERROR, r->path, at.line, at.column, at.length, "%s",
             text.text);
    strbuf_fini(&text);
}

void yml_unknown(yml_reader *r, yml_place at, const char *what,
                 const char *word, const char *const *names, size_t count)
{
    const char *near = suggest_nearest(word, names, count);
    strbuf all = {0};

    for (size_t i = 0; i < count && i < NAMES_MOST; i++)
        strbuf_printf(&all, "%s %s", i ? "," : "", names[i]);
    if (near)
        yml_wrong(r, at, "unknown %s '%s' (did you mean '%s'?)", what, word,
                  near);
    else if (count)
        yml_wrong(r, at, "unknown %s '%s'; there are%s%s", what, word, all.text,
                  count > NAMES_MOST ? ", ..." : "");
    else
        yml_wrong(r, at, "unknown %s '%s'; there is none at all", what, word);
    strbuf_fini(&all);
}

void yml_check_keys(yml_reader *r, const yml_node *map,
                    const char *const *names)
{
    size_t count = 0;

    while (names[count])
        count++;
    for (const yml_node *n = map->first; n; n = n->next) {
        size_t i = 0;

        while (i < count && strcmp(names[i], n->key) != 0)
            i++;
        if (i == count)
            yml_unknown(r, n->key_at, "key", n->key, names, count);
    }
}

/* Where nothing was written the key is shown. */
bool yml_is_kind(yml_reader *r, const yml_node *n, yml_kind kind,
                 const char *what)
{
    static const char *const names[] = {"a value", "a mapping {...}",
                                        "a list [...]"};
    bool nothing = n->kind == YML_SCALAR && !*n->text && n->key;

    if (n->kind == kind)
        return true;
    yml_wrong(r, nothing ? n->key_at : n->at, "%s must be %s", what,
              names[kind]);
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
    yml_wrong(r, n->at, "'%s' is no whole number from %" PRIu64 " to %" PRIu64,
              n->text, least, most);
    return false;
}
