#include "session/launch_filter.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/map.h"

struct launch_filter_state {
    const launch_filter *rules;
    arena *mem;
    strmap *launches;    /* of each kernel: a uint64_t in `mem` */
    uint64_t all, timed; /* launches */
};

static bool read_positive(const char **at, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(*at, &end, 10);
    if (!isdigit((unsigned char)**at) || errno || !*out)
        return false;
    *at = end;
    return true;
}

bool launch_filter_parse(const char *text, size_t *length,
                         launch_filter_rule *out)
{
    const char *colon = strrchr(text, ':'), *at;

    *length = colon ? (size_t)(colon - text) : strlen(text);
    out->first = 1;
    out->last = UINT64_MAX;
    if (!*length)
        return false;
    if (!colon)
        return true;
    at = colon + 1;
    if (!read_positive(&at, &out->first))
        return false;
    out->last = out->first;
    if (*at == '-') {
        out->last = UINT64_MAX;
        at++;
        if (*at && !read_positive(&at, &out->last))
            return false;
    }
    return !*at && out->first <= out->last;
}

launch_filter_state *launch_filter_new(const launch_filter *rules)
{
    launch_filter_state *s = new0(1, sizeof *s);

    s->rules = rules;
    s->mem = arena_new();
    s->launches = strmap_new();
    return s;
}

void launch_filter_free(launch_filter_state *s)
{
    if (!s)
        return;
    strmap_free(s->launches);
    arena_free(s->mem);
    free(s);
}

/* The number of this launch among those of its kernel, from 1. */
static uint64_t count_kernel_launch(launch_filter_state *s, const char *kernel)
{
    uint64_t *n = strmap_get(s->launches, kernel);

    if (!n) {
        n = ARENA_NEW(s->mem, uint64_t);
        strmap_put(s->launches, arena_strdup(s->mem, kernel), n);
    }
    return ++*n;
}

bool launch_filter_is_timed(launch_filter_state *s, const char *kernel)
{
    const launch_filter *r = s->rules;
    uint64_t n = count_kernel_launch(s, kernel);
    bool chosen = !r->count;

    s->all++;
    for (size_t i = 0; i < r->count && !chosen; i++)
        chosen = n >= r->rule[i].first && n <= r->rule[i].last &&
                 fnmatch(r->rule[i].kernel, kernel, 0) == 0;
    if (r->functional || s->all <= r->skip || !chosen ||
        (r->max_timed && s->timed == r->max_timed))
        return false;
    s->timed++;
    return true;
}

void launch_filter_pass(launch_filter_state *s, const char *kernel)
{
    count_kernel_launch(s, kernel);
    s->all++;
}
