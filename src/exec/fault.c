/* src/exec/fault.c - where and why a program stopped. */
#include "exec/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/must.h"
#include "base/plural.h"
#include "base/strbuf.h"
#include "isa/print.h"

exec_fault exec_fault_at(const exec_warp *w, enum exec_fault_kind kind,
                         uint32_t lanes)
{
    exec_fault f = {
        .kind = kind,
        .pc = w->simt.pc,
        .lane = lanes ? bits_ctz32(lanes) : 0,
        .warp = w->index,
    };

    for (unsigned d = 0; d < 3; d++)
        f.cta[d] = w->cta->id[d];
    exec_thread(w->cta->launch->block, w->index * ISA_WARP + f.lane, f.thread);
    return f;
}

exec_fault exec_fault_of(const exec_warp *w, const exec_mem *m,
                         enum exec_fault_kind kind, unsigned lane)
{
    exec_fault f = exec_fault_at(w, kind, 1u << lane);

    f.pc = m->pc;
    f.addr = m->addr[lane];
    f.size = m->size;
    f.write = m->in->flags & ISA_F_STORE;
    return f;
}

static const char *const kinds[] = {
    [FAULT_NONE] = "no fault",
    [FAULT_BOUNDS] = "access outside every allocation",
    [FAULT_FREED] = "access to freed memory",
    [FAULT_MISALIGNED] = "misaligned access",
    [FAULT_TRAP] = "trap",
    [FAULT_SHARED_BOUNDS] = "access outside the shared memory of the CTA",
    [FAULT_LOCAL_BOUNDS] = "access outside the local memory of the thread",
    [FAULT_PC] = "ran past the end of the kernel",
    [FAULT_CONST_BOUNDS] = "access outside a constant bank",
    [FAULT_BARRIER] = "barrier above 15, or threads no multiple of 32",
    [FAULT_SPACE] = "atomic operation on local memory",
    [FAULT_STACK] = "divergence stack: nested too deep, or SYNC without SSY",
    [FAULT_CALL] = "call of what is no function of the kernel",
    [FAULT_TEXTURE_HANDLE] = "no image is bound",
    [FAULT_TEXTURE_KIND] = "the image is of another kind",
    [FAULT_TEXTURE_BOUNDS] = "access outside of the image",
    [FAULT_SAMPLER_HANDLE] = "no such sampler",
    [FAULT_ASSERT] = "assertion failed",
    [FAULT_FREE] = "free of what malloc did not return, or twice",
    [FAULT_HAZARD] = "issued while a register that it uses was pending",
    [FAULT_OVERWRITE] =
        "overwrote a register that an older instruction had yet to read",
    [FAULT_DESCRIPTOR] =
        "matrix descriptor: lanes differ, or a field is not understood",
    [FAULT_REGISTERS] = "setmaxnreg",
    [FAULT_DEADLOCK] = "deadlock: no warp of the CTA can run",
    [FAULT_BULK] = "bulk copy",
    [FAULT_CGA_RANK] = "access to the shared memory of a CTA that the "
                       "thread-block cluster has not",
    [FAULT_CGA_EXITED] = "access to the shared memory of a CTA of the "
                         "thread-block cluster that has ended, or not begun",
};

const char *exec_fault_kind_text(enum exec_fault_kind kind)
{
    return kinds[kind];
}

/* Appends at *at, never past the end. */
__attribute__((format(printf, 4, 5))) static void
append_text(char *text, unsigned size, unsigned *at, const char *fmt, ...)
{
    va_list ap;

    if (*at >= size)
        return;
    va_start(ap, fmt);
    int n = vsnprintf(text + *at, size - *at, fmt, ap);
    va_end(ap);
    *at += n > 0 ? (unsigned)n : 0;
}

static bool has_address(enum exec_fault_kind kind)
{
    switch (kind) {
    case FAULT_BOUNDS:
    case FAULT_FREED:
    case FAULT_MISALIGNED:
    case FAULT_SHARED_BOUNDS:
    case FAULT_LOCAL_BOUNDS:
    case FAULT_CONST_BOUNDS:
    case FAULT_SPACE:
    case FAULT_DESCRIPTOR:
    case FAULT_BULK:
    case FAULT_CGA_RANK:
    case FAULT_CGA_EXITED:
        return true;
    case FAULT_NONE:
    case FAULT_TRAP:
    case FAULT_PC:
    case FAULT_BARRIER:
    case FAULT_STACK:
    case FAULT_CALL:
    case FAULT_TEXTURE_HANDLE:
    case FAULT_TEXTURE_KIND:
    case FAULT_TEXTURE_BOUNDS:
    case FAULT_SAMPLER_HANDLE:
    case FAULT_ASSERT:
    case FAULT_FREE:
    case FAULT_HAZARD:
    case FAULT_OVERWRITE:
    case FAULT_REGISTERS:
    case FAULT_DEADLOCK:
        return false;
    }
    MUST(!"every value is above");
}

