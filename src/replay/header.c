#include "replay/header.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "replay/words.h"

enum {
    SHARED_MOST = 1 << 20,
    CTA_THREADS = REPLAY_WARPS * ISA_WARP,
    GRID_MOST = 65535, /* of y and z [CUDA12:technical-specifications] */
};

typedef struct header {
    replay_input *in;
    kernel_trace *k;
    uint64_t version, has_lines;
    bool grid, block;
} header;

static bool fail(header *h, const char *key)
{
    replay_input_error(h->in, "'%s' has no value that can be", key);
    return false;
}

/* "(X,Y,Z)", none of which is 0. */
static bool take_shape(header *h, const char *key, const char *text,
                       uint32_t to[3])
{
    int end = 0;

    if (sscanf(text, "(%u,%u,%u)%n", &to[0], &to[1], &to[2], &end) != 3 ||
        text[end] || !to[0] || !to[1] || !to[2])
        return fail(h, key);
    return true;
}

static bool take_number(header *h, const char *key, const char *text,
                        uint64_t most, uint64_t *to)
{
    const char *at = text;
    word w, more;

    word_next(&at, &w);
    if (word_next(&at, &more))
        return fail(h, key);
    return word_decimal(w, most, to) ||
           (w.size > 2 && w.at[1] == 'x' && word_hex(w, most, to)) ||
           fail(h, key);
}

static bool take_u32(header *h, const char *key, const char *text,
                     uint64_t most, uint32_t *to)
{
    uint64_t v;

    if (!take_number(h, key, text, most, &v))
        return false;
    *to = (uint32_t)v;
    return true;
}

/* A line "-KEY = VALUE"; of keys that are not known nothing is expected. */
static bool take_pair(header *h, const char *key, const char *value)
{
    kernel_trace *k = h->k;

    if (!strcmp(key, "kernel name")) {
        free(k->name);
        k->name = new_text(value);
        return true;
    }
    if (!strcmp(key, "heddle code")) {
        free(k->code_name);
        k->code_name = new_text(value);
        return true;
    }
    if (!strcmp(key, "kernel id"))
        return take_u32(h, key, value, UINT32_MAX, &k->id);
    if (!strcmp(key, "grid dim"))
        return h->grid = take_shape(h, key, value, k->grid);
    if (!strcmp(key, "block dim"))
        return h->block = take_shape(h, key, value, k->block);
    if (!strcmp(key, "shmem"))
        return take_u32(h, key, value, SHARED_MOST, &k->shared_bytes);
    if (!strcmp(key, "nregs"))
        return take_u32(h, key, value, ISA_REGS_MAX + 1, &k->registers);
    if (!strcmp(key, "binary version"))
        return take_u32(h, key, value, 999, &k->binary);
    if (!strcmp(key, "cuda stream id"))
        return take_number(h, key, value, UINT64_MAX, &k->stream);
    if (!strcmp(key, "shmem base_addr"))
        return take_number(h, key, value, UINT64_MAX, &k->shared_base);
    if (!strcmp(key, "local mem base_addr"))
        return take_number(h, key, value, UINT64_MAX, &k->local_base);
    if (!strcmp(key, "accelsim tracer version"))
        return take_number(h, key, value, UINT32_MAX, &h->version);
    if (!strcmp(key, "enable lineinfo"))
        return take_number(h, key, value, 1, &h->has_lines);
    return true;
}

static bool take_line(header *h, char *text)
{
    char *equals = strchr(text, '='), *end = equals;

    if (*text != '-' || !equals) {
        replay_input_error(h->in, "this is no trace: expected '-kernel name = "
                                  "...' and the like");
        return false;
    }
    while (end > text + 1 && end[-1] == ' ')
        end--;
    *end = 0;
    for (equals++; *equals == ' ';)
        equals++;
    return take_pair(h, text + 1, equals);
}

static bool check(header *h)
{
    const kernel_trace *k = h->k;

    if (!h->grid || !h->block || !h->version)
        replay_input_error(h->in, "the header does not give '-%s'",
                           !h->grid    ? "grid dim"
                           : !h->block ? "block dim"
                                       : "accelsim tracer version");
    else if (h->version < REPLAY_VERSION_LEAST ||
             h->version > REPLAY_VERSION_MOST)
        replay_input_error(h->in,
                           "traces of version %llu are not known; %d to %d are",
                           (unsigned long long)h->version, REPLAY_VERSION_LEAST,
                           REPLAY_VERSION_MOST);
    else if (k->grid[0] > INT32_MAX || k->grid[1] > GRID_MOST ||
             k->grid[2] > GRID_MOST)
        replay_input_error(h->in, "a grid of %ux%ux%u is too large", k->grid[0],
                           k->grid[1], k->grid[2]);
    else if ((uint64_t)k->block[0] * k->block[1] > CTA_THREADS ||
             (uint64_t)k->block[0] * k->block[1] * k->block[2] > CTA_THREADS)
        replay_input_error(h->in, "a CTA of %ux%ux%u threads is too large",
                           k->block[0], k->block[1], k->block[2]);
    return !replay_input_failed(h->in);
}

bool replay_header_read(replay_input *in, kernel_trace *k)
{
    header h = {.in = in, .k = k};
    size_t size;
    char *text;

    while ((text = replay_input_line(in, &size))) {
        if (*text == '#')
            break;
        if (size && !take_line(&h, text))
            return false;
    }
    if (replay_input_failed(in))
        return false;
    if (!text) {
        replay_input_error(in, "the trace ends before '#traces format = ...'");
        return false;
    }
    k->version = (unsigned)h.version;
    k->has_lines = h.has_lines;
    if (!k->name)
        k->name = new_text("?");
    return check(&h);
}
