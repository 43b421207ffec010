#include "replay/trace_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "replay/input.h"
#include "replay/words.h"

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && !strcmp(text + n - m, end);
}

/* The trace of one kernel. */
static bool is_kernel(const char *path)
{
    static const char *const ends[] = {".traceg", ".traceg.xz", ".traceg.zst",
                                       ".tracez"};

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends_in(path, ends[i]))
            return true;
    return false;
}

bool trace_list_is(const char *path)
{
    return is_kernel(path) || ends_in(path, ".g");
}

static trace_step *add(trace_list *l)
{
    GROW(l->step, l->count + 1, l->room);
    l->step[l->count] = (trace_step){0};
    return &l->step[l->count++];
}

/* A name in the folder of the list. */
static void add_kernel(trace_list *l, const char *list, const char *name)
{
    const char *slash = strrchr(list, '/');
    strbuf path = {0};

    if (slash)
        strbuf_write(&path, list, (size_t)(slash + 1 - list));
    strbuf_puts(&path, name);
    add(l)->path = path.text;
    l->kernels++;
}

/* "MemcpyHtoD,ADDRESS,BYTES" */
static bool add_copy(trace_list *l, replay_input *in, const char *text)
{
    const char *addr = strchr(text, ','), *bytes;
    trace_step *s;

    bytes = addr ? strchr(addr + 1, ',') : NULL;
    if (bytes) {
        s = add(l);
        if (word_hex((word){addr + 1, (size_t)(bytes - addr - 1)}, UINT64_MAX,
                     &s->addr) &&
            word_decimal((word){bytes + 1, strlen(bytes + 1)},
                         UINT64_MAX - s->addr, &s->bytes))
            return true;
    }
    replay_input_error(in, "expected 'MemcpyHtoD,ADDRESS,BYTES'");
    return false;
}

static bool add_line(trace_list *l, replay_input *in, char *text)
{
    size_t n = strlen(text);

    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = 0;
    if (!n)
        return true;
    if (!strncmp(text, "MemcpyHtoD", 10))
        return add_copy(l, in, text);
    if (!strncmp(text, "Memcpy", 6)) /* to the host: nothing to do */
        return true;
    if (strncmp(text, "kernel", 6)) {
        replay_input_error(in, "neither a copy nor a kernel: '%.64s'", text);
        return false;
    }
    add_kernel(l, replay_input_name(in), text);
    return true;
}

status trace_list_read(const char *path, diag *dg, trace_list *l)
{
    replay_input *in;
    size_t size;
    char *text;
    bool ok = true;

    if (is_kernel(path)) {
        add(l)->path = new_text(path);
        l->kernels = 1;
        return ST_OK;
    }
    if (replay_input_open(path, dg, &in) != ST_OK)
        return ST_INPUT;
    while (ok && (text = replay_input_line(in, &size)))
        ok = add_line(l, in, text);
    ok = ok && !replay_input_failed(in);
    if (ok && !l->kernels) {
        replay_input_error(in, "there is no kernel in the list");
        ok = false;
    }
    replay_input_close(in);
    return ok ? ST_OK : ST_INPUT;
}

void trace_list_fini(trace_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->step[i].path);
    free(l->step);
    *l = (trace_list){0};
}
