/* src/asm/directive.c - everything in a file but labels and instructions. */
#include "asm/directive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asm/data.h"
#include "asm/expr.h"
#include "asm/kernel.h"
#include "base/bits.h"
#include "base/must.h"
#include "base/suggest.h"

enum { NO_ATTRIBUTE = -1 };

/* ---- attributes: size=8 align=4 ---- */

typedef struct attribute {
    const char *name;
    int64_t value; /* NO_ATTRIBUTE if not given */
    asm_token at;
} attribute;

enum { SIZE, ALIGN, OFFSET, ATTRIBUTES };

static bool take_attribute(asm_parser *a, attribute *list)
{
    asm_token name = a->tok;

    if (!asm_expect(a, TOK_NAME, "size=, align= or offset="))
        return false;
    for (unsigned i = 0; i < ATTRIBUTES; i++) {
        if (!asm_is(&name, list[i].name))
            continue;
        if (list[i].value != NO_ATTRIBUTE)
            return asm_fail(a, &name, "%s is given twice", list[i].name);
        if (!asm_expect(a, '=', "'='"))
            return false;
        list[i].at = a->tok;
        return asm_int(a, 0,
                       i == SIZE ? (int64_t)ISA_VAR_BYTES_MAX : UINT32_MAX,
                       &list[i].value);
    }
    return asm_fail(a, &name, "expected size=, align= or offset=");
}

static bool take_attributes(asm_parser *a, attribute list[ATTRIBUTES])
{
    static const char *const names[] = {"size", "align", "offset"};

    for (unsigned i = 0; i < ATTRIBUTES; i++)
        list[i] = (attribute){names[i], NO_ATTRIBUTE, a->tok};
    while (!asm_at_end(a))
        if (!take_attribute(a, list))
            return false;
    if (list[ALIGN].value != NO_ATTRIBUTE &&
        !bits_is_pow2((uint64_t)list[ALIGN].value))
        return asm_fail(a, &list[ALIGN].at, "the alignment is no power of two");
    return true;
}

/* The offset given, or the next one behind `end`. */
static bool place_variable(asm_parser *a, attribute list[ATTRIBUTES],
                           uint64_t end, uint64_t room, uint32_t *offset)
{
    uint64_t align = (uint64_t)list[ALIGN].value;
    uint64_t size = (uint64_t)list[SIZE].value;
    uint64_t at = bits_align_up(end, align);

    if (list[OFFSET].value != NO_ATTRIBUTE)
        at = (uint64_t)list[OFFSET].value;
    if (at % align)
        return asm_fail(a, &list[OFFSET].at, "the offset is not aligned");
    if (at > room || size > room - at)
        return asm_fail(a, &list[SIZE].at, "only %" PRIu64 " bytes are there",
                        room);
    *offset = (uint32_t)at;
    return true;
}

static bool take_word(asm_parser *a, const char *const *words, unsigned count,
                      const char *what, unsigned *index)
{
    asm_token t = a->tok;

    for (*index = 0; *index < count; ++*index) {
        if (asm_is(&t, words[*index])) {
            asm_advance(a);
            return true;
        }
    }
    return asm_fail(a, &t, "expected %s", what);
}

static bool take_symbol_name(asm_parser *a, asm_token *name)
{
    *name = a->tok;
    if (a->tok.kind == TOK_BAD)
        return asm_fail(a, name, "%s", name->why);
    if (a->tok.kind != TOK_NAME && a->tok.kind != TOK_STRING)
        return asm_fail(a, name, "expected a name");
    asm_advance(a);
    return true;
}

/* ---- outside of kernels ---- */

static bool take_arch(asm_parser *a, unsigned unused)
{
    unsigned arch;
    asm_token at = a->tok;

    (void)unused;
    if (a->arch_given)
        return asm_fail(a, &at, ".arch is given twice");
    if (!take_word(a, isa_arch_names, ISA_ARCHS,
                   "fermi, kepler, volta, ampere or hopper", &arch))
        return false;
    if (a->p->kernel_count || a->in_kernel)
        return asm_fail(a, &at, ".arch stands before the first kernel");
    a->p->arch = (isa_arch)arch;
    a->arch_given = true;
    return true;
}

static bool take_bank(asm_parser *a, unsigned field)
{
    int64_t bytes;

    if (!asm_int(a, 0, CBANK_BYTES, &bytes))
        return false;
    *(uint32_t *)((char *)a->p + field) = (uint32_t)bytes;
    return true;
}

