#include "replay/kernel_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "isa/object.h"
#include "replay/cta_lines.h"
#include "replay/header.h"
#include "replay/line.h"

/* Where the reader is. */
typedef struct reader {
    replay_input *in;
    kernel_trace *k;
    const volatile sig_atomic_t *stop;
    bool in_block, has_number; /* of the CTA: */
    uint64_t number;
    cta_lines lines;
    bool in_warp, counted; /* the number of its lines was given, */
    unsigned warp;
    uint64_t left; /* and so many are to come */
} reader;

static bool fail(reader *r, const char *what)
{
    replay_input_error(r->in, "%s", what);
    return false;
}

/* ---- Instructions ---- */

/* The registers of an operand are there. */
static bool fits(unsigned reg, unsigned count)
{
    return reg == ISA_RZ || reg + count <= ISA_REGS_MAX;
}

/* The instruction as Heddle wrote it. */
static bool take_own(reader *r, replay_inst *x)
{
    const isa_kernel *k = &r->k->own->kernels[0];
    uint32_t index = x->pc / isa_bytes(r->k->own->arch);

    if (index >= k->code_count)
        return fail(r, "the code of the kernel is not that of its trace");
    x->in = k->code[index];
    x->place = index;
    return true;
}

static bool name_instruction(reader *r, const replay_line *l, replay_inst *x)
{
    replay_words w;

    if (!replay_line_words(r->in, l, &w))
        return false;
    if (r->k->own && !take_own(r, x))
        return false;
    x->known =
        r->k->own ? replay_is_known(x->in.op) : replay_opcode(&w, &x->in);
    if (!x->known)
        return true;
    x->act = (uint8_t)replay_act_of(&x->in);
    x->bytes = x->in.bytes;
    if (fits(x->in.dst, x->in.dst_regs) &&
        fits(x->in.src[0], x->in.src_regs[0]) &&
        fits(x->in.src[1], x->in.src_regs[1]) &&
        fits(x->in.src[2], x->in.src_regs[2]))
        return true;
    return fail(r, "the instruction needs registers above R254");
}

/* What of local memory is accessed decides how much of it a thread has. */
static void note_local(kernel_trace *k, const replay_inst *x,
                       const replay_record *is)
{
    bool only = !(x->in.flags & ISA_F_GLOBAL);

    if (!(x->in.flags & ISA_F_LOCAL))
        return;
    for (uint32_t rest = is->mask; rest; rest &= rest - 1) {
        uint64_t at = is->addr[bits_ctz32(rest)];
        bool inside = k->local_base && at - k->local_base < REPLAY_WINDOW;

        if (!inside && !only)
            continue;
        at = (inside ? at - k->local_base : at) % REPLAY_WINDOW;
        if (at < k->local_low)
            k->local_low = at;
        if (at + x->bytes > k->local_high)
            k->local_high = at + x->bytes;
    }
}

/* A power of two, as the caches want it. */
static uint8_t bytes_of(unsigned width)
{
    unsigned n = 1;

    while (n < width && n < 16)
        n *= 2;
    return (uint8_t)n;
}

static bool take_instruction(reader *r, const char *text)
{
    kernel_trace *k = r->k;
    uint64_t immediate;
    unsigned width;
    replay_line l;
    bool fresh;

    if (!replay_line_begin(r->in, text, k->has_lines, &l))
        return false;
    replay_inst *x =
        replay_code_at(&k->code, l.pc, l.text.at, l.text.size, &fresh);
    if (!x)
        return fail(r, "there are too many different instructions for a "
                       "kernel");
    if (fresh && !name_instruction(r, &l, x))
        return false;
    x->executed++;
    k->warp_insts++;
    k->thread_insts += bits_popcount32(l.is.mask);
    if (!x->known) /* told at the end, with all others */
        return true;
    if (!replay_line_end(r->in, &l, k->version, &width, &immediate))
        return false;
    if (fresh && x->in.op == ISA_DEPBAR)
        x->in.lut = immediate < UINT8_MAX ? (uint8_t)immediate : 0;
    if (!x->bytes)
        x->bytes = bytes_of(width);
    if (l.is.has_addresses)
        note_local(k, x, &l.is);
    l.is.inst = (uint32_t)(x - k->code.inst);
    cta_lines_put(&r->lines, &l.is, x->act == REPLAY_EXIT);
    return true;
}

