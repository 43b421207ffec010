/* src/cli/cached.c - see cached.h. */
#include "cli/cached.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"

bool cached_option(cached *c, cli_args *a)
{
    if (cli_is(a, "no-cache"))
        c->none = true;
    else if (cli_is(a, "fresh"))
        c->fresh = true;
    else
        return false;
    return true;
}

/* "500M": bytes, or with a unit of 1024. */
static bool read_size(const char *text, uint64_t *size)
{
    static const char units[] = "KMGT";
    const char *unit;
    char *end;

    *size = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text))
        return false;
    if (!*end)
        return true;
    unit = strchr(units, toupper((unsigned char)*end));
    if (!unit || end[1] || *size >> 24)
        return false;
    *size <<= 10 * (unit - units + 1);
    return true;
}

bool cached_open(cached *c, const char *command)
{
    const char *off = getenv("HEDDLE_CACHE");
    const char *size = getenv("HEDDLE_CACHE_SIZE");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    uint64_t limit = RESULT_CACHE_BYTES;
    strbuf dir = {0};

    if (size && *size && !read_size(size, &limit)) {
        fprintf(stderr,
                "heddle %s: HEDDLE_CACHE_SIZE=%s: expected a size such as "
                "500M or 2G\n",
                command, size);
        return false;
    }
    if (c->none || !limit || (off && !strcmp(off, "0")))
        return true;
    if (xdg && *xdg == '/')
        strbuf_printf(&dir, "%s/heddle/results", xdg);
    else if (home && *home == '/')
        strbuf_printf(&dir, "%s/.cache/heddle/results", home);
    if (dir.text) {
        c->is = result_cache_open(dir.text, limit);
        MUST(c->is != NULL);
    }
    strbuf_fini(&dir);
    return true;
}

void cached_close(cached *c)
{
    result_cache_close(c->is);
    c->is = NULL;
}

bool cached_has(const cached *c, const char *id)
{
    return !c->fresh && result_cache_has(c->is, id);
}

bool cached_get(cached *c, const char *id, const char *to)
{
    if (c->fresh || !result_cache_get(c->is, id, to))
        return false;
    c->hits++;
    return true;
}

void cached_put(cached *c, const char *id, const char *from)
{
    result_cache_put(c->is, id, from);
}
