/* src/sass/load_code.c - the code of kernels: laid out, patched, translated. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "sass/load_parts.h"
#include "sass/translate.h"

enum {
    CODE_ALIGN = 128,
    STACK_REGISTER = 1,
    SYMBOL_FUNCTION = 2,
};

/* ---- Layout ---- */

static bool has_services(const load *l)
{
    for (uint32_t i = 1; i < l->c->symbol_count; i++)
        if (!l->c->symbols[i].section &&
            load_service_of(l->c->symbols[i].name) != LOAD_SERVICES)
            return true;
    return false;
}

bool load_layout(load *l)
{
    const cubin *c = l->c;
    uint64_t largest = 0, end;

    for (uint32_t i = 0; i < c->function_count; i++) {
        uint64_t size = c->sections[c->functions[i].section].size;

        if (size % SASS_INST_BYTES || !size)
            return load_fail(l,
                             "section '%s' has %llu bytes, no number of "
                             "instructions of %d; make it again with nvcc "
                             "or ptxas",
                             c->sections[c->functions[i].section].name,
                             (unsigned long long)size, SASS_INST_BYTES);
        if (c->functions[i].entry && size > largest)
            largest = size;
    }
    end = bits_align_up(largest, CODE_ALIGN);
    l->area = (uint32_t)end;
    l->area_at = ARENA_ARRAY(c->mem, uint32_t, c->function_count + 1);
    if (has_services(l))
        end += (uint64_t)LOAD_SERVICES * SERVICE_INSTS * SASS_INST_BYTES;
    for (uint32_t i = 0; i < c->function_count; i++) {
        if (c->functions[i].entry)
            continue;
        l->area_at[i] = (uint32_t)end;
        end += bits_align_up(c->sections[c->functions[i].section].size,
                             CODE_ALIGN);
        if (end > UINT32_MAX)
            return load_fail(l, "its functions are larger than a GPU can run");
    }
    l->area_end = (uint32_t)end;
    return true;
}

bool load_function_address(const load *l, uint32_t symbol, uint64_t *address)
{
    const cubin_symbol *s = &l->c->symbols[symbol];
    const cubin_function *f = cubin_function_of(l->c, s->section);
    load_service service = load_service_of(s->name);

    if (f && !f->entry) {
        *address = l->area_at[f - l->c->functions] + s->value;
        return true;
    }
    if (s->section)
        return false;
    /* A kernel that calls what is not there is refused by its EXTERNS; the
     * addresses for it are no places in code. */
    *address =
        service == LOAD_SERVICES
            ? ~(uint64_t)0
            : l->area + (uint64_t)service * SERVICE_INSTS * SASS_INST_BYTES;
    return s->bind != 0;
}

/* ---- What a kernel needs of the others ---- */

static bool launches_kernels(const char *name)
{
    return !strncmp(name, "cudaLaunch", 10) ||
           !strncmp(name, "cudaGetParam", 12) ||
           !strncmp(name, "__cudaCDP", 9) || !strncmp(name, "cudaCDP", 7);
}

/* What it calls that is not in the file. False with `why` filled in: Heddle has
 * no such function. */
static bool check_extern(const load *l, const cubin_attribute *a,
                         bool *services, strbuf *why)
{
    for (unsigned at = 0; at + 4 <= a->size; at += 4) {
        const cubin_symbol *s;
        uint32_t symbol;

        memcpy(&symbol, a->at + at, 4);
        if (symbol >= l->c->symbol_count || l->c->symbols[symbol].section)
            continue;
        s = &l->c->symbols[symbol];
        *services = true;
        if (load_service_of(s->name) != LOAD_SERVICES)
            continue;
        strbuf_printf(why, "it %s '%s', which Heddle has for PTX alone",
                      launches_kernels(s->name) ? "launches kernels by"
                                                : "calls",
                      s->name);
        return false;
    }
    return true;
}

static bool check_externs(const load *l, const cubin_function *f,
                          bool *services, strbuf *why)
{
    for (uint32_t i = 0; i < f->attribute_count; i++) {
        const cubin_attribute *a = &l->c->attributes[f->first_attribute + i];

        if (a->number == CUBIN_A_EXTERNS && !check_extern(l, a, services, why))
            return false;
    }
    return true;
}

