#include "driver/checkpoint.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/version.h"
#include "driver/checkpoint_log.h"
#include "driver/checkpoint_memory.h"
#include "driver/checkpoint_program.h"
#include "runtime/memory.h"
#include "session/client.h"

enum {
    REFUSED = 3, /* exit status of the process: as of wrong input elsewhere */
    NAMED = 8,   /* kernels in a sentence */
};

typedef enum checkpoint_mode {
    MODE_NONE,
    MODE_WRITES,
    MODE_READS,
    MODE_FORKED, /* in a child */
} checkpoint_mode;

typedef struct kernel_count {
    const char *name;
    uint64_t launches;
} kernel_count;

static struct {
    pthread_mutex_t lock; /* of all below but `mode` */
    _Atomic checkpoint_mode mode;
    const session_checkpoint *how;
    char *part; /* where it is written; NULL: at its place */
    arena *mem;
    checkpoint_head head;
    checkpoint_out *out;
    checkpoint_in *in;
    checkpoint_memory *memory;
    strbuf name;     /* of log_get */
    strmap *kernels; /* name -> kernel_count in `mem`, and in order: */
    kernel_count **count;
    size_t kernel_count, kernel_room;
    uint64_t launches;
    bool reached; /* it is in the stream */
    char *failed; /* why it cannot be written; NULL: nothing speaks against */
} st = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool checkpoint_writes(void) { return st.mode == MODE_WRITES; }
bool checkpoint_reads(void) { return st.mode == MODE_READS; }
bool checkpoint_active(void) { return st.mode != MODE_NONE; }

static void lock(void) { pthread_mutex_lock(&st.lock); }
static void unlock(void) { pthread_mutex_unlock(&st.lock); }

/* ---- The end of the process ---- */

/* What waits in other streams of the program's may be in use by a thread that
 * reads. */
static _Noreturn void end_process(int code)
{
    fflush(stdout);
    session_close(drv.session, NULL);
    _exit(code);
}

