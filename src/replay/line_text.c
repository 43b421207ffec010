#include "replay/line_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "isa/operand.h"
#include "isa/print.h"
#include "mem/image.h"

/* Shared memory is written as offsets where the operation says what it is,
 * local memory and generic addresses as the windows have them. */
enum { BASE_NONE, BASE_LOCAL, BASE_GENERIC };

/* ---- Names ---- */

/* Operations of Heddle's own have the names of what takes as long in the
 * vendor's machine code: Accel-Sim stops at a name that it does not know. */
static const char *vendor_name(unsigned op, isa_arch arch)
{
    if (arch == ARCH_VOLTA && op >= ISA_SULD && op <= ISA_SUREDP)
        return "TEX"; /* surfaces are not in its table of Volta */
    switch (op) {
    case ISA_BFE:
    case ISA_BFI:
        return "BMSK";
    case ISA_SHL:
        return "SHF.L.U32";
    case ISA_DMNMX:
    case ISA_DSET:
        return "DADD";
    case ISA_CRPOL:
        return "LOP3.LUT";
    case ISA_PRINT:
    case ISA_SSY:
        return "NOP";
    case ISA_SYNC:
        return "BSYNC";
    case ISA_MALLOC:
    case ISA_FREE:
        return "S2R";
    default:
        return NULL;
    }
}

static void put_name(const isa_inst *in, isa_arch arch, strbuf *to)
{
    const char *name = vendor_name(in->op, arch);

    if (name)
        strbuf_puts(to, name);
    else
        isa_print_mnemonic(in, to);
}

/* ---- Registers ---- */

static bool is_register(const isa_inst *in, const isa_operand *o)
{
    bool source =
        o->kind == OPND_SRC || o->kind == OPND_REG || o->kind == OPND_BAR;

    return o->kind == OPND_MEM ||
           (source && !o->uniform && in->src_kind[o->index] == SRC_REG);
}

/* Only the first register of each operand, as NVBit has it. */
static void put_registers(const isa_inst *in, isa_arch arch, strbuf *to)
{
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned n = isa_operands(in->op, o), count = 0;

    strbuf_printf(to, in->dst_regs ? " 1 R%u " : " 0 ", in->dst);
    put_name(in, arch, to);
    for (unsigned i = 0; i < n; i++)
        count += is_register(in, &o[i]);
    strbuf_printf(to, " %u ", count);
    for (unsigned i = 0; i < n; i++)
        if (is_register(in, &o[i]))
            strbuf_printf(to, "R%u ", in->src[o[i].index]);
}

/* ---- Instructions ---- */

static uint8_t width_of(const isa_inst *in)
{
    if (in->class != ISA_CLASS_MEM || isa_is_bulk(in->op) ||
        in->op == ISA_PRINT || in->op == ISA_CCTL)
        return 0;
    if (in->op == ISA_LDSM || in->op == ISA_STSM)
        return 16;
    return in->bytes ? in->bytes : 4;
}

static uint8_t base_of(const isa_inst *in)
{
    if ((in->flags & ISA_F_GLOBAL) && (in->flags & ISA_F_SHARED) &&
        in->op != ISA_LDGSTS)
        return BASE_GENERIC;
    return (in->flags & ISA_F_GLOBAL) || !(in->flags & ISA_F_LOCAL)
               ? BASE_NONE
               : BASE_LOCAL;
}

static uint32_t immediate_of(const isa_inst *in)
{
    bool number = in->op == ISA_DEPBAR ||
                  (in->op >= ISA_BARSYNC && in->op <= ISA_BARPOPC &&
                   in->src_kind[0] != SRC_REG);

    return number ? in->lut : 0;
}