static void put_nearest(char *text, unsigned size, unsigned *at,
                        const mem_image *image, uint64_t addr)
{
    int64_t distance = 0;
    const mem_range *r = mem_nearest(image, addr, &distance);

    if (!r) {
        append_text(text, size, at, "; nothing is allocated");
        return;
    }
    append_text(text, size, at, "; ");
    if (distance < 0)
        append_text(text, size, at, "%" PRId64 " byte%s before ", -distance,
                    word_plural((uint64_t)-distance));
    else if (distance > 0)
        append_text(text, size, at, "%" PRId64 " byte%s past the last byte of ",
                    distance, word_plural((uint64_t)distance));
    else
        append_text(text, size, at, "at byte %" PRIu64 " of ", addr - r->addr);
    append_text(text, size, at, "%sallocation %u",
                r->live       ? ""
                : r->reserved ? "unmapped "
                              : "freed ",
                r->number);
    if (r->name && r->name[0])
        append_text(text, size, at, " '%s'", r->name);
    append_text(text, size, at, " [0x%" PRIx64 ", +%" PRIu64 ")", r->addr,
                r->size);
}

/* Image and coordinates, or the handle that is none. */
static void put_texture(char *text, unsigned size, unsigned *at,
                        const exec_fault *f)
{
    const tex_image *im = f->texture;

    if (!im) {
        append_text(text, size, at, ": handle 0x%" PRIx64, f->addr);
        return;
    }
    append_text(text, size, at, ": image '%s' of %ux%ux%u texels, %u layer%s",
                im->name ? im->name : "?", im->level[0].size[0],
                im->level[0].size[1], im->level[0].size[2], im->layers,
                im->layers == 1 ? "" : "s");
    for (unsigned i = 0; i < f->coords; i++)
        append_text(text, size, at, "%s%d",
                    i          ? ","
                    : f->write ? ", write at ("
                               : ", read at (",
                    f->coord[i]);
    append_text(text, size, at, "%s", f->coords ? ")" : "");
}

static bool has_texture(enum exec_fault_kind kind)
{
    return kind >= FAULT_TEXTURE_HANDLE && kind <= FAULT_SAMPLER_HANDLE;
}

static void put_function(char *text, unsigned size, unsigned *at,
                         const isa_kernel *k, uint32_t pc)
{
    const char *name = NULL;

    for (uint32_t i = 0; i < k->function_count; i++)
        if (k->functions[i].start <= pc)
            name = k->functions[i].name;
    if (name)
        append_text(text, size, at, ", function '%s'", name);
}

void exec_fault_text(const exec_fault *f, const exec_launch *l,
                     const mem_image *image, char *text, unsigned size)
{
    const isa_kernel *k = l->kernel;
    unsigned at = 0;

    if (!size)
        return;
    text[0] = 0;
    append_text(text, size, &at, "%s",
                (unsigned)f->kind < COUNTOF(kinds) ? kinds[f->kind] : "fault");
    if (f->kind == FAULT_BULK)
        append_text(text, size, &at, ": %s%s%s", f->why, f->detail ? ": " : "",
                    f->detail ? f->detail : "");
    if (f->kind == FAULT_REGISTERS)
        append_text(text, size, &at, " %s: the threads of the warp have %u",
                    f->write ? ".dec to more registers than it has"
                             : ".inc to fewer registers than it has",
                    f->size);
    if (has_address(f->kind))
        append_text(text, size, &at, ": %u-byte %s at 0x%" PRIx64, f->size,
                    f->write ? "write" : "read", f->addr);
    if (f->kind >= FAULT_CGA_RANK)
        append_text(text, size, &at, " of CTA %u of a cluster of %ux%ux%u",
                    f->rank, l->cga[0] ? l->cga[0] : 1,
                    l->cga[0] ? l->cga[1] : 1, l->cga[0] ? l->cga[2] : 1);
    if (has_texture(f->kind))
        put_texture(text, size, &at, f);
    append_text(text, size, &at, " in kernel '%s'", k->name ? k->name : "?");
    put_function(text, size, &at, k, f->pc);
    if (f->pc < k->code_count) {
        isa_inst in = k->code[f->pc];
        const char *file = isa_kernel_file(k, &in);
        strbuf b = {0};

        in.ctl = CTL_NONE;
        isa_print(&in, l->arch, &b, NULL, NULL);
        if (in.line)
            append_text(text, size, &at, " (%s:%u)", file ? file : "line",
                        in.line);
        append_text(text, size, &at, ", instruction %u: %s", f->pc,
                    b.text ? b.text : "?");
        strbuf_fini(&b);
    } else {
        append_text(text, size, &at, ", instruction %u of %u", f->pc,
                    k->code_count);
    }
    append_text(text, size, &at,
                ", CTA (%u,%u,%u) thread (%u,%u,%u) warp %u lane %u", f->cta[0],
                f->cta[1], f->cta[2], f->thread[0], f->thread[1], f->thread[2],
                f->warp, f->lane);
    if (f->kind == FAULT_LOCAL_BOUNDS && k->open_stack)
        append_text(text, size, &at,
                    "; the thread has %u bytes for its calls, see --stack",
                    l->stack_bytes);
    if (image && has_address(f->kind) && f->kind != FAULT_SHARED_BOUNDS &&
        f->kind != FAULT_LOCAL_BOUNDS && f->kind != FAULT_CONST_BOUNDS &&
        f->kind != FAULT_BULK && f->kind < FAULT_CGA_RANK)
        put_nearest(text, size, &at, image, f->addr);
}

void exec_place_text(strbuf *b, const isa_kernel *k, uint32_t pc)
{
    const isa_inst *in = pc < k->code_count ? &k->code[pc] : NULL;
    const char *file = in ? isa_kernel_file(k, in) : NULL;

    if (in && in->line)
        strbuf_printf(b, "%s:%" PRIu32, file ? file : "line", in->line);
    else
        strbuf_printf(b, "instruction %" PRIu32, pc);
}