static _Noreturn void refuse(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

static _Noreturn void refuse(const char *fmt, ...)
{
    strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vprintf(&text, fmt, args);
    va_end(args);
    fprintf(stderr, "heddle: %s\n", text.text);
    if (st.part && st.mode == MODE_WRITES)
        unlink(st.part);
    end_process(REFUSED);
}

static _Noreturn void refuse_damaged(void)
{
    refuse("the checkpoint %s ends where it should go on: write it again with "
           "--checkpoint-after",
           st.how->file);
}

/* ---- Beginning ---- */

static char *names_of_gpus(arena *mem)
{
    char *names = arena_strdup(mem, "");

    for (unsigned i = 0; i < drv.device_count; i++)
        names = arena_printf(mem, "%s%s%s", names, i ? " " : "",
                             drv.devices[i]->name);
    return names;
}

static checkpoint_head head_of_process(arena *mem)
{
    return (checkpoint_head){.heddle = version_text,
                             .api = drv.door->api,
                             .name = program_name(mem),
                             .program = program_hash(),
                             .arguments = program_arguments(mem),
                             .gpus = names_of_gpus(mem),
                             .devices = drv.device_count,
                             .kernel = st.how->kernel ? st.how->kernel : "",
                             .nth = st.how->nth};
}

static void check_program(const checkpoint_head *is)
{
    const checkpoint_head *was = &st.head;

    if (strcmp(was->name, is->name) != 0 || strcmp(was->api, is->api) != 0)
        refuse("the checkpoint %s is of the %s program '%s', not of '%s': "
               "resume with that",
               st.how->file, was->api, was->name, is->name);
    if (was->program != is->program)
        refuse("'%s' has changed since the checkpoint %s was written: write "
               "it again with --checkpoint-after",
               is->name, st.how->file);
    if (strcmp(was->arguments, is->arguments) != 0)
        refuse("the checkpoint %s is of '%s %s', not of '%s %s': resume with "
               "the same arguments",
               st.how->file, was->name, was->arguments, is->name,
               is->arguments);
    if (was->devices != is->devices)
        refuse("the checkpoint %s was written with %u GPU%s (--gpu), and there "
               "%s %u: resume with as many",
               st.how->file, was->devices, was->devices == 1 ? "" : "s",
               is->devices == 1 ? "is" : "are", is->devices);
}

/* A file that is no regular one is written as it is; others have another name
 * until they are whole. */
static void open_out(void)
{
    const char *file = st.how->file;
    struct stat is;

    if (stat(file, &is) != 0 || S_ISREG(is.st_mode))
        st.part = arena_printf(st.mem, "%s.part", file);
    st.out = checkpoint_create(st.part ? st.part : file, &st.head);
    if (!st.out)
        refuse("cannot write the checkpoint %s: %s", file, strerror(errno));
}

bool checkpoint_begin(diag *dg)
{
    if (!drv.setup || !drv.setup->checkpoint.file)
        return true;
    st.how = &drv.setup->checkpoint;
    st.mem = arena_new();
    st.kernels = strmap_new();
    checkpoint_head is = head_of_process(st.mem);
    if (st.how->taken)
        refuse("'%s' is a second process that uses a GPU, and a checkpoint is "
               "of one: %s that process alone",
               is.name, st.how->resumes ? "resume" : "write one of");
    st.memory = checkpoint_memory_new(!st.how->resumes);
    if (!st.how->resumes) {
        st.head = is;
        open_out();
        st.mode = MODE_WRITES;
        return true;
    }
    st.in = checkpoint_open(st.how->file, st.mem, &st.head, dg);
    if (!st.in)
        return false;
    check_program(&is);
    st.mode = MODE_READS;
    return true;
}

void checkpoint_forget(void)
{
    if (st.mode != MODE_NONE)
        st.mode = MODE_FORKED;
}

/* ---- Comparing ---- */

static _Noreturn void refuse_difference(const log_event *was,
                                        const log_event *is)
{
    strbuf now = {0}, then = {0};

    log_describe(is, &now);
    log_describe(was, &then);
    refuse("after %" PRIu64 " launch%s the program %s, but when the checkpoint "
           "%s was written, on %s, it then %s: resume with the same input; a "
           "program whose calls depend on the GPU, the time or chance can only "
           "be resumed where these are the same",
           st.launches, st.launches == 1 ? "" : "es", now.text, st.how->file,
           st.head.gpus, then.text);
}

/* The program does this: notes it, or compares it with what it did then. */
static void happens(const log_event *is)
{
    log_event was;

    if (st.mode == MODE_WRITES) {
        log_put(st.out, is);
        return;
    }
    if (!log_get(st.in, &was, &st.name))
        refuse_damaged();
    if (!log_same(&was, is))
        refuse_difference(&was, is);
}

/* A number that is part of what happened: as it was then. */
static void remember(uint64_t *number)
{
    if (st.mode == MODE_WRITES)
        checkpoint_put(st.out, number, sizeof *number);
    else if (!checkpoint_get(st.in, number, sizeof *number))
        refuse_damaged();
}

static void remember_lines(uint64_t addr, uint64_t bytes)
{
    if (st.mode == MODE_WRITES)
        checkpoint_put_lines(st.memory, st.out, addr, bytes);
    else if (!checkpoint_get_lines(st.in))
        refuse_damaged();
}

static bool is_followed(void)
{
    return st.mode == MODE_WRITES || st.mode == MODE_READS;
}

/* ---- Memory ---- */

void checkpoint_took(uint64_t addr, uint64_t bytes)
{
    lock();
    if (is_followed())
        happens(&(log_event){.kind = LOG_TAKE, .at = addr, .bytes = bytes});
    unlock();
}

void checkpoint_gave(uint64_t addr, uint64_t bytes)
{
    lock();
    if (is_followed()) {
        happens(&(log_event){.kind = LOG_GIVE, .at = addr});
        checkpoint_unshare(st.memory, addr, bytes);
    }
    unlock();
}

/* The program is about to see what is there. */
static void shows(uint64_t addr, uint64_t bytes)
{
    happens(&(log_event){.kind = LOG_READ, .at = addr, .bytes = bytes});
    remember_lines(addr, bytes);
}

static void share(uint64_t addr, uint64_t bytes)
{
    shows(addr, bytes);
    checkpoint_share(st.memory, addr, bytes);
}

void drv_shares(uint64_t addr, uint64_t bytes)
{
    lock();
    if (is_followed())
        share(addr, bytes);
    unlock();
}

void drv_pins(uint64_t addr, uint64_t bytes, uint64_t in_page)
{
    lock();
    if (is_followed()) {
        happens(&(log_event){.kind = LOG_PIN, .at = in_page});
        share(addr, bytes);
    }
    unlock();
}

void drv_unmaps(uint64_t addr, uint64_t bytes)
{
    lock();
    if (is_followed()) {
        shows(addr, bytes);
        checkpoint_unshare(st.memory, addr, bytes);
    }
    unlock();
}

typedef struct box_size {
    uint64_t width, height, depth;
} box_size;

/* Where in simulated memory the box lies; no bytes: it is the program's. */
static void span_of(const drv_box *b, const box_size *n, uint64_t *addr,
                    uint64_t *bytes)
{
    *addr = b->bytes ? rt_address(drv.image, b->bytes) : b->addr;
    *bytes = 0;
    if (!rt_memory_holds(drv.image, *addr))
        return;
    if (b->bytes)
        *bytes =
            (n->depth - 1) * b->slice + (n->height - 1) * b->row + n->width;
    else
        rt_memory_find(drv.image, b->addr, addr, bytes);
}

static uint64_t hash_of_box(const drv_box *b, const box_size *n)
{
    uint64_t hash = n->width;

    for (uint64_t z = 0; z < n->depth; z++)
        for (uint64_t y = 0; y < n->height; y++)
            hash = program_data_hash(b->bytes + z * b->slice + y * b->row,
                                     n->width, hash);
    return hash;
}

static void wrote_box(const drv_box *b, const box_size *n, uint64_t addr,
                      uint64_t bytes)
{
    if (!b->bytes) {
        checkpoint_wrote(st.memory, addr, bytes);
        return;
    }
    for (uint64_t z = 0; z < n->depth; z++)
        for (uint64_t y = 0; y < n->height; y++)
            checkpoint_wrote(st.memory, addr + z * b->slice + y * b->row,
                             n->width);
}

static void move(const drv_box *from, const drv_box *to, const box_size *n)
{
    uint64_t a, b, a_bytes, b_bytes;

    span_of(from, n, &a, &a_bytes);
    span_of(to, n, &b, &b_bytes);
    bool there = a_bytes && !checkpoint_shared(st.memory, a);
    if (from->bytes && from->bytes == to->bytes)
        share(a, a_bytes);
    else if (there && b_bytes && !checkpoint_shared(st.memory, b))
        wrote_box(to, n, b, b_bytes); /* perhaps of what kernels wrote */
    else if (there)
        shows(a, a_bytes);
    else if (b_bytes && from->bytes)
        happens(&(log_event){.kind = LOG_WRITE,
                             .at = b,
                             .bytes = n->width * n->height * n->depth,
                             .hash = hash_of_box(from, n)});
}

void drv_moves(const drv_box *from, const drv_box *to, uint64_t width,
               uint64_t height, uint64_t depth)
{
    if (!checkpoint_active() || !width || !height || !depth)
        return;
    lock();
    if (is_followed())
        move(from, to, &(box_size){width, height, depth});
    unlock();
}

void drv_fills(const uint8_t *bytes, uint64_t size)
{
    if (!checkpoint_active())
        return;
    lock();
    if (is_followed())
        happens(&(log_event){.kind = LOG_FILL,
                             .at = rt_address(drv.image, bytes),
                             .bytes = size});
    unlock();
}

void drv_no_checkpoint(const char *does)
{
    lock();
    if (is_followed())
        refuse("the program %s, which no checkpoint can have: leave out %s",
               does,
               st.mode == MODE_WRITES ? "--checkpoint-after" : "--resume");
    unlock();
}

/* ---- Commands ---- */

void checkpoint_runs(const drv_command *c)
{
    lock();
    if (is_followed() && !c->tells) /* it may look anywhere */
        shows(0, UINT64_MAX);
    unlock();
}

void checkpoint_ran(drv_command *c)
{
    lock();
    if (is_followed()) {
        happens(&(log_event){.kind = LOG_COMMAND, .at = c->engine});
        remember(&c->duration_ns);
    }
    unlock();
}

/* The number of this launch among those of its kernel. */
static uint64_t count_launch(const char *kernel)
{
    kernel_count *k = strmap_get(st.kernels, kernel);

    if (!k) {
        k = ARENA_NEW(st.mem, kernel_count);
        k->name = arena_strdup(st.mem, kernel);
        strmap_put(st.kernels, k->name, k);
        GROW(st.count, st.kernel_count + 1, st.kernel_room);
        st.count[st.kernel_count++] = k;
    }
    st.launches++;
    return ++k->launches;
}

static log_event event_of(const drv_launch *l)
{
    const char *source = l->module.source;
    uint64_t hash = program_data_hash(l->params, l->code->param_bytes, 0);
    log_event e = {.kind = LOG_LAUNCH,
                   .at = l->command.queue->device->number,
                   .bytes = l->shared_bytes,
                   .name = l->code->name};

    if (source && drv.door->portable_source)
        hash = hash_bytes(source, strlen(source), hash);
    hash = hash_bytes(l->threads, sizeof l->threads, hash);
    e.hash = hash_bytes(l->offset, sizeof l->offset, hash);
    memcpy(e.grid, l->grid, sizeof e.grid);
    memcpy(e.block, l->block, sizeof e.block);
    return e;
}

/* ---- Launches, while one is written ---- */

static void put_printed(const checkpoint_launch *is)
{
    uint64_t size = 0;

    for (size_t i = 0; i < is->line_count; i++)
        size += is->lines[i].length;
    checkpoint_put(st.out, &size, sizeof size);
    for (size_t i = 0; i < is->line_count; i++)
        checkpoint_put(st.out, is->lines[i].text, is->lines[i].length);
}

static void put_heaps(void)
{
    for (unsigned i = 0; i < drv.device_count; i++) {
        strbuf b = {0};

        rt_heap_put(drv.devices[i]->rt, &b);
        uint64_t size = b.size;
        checkpoint_put(st.out, &size, sizeof size);
        checkpoint_put(st.out, b.text, b.size);
        strbuf_fini(&b);
    }
}

static bool is_chosen(const char *kernel, uint64_t nth)
{
    return nth == st.how->nth && fnmatch(st.how->kernel, kernel, 0) == 0;
}

static void note_launch(const drv_launch *l, const checkpoint_launch *is)
{
    log_event e = event_of(l);
    uint64_t nth = count_launch(l->code->name);
    uint8_t last = is_chosen(l->code->name, nth);
    uint64_t duration = is->duration_ns;

    if (is->is != ST_OK) {
        strbuf why = {0};

        strbuf_printf(&why,
                      "no checkpoint was written to %s: launch %" PRIu64
                      " of '%s' failed before it",
                      st.how->file, nth, l->code->name);
        st.failed = why.text;
        return;
    }
    happens(&e);
    remember(&duration);
    put_printed(is);
    checkpoint_put_shared(st.memory, st.out);
    checkpoint_put(st.out, &last, sizeof last);
    if (!last)
        return;
    checkpoint_put_lines(st.memory, st.out, 0, UINT64_MAX);
    put_heaps();
    st.reached = true;
}

void checkpoint_launched(const drv_launch *l, const checkpoint_launch *is)
{
    lock();
    if (st.mode == MODE_WRITES)
        note_launch(l, is);
    unlock();
}

/* Under its own name. False: errno says why. */
static bool finish_file(void)
{
    bool good = checkpoint_finish(st.out);

    st.out = NULL;
    return good && (!st.part || rename(st.part, st.how->file) == 0);
}

static _Noreturn void finish(void)
{
    strbuf b = {0};
    struct stat is;

    if (!finish_file())
        refuse("cannot write the checkpoint %s: %s", st.how->file,
               strerror(errno));
    uint64_t bytes = stat(st.how->file, &is) == 0 ? (uint64_t)is.st_size : 0;
    strbuf_printf(&b,
                  "a checkpoint of %" PRIu64 " bytes was written to %s after "
                  "launch %" PRIu64 " of the program, which was ended there; "
                  "--resume %s goes on with the next",
                  bytes, st.how->file, st.launches, st.how->file);
    session_note(drv.session, b.text);
    launch_show(UINT64_MAX);
    end_process(0);
}

void checkpoint_settle(void)
{
    if (st.mode == MODE_FORKED)
        refuse("a forked child of the program launches kernels, which no "
               "checkpoint can have: leave out %s",
               st.how->resumes ? "--resume" : "--checkpoint-after");
    if (st.mode != MODE_WRITES)
        return;
    lock();
    if (st.failed)
        refuse("%s", st.failed);
    if (checkpoint_error(st.out))
        refuse("cannot write the checkpoint %s: %s", st.how->file,
               strerror(checkpoint_error(st.out)));
    if (st.reached)
        finish();
    unlock();
}

/* ---- Launches, before it is reached again ---- */

static void print_again(drv_launch *l)
{
    uint64_t size;

    if (!checkpoint_get(st.in, &size, sizeof size) || size > UINT32_MAX)
        refuse_damaged();
    if (!size)
        return;
    exec_line line = {.length = (uint32_t)size, .text = new_array(size + 1, 1)};
    if (!checkpoint_get(st.in, line.text, size))
        refuse_damaged();
    launch_printed(l, &line, 1);
    free(line.text);
}

static void restore_heaps(void)
{
    for (unsigned i = 0; i < drv.device_count; i++) {
        uint64_t size;

        if (!checkpoint_get(st.in, &size, sizeof size) || size > SIZE_MAX / 2)
            refuse_damaged();
        char *bytes = alloc_try_array(size + 1, 1);
        if (!bytes || !checkpoint_get(st.in, bytes, size))
            refuse_damaged();
        if (!rt_heap_get(drv.devices[i]->rt, bytes, size))
            refuse("kernels have used malloc before the checkpoint %s, whose "
                   "heap has another form on this GPU: resume on one of as "
                   "many SMs as %s, with the same --heap",
                   st.how->file, st.head.gpus);
        free(bytes);
    }
}

/* The next launch is simulated. */
static void go_on(void)
{
    strbuf b = {0};

    remember_lines(0, UINT64_MAX);
    restore_heaps();
    checkpoint_close(st.in);
    st.in = NULL;
    checkpoint_memory_free(st.memory);
    st.memory = NULL;
    st.mode = MODE_NONE;
    strbuf_printf(&b,
                  "resumed from %s: the %" PRIu64 " launch%s before it %s not "
                  "simulated and %s not in this report",
                  st.how->file, st.launches, st.launches == 1 ? "" : "es",
                  st.launches == 1 ? "was" : "were",
                  st.launches == 1 ? "is" : "are");
    session_note(drv.session, b.text);
    strbuf_fini(&b);
}

void checkpoint_performs(drv_launch *l)
{
    log_event e = event_of(l);
    uint8_t last;

    lock();
    happens(&e);
    count_launch(l->code->name);
    remember(&l->command.duration_ns);
    print_again(l);
    if (!checkpoint_get_lines(st.in) ||
        !checkpoint_get(st.in, &last, sizeof last))
        refuse_damaged();
    if (last)
        go_on();
    unlock();
}

/* ---- The program ends ---- */

static void put_counts(strbuf *b)
{
    if (!st.kernel_count)
        strbuf_puts(b, "it launched no kernel");
    for (size_t i = 0; i < st.kernel_count && i < NAMED; i++)
        strbuf_printf(b, "%s%s %" PRIu64 " time%s", i ? ", " : "it launched ",
                      st.count[i]->name, st.count[i]->launches,
                      st.count[i]->launches == 1 ? "" : "s");
    if (st.kernel_count > NAMED)
        strbuf_printf(b, " and %zu other kernels", st.kernel_count - NAMED);
}

void checkpoint_end(void)
{
    strbuf b = {0};

    if (!is_followed())
        return;
    put_counts(&b);
    fflush(NULL);
    if (st.mode == MODE_READS)
        refuse("the program has ended before it came to the checkpoint %s "
               "(after launch %" PRIu64 " of '%s'): %s",
               st.how->file, st.head.nth, st.head.kernel, b.text);
    refuse("no checkpoint was written to %s: the program has ended before "
           "launch %" PRIu64 " of '%s'; %s",
           st.how->file, st.how->nth, st.how->kernel, b.text);
}