static bool calls_functions(const load *l, const cubin_function *f)
{
    uint32_t count;
    const cubin_reloc *r = cubin_relocs_of(l->c, f->section, &count);

    for (uint32_t i = 0; i < count; i++) {
        const cubin_function *to =
            cubin_function_of(l->c, l->c->symbols[r[i].symbol].section);

        if (to && !to->entry)
            return true;
    }
    return false;
}

/* Does it need the area? False with `why` filled in: it cannot run. */
static bool check_calls(const load *l, const cubin_function *f, bool *area,
                        strbuf *why)
{
    if (!check_externs(l, f, area, why))
        return false;
    *area |= l->pointers || calls_functions(l, f);
    for (uint32_t i = 0; *area && i < l->c->function_count; i++)
        if (!l->c->functions[i].entry &&
            !check_externs(l, &l->c->functions[i], area, why))
            return false;
    return true;
}

/* ---- Patching ---- */

/* The code of a kernel while it is made. */
typedef struct making {
    load *l;
    const cubin_function *f;
    uint8_t *bytes;
    uint32_t size; /* of `bytes` */
    isa_kernel *k;
    strbuf *why;
} making;

static void put_bits(uint8_t *word, unsigned at, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned bit = at + i;

        word[bit / 8] &= (uint8_t) ~(1u << bit % 8);
        word[bit / 8] |= (uint8_t)((value >> i & 1) << bit % 8);
    }
}

/* Writes an address into an instruction. False: not in that way. */
static bool put_address(uint8_t *word, uint32_t type, uint64_t address)
{
    switch (type) {
    case CUBIN_R_ABS32:
    case CUBIN_R_LOW_32:
        put_bits(word, 32, 32, address);
        return true;
    case CUBIN_R_HIGH_32:
        put_bits(word, 32, 32, address >> 32);
        return true;
    case CUBIN_R_CALL:
    case CUBIN_R_CALL_90:
        put_bits(word, 34, 47, address / 4);
        return true;
    default:
        return false;
    }
}

/* Where what `r` names is in the code; false: it is not code. */
static bool code_address(const making *m, const cubin_reloc *r, uint64_t *out)
{
    const cubin_symbol *s = &m->l->c->symbols[r->symbol];

    if (s->section == m->f->section)
        *out = s->value;
    else if (!load_function_address(m->l, r->symbol, out))
        return false;
    *out += (uint64_t)r->addend;
    return true;
}

static bool refuse_reloc(const making *m, const cubin_reloc *r)
{
    strbuf_printf(m->why,
                  "Heddle does not know how to patch its instruction at "
                  "0x%" PRIx64 " for '%s' (relocation of type %u)",
                  r->offset, m->l->c->symbols[r->symbol].name, r->type);
    return false;
}

/* Of section `section`, which begins at `at` in the code. Addresses of
 * variables are not known yet: see patch_variables. */
static bool patch_section(making *m, uint32_t section, uint32_t at)
{
    const cubin *c = m->l->c;
    uint32_t count;
    const cubin_reloc *all = cubin_relocs_of(c, section, &count);

    for (const cubin_reloc *r = all; r < all + count; r++) {
        const cubin_symbol *s = &c->symbols[r->symbol];
        uint64_t address, offset = r->offset;
        int64_t addend = r->addend;
        uint32_t var;

        if (offset % SASS_INST_BYTES)
            return refuse_reloc(m, r);
        if (load_variable(m->l, r->symbol, &addend, &var))
            continue;
        if (s->section && s->section == m->f->shared)
            address = s->value + (uint64_t)r->addend;
        else if (!code_address(m, r, &address))
            return refuse_reloc(m, r);
        if (!put_address(m->bytes + at + offset, r->type, address))
            return refuse_reloc(m, r);
    }
    return true;
}

/* An immediate that is the address of a variable becomes a constant of bank 4,
 * which is filled at load. */