/* ---- Warps and CTAs ---- */

static bool end_warp(reader *r)
{
    if (r->in_warp && !r->counted)
        return fail(r, "the warp before has no line 'insts = N'");
    if (r->left) {
        replay_input_error(r->in,
                           "warp %u ends, but 'insts' says that %" PRIu64
                           " more instructions follow",
                           r->warp, r->left);
        return false;
    }
    if (r->in_warp)
        r->k->unended += cta_lines_end_warp(&r->lines, r->k->block);
    r->in_warp = r->counted = false;
    return true;
}

static bool begin_warp(reader *r, const char *text)
{
    unsigned warps = (unsigned)bits_div_up(
        (uint64_t)r->k->block[0] * r->k->block[1] * r->k->block[2], ISA_WARP);
    unsigned n;
    char more;

    if (!end_warp(r))
        return false;
    if (!r->has_number)
        return fail(r, "a warp before the line 'thread block = X,Y,Z'");
    if (sscanf(text, "warp = %u %c", &n, &more) != 1)
        return fail(r, "expected 'warp = N'");
    if (n >= warps) {
        replay_input_error(r->in, "warp %u of a CTA of %u", n, warps);
        return false;
    }
    if (!cta_lines_begin_warp(&r->lines, n)) {
        replay_input_error(r->in, "warp %u comes twice in its CTA", n);
        return false;
    }
    r->in_warp = true;
    r->warp = n;
    return true;
}

static bool count_lines(reader *r, const char *text)
{
    word w;

    word_next(&text, &w); /* insts */
    if (!r->in_warp || r->counted)
        return fail(r, "'insts' belongs behind 'warp = N'");
    if (!word_next(&text, &w) || w.size != 1 || *w.at != '=' ||
        !word_next(&text, &w) || !word_decimal(w, UINT32_MAX - 1, &r->left))
        return fail(r, "expected 'insts = N'");
    r->counted = true;
    return true;
}

static bool begin_block(reader *r)
{
    if (r->in_block)
        return fail(r, "a CTA begins before the one before has ended");
    r->in_block = true;
    r->has_number = false;
    cta_lines_clear(&r->lines);
    return true;
}

static bool name_block(reader *r, const char *text)
{
    const uint32_t *grid = r->k->grid;
    uint32_t at[3];
    char more;

    if (r->has_number)
        return fail(r, "the CTA has its number already");
    if (sscanf(text, "thread block = %u,%u,%u %c", &at[0], &at[1], &at[2],
               &more) != 3)
        return fail(r, "expected 'thread block = X,Y,Z'");
    if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2]) {
        replay_input_error(r->in, "CTA %u,%u,%u of a grid of %ux%ux%u", at[0],
                           at[1], at[2], grid[0], grid[1], grid[2]);
        return false;
    }
    r->number = at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
    r->has_number = true;
    if (spool_has(r->k->ctas, r->number)) {
        replay_input_error(r->in, "CTA %u,%u,%u comes twice", at[0], at[1],
                           at[2]);
        return false;
    }
    return true;
}

static bool end_block(reader *r)
{
    strbuf bytes = {0};
    bool ok;

    if (!end_warp(r))
        return false;
    if (!r->has_number)
        return fail(r, "the CTA has no line 'thread block = X,Y,Z'");
    r->k->unended += cta_lines_end(&r->lines, r->k->block);
    r->k->warps += bits_popcount64(r->lines.warps);
    cta_lines_pack(&r->lines, &bytes);
    ok = spool_put(r->k->ctas, r->number, bytes.text, bytes.size);
    strbuf_fini(&bytes);
    r->in_block = false;
    return ok || fail(r, "there is no room for it in the folder of temporary "
                         "files (TMPDIR)");
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* A line behind the header. */
static bool take_line(reader *r, const char *text)
{
    if (begins(text, "#BEGIN_TB"))
        return begin_block(r);
    if (!r->in_block)
        return fail(r, "expected '#BEGIN_TB': a raw trace has to be grouped by "
                       "CTAs first (Accel-Sim's post-traces-processing)");
    if (begins(text, "#END_TB"))
        return end_block(r);
    if (begins(text, "thread block"))
        return name_block(r, text);
    if (begins(text, "cluster ")) /* of later versions: not needed */
        return true;
    if (begins(text, "warp"))
        return begin_warp(r, text);
    if (begins(text, "insts"))
        return count_lines(r, text);
    if (!r->left)
        return fail(r, r->counted ? "there are more instructions than 'insts' "
                                    "says"
                                  : "an instruction of no warp");
    r->left--;
    return take_instruction(r, text);
}

static bool check_end(reader *r)
{
    kernel_trace *k = r->k;
    uint64_t all = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];

    k->cta_count = spool_count(k->ctas);
    if (r->in_block)
        return fail(r, "the trace ends in the middle of a CTA");
    if (k->cta_count == all)
        return true;
    replay_input_error(r->in,
                       "the trace ends with %" PRIu64 " of %" PRIu64 " CTAs",
                       k->cta_count, all);
    return false;
}