/* Where the variables of a space end so far. */
static uint64_t space_end(const isa_program *p, isa_space space)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < p->var_count; i++)
        if (p->vars[i].space == space &&
            p->vars[i].offset + p->vars[i].size > end)
            end = p->vars[i].offset + p->vars[i].size;
    return end;
}

static bool place_var(asm_parser *a, attribute list[ATTRIBUTES], isa_var *v)
{
    isa_program *p = a->p;

    switch (v->space) {
    case SPACE_GLOBAL:
    case SPACE_HANDLE:
        if (list[OFFSET].value == NO_ATTRIBUTE)
            return true;
        return asm_fail(a, &list[OFFSET].at,
                        "a %s variable gets its address when the program is "
                        "loaded",
                        v->space == SPACE_GLOBAL ? "global" : "handle");
    case SPACE_CONST:
        if (!place_variable(a, list, space_end(p, SPACE_CONST), CBANK_BYTES,
                            &v->offset))
            return false;
        if (v->offset + v->size > p->user_const_bytes)
            p->user_const_bytes = v->offset + (uint32_t)v->size;
        return true;
    case SPACE_SHARED:
        return place_variable(a, list, space_end(p, SPACE_SHARED), UINT32_MAX,
                              &v->offset);
    }
    MUST(!"every value is above");
}

static bool take_var(asm_parser *a, unsigned unused)
{
    static const char *const spaces[] = {"global", "const", "shared", "handle"};
    attribute list[ATTRIBUTES];
    isa_program *p = a->p;
    isa_var v = {0}, *kept;
    unsigned space;
    asm_token name;

    (void)unused;
    if (!take_word(a, spaces, 4, "global, const, shared or handle", &space) ||
        !take_symbol_name(a, &name) || !take_attributes(a, list))
        return false;
    if (list[SIZE].value == NO_ATTRIBUTE)
        return asm_fail(a, &name, "the variable needs a size=");
    if (list[ALIGN].value == NO_ATTRIBUTE)
        list[ALIGN].value = 4;
    v.name = asm_text(&name, p->mem);
    v.space = (isa_space)space;
    v.size = (uint64_t)list[SIZE].value;
    v.align = (uint32_t)list[ALIGN].value;
    if (!place_var(a, list, &v))
        return false;
    ARENA_GROW(p->mem, p->vars, p->var_count, a->vars_room);
    p->vars[p->var_count] = v;
    a->var = p->var_count++;
    a->data = &a->initial;
    /* The array may move: names keep a copy of what they need. */
    kept = ARENA_NEW(a->scratch, isa_var);
    *kept = v;
    if (!strmap_get(a->var_names, v.name))
        strmap_put(a->var_names, v.name, kept);
    return true;
}

/* A kernel without a good name is one all the same: its instructions are
 * looked at. */
static bool take_kernel(asm_parser *a, unsigned unused)
{
    asm_token name;
    bool named = take_symbol_name(a, &name);

    (void)unused;
    if (named && !a->arch_given)
        named = asm_fail(a, &name,
                         "a line .arch fermi, kepler, volta, ampere or "
                         "hopper must stand before the first kernel");
    a->arch_given = true; /* one message is enough */
    return asm_kernel_begin(a, &name) && named;
}

/* ---- relocations ---- */

static bool take_sum(asm_parser *a, int64_t least, int64_t most, int64_t *sum)
{
    *sum = 0;
    if (a->tok.kind != '+' && a->tok.kind != '-')
        return true;
    return asm_int(a, least, most, sum);
}

/* NAME+addend or entry KERNEL, resolved at the end of the file. */
static bool take_target(asm_parser *a, asm_pending *x)
{
    asm_pending *kept;

    if (!asm_expect(a, ',', "','"))
        return false;
    x->entry = asm_is(&a->tok, "entry");
    if (x->entry)
        asm_advance(a);
    if (!take_symbol_name(a, &x->target) ||
        !take_sum(a, INT64_MIN, INT64_MAX, &x->reloc.addend))
        return false;
    kept = ARENA_NEW(a->scratch, asm_pending);
    *kept = *x;
    *a->pending_end = kept;
    a->pending_end = &kept->next;
    return true;
}

static bool take_reloc(asm_parser *a, unsigned unused)
{
    asm_pending x = {0};
    int64_t offset;

    (void)unused;
    if (!take_symbol_name(a, &x.var) || !take_sum(a, 0, UINT32_MAX, &offset))
        return false;
    x.reloc.offset = (uint32_t)offset;
    return take_target(a, &x);
}

