#include "replay/trace_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "isa/object.h"
#include "replay/line_text.h"

#define LIST_NAME "kernelslist.g"

struct trace_folder {
    char *path, *error;
    pack_how how;
    unsigned next; /* number to try */
};

/* What a CTA has written until it ends. */
typedef struct out_cta {
    struct out_cta *next; /* in flight, or not in use */
    struct out_cta *previous;
    strbuf *warp;    /* lines, */
    uint32_t *count; /* and how many */
} out_cta;

struct trace_out {
    exec_watcher watcher; /* first */
    trace_folder *folder;
    const exec_launch *launch;
    unsigned number;
    pack *to;
    line_texts texts;
    out_cta *in_flight, *spare;
    bool failed;
};

/* ---- Folders ---- */

static void fail(trace_folder *f, const char *name, int error)
{
    strbuf why = {0};

    strbuf_printf(&why, "%s/%s: %s", f->path, name, strerror(error));
    if (f->error)
        strbuf_fini(&why);
    else
        f->error = why.text;
}

status trace_folder_make(const char *path, diag *dg)
{
    strbuf list = {0};
    int file;

    strbuf_printf(&list, "%s/" LIST_NAME, path);
    if (mkdir(path, 0777) < 0 && errno != EEXIST) {
        diag_error(dg, "cannot make the folder '%s': %s", path,
                   strerror(errno));
        strbuf_fini(&list);
        return ST_IO;
    }
    file = open(list.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        diag_error(dg,
                   "there are traces in '%s' already: a new folder is "
                   "needed",
                   path);
    else if (file < 0)
        diag_error(dg, "cannot write '%s': %s", list.text, strerror(errno));
    else
        close(file);
    strbuf_fini(&list);
    return file < 0 ? ST_IO : ST_OK;
}

trace_folder *trace_folder_new(const char *path, pack_how how)
{
    trace_folder *f = new0(1, sizeof *f);

    f->path = new_text(path);
    f->how = how;
    f->next = 1;
    return f;
}

void trace_folder_free(trace_folder *f)
{
    if (!f)
        return;
    free(f->path);
    free(f->error);
    free(f);
}

const char *trace_folder_error(const trace_folder *f) { return f->error; }

/* A line of the list, at once: other processes add theirs. */
static bool add_line(trace_folder *f, const strbuf *line)
{
    strbuf path = {0};
    int file;
    bool ok;

    strbuf_printf(&path, "%s/" LIST_NAME, f->path);
    file = open(path.text, O_WRONLY | O_APPEND | O_CLOEXEC);
    ok =
        file >= 0 && write(file, line->text, line->size) == (ssize_t)line->size;
    if (!ok)
        fail(f, LIST_NAME, errno ? errno : EIO);
    if (file >= 0)
        close(file);
    strbuf_fini(&path);
    return ok;
}

void trace_folder_copied(trace_folder *f, uint64_t addr, uint64_t bytes)
{
    strbuf line = {0};

    strbuf_printf(&line, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", addr,
                  bytes);
    add_line(f, &line);
    strbuf_fini(&line);
}

static void put_name(const trace_out *t, const char *ending, strbuf *to)
{
    strbuf_printf(to, "kernel-%u%s", t->number, ending);
}

/* ".traceg", and ".xz" or the like. */
static void put_trace_name(const trace_out *t, strbuf *to)
{
    put_name(t, ".traceg", to);
    strbuf_puts(to, pack_ending(t->folder->how));
}

static char *path_of(const trace_out *t,
                     void (*put)(const trace_out *, strbuf *))
{
    strbuf path = {0};

    strbuf_printf(&path, "%s/", t->folder->path);
    put(t, &path);
    return path.text;
}

static void put_code_name(const trace_out *t, strbuf *to)
{
    put_name(t, ".hobj", to);
}

/* The next number that nobody has taken. */
static bool open_trace(trace_out *t)
{
    trace_folder *f = t->folder;

    while (!t->to) {
        t->number = f->next++;
        char *path = path_of(t, put_trace_name);

        t->to = pack_new(path, f->how);
        free(path);
        if (!t->to && errno != EEXIST) {
            fail(f, "kernel", errno);
            return false;
        }
    }
    return true;
}

/* ---- The code ---- */

/* The kernel alone, without what belongs to the rest of its program. */
static bool write_code(trace_out *t)
{
    const isa_kernel *from = t->launch->kernel;
    isa_program *p = isa_program_new(t->launch->arch);
    isa_kernel k = *from;
    char *path = path_of(t, put_code_name);
    diag *dg = diag_new();
    strbuf bytes = {0};
    bool ok;

    k.code = ARENA_ARRAY(p->mem, isa_inst, k.code_count);
    memcpy(k.code, from->code, k.code_count * sizeof *k.code);
    for (uint32_t i = 0; i < k.code_count; i++)
        k.code[i].file = 0;
    p->kernels = &k;
    p->kernel_count = 1;
    object_write(p, &bytes);
    ok = file_write(path, bytes.text, bytes.size, dg) == ST_OK;
    if (!ok)
        fail(t->folder, "kernel", EIO);
    p->kernel_count = 0;
    strbuf_fini(&bytes);
    diag_free(dg);
    free(path);
    isa_program_free(p);
    return ok;
}

/* ---- CTAs ---- */

static void write_text(trace_out *t, const strbuf *text)
{
    if (t->failed || pack_write(t->to, text->text, text->size))
        return;
    fail(t->folder, "kernel", errno);
    t->failed = true;
}

static out_cta *new_cta(uint32_t warps)
{
    out_cta *o = new0(1, sizeof *o);

    o->warp = new0(warps, sizeof *o->warp);
    o->count = new0(warps, sizeof *o->count);
    return o;
}

static void begin_cta(exec_watcher *x, exec_cta *c)
{
    trace_out *t = (trace_out *)x;
    out_cta *o = t->spare;

    if (o)
        t->spare = o->next;
    else
        o = new_cta(t->launch->warps);
    for (uint32_t i = 0; i < t->launch->warps; i++)
        o->warp[i].size = o->count[i] = 0;
    o->previous = NULL;
    o->next = t->in_flight;
    if (o->next)
        o->next->previous = o;
    t->in_flight = o;
    c->traced = o;
}

static void step(exec_watcher *x, const exec_warp *w, uint32_t pc,
                 const exec_mem *m)
{
    trace_out *t = (trace_out *)x;
    out_cta *o = w->cta->traced;

    line_text_put(&t->texts, pc, w->ran, m, &o->warp[w->index]);
    o->count[w->index]++;
}

static void end_cta(exec_watcher *x, exec_cta *c)
{
    trace_out *t = (trace_out *)x;
    out_cta *o = c->traced;
    strbuf head = {0};

    strbuf_printf(&head, "#BEGIN_TB\n\nthread block = %u,%u,%u\n", c->id[0],
                  c->id[1], c->id[2]);
    for (uint32_t i = 0; i < t->launch->warps; i++) {
        strbuf_printf(&head, "\nwarp = %u\ninsts = %u\n", i, o->count[i]);
        write_text(t, &head);
        write_text(t, &o->warp[i]);
        head.size = 0;
    }
    strbuf_puts(&head, "\n#END_TB\n\n");
    write_text(t, &head);
    strbuf_fini(&head);
    if (o->previous)
        o->previous->next = o->next;
    else
        t->in_flight = o->next;
    if (o->next)
        o->next->previous = o->previous;
    o->next = t->spare;
    t->spare = o;
    c->traced = NULL;
}

static void free_ctas(out_cta *o, uint32_t warps)
{
    while (o) {
        out_cta *next = o->next;

        for (uint32_t i = 0; i < warps; i++)
            strbuf_fini(&o->warp[i]);
        free(o->warp);
        free(o->count);
        free(o);
        o = next;
    }
}

/* ---- Launches ---- */

static void write_header(trace_out *t)
{
    static const unsigned versions[ISA_ARCHS] = {20, 35, 70, 80, 90};
    const exec_launch *l = t->launch;
    strbuf b = {0};

    strbuf_printf(&b, "-kernel name = %s\n-kernel id = %u\n", l->kernel->name,
                  t->number);
    strbuf_printf(&b, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n",
                  l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                  l->block[2]);
    strbuf_printf(&b, "-shmem = %u\n-nregs = %u\n", l->shared_bytes,
                  isa_kernel_begins_with(l->kernel));
    strbuf_printf(&b, "-binary version = %u\n-cuda stream id = 0\n",
                  versions[l->arch]);
    strbuf_printf(&b, "-shmem base_addr = 0x%016llx\n", MEM_SHARED_WINDOW);
    strbuf_printf(&b, "-local mem base_addr = 0x%016llx\n", MEM_LOCAL_WINDOW);
    strbuf_puts(&b, "-nvbit version = heddle " HEDDLE_VERSION "\n"
                    "-accelsim tracer version = 5\n-enable lineinfo = 0\n"
                    "-heddle code = ");
    put_code_name(t, &b);
    strbuf_puts(&b, "\n\n#traces format = [line_num] PC mask dest_num "
                    "[reg_dests] opcode src_num [reg_srcs] mem_width "
                    "[adrrescompress?] [mem_addresses] immediate\n\n");
    write_text(t, &b);
    strbuf_fini(&b);
}

static void free_out(trace_out *t)
{
    free_ctas(t->in_flight, t->launch->warps);
    free_ctas(t->spare, t->launch->warps);
    line_texts_fini(&t->texts);
    free(t);
}

trace_out *trace_out_new(trace_folder *f, const exec_launch *l)
{
    trace_out *t = new0(1, sizeof *t);

    t->watcher = (exec_watcher){begin_cta, step, end_cta};
    t->folder = f;
    t->launch = l;
    line_texts_init(&t->texts, l->kernel, l->arch);
    if (!open_trace(t)) {
        free_out(t);
        return NULL;
    }
    if (!write_code(t)) {
        trace_out_drop(t);
        return NULL;
    }
    write_header(t);
    return t;
}

exec_watcher *trace_out_watcher(trace_out *t) { return &t->watcher; }

bool trace_out_end(trace_out *t)
{
    strbuf line = {0};
    bool ok = pack_end(t->to) && !t->failed;

    if (!ok)
        fail(t->folder, "kernel", errno);
    put_trace_name(t, &line);
    strbuf_putc(&line, '\n');
    ok = ok && add_line(t->folder, &line);
    strbuf_fini(&line);
    free_out(t);
    return ok;
}

void trace_out_drop(trace_out *t)
{
    char *path[2];

    if (!t)
        return;
    path[0] = path_of(t, put_trace_name);
    path[1] = path_of(t, put_code_name);
    pack_end(t->to);
    for (unsigned i = 0; i < 2; i++) {
        unlink(path[i]);
        free(path[i]);
    }
    free_out(t);
}