static bool patch_variables(making *m, uint32_t section, uint32_t at)
{
    uint32_t count;
    const cubin_reloc *all = cubin_relocs_of(m->l->c, section, &count);

    for (const cubin_reloc *r = all; r < all + count; r++) {
        isa_inst *in =
            &m->k->code[(at + (uint32_t)r->offset) / SASS_INST_BYTES];
        int64_t addend = r->addend;
        uint32_t var, offset, source = 0;

        if (!load_variable(m->l, r->symbol, &addend, &var))
            continue;
        while (source < 3 && in->src_kind[source] != SRC_IMM)
            source++;
        if (source == 3 ||
            (r->type != CUBIN_R_LOW_32 && r->type != CUBIN_R_HIGH_32))
            return refuse_reloc(m, r);
        if (!load_slot(m->l, var, addend, &offset)) {
            strbuf_puts(m->why, "it needs more addresses of variables than "
                                "fit a constant bank");
            return false;
        }
        in->src_kind[source] = SRC_CONST;
        in->val[source] =
            CBANK_SYMBOL << 16 | offset | (r->type == CUBIN_R_HIGH_32 ? 4 : 0);
        isa_finish(in);
    }
    return true;
}

/* ---- Translating ---- */

/* What no section fills is never reached; EXIT is what every architecture
 * has. */
static void fill_with_exits(uint8_t *bytes, uint32_t size)
{
    static const uint64_t exit[2] = {0x000000000000794d, 0x000fea0003800000};

    for (uint32_t at = 0; at < size; at += SASS_INST_BYTES)
        memcpy(bytes + at, exit, sizeof exit);
}

static void tell_unknown(const making *m, const strbuf *unknown)
{
    unsigned count = 0;
    const char *end = unknown->text ? unknown->text : "", *first = end;

    for (; *end; end = strchr(end, '\n') + 1, count++)
        if (!strchr(end, '\n'))
            break;
    strbuf_printf(m->why,
                  "%u of its %u instructions are unknown, the first at %.*s",
                  count, m->k->code_count, (int)strcspn(first, "\n"), first);
}

static void put_lines(making *m, const cubin_function *f, uint32_t at)
{
    uint64_t size = m->l->c->sections[f->section].size;

    for (uint32_t offset = 0; offset < size; offset += SASS_INST_BYTES) {
        const cubin_line *line = cubin_line_at(f, offset);
        isa_inst *in = &m->k->code[(at + offset) / SASS_INST_BYTES];

        if (!line)
            continue;
        in->line = line->line;
        in->file = (uint16_t)line->file;
    }
}

static void put_traps(making *m, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to; at += SASS_INST_BYTES) {
        isa_inst *in = &m->k->code[at / SASS_INST_BYTES];

        *in = isa_new(ISA_BPT);
        isa_finish(in);
    }
}

static void put_services(making *m)
{
    for (unsigned s = 0; s < LOAD_SERVICES; s++)
        load_service_code(
            (load_service)s,
            &m->k->code[m->l->area / SASS_INST_BYTES + s * SERVICE_INSTS]);
}

/* Calls `each` for the kernel's section and, if it has the area, for those of
 * functions. */
static bool each_section(making *m,
                         bool (*each)(making *m, uint32_t section, uint32_t at))
{
    const cubin *c = m->l->c;

    if (!each(m, m->f->section, 0))
        return false;
    for (uint32_t i = 0; i < c->function_count; i++)
        if (!c->functions[i].entry && m->size > m->l->area_at[i] &&
            m->l->area_at[i] &&
            !each(m, c->functions[i].section, m->l->area_at[i]))
            return false;
    return true;
}

static bool copy_section(making *m, uint32_t section, uint32_t at)
{
    const cubin_section *s = &m->l->c->sections[section];

    memcpy(m->bytes + at, s->bytes, s->size);
    return true;
}

static bool finish_section(making *m, uint32_t section, uint32_t at)
{
    const cubin_section *s = &m->l->c->sections[section];

    put_lines(m, cubin_function_of(m->l->c, section), at);
    put_traps(m, at + (uint32_t)s->size,
              at ? (uint32_t)bits_align_up(at + s->size, CODE_ALIGN)
                 : (m->size > m->l->area ? m->l->area : m->size));
    return true;
}

static bool translate(making *m)
{
    strbuf unknown = {0};
    bool good = each_section(m, copy_section) && each_section(m, patch_section);

    if (good &&
        !sass_translate(m->l->c->sm, m->bytes, m->size, m->k->code, &unknown)) {
        tell_unknown(m, &unknown);
        good = false;
    }
    strbuf_fini(&unknown);
    return good && each_section(m, patch_variables) &&
           each_section(m, finish_section);
}