static bool take_symbol(asm_parser *a, unsigned unused)
{
    asm_pending x = {.var = {.kind = TOK_END}};
    int64_t offset;

    (void)unused;
    if (!asm_int(a, 0, CBANK_BYTES - 8, &offset))
        return false;
    x.reloc.offset = (uint32_t)offset;
    if (x.reloc.offset + 8 > a->p->symbol_const_bytes)
        a->p->symbol_const_bytes = x.reloc.offset + 8;
    return take_target(a, &x);
}

/* $3 is variable number 3, for names that are not unique. */
static bool find_var(asm_parser *a, const asm_token *t, uint32_t *index)
{
    const isa_program *p = a->p;
    char *name = asm_text(t, a->scratch), *end = name;
    unsigned found = 0;

    if (t->kind == TOK_NAME && name[0] == '$') {
        unsigned long n = strtoul(name + 1, &end, 10);

        if (end > name + 1 && !*end && n < p->var_count) {
            *index = (uint32_t)n;
            return true;
        }
    }
    for (uint32_t i = 0; i < p->var_count; i++) {
        if (!strcmp(p->vars[i].name, name)) {
            *index = i;
            found++;
        }
    }
    if (found == 1)
        return true;
    return found ? asm_fail(a, t,
                            "several variables are called %s; write $ and the "
                            "number of the variable",
                            name)
                 : asm_fail(a, t, "unknown variable %s", name);
}

static bool resolve_relocation(asm_parser *a, asm_pending *x)
{
    const isa_program *p = a->p;
    const isa_kernel *k;
    uint32_t var;

    x->reloc.var = x->reloc.target_kernel = -1;
    if (x->var.kind != TOK_END) {
        if (!find_var(a, &x->var, &var))
            return false;
        x->reloc.var = (int32_t)var;
        if (!p->vars[var].init)
            return asm_fail(a, &x->var, "the variable has no data");
        if (p->vars[var].size < 8 || x->reloc.offset > p->vars[var].size - 8)
            return asm_fail(a, &x->var,
                            "the 8 bytes of an address lie outside the "
                            "variable");
    }
    if (!x->entry)
        return find_var(a, &x->target, &x->reloc.target);
    k = isa_program_kernel(p, asm_text(&x->target, a->scratch));
    if (!k)
        return asm_fail(a, &x->target, "unknown kernel");
    x->reloc.target_kernel = (int32_t)(k - p->kernels);
    return true;
}

void asm_resolve(asm_parser *a)
{
    isa_program *p = a->p;

    for (asm_pending *x = a->pending; x; x = x->next) {
        a->failed = false;
        if (!resolve_relocation(a, x))
            continue;
        ARENA_GROW(p->mem, p->relocs, p->reloc_count, a->relocs_room);
        p->relocs[p->reloc_count++] = x->reloc;
    }
}

/* ---- inside of kernels ---- */

static bool take_kernel_number(asm_parser *a, unsigned field)
{
    int64_t most = UINT32_MAX, number;
    asm_token at = a->tok;

    if (field == offsetof(isa_kernel, registers)) {
        a->registers = at;
        most = ISA_REGS_MAX;
    } else if (field == offsetof(isa_kernel, launch_registers)) {
        most = ISA_REGS_MAX;
    } else if (field == offsetof(isa_kernel, barriers)) {
        a->barriers = at;
        most = 16;
    } else if (field == offsetof(isa_kernel, shared_bytes)) {
        a->shared_given = true;
    } else if (field == offsetof(isa_kernel, param_bytes)) {
        a->params_given = true;
        most = CBANK_BYTES - isa_kernel_param_base(&a->k, a->p->arch);
    } else if (field == offsetof(isa_kernel, bank0)) {
        most = ISA_BANK0S - 1;
    } else if (field == offsetof(isa_kernel, param_base)) {
        most = CBANK_BYTES;
    }
    if (!asm_int(a, 0, most, &number))
        return false;
    *(uint32_t *)((char *)&a->k + field) = (uint32_t)number;
    return true;
}

static bool take_kernel_triple(asm_parser *a, unsigned at)
{
    for (unsigned i = 0; i < 3; i++) {
        int64_t number;

        if (i && !asm_expect(a, ',', "','"))
            return false;
        if (!asm_int(a, 0, UINT32_MAX, &number))
            return false;
        ((uint32_t *)((char *)&a->k + at))[i] = (uint32_t)number;
    }
    return true;
}