static bool check_names(reader *r, diag *dg)
{
    strbuf names = {0};
    size_t n = replay_code_unknown(&r->k->code, &names);

    if (n)
        diag_add(dg, DIAG_ERROR, replay_input_name(r->in), 0, 0, 0,
                 "%zu operation%s cannot be replayed (executed so often): %s",
                 n, n == 1 ? "" : "s", names.text);
    strbuf_fini(&names);
    return !n;
}

/* ---- Files ---- */

void kernel_trace_free(kernel_trace *k)
{
    if (!k)
        return;
    free(k->name);
    free(k->code_name);
    isa_program_free(k->own);
    replay_code_fini(&k->code);
    spool_free(k->ctas);
    free(k);
}

/* The code that Heddle wrote beside a trace; without it the names have to do.
 */
static void read_code(reader *r, diag *dg)
{
    kernel_trace *k = r->k;
    const char *slash = strrchr(replay_input_name(r->in), '/');
    strbuf path = {0};
    char *bytes;
    size_t size;

    if (!k->code_name || strchr(k->code_name, '/'))
        return;
    if (slash)
        strbuf_write(&path, replay_input_name(r->in),
                     (size_t)(slash + 1 - replay_input_name(r->in)));
    strbuf_puts(&path, k->code_name);
    diag *why = diag_new();
    if (file_read(path.text, why, &bytes, &size) == ST_OK) {
        if (object_read(path.text, bytes, size, why, &k->own) != ST_OK)
            k->own = NULL;
        free(bytes);
    }
    if (k->own && (k->own->arch < ARCH_VOLTA || k->own->kernel_count != 1)) {
        isa_program_free(k->own);
        k->own = NULL;
    } else if (!k->own) {
        diag_add(dg, DIAG_WARNING, replay_input_name(r->in), 0, 0, 0,
                 "without '%s' constants, predicates and control codes of its "
                 "instructions are not known",
                 path.text);
    }
    diag_free(why);
    strbuf_fini(&path);
}

static bool is_stopped(const reader *r) { return r->stop && *r->stop; }

static bool read_all(reader *r, diag *dg)
{
    size_t size;
    char *text;

    if (!replay_header_read(r->in, r->k))
        return false;
    read_code(r, dg);
    while ((text = replay_input_line(r->in, &size)))
        if ((size && !take_line(r, text)) || is_stopped(r))
            return false;
    return !replay_input_failed(r->in) && check_end(r) && check_names(r, dg);
}

status kernel_trace_take(replay_input *in, const kernel_trace_how *how,
                         diag *dg, kernel_trace **out)
{
    kernel_trace *k = new0(1, sizeof *k);
    reader r = {.in = in, .k = k, .stop = how->stop};
    const char *why;
    bool ok = false;

    k->local_low = UINT64_MAX;
    k->ctas = spool_new(how->folder, &why);
    if (!k->ctas)
        diag_error(dg, "no temporary file can be made: %s", why);
    else
        ok = read_all(&r, dg);
    cta_lines_fini(&r.lines);
    replay_input_close(in);
    if (!ok) {
        kernel_trace_free(k);
        return is_stopped(&r) ? ST_INTERRUPTED : ST_INPUT;
    }
    *out = k;
    return ST_OK;
}

status kernel_trace_read(const char *path, const kernel_trace_how *how,
                         diag *dg, kernel_trace **out)
{
    replay_input *in;
    status st = replay_input_open(path, dg, &in);

    return st == ST_OK ? kernel_trace_take(in, how, dg, out) : st;
}
