#include "driver/checkpoint_log.h"

#include <inttypes.h>
#include <string.h>

#include "base/must.h"
#include "driver/driver.h"

enum { NAME_MOST = 1 << 16 }; /* bytes of a kernel's name */

void log_put(checkpoint_out *to, const log_event *e)
{
    checkpoint_put(to, &e->kind, sizeof e->kind);
    checkpoint_put(to, &e->at, sizeof e->at);
    checkpoint_put(to, &e->bytes, sizeof e->bytes);
    checkpoint_put(to, &e->hash, sizeof e->hash);
    if (e->kind != LOG_LAUNCH)
        return;
    uint32_t length = (uint32_t)strnlen(e->name, NAME_MOST);
    checkpoint_put(to, &length, sizeof length);
    checkpoint_put(to, e->name, length);
    checkpoint_put(to, e->grid, sizeof e->grid);
    checkpoint_put(to, e->block, sizeof e->block);
}

static bool get_launch(checkpoint_in *from, log_event *e, strbuf *name)
{
    char text[256];
    uint32_t left, n;

    if (!checkpoint_get(from, &left, sizeof left) || left > NAME_MOST)
        return false;
    name->size = 0;
    strbuf_puts(name, "");
    for (; left; left -= n) {
        n = left < sizeof text ? left : sizeof text;
        if (!checkpoint_get(from, text, n))
            return false;
        strbuf_write(name, text, n);
    }
    e->name = name->text;
    return checkpoint_get(from, e->grid, sizeof e->grid) &&
           checkpoint_get(from, e->block, sizeof e->block);
}

bool log_get(checkpoint_in *from, log_event *e, strbuf *name)
{
    *e = (log_event){.kind = 0};
    if (!checkpoint_get(from, &e->kind, sizeof e->kind) || !e->kind ||
        e->kind >= LOG_KINDS || !checkpoint_get(from, &e->at, sizeof e->at) ||
        !checkpoint_get(from, &e->bytes, sizeof e->bytes) ||
        !checkpoint_get(from, &e->hash, sizeof e->hash))
        return false;
    return e->kind != LOG_LAUNCH || get_launch(from, e, name);
}

bool log_same(const log_event *a, const log_event *b)
{
    return a->kind == b->kind && a->at == b->at && a->bytes == b->bytes &&
           a->hash == b->hash &&
           (a->kind != LOG_LAUNCH || !strcmp(a->name, b->name)) &&
           !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block);
}

static const char *command_word(uint64_t engine)
{
    static const char *const words[DRV_ENGINES] = {
        [DRV_NONE] = "has something done by the host",
        [DRV_READS] = "reads memory of the GPU",
        [DRV_WRITES] = "writes memory of the GPU",
        [DRV_COPIES] = "copies within the GPU",
        [DRV_KERNELS] = "launches a kernel"};

    return engine < COUNTOF(words) ? words[engine] : "does something else";
}

static void describe_launch(const log_event *e, strbuf *to)
{
    strbuf_printf(to,
                  "launches '%s' (grid %ux%ux%u, block %ux%ux%u, %" PRIu64
                  " bytes of dynamic shared memory, arguments with hash "
                  "%08" PRIx64 ")",
                  e->name, e->grid[0], e->grid[1], e->grid[2], e->block[0],
                  e->block[1], e->block[2], e->bytes, e->hash >> 32);
}

void log_describe(const log_event *e, strbuf *to)
{
    switch ((log_kind)e->kind) {
    case LOG_TAKE:
        strbuf_printf(to, "allocates %" PRIu64 " bytes at 0x%" PRIx64, e->bytes,
                      e->at);
        return;
    case LOG_GIVE:
        strbuf_printf(to, "frees what is at 0x%" PRIx64, e->at);
        return;
    case LOG_WRITE:
        strbuf_printf(to,
                      "copies %" PRIu64 " bytes with hash %08" PRIx64 " to ",
                      e->bytes, e->hash >> 32);
        if (e->at)
            strbuf_printf(to, "0x%" PRIx64, e->at);
        else
            strbuf_puts(to, "an image");
        return;
    case LOG_READ:
        strbuf_printf(to, "reads %" PRIu64 " bytes at 0x%" PRIx64, e->bytes,
                      e->at);
        return;
    case LOG_FILL:
        strbuf_printf(to, "fills %" PRIu64 " bytes at 0x%" PRIx64, e->bytes,
                      e->at);
        return;
    case LOG_COMMAND:
        strbuf_puts(to, command_word(e->at));
        return;
    case LOG_LAUNCH:
        describe_launch(e, to);
        return;
    case LOG_PIN:
        strbuf_printf(
            to, "registers memory that begins at byte %" PRIu64 " of a page",
            e->at);
        return;
    case LOG_KINDS:
        break;
    }
    strbuf_puts(to, "ends");
}