static bool take_param(asm_parser *a, unsigned unused)
{
    static const char *const kinds[] = {"bytes",   "int",   "float",
                                        "pointer", "image", "sampler"};
    isa_kernel *k = &a->k;
    isa_param x = {0};
    attribute list[ATTRIBUTES];
    unsigned kind;
    uint32_t end = 0;
    asm_token name;

    (void)unused;
    if (!take_word(a, kinds, 6, "bytes, int, float, pointer, image or sampler",
                   &kind) ||
        !take_symbol_name(a, &name) || !take_attributes(a, list))
        return false;
    x.name = asm_text(&name, a->p->mem);
    x.kind = (isa_param_kind)kind;
    if (kind == PARAM_BYTES && list[SIZE].value == NO_ATTRIBUTE)
        return asm_fail(a, &name, "the parameter needs a size=");
    if (list[SIZE].value == NO_ATTRIBUTE)
        list[SIZE].value = kind >= PARAM_POINTER ? 8 : 4;
    if (list[ALIGN].value == NO_ATTRIBUTE)
        list[ALIGN].value = kind == PARAM_BYTES ? 4 : list[SIZE].value;
    if (!bits_is_pow2((uint64_t)list[ALIGN].value))
        return asm_fail(a, &list[SIZE].at, "the parameter needs an align=");
    for (uint32_t i = 0; i < k->param_count; i++)
        if (k->params[i].offset + k->params[i].size > end)
            end = k->params[i].offset + k->params[i].size;
    if (!place_variable(a, list, end,
                        CBANK_BYTES - isa_kernel_param_base(k, a->p->arch),
                        &x.offset))
        return false;
    x.size = (uint32_t)list[SIZE].value;
    x.align = (uint32_t)list[ALIGN].value;
    ARENA_GROW(a->p->mem, k->params, k->param_count, a->params_room);
    k->params[k->param_count++] = x;
    return true;
}

static bool take_constant(asm_parser *a, unsigned unused)
{
    (void)unused;
    a->data = &a->constants;
    return true;
}

/* The number of a source file, a new one if it is the first time. */
static bool file_number(asm_parser *a, const asm_token *name, uint16_t *out)
{
    isa_program *p = a->p;
    const char *text = asm_text(name, p->mem);
    const uint16_t *known = strmap_get(a->file_numbers, text);
    uint16_t *number;

    if (known) {
        *out = *known;
        return true;
    }
    if (p->file_count == ISA_FILES_MAX)
        return asm_fail(a, name, "too many source files");
    ARENA_GROW(p->mem, p->files, p->file_count, a->files_room);
    p->files[p->file_count++] = text;
    number = ARENA_NEW(a->scratch, uint16_t);
    *out = *number = (uint16_t)p->file_count;
    strmap_put(a->file_numbers, text, number);
    return true;
}

/* Inside a kernel the file of the lines that follow, "" for unknown. */
static bool take_file(asm_parser *a, unsigned unused)
{
    asm_token name;

    (void)unused;
    if (!take_symbol_name(a, &name))
        return false;
    a->file_number = 0;
    return !*asm_text(&name, a->scratch) ||
           file_number(a, &name, &a->file_number);
}

static bool take_line(asm_parser *a, unsigned unused)
{
    int64_t line;

    (void)unused;
    if (!asm_int(a, 0, UINT32_MAX, &line))
        return false;
    a->line = (uint32_t)line;
    return true;
}

static bool take_end(asm_parser *a, unsigned unused)
{
    (void)unused;
    if (!asm_at_end(a))
        return true; /* reported by asm_directive */
    asm_kernel_end(a);
    return true;
}

static bool take_set(asm_parser *a, unsigned unused)
{
    asm_token name = a->tok;
    int64_t value, *kept;

    (void)unused;
    if (!asm_expect(a, TOK_NAME, "a name") || !asm_expect(a, ',', "','") ||
        !asm_int(a, INT64_MIN, INT64_MAX, &value))
        return false;
    kept = ARENA_NEW(a->scratch, int64_t);
    *kept = value;
    strmap_put(a->sets, asm_text(&name, a->scratch), kept);
    return true;
}

/* ---- the table ---- */

enum { OUTSIDE = 1, INSIDE = 2, ANYWHERE = 3, DATA = 4 };