void line_texts_init(line_texts *t, const isa_kernel *k, isa_arch arch)
{
    t->count = k->code_count;
    t->part = new0(t->count, sizeof *t->part);
    t->pc = new0(t->count, sizeof *t->pc);
    for (uint32_t i = 0; i < t->count; i++) {
        const isa_inst *in = &k->code[i];
        strbuf text = {0};

        put_registers(in, arch, &text);
        snprintf(t->pc[i], sizeof t->pc[i], "%04x ",
                 (unsigned)isa_address(arch, i));
        t->part[i] = (line_part){.text = text.text,
                                 .width = width_of(in),
                                 .base = base_of(in),
                                 .immediate = immediate_of(in)};
    }
}

void line_texts_fini(line_texts *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->part[i].text);
    free(t->part);
    free(t->pc);
}

/* ---- Lines ---- */

static void put_hex(strbuf *to, uint64_t v, unsigned digits)
{
    char text[16];

    for (unsigned i = digits; i-- > 0; v >>= 4)
        text[i] = "0123456789abcdef"[v & 15];
    strbuf_write(to, text, digits);
}

static unsigned digits_of(uint64_t v)
{
    return v ? (unsigned)bits_log2(v) / 4 + 1 : 1;
}

static void put_decimal(strbuf *to, int64_t v)
{
    char text[24];
    unsigned at = sizeof text;
    uint64_t n = v < 0 ? -(uint64_t)v : (uint64_t)v;

    do
        text[--at] = (char)('0' + n % 10);
    while (n /= 10);
    if (v < 0)
        text[--at] = '-';
    strbuf_write(to, text + at, sizeof text - at);
}

static uint64_t address_of(const line_part *p, const exec_mem *m, unsigned l)
{
    if (p->base == BASE_NONE)
        return m->addr[l];
    if (m->space[EXEC_LOCAL] >> l & 1)
        return MEM_LOCAL_WINDOW + m->addr[l];
    return m->space[EXEC_SHARED] >> l & 1 ? MEM_SHARED_WINDOW + m->addr[l]
                                          : m->addr[l];
}

/* All lanes follow each other, and so do their addresses, by the same distance,
 * which `int` holds: else Accel-Sim could not take them apart. */
static bool has_stride(uint32_t mask, const uint64_t addr[ISA_WARP],
                       int64_t *stride)
{
    unsigned first = bits_ctz32(mask), count = bits_popcount32(mask);

    if (count < 2 || mask >> first != bits_mask32(count))
        return false;
    *stride = (int64_t)(addr[first + 1] - addr[first]);
    for (unsigned l = first + 1; l < first + count; l++)
        if ((int64_t)(addr[l] - addr[l - 1]) != *stride)
            return false;
    return *stride == (int32_t)*stride;
}

static void put_addresses(const line_part *p, uint32_t mask, const exec_mem *m,
                          strbuf *to)
{
    uint64_t addr[ISA_WARP], before;
    int64_t stride;
    bool even;

    for (uint32_t rest = mask; rest; rest &= rest - 1)
        addr[bits_ctz32(rest)] = address_of(p, m, bits_ctz32(rest));
    even = has_stride(mask, addr, &stride);
    before = addr[bits_ctz32(mask)];
    strbuf_puts(to, even ? " 1 0x" : " 2 0x");
    put_hex(to, before, digits_of(before));
    if (even) {
        strbuf_putc(to, ' ');
        put_decimal(to, stride);
        return;
    }
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
        uint64_t at = addr[bits_ctz32(rest)];

        strbuf_putc(to, ' ');
        put_decimal(to, (int64_t)(at - before));
        before = at;
    }
}

void line_text_put(const line_texts *t, uint32_t pc, uint32_t mask,
                   const exec_mem *m, strbuf *to)
{
    const line_part *p = &t->part[pc];

    strbuf_puts(to, t->pc[pc]);
    put_hex(to, mask, 8);
    strbuf_puts(to, p->text);
    put_decimal(to, p->width);
    if (p->width && mask && m)
        put_addresses(p, mask, m, to);
    else if (p->width)
        strbuf_puts(to, " 1 0x0 0");
    strbuf_putc(to, ' ');
    put_decimal(to, p->immediate);
    strbuf_putc(to, '\n');
}
