/* src/session/message_counters.c - the names of a device's counters as a
 * message; see message.h. */
#include <string.h>

#include "base/map.h"
#include "base/must.h"
#include "session/message.h"

static void put_bin(strbuf *b, const stat_desc *d)
{
    wire_put_u32(b, d->hist != NULL);
    if (!d->hist)
        return;
    wire_put_text(b, d->hist);
    wire_put_text(b, d->of);
    wire_put_u64(b, d->from);
}

/* The bounds of a histogram must grow, so that bins are intervals. */
static bool get_bin(wire *w, arena *mem, const stat_desc *before, stat_desc *d)
{
    uint32_t is_bin = wire_get_u32(w);

    if (!is_bin)
        return !w->bad;
    d->hist = wire_get_text(w, mem);
    d->of = wire_get_text(w, mem);
    d->from = wire_get_u64(w);
    if (w->bad || is_bin > 1 || !d->hist || !d->of || !d->hist[0])
        return false;
    return !before || !before->hist || strcmp(before->hist, d->hist) != 0 ||
           before->from < d->from;
}

static void put_kinds(strbuf *b, const stats *s)
{
    size_t n = stats_kind_count(s);

    wire_put_u32(b, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        stats_block_item k = stats_kind_get(s, i);

        wire_put_text(b, k.path);
        wire_put_u32(b, (uint32_t)k.count);
        for (size_t c = 0; c < k.count; c++) {
            wire_put_text(b, k.desc[c].id);
            wire_put_text(b, k.desc[c].unit);
            wire_put_text(b, k.desc[c].help);
            put_bin(b, &k.desc[c]);
        }
    }
}

/* The number of a block's kind: kinds differ in the counters that they have. */
static size_t kind_of(const stats *s, const stats_block_item *b)
{
    size_t n = stats_kind_count(s), k = 0;
    size_t head = strcspn(b->path, "[");

    for (; k < n; k++) {
        stats_block_item kind = stats_kind_get(s, k);

        if (kind.desc == b->desc && kind.count == b->count &&
            strcspn(kind.path, "[") == head &&
            !strncmp(kind.path, b->path, head))
            break;
    }
    MUST(k < n);
    return k;
}

void msg_counters_put(strbuf *b, uint32_t device, bool per_block,
                      const stats *s)
{
    size_t at = wire_begin(b, MSG_COUNTERS);
    size_t blocks = per_block ? stats_block_count(s) : 0;

    wire_put_u32(b, device);
    put_kinds(b, s);
    wire_put_u32(b, (uint32_t)blocks);
    for (size_t i = 0; i < blocks; i++) {
        stats_block_item k = stats_block_get(s, i);

        wire_put_text(b, k.path);
        wire_put_u32(b, (uint32_t)kind_of(s, &k));
    }
    wire_end(b, at);
}

typedef struct kind {
    const char *path;
    stat_desc *desc;
    size_t count;
} kind;

static bool get_kind(wire *w, arena *mem, kind *k)
{
    k->path = wire_get_text(w, mem);
    k->count = wire_get_u32(w);
    if (!k->path || w->bad || k->count > w->left)
        return false;
    k->desc = ARENA_ARRAY(mem, stat_desc, k->count + 1);
    for (size_t i = 0; i < k->count; i++) {
        stat_desc *d = &k->desc[i];

        d->id = wire_get_text(w, mem);
        d->unit = wire_get_text(w, mem);
        d->help = wire_get_text(w, mem);
        if (!d->id || !d->unit || !d->help || !d->id[0] || strchr(d->id, '.'))
            return false;
        if (!get_bin(w, mem, i ? d - 1 : NULL, d))
            return false;
    }
    return true;
}

/* Paths are registered once: the same again is a bad message. */
static bool add_block(stats *s, strmap *seen, const char *path, const kind *k)
{
    if (strmap_get(seen, path))
        return false;
    strmap_put(seen, path, s);
    stats_add(s, path, k->desc, k->count, NULL);
    return true;
}

static bool get_blocks(wire *w, arena *mem, const kind *kinds, size_t n,
                       stats *s, strmap *seen)
{
    size_t blocks = wire_get_u32(w);

    if (w->bad || blocks > w->left)
        return false;
    for (size_t i = 0; i < n && !blocks; i++)
        if (!add_block(s, seen, kinds[i].path, &kinds[i]))
            return false;
    for (size_t i = 0; i < blocks; i++) {
        const char *path = wire_get_text(w, mem);
        uint32_t k = wire_get_u32(w);

        if (!path || w->bad || k >= n || !add_block(s, seen, path, &kinds[k]))
            return false;
    }
    return !w->bad;
}

bool msg_counters_get(wire *w, arena *mem, uint32_t *device, stats **out)
{
    stats *s = stats_new();
    strmap *seen = strmap_new();
    kind *kinds = NULL;
    size_t n;
    bool good = false;

    if (!s || !seen)
        goto done;
    *device = wire_get_u32(w);
    n = wire_get_u32(w);
    if (w->bad || n > w->left)
        goto done;
    kinds = ARENA_ARRAY(mem, kind, n + 1);
    good = true;
    for (size_t i = 0; i < n && good; i++)
        good = get_kind(w, mem, &kinds[i]);
    good = good && get_blocks(w, mem, kinds, n, s, seen);
done:
    strmap_free(seen);
    if (good)
        *out = s;
    else
        stats_free(s);
    return good;
}