/* ---- What follows from it ---- */

static void name_functions(making *m)
{
    const cubin *c = m->l->c;
    isa_kernel *k = m->k;

    if (m->size <= m->l->area)
        return;
    k->functions =
        ARENA_ARRAY(m->l->p->mem, isa_function, c->function_count + 1);
    for (uint32_t i = 0; i < c->function_count; i++)
        if (!c->functions[i].entry)
            k->functions[k->function_count++] = (isa_function){
                .name = arena_strdup(m->l->p->mem, c->functions[i].name),
                .start = m->l->area_at[i] / SASS_INST_BYTES};
}

/* Where the first function inside of the kernel's section begins. */
static uint32_t first_inner(const making *m)
{
    const cubin *c = m->l->c;
    uint64_t first = c->sections[m->f->section].size;

    for (uint32_t i = 1; i < c->symbol_count; i++) {
        const cubin_symbol *s = &c->symbols[i];

        if (s->section == m->f->section && s->type == SYMBOL_FUNCTION &&
            s->value && s->value < first)
            first = s->value;
    }
    return (uint32_t)(first / SASS_INST_BYTES);
}

/* Has a function of the kernel a frame? It may call itself then; attributes of
 * sm_90 say nothing of it. */
static bool moves_stack(const making *m)
{
    uint32_t end =
        (uint32_t)(m->l->c->sections[m->f->section].size / SASS_INST_BYTES);

    for (uint32_t i = first_inner(m); i < end; i++)
        if (m->k->code[i].dst_regs && m->k->code[i].dst == STACK_REGISTER)
            return true;
    return false;
}

/* Registers, and the stack that a call of any function may need. */
static void count_needs(making *m)
{
    const cubin *c = m->l->c;
    isa_kernel *k = m->k;
    bool known = m->f->stack_bytes != CUBIN_UNKNOWN, moves = false;
    uint64_t stack = m->f->frame_bytes;
    uint32_t registers, barriers;

    k->registers = m->f->registers;
    k->barriers = m->f->barriers;
    k->open_stack = m->f->inner_frames || moves_stack(m);
    for (uint32_t i = 0; m->size > m->l->area && i < c->function_count; i++) {
        const cubin_function *f = &c->functions[i];

        if (f->entry)
            continue;
        stack += f->frame_bytes;
        k->open_stack |= f->frame_bytes || f->inner_frames;
        if (f->registers > k->registers)
            k->registers = f->registers;
    }
    if (known && m->f->stack_bytes > stack)
        stack = m->f->stack_bytes;
    if (m->size > m->l->area && has_services(m->l))
        stack += SERVICE_STACK_BYTES;
    k->local_bytes = (uint32_t)bits_align_up(
        stack < UINT32_MAX / 2 ? stack : UINT32_MAX / 2, 16);
    for (uint32_t i = 0; i < k->code_count; i++)
        moves |= k->code[i].op == ISA_USETMAXREG;
    if (moves)
        k->launch_registers = k->registers;
    isa_kernel_usage(k, &registers, &barriers);
    if (registers > k->registers)
        k->registers = registers;
    if (barriers > k->barriers)
        k->barriers = barriers;
}

bool load_code(load *l, const cubin_function *f, isa_kernel *k, strbuf *why)
{
    making m = {.l = l, .f = f, .k = k, .why = why};
    bool area = false, good;

    if (!check_calls(l, f, &area, why))
        return false;
    m.size = (uint32_t)l->c->sections[f->section].size;
    if (area)
        m.size = l->area_end;
    k->code_count = m.size / SASS_INST_BYTES;
    if (k->code_count > l->code_left) {
        strbuf_printf(why,
                      "its code has %u instructions, more than are left of "
                      "the %d that a program may have",
                      k->code_count, SASS_CODE_MOST);
        return false;
    }
    l->code_left -= k->code_count;
    k->code = ARENA_ARRAY(l->p->mem, isa_inst, k->code_count);
    m.bytes = new_array(m.size, 1);
    fill_with_exits(m.bytes, m.size);
    good = translate(&m);
    free(m.bytes);
    if (!good)
        return false;
    if (area && has_services(l))
        put_services(&m);
    name_functions(&m);
    count_needs(&m);
    return true;
}
