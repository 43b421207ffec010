#include "exec/services.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/must.h"
#include "exec/fault.h"
#include "exec/format.h"

enum {
    UNIT = 16,      /* bytes: blocks are multiples, and aligned so */
    SIZES = 4 * 64, /* four sizes of blocks for each power of two */
    FREE_END = 0,   /* of a list of blocks */
};

typedef struct heap { /* of an SM */
    uint64_t base, bytes;
    uint64_t used;         /* from its start on */
    uint16_t *size;        /* of the block that begins in a unit, class + 1;
                              0: none in use */
    uint32_t *next;        /* unit + 1 of the next free block */
    uint32_t first[SIZES]; /* free blocks, by class */
    uint64_t *foreign;     /* addresses that belong to other SMs, to free */
    size_t nforeign, room_foreign;
} heap;

typedef struct part { /* of an SM */
    exec_line *line;
    size_t n, room;
    uint64_t bytes; /* of text */
    uint64_t order, lost;
    exec_child *child;
    size_t nchild, room_child;
    heap heap;
} part;

struct exec_services {
    uint32_t sms;
    uint64_t print_bytes;
    uint64_t heap_base;
    part *part;
    exec_line *line; /* of the last launch */
    size_t count;
};

/* ---- making ------------------------------------------------------------ */

exec_services *exec_services_new(uint32_t sms, uint64_t print_bytes)
{
    exec_services *h = new0(1, sizeof *h);

    h->sms = sms ? sms : 1;
    h->print_bytes = print_bytes;
    h->part = new0(h->sms, sizeof *h->part);
    return h;
}

void exec_services_print_bytes(exec_services *h, uint64_t print_bytes)
{
    h->print_bytes = print_bytes;
}

void exec_services_heap(exec_services *h, uint64_t base, uint64_t bytes)
{
    h->heap_base = base;
    for (uint32_t i = 0; i < h->sms; i++) {
        h->part[i].heap.base = base + i * bytes;
        h->part[i].heap.bytes = bytes;
    }
}

static void free_lines(exec_line *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(line[i].text);
    free(line);
}

void exec_services_free(exec_services *h)
{
    if (!h)
        return;
    for (uint32_t i = 0; i < h->sms; i++) {
        part *p = &h->part[i];

        free_lines(p->line, p->n);
        free(p->child);
        free(p->heap.size);
        free(p->heap.next);
        free(p->heap.foreign);
    }
    free_lines(h->line, h->count);
    free(h->part);
    free(h);
}

static part *part_of_sm(const exec_warp *w)
{
    exec_services *h = w->cta->launch->services;

    return &h->part[w->cta->sm % h->sms];
}

/* ---- printing ---------------------------------------------------------- */

typedef struct reader { /* the thread whose memory is read */
    const exec_warp *w;
    const mem_view *view;
    unsigned lane;
} reader;

static bool read_local(const reader *t, uint64_t at, uint8_t *to, unsigned n)
{
    if (at + n > exec_local_bytes(t->w->cta->launch))
        return false;
    for (unsigned i = 0; i < n; i++, at++)
        to[i] = t->w->local[(at / 4 * ISA_WARP + t->lane) * 4 + at % 4];
    return true;
}

static bool read_memory(void *arg, uint64_t addr, void *to, unsigned n)
{
    const reader *t = arg;
    const exec_cta *c = t->w->cta;

    if (addr - MEM_LOCAL_WINDOW < MEM_WINDOW_BYTES)
        return read_local(t, addr - MEM_LOCAL_WINDOW, to, n);
    if (addr - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES) {
        addr -= MEM_SHARED_WINDOW;
        if (addr + n > c->launch->shared_bytes)
            return false;
        memcpy(to, c->shared + addr, n);
        return true;
    }
    if (!mem_valid(mem_view_image(t->view), addr, n, NULL))
        return false;
    for (unsigned i = 0; i < n; i++)
        mem_view_read(t->view, addr + i, (uint8_t *)to + i, 1);
    return true;
}

static void keep_line(const exec_warp *w, unsigned lane, bool assertion,
                      strbuf *b)
{
    const exec_cta *c = w->cta;
    part *p = part_of_sm(w);
    exec_line l = {.time = w->clock,
                   .order = p->order++,
                   .sm = c->sm,
                   .assertion = assertion,
                   .length = (uint32_t)b->size};

    if (p->bytes + b->size > c->launch->services->print_bytes) {
        p->bytes = UINT64_MAX / 2; /* nothing after it either */
        p->lost++;
        return;
    }
    memcpy(l.cta, c->id, sizeof l.cta);
    exec_thread(c->launch->block, w->index * ISA_WARP + lane, l.thread);
    l.text = new_array(b->size + 1, 1);
    memcpy(l.text, b->text ? b->text : "", b->size + 1);
    p->bytes += b->size;
    GROW(p->line, p->n + 1, p->room);
    p->line[p->n++] = l;
}