static const struct {
    const char *name;
    unsigned where;
    bool (*take)(asm_parser *a, unsigned argument);
    unsigned argument;
} directives[] = {
    {".arch", OUTSIDE, take_arch, 0},
    {".const", OUTSIDE, take_bank, offsetof(isa_program, user_const_bytes)},
    {".symbols", OUTSIDE, take_bank, offsetof(isa_program, symbol_const_bytes)},
    {".var", OUTSIDE, take_var, 0},
    {".reloc", OUTSIDE, take_reloc, 0},
    {".symbol", OUTSIDE, take_symbol, 0},
    {".kernel", ANYWHERE, take_kernel, 0},
    {".set", ANYWHERE, take_set, 0},
    {".registers", INSIDE, take_kernel_number, offsetof(isa_kernel, registers)},
    {".launchregisters", INSIDE, take_kernel_number,
     offsetof(isa_kernel, launch_registers)},
    {".shared", INSIDE, take_kernel_number, offsetof(isa_kernel, shared_bytes)},
    {".sharedreserved", INSIDE, take_kernel_number,
     offsetof(isa_kernel, shared_reserved)},
    {".bank0", INSIDE, take_kernel_number, offsetof(isa_kernel, bank0)},
    {".parambase", INSIDE, take_kernel_number,
     offsetof(isa_kernel, param_base)},
    {".local", INSIDE, take_kernel_number, offsetof(isa_kernel, local_bytes)},
    {".open_stack", INSIDE, take_kernel_number,
     offsetof(isa_kernel, open_stack)},
    {".spill", INSIDE, take_kernel_number, offsetof(isa_kernel, spill_bytes)},
    {".barriers", INSIDE, take_kernel_number, offsetof(isa_kernel, barriers)},
    {".maxthreads", INSIDE, take_kernel_number,
     offsetof(isa_kernel, max_threads)},
    {".params", INSIDE, take_kernel_number, offsetof(isa_kernel, param_bytes)},
    {".reqthreads", INSIDE, take_kernel_triple,
     offsetof(isa_kernel, req_threads)},
    {".reqcluster", INSIDE, take_kernel_triple, offsetof(isa_kernel, req_cga)},
    {".maxclusterrank", INSIDE, take_kernel_number,
     offsetof(isa_kernel, max_cga)},
    {".explicitcluster", INSIDE, take_kernel_number,
     offsetof(isa_kernel, explicit_cga)},
    {".param", INSIDE, take_param, 0},
    {".constant", INSIDE, take_constant, 0},
    {".file", ANYWHERE, take_file, 0},
    {".line", INSIDE, take_line, 0},
    {".end", INSIDE, take_end, 0},
    {".byte", DATA, asm_data_int, 1},
    {".short", DATA, asm_data_int, 2},
    {".word", DATA, asm_data_int, 4},
    {".quad", DATA, asm_data_int, 8},
    {".float", DATA, asm_data_float, 4},
    {".double", DATA, asm_data_float, 8},
    {".zero", DATA, asm_data_zero, 0},
};

static bool unknown_directive(asm_parser *a)
{
    const char *names[COUNTOF(directives)], *near;
    char *word = asm_text(&a->tok, a->scratch);

    for (size_t i = 0; i < COUNTOF(directives); i++)
        names[i] = directives[i].name;
    near = suggest_nearest(word, names, COUNTOF(directives));
    return near ? asm_fail(a, &a->tok, "unknown directive %s; did you mean %s?",
                           word, near)
                : asm_fail(a, &a->tok, "unknown directive %s", word);
}

/* Is a directive for `where` allowed here? */
static bool check_place(asm_parser *a, unsigned where)
{
    if (where == DATA)
        return a->data ||
               asm_fail(a, &a->tok, "data belong behind .var or .constant");
    if (where & (a->in_kernel ? INSIDE : OUTSIDE))
        return true;
    return a->in_kernel ? asm_fail(a, &a->tok,
                                   "not inside a kernel; .end "
                                   "ends it")
                        : asm_fail(a, &a->tok, "only inside a kernel");
}

bool asm_directive(asm_parser *a)
{
    size_t i = 0;

    while (i < COUNTOF(directives) && !asm_is(&a->tok, directives[i].name))
        i++;
    if (i == COUNTOF(directives))
        return unknown_directive(a);
    if (!check_place(a, directives[i].where))
        return false;
    if (directives[i].where != DATA)
        asm_data_end(a);
    asm_advance(a);
    if (!directives[i].take(a, directives[i].argument))
        return false;
    return asm_at_end(a) ||
           asm_fail(a, &a->tok, "expected the end of the line");
}
