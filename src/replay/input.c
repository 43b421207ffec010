#include "replay/input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "replay/tracez.h"
#include "replay/unpack.h"

enum {
    RAW_BYTES = 1 << 16,
    LINE_MOST =
        1 << 16, /* bytes; the longest of a real trace have a thousand */
};

struct replay_input {
    char *name;
    diag *dg;
    FILE *file;          /* NULL: bytes */
    const uint8_t *data; /* bytes that are left */
    size_t left;
    uint8_t raw[RAW_BYTES]; /* of the file, from raw_at on not used yet */
    size_t raw_at, raw_size;
    replay_unpack *unpack; /* NULL: it is plain text, */
    tracez *container;     /* or this is not NULL */
    strbuf text;           /* decoded, from `at` on not handed out yet */
    size_t at;
    unsigned line;
    bool ended, failed;
};

void replay_input_error(replay_input *in, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!in->failed)
        diag_add(in->dg, DIAG_ERROR, in->name, in->line, 0, 0, "%s", text);
    in->failed = true;
}

bool replay_input_failed(const replay_input *in) { return in->failed; }

const char *replay_input_name(const replay_input *in) { return in->name; }

/* More of the file into `raw`. False: there is no more. */
static bool fill(replay_input *in)
{
    in->raw_at = 0;
    if (in->file) {
        in->raw_size = fread(in->raw, 1, RAW_BYTES, in->file);
        if (ferror(in->file))
            replay_input_error(in, "cannot be read: %s", strerror(errno));
    } else {
        in->raw_size = in->left < RAW_BYTES ? in->left : RAW_BYTES;
        if (in->raw_size)
            memcpy(in->raw, in->data, in->raw_size);
        in->data += in->raw_size;
        in->left -= in->raw_size;
    }
    return in->raw_size != 0;
}

static status start(replay_input *in, replay_input **out)
{
    const char *why = NULL;

    if (in->file && tracez_is(in->name))
        in->container = tracez_new(in->file, &why);
    else
        fill(in);
    if (!in->failed && !why && !in->container)
        in->unpack = replay_unpack_new(in->raw, in->raw_size, &why);
    if (why)
        replay_input_error(in, "%s", why);
    if (in->failed) {
        replay_input_close(in);
        return ST_INPUT;
    }
    *out = in;
    return ST_OK;
}

static replay_input *new_input(const char *name, diag *dg)
{
    replay_input *in = new0(1, sizeof *in);

    in->name = new_text(name);
    in->dg = dg;
    return in;
}

status replay_input_open(const char *path, diag *dg, replay_input **out)
{
    replay_input *in = new_input(path, dg);
    struct stat is;

    in->file = fopen(path, "rb");
    if (!in->file)
        replay_input_error(in, "cannot be read: %s", strerror(errno));
    else if (fstat(fileno(in->file), &is) == 0 && S_ISDIR(is.st_mode))
        replay_input_error(in, "is a folder, not a trace");
    if (in->failed) {
        replay_input_close(in);
        return ST_INPUT;
    }
    return start(in, out);
}

status replay_input_bytes(const char *name, const void *data, size_t size,
                          diag *dg, replay_input **out)
{
    replay_input *in = new_input(name, dg);

    in->data = data;
    in->left = size;
    return start(in, out);
}

void replay_input_close(replay_input *in)
{
    if (!in)
        return;
    if (in->file)
        fclose(in->file);
    replay_unpack_free(in->unpack);
    tracez_free(in->container);
    strbuf_fini(&in->text);
    free(in->name);
    free(in);
}

/* Puts more text behind what is there. False: there is no more. */
static bool read_more(replay_input *in)
{
    size_t before = in->text.size;
    const char *why = NULL;

    if (in->container) {
        bool got = tracez_more(in->container, &in->text, &why);

        if (why)
            replay_input_error(in, "is damaged: %s", why);
        return got;
    }
    bool more = in->raw_at < in->raw_size || fill(in);

    if (in->failed || (!more && !in->unpack))
        return false;
    if (!in->unpack) {
        strbuf_write(&in->text, (const char *)in->raw + in->raw_at,
                     in->raw_size - in->raw_at);
        in->raw_at = in->raw_size;
        return true;
    }
    in->raw_at +=
        replay_unpack_some(in->unpack, in->raw + in->raw_at,
                           in->raw_size - in->raw_at, &in->text, &why);
    if (why)
        replay_input_error(in, "is damaged: %s", why);
    if (more || in->text.size > before)
        return !in->failed;
    if (!replay_unpack_ended(in->unpack))
        replay_input_error(in, "ends in the middle of compressed data");
    return false;
}

/* What has been handed out makes room. */
static void drop_old(replay_input *in)
{
    strbuf *t = &in->text;

    if (!in->at)
        return;
    memmove(t->text, t->text + in->at, t->size - in->at);
    t->size -= in->at;
    in->at = 0;
}

char *replay_input_line(replay_input *in, size_t *size)
{
    size_t seen = 0;
    char *end = NULL;

    while (!in->failed) {
        size_t have = in->text.size - in->at;

        if (have > seen)
            end = memchr(in->text.text + in->at + seen, '\n', have - seen);
        if (end || (in->ended && have) || have > LINE_MOST)
            break;
        if (in->ended)
            return NULL;
        seen = have;
        drop_old(in);
        in->ended = !read_more(in);
    }
    if (in->failed)
        return NULL;
    char *line = in->text.text + in->at;
    *size = end ? (size_t)(end - line) : in->text.size - in->at;
    in->at += *size + (end != NULL);
    in->line++;
    if (*size > LINE_MOST) {
        replay_input_error(in, "the line is too long for a trace");
        return NULL;
    }
    if (*size && line[*size - 1] == '\r')
        --*size;
    if (memchr(line, 0, *size)) {
        replay_input_error(in, "this is no text: a byte is zero");
        return NULL;
    }
    line[*size] = 0;
    return line;
}