/* The operands of __assertfail stand at `args`: expression, file, function,
 * line. */
static bool assertion_text(format_memory *m, const exec_warp *w, unsigned lane,
                           uint64_t args, strbuf *b)
{
    uint64_t at[4];
    uint32_t thread[3];
    const uint32_t *cta = w->cta->id;

    for (unsigned i = 0; i < 4; i++)
        if (!m->read(m->arg, args + 8 * i, &at[i], 8)) {
            m->bad = args + 8 * i;
            return false;
        }
    exec_thread(w->cta->launch->block, w->index * ISA_WARP + lane, thread);
    if (!format_string(m, at[1], b))
        return false;
    strbuf_printf(b, ":%u: ", (unsigned)at[3]);
    if (!format_string(m, at[2], b))
        return false;
    strbuf_printf(b, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `",
                  cta[0], cta[1], cta[2], thread[0], thread[1], thread[2]);
    if (!format_string(m, at[0], b))
        return false;
    strbuf_puts(b, "` failed.\n");
    return true;
}

static uint64_t service_operand(const exec_mem *m, unsigned i, unsigned lane)
{
    return m->data[i][lane] | (uint64_t)m->data[i + 1][lane] << 32;
}

/* One lane; *result is what printf returns. */
static bool print_lane(const exec_warp *w, const exec_mem *m,
                       const mem_view *view, unsigned lane, uint32_t *result,
                       uint64_t *bad)
{
    reader t = {w, view, lane};
    format_memory mem = {.read = read_memory, .arg = &t};
    format_args args = {.at = service_operand(m, 2, lane)};
    strbuf b = {0};
    bool ok;

    *result = 0;
    if (m->in->lut == PRINT_ASSERT) {
        ok = assertion_text(&mem, w, lane, args.at, &b);
    } else {
        args.tagged = m->in->lut == PRINT_OPENCL;
        ok = true;
        if (args.tagged) { /* the bytes of all of them come first */
            uint64_t bytes = 0;

            ok = read_memory(&t, args.at, &bytes, 8);
            mem.bad = args.at;
            args.at += 8;
            args.last = args.at + bytes;
        }
        ok = ok && format_text(&mem, service_operand(m, 0, lane), &args, &b);
        *result = args.tagged ? 0 : args.count;
    }
    if (ok)
        keep_line(w, lane, m->in->lut == PRINT_ASSERT, &b);
    *bad = mem.bad;
    strbuf_fini(&b);
    return ok;
}

static bool service_fault(const exec_warp *w, const exec_mem *m, unsigned lane,
                          enum exec_fault_kind kind, uint64_t addr,
                          exec_fault *fault)
{
    *fault = exec_fault_at(w, kind, 1u << lane);
    fault->pc = m->pc;
    fault->addr = addr;
    fault->size = 1;
    return false;
}

/* ---- kernels of kernels ------------------------------------------------ */

uint64_t exec_kernel_handle(const char *name)
{
    return hash_bytes(name, strlen(name), 0) | 1;
}

/* One lane has got a buffer for the parameters of a kernel; 0: it has not. */
static bool keep_buffer(const exec_warp *w, const exec_mem *m,
                        const mem_view *view, unsigned lane, uint64_t *bad)
{
    reader t = {w, view, lane};
    part *p = part_of_sm(w);
    exec_child c = {.by = w->cta->launch,
                    .kind = CHILD_KERNEL,
                    .buffer = service_operand(m, 0, lane),
                    .sm = w->cta->sm};

    *bad = service_operand(m, 2, lane);
    if (!c.buffer)
        return true;
    if (!read_memory(&t, *bad, &c.kernel, 8) ||
        !read_memory(&t, *bad + 8, c.grid, 12) ||
        !read_memory(&t, *bad + 20, c.block, 12) ||
        !read_memory(&t, *bad + 32, &c.shared_bytes, 4))
        return false;
    GROW(p->child, p->nchild + 1, p->room_child);
    p->child[p->nchild++] = c;
    return true;
}

/* One lane launches what the buffer is for. The last is the likeliest. */
static bool keep_child(const exec_warp *w, const exec_mem *m, unsigned lane,
                       uint64_t *bad)
{
    part *p = part_of_sm(w);

    *bad = service_operand(m, 0, lane);
    for (size_t i = p->nchild; i-- > 0;) {
        exec_child *c = &p->child[i];

        if (c->buffer != *bad || c->launched)
            continue;
        c->launched = true;
        c->time = w->clock;
        c->order = p->order++;
        c->stream = service_operand(m, 2, lane);
        return true;
    }
    return false;
}

/* One lane copies or fills memory: operand A says which. */
static bool keep_copy(const exec_warp *w, const exec_mem *m,
                      const mem_view *view, unsigned lane, uint64_t *bad)
{
    reader t = {w, view, lane};
    part *p = part_of_sm(w);
    exec_child c = {.by = w->cta->launch,
                    .kind = service_operand(m, 0, lane) == CHILD_FILL
                                ? CHILD_FILL
                                : CHILD_COPY,
                    .launched = true,
                    .time = w->clock,
                    .order = p->order++,
                    .sm = w->cta->sm};

    *bad = service_operand(m, 2, lane);
    if (!read_memory(&t, *bad, &c.to, 8) ||
        !read_memory(&t, *bad + 8, &c.from, 8) ||
        !read_memory(&t, *bad + 16, &c.bytes, 8) ||
        !read_memory(&t, *bad + 24, &c.stream, 8))
        return false;
    GROW(p->child, p->nchild + 1, p->room_child);
    p->child[p->nchild++] = c;
    return true;
}

static bool serve_lane(const exec_warp *w, const exec_mem *m,
                       const mem_view *view, unsigned lane, uint32_t *result,
                       uint64_t *bad)
{
    *result = 0;
    if (m->in->lut == PRINT_BUFFER)
        return keep_buffer(w, m, view, lane, bad);
    if (m->in->lut == PRINT_LAUNCH)
        return keep_child(w, m, lane, bad);
    if (m->in->lut == PRINT_COPY)
        return keep_copy(w, m, view, lane, bad);
    return print_lane(w, m, view, lane, result, bad);
}

static int child_by_time(const void *x, const void *y)
{
    const exec_child *a = x, *b = y;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Takes those of `by` away from `p`, and appends what was launched. */
static void take_children(exec_services *h, part *p, const exec_launch *by,
                          exec_child *to, size_t *n)
{
    size_t left = 0;

    for (size_t i = 0; i < p->nchild; i++) {
        const exec_child *c = &p->child[i];

        if (by && c->by != by)
            p->child[left++] = *c;
        else if (by && c->launched)
            to[(*n)++] = *c;
        else if (c->buffer)
            exec_services_drop(h, c->buffer);
    }
    p->nchild = left;
}

exec_child *exec_services_children(exec_services *h, const exec_launch *by,
                                   size_t *count)
{
    exec_child *all;
    size_t n = 0;

    *count = 0;
    for (uint32_t i = 0; i < h->sms; i++)
        n += h->part[i].nchild;
    if (!n)
        return NULL;
    all = new_array(n, sizeof *all);
    for (uint32_t i = 0; i < h->sms; i++)
        take_children(h, &h->part[i], by, all, count);
    if (*count)
        qsort(all, *count, sizeof *all, child_by_time);
    return all;
}

bool exec_services_print(exec_warp *w, const exec_mem *m, const mem_view *view,
                         exec_fault *fault)
{
    uint32_t row[ISA_WARP] = {0};
    uint64_t bad = 0;

    for (uint32_t left = m->mask; left && w->cta->launch->services;
         left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (!serve_lane(w, m, view, l, &row[l], &bad))
            return service_fault(w, m, l, FAULT_BOUNDS, bad, fault);
    }
    if (m->in->lut == PRINT_ASSERT)
        return service_fault(w, m, bits_ctz32(m->mask), FAULT_ASSERT, 0, fault);
    for (uint32_t left = m->mask; left && m->in->dst != ISA_RZ;
         left &= left - 1)
        w->reg[m->in->dst][bits_ctz32(left)] = row[bits_ctz32(left)];
    return true;
}

/* ---- the heap ---------------------------------------------------------- */

/* Blocks of 16, 32, 48, 64, 80, 96, 112, 128, 160, ... bytes. */
static unsigned class_of(uint64_t units)
{
    unsigned log;

    if (units <= 4)
        return (unsigned)units;
    log = 63 - (unsigned)__builtin_clzll(units - 1);
    return 4 * (log - 1) + (unsigned)((units - 1) >> (log - 2) & 3) + 1;
}

static uint64_t units_of(unsigned class)
{
    if (class <= 4)
        return class;
    class --;
    return (uint64_t)(5 + (class & 3)) << (class / 4 - 1);
}

static bool heap_open(heap *p)
{
    size_t units = p->bytes / UNIT;

    if (p->size || !units)
        return p->size != NULL;
    p->size = alloc_try_zeroed(units, sizeof *p->size);
    p->next = alloc_try_zeroed(units, sizeof *p->next);
    if (p->size && p->next)
        return true;
    free(p->size);
    free(p->next);
    p->size = NULL;
    p->next = NULL;
    return false; /* malloc gives nothing */
}

static uint64_t take_heap_units(heap *p, unsigned class, uint32_t unit)
{
    p->size[unit] = (uint16_t)(class + 1);
    return p->base + (uint64_t)unit * UNIT;
}

uint64_t exec_services_malloc(exec_warp *w, uint64_t bytes)
{
    heap *p;
    unsigned class;
    uint64_t units;

    if (!w->cta->launch->services || !bytes)
        return 0;
    p = &part_of_sm(w)->heap;
    if (bytes > p->bytes || !heap_open(p))
        return 0;
    class = class_of(bits_div_up(bytes, UNIT));
    for (unsigned c = class; c < SIZES && c < class + 4; c++) {
        uint32_t unit = p->first[c];

        if (unit == FREE_END)
            continue;
        p->first[c] = p->next[unit - 1];
        return take_heap_units(p, c, unit - 1);
    }
    units = units_of(class);
    if (p->used + units * UNIT > p->bytes)
        return 0;
    p->used += units * UNIT;
    return take_heap_units(p, class, (uint32_t)(p->used / UNIT - units));
}

static bool give_back(heap *p, uint64_t addr)
{
    uint64_t unit = (addr - p->base) / UNIT;
    unsigned class;

    if (addr % UNIT || !p->size || !p->size[unit])
        return false;
    class = p->size[unit] - 1u;
    p->size[unit] = 0;
    p->next[unit] = p->first[class];
    p->first[class] = (uint32_t)unit + 1;
    return true;
}

void exec_services_drop(exec_services *h, uint64_t addr)
{
    give_back(&h->part[(addr - h->heap_base) / h->part[0].heap.bytes].heap,
              addr);
}

static bool in_heap(const heap *p, uint64_t addr)
{
    return addr - p->base < p->bytes;
}

bool exec_services_release(exec_warp *w, uint64_t addr)
{
    exec_services *h = w->cta->launch->services;
    heap *p;

    if (!addr || !h)
        return true;
    p = &part_of_sm(w)->heap;
    if (in_heap(p, addr))
        return give_back(p, addr);
    if (addr - h->heap_base >= h->sms * p->bytes)
        return false;
    GROW(p->foreign, p->nforeign + 1, p->room_foreign);
    p->foreign[p->nforeign++] = addr;
    return true;
}

static void settle_heap(exec_services *h)
{
    for (uint32_t i = 0; i < h->sms; i++) {
        heap *p = &h->part[i].heap;

        for (size_t k = 0; k < p->nforeign; k++)
            exec_services_drop(h, p->foreign[k]);
        p->nforeign = 0;
    }
}

/* ---- the heaps as they were -------------------------------------------- */

typedef struct heap_copy { /* of its used part */
    uint64_t used;
    uint16_t *size;
    uint32_t *next;
    uint32_t first[SIZES];
} heap_copy;

struct exec_heaps {
    uint32_t count;
    heap_copy copy[];
};

void exec_heaps_free(exec_heaps *e)
{
    for (uint32_t i = 0; e && i < e->count; i++) {
        free(e->copy[i].size);
        free(e->copy[i].next);
    }
    free(e);
}

static void keep_heap(const heap *p, heap_copy *to)
{
    size_t units = p->used / UNIT;

    to->used = p->used;
    memcpy(to->first, p->first, sizeof to->first);
    if (!units)
        return;
    to->size = new_copy(p->size, units, sizeof *to->size);
    to->next = new_copy(p->next, units, sizeof *to->next);
}

exec_heaps *exec_services_keep(const exec_services *h)
{
    exec_heaps *e = new0(1, sizeof *e + h->sms * sizeof e->copy[0]);

    e->count = h->sms;
    for (uint32_t i = 0; i < h->sms; i++)
        keep_heap(&h->part[i].heap, &e->copy[i]);
    return e;
}

void exec_services_restore(exec_services *h, const exec_heaps *was)
{
    size_t none;

    free(exec_services_children(h, NULL, &none));
    for (uint32_t i = 0; i < h->sms; i++) {
        heap *p = &h->part[i].heap;
        const heap_copy *from = &was->copy[i];
        size_t units = from->used / UNIT, had = p->used / UNIT;

        if (had > units)
            memset(p->size + units, 0, (had - units) * sizeof *p->size);
        if (units) {
            MUST(heap_open(p));
            memcpy(p->size, from->size, units * sizeof *p->size);
            memcpy(p->next, from->next, units * sizeof *p->next);
        }
        memcpy(p->first, from->first, sizeof p->first);
        p->used = from->used;
    }
}

/* ---- the same as bytes -------------------------------------------------- */

void exec_heaps_put(const exec_heaps *e, strbuf *to)
{
    strbuf_write(to, (const char *)&e->count, sizeof e->count);
    for (uint32_t i = 0; i < e->count; i++) {
        const heap_copy *c = &e->copy[i];
        size_t units = c->used / UNIT;

        strbuf_write(to, (const char *)&c->used, sizeof c->used);
        strbuf_write(to, (const char *)c->first, sizeof c->first);
        if (!units)
            continue;
        strbuf_write(to, (const char *)c->size, units * sizeof *c->size);
        strbuf_write(to, (const char *)c->next, units * sizeof *c->next);
    }
}

typedef struct heap_reader {
    const uint8_t *at;
    size_t left;
} heap_reader;

static bool get_bytes(heap_reader *r, void *to, size_t size)
{
    if (size > r->left)
        return false;
    memcpy(to, r->at, size);
    r->at += size;
    r->left -= size;
    return true;
}

/* Do free lists and blocks lie in the used part? */
static bool is_sound(const heap_copy *c, size_t units)
{
    for (unsigned k = 0; k < SIZES; k++)
        if (c->first[k] > units)
            return false;
    for (size_t k = 0; k < units; k++)
        if (c->size[k] > SIZES || c->next[k] > units)
            return false;
    return true;
}

static bool get_heap(heap_reader *r, const heap *like, heap_copy *c)
{
    if (!get_bytes(r, &c->used, sizeof c->used) ||
        !get_bytes(r, c->first, sizeof c->first) || c->used % UNIT ||
        c->used > like->bytes)
        return false;
    size_t units = c->used / UNIT;
    if (units > r->left / (sizeof *c->size + sizeof *c->next))
        return false;
    if (units) {
        c->size = new_array(units, sizeof *c->size);
        c->next = new_array(units, sizeof *c->next);
        get_bytes(r, c->size, units * sizeof *c->size);
        get_bytes(r, c->next, units * sizeof *c->next);
    }
    return is_sound(c, units);
}

exec_heaps *exec_heaps_get(const exec_services *h, const void *bytes,
                           size_t size)
{
    heap_reader r = {bytes, size};
    exec_heaps *e = new0(1, sizeof *e + h->sms * sizeof e->copy[0]);
    uint32_t count;
    bool good = get_bytes(&r, &count, sizeof count) && count == h->sms;

    for (e->count = 0; good && e->count < h->sms; e->count++)
        good = get_heap(&r, &h->part[e->count].heap, &e->copy[e->count]);
    if (good && !r.left)
        return e;
    e->count = h->sms;
    exec_heaps_free(e);
    return NULL;
}

/* ---- after a launch ---------------------------------------------------- */

static int by_time(const void *x, const void *y)
{
    const exec_line *a = x, *b = y;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void collect_lines(exec_services *h, uint64_t *lost)
{
    size_t n = 0;

    for (uint32_t i = 0; i < h->sms; i++)
        n += h->part[i].n;
    h->line = new0(n + 1, sizeof *h->line);
    h->count = 0;
    for (uint32_t i = 0; i < h->sms; i++) {
        part *p = &h->part[i];

        if (p->n)
            memcpy(h->line + h->count, p->line, p->n * sizeof *p->line);
        h->count += p->n;
        *lost += p->lost;
        p->n = 0;
        p->bytes = p->order = p->lost = 0;
    }
}

const exec_line *exec_services_settle(exec_services *h, size_t *count,
                                      uint64_t *lost)
{
    uint64_t bytes = 0;
    size_t kept = 0;

    *lost = 0;
    free_lines(h->line, h->count);
    settle_heap(h);
    collect_lines(h, lost);
    if (h->count)
        qsort(h->line, h->count, sizeof *h->line, by_time);
    while (kept < h->count && bytes + h->line[kept].length <= h->print_bytes)
        bytes += h->line[kept++].length;
    *lost += h->count - kept;
    for (size_t i = kept; i < h->count; i++)
        free(h->line[i].text);
    h->count = kept;
    *count = kept;
    return h->line;
}
