/* src/sass/load_data.c - global variables are variables of their own; bank 3 is
 * one, so that what has no name is there, too. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sass/load_parts.h"

enum {
    SYMBOL_OBJECT = 1,
    SYMBOL_SECTION = 3,
    SYMBOL_CUDA_OBJECT = 13,
    ALIGN_MOST = 256,
    SLOT_BYTES = 8,
};

/* ---- Variables ---- */

static uint32_t align_of(uint64_t offset)
{
    uint64_t lowest = offset & -offset;

    return lowest && lowest < ALIGN_MOST ? (uint32_t)lowest : ALIGN_MOST;
}

static uint32_t add_var(load *l, isa_var v)
{
    isa_program *p = l->p;

    ARENA_GROW(p->mem, p->vars, p->var_count, l->vars_room);
    p->vars[p->var_count] = v;
    return p->var_count++;
}

static const uint8_t *copy_bytes(load *l, const uint8_t *from, uint64_t size)
{
    uint8_t *to = arena_alloc(l->p->mem, size + 1);

    memcpy(to, from, size);
    return to;
}

static bool is_object(const cubin_symbol *s)
{
    return s->type == SYMBOL_OBJECT || s->type == SYMBOL_CUDA_OBJECT;
}

/* Initial values are copied: symbols that share bytes could make many of a
 * few. */
static bool add_globals(load *l, const char *section)
{
    uint32_t number = cubin_find(l->c, section);
    const cubin_section *in = &l->c->sections[number];
    uint64_t left = 2 * in->size;

    for (uint32_t i = 1; number && i < l->c->symbol_count; i++) {
        const cubin_symbol *s = &l->c->symbols[i];
        isa_var v = {.space = SPACE_GLOBAL,
                     .size = s->size,
                     .align = align_of(s->value)};

        if (s->section != number || !is_object(s))
            continue;
        if (in->bytes && s->size > left)
            return load_fail(l,
                             "section '%s': its variables overlap; make it "
                             "again with nvcc or ptxas",
                             section);
        left -= in->bytes ? s->size : 0;
        v.name = arena_strdup(l->p->mem, s->name);
        if (in->bytes)
            v.init = copy_bytes(l, in->bytes + s->value, s->size);
        l->var_of[i] = add_var(l, v) + 1;
    }
    return true;
}

static bool fits_bank(load *l, const cubin_section *in)
{
    return in->size <= CBANK_BYTES ||
           load_fail(l,
                     "section '%s' has %llu bytes, but a bank has %u; make it "
                     "again with nvcc or ptxas",
                     in->name, (unsigned long long)in->size, CBANK_BYTES);
}

static bool add_constants(load *l)
{
    uint32_t number = cubin_find(l->c, ".nv.constant3");
    const cubin_section *in = &l->c->sections[number];

    if (!number || !in->bytes)
        return true;
    if (!fits_bank(l, in))
        return false;
    l->p->user_const_bytes = (uint32_t)in->size;
    add_var(l, (isa_var){.name = arena_strdup(l->p->mem, in->name),
                         .space = SPACE_CONST,
                         .size = in->size,
                         .align = 1,
                         .init = copy_bytes(l, in->bytes, in->size)});
    for (uint32_t i = 1; i < l->c->symbol_count; i++) {
        const cubin_symbol *s = &l->c->symbols[i];
        isa_var v = {.space = SPACE_CONST, .size = s->size, .align = 1};

        if (s->section != number || !is_object(s))
            continue;
        v.name = arena_strdup(l->p->mem, s->name);
        v.offset = (uint32_t)s->value;
        l->var_of[i] = add_var(l, v) + 1;
    }
    return true;
}

/* ---- By address ---- */

static int compare_places(const void *a, const void *b, void *symbols)
{
    const cubin_symbol *x = (cubin_symbol *)symbols + *(const uint32_t *)a;
    const cubin_symbol *y = (cubin_symbol *)symbols + *(const uint32_t *)b;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void sort_variables(load *l)
{
    l->sorted = ARENA_ARRAY(l->c->mem, uint32_t, l->c->symbol_count);
    for (uint32_t i = 1; i < l->c->symbol_count; i++)
        if (l->var_of[i])
            l->sorted[l->sorted_count++] = i;
    qsort_r(l->sorted, l->sorted_count, sizeof *l->sorted, compare_places,
            l->c->symbols);
}

/* The symbol of the variable that lies there; 0: none does. */
static uint32_t variable_at(const load *l, uint32_t section, uint64_t offset)
{
    uint32_t low = 0, high = l->sorted_count;
    const cubin_symbol *s;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        s = &l->c->symbols[l->sorted[middle]];
        if (s->section < section ||
            (s->section == section && s->value <= offset))
            low = middle + 1;
        else
            high = middle;
    }
    s = low ? &l->c->symbols[l->sorted[low - 1]] : NULL;
    return s && s->section == section && offset - s->value < s->size
               ? l->sorted[low - 1]
               : 0;
}

bool load_variable(const load *l, uint32_t symbol, int64_t *addend,
                   uint32_t *var)
{
    const cubin_symbol *s = &l->c->symbols[symbol];
    uint64_t offset = s->value + (uint64_t)*addend;
    uint32_t at = symbol;

    if (!l->var_of[symbol]) {
        at = s->type == SYMBOL_SECTION && s->section
                 ? variable_at(l, s->section, offset)
                 : 0;
        *addend = (int64_t)(offset - l->c->symbols[at].value);
    }
    if (at)
        *var = l->var_of[at] - 1;
    return at != 0;
}

/* ---- What is patched ---- */

static void add_reloc(load *l, isa_reloc r)
{
    isa_program *p = l->p;

    ARENA_GROW(p->mem, p->relocs, p->reloc_count, l->relocs_room);
    p->relocs[p->reloc_count++] = r;
}

bool load_slot(load *l, uint32_t var, int64_t addend, uint32_t *offset)
{
    uint64_t key = (uint64_t)var << 40 ^ (uint64_t)addend, found;
    const isa_reloc *r;

    if (map_get(l->slots, key, &found)) {
        r = &l->p->relocs[found];
        *offset = r->offset;
        if (r->target == var && r->addend == addend)
            return true;
    }
    *offset = (l->p->symbol_const_bytes + SLOT_BYTES - 1) & ~(SLOT_BYTES - 1u);
    if (*offset > CBANK_BYTES - SLOT_BYTES)
        return false;
    l->p->symbol_const_bytes = *offset + SLOT_BYTES;
    map_put(l->slots, key, l->p->reloc_count);
    add_reloc(l, (isa_reloc){.var = -1,
                             .offset = *offset,
                             .target = var,
                             .addend = addend,
                             .target_kernel = -1});
    return true;
}

/* What `r` has patched, as a relocation of the program: `var` -1 is bank 4.
 * Functions have addresses that no load changes. */
static bool reloc_of(load *l, const cubin_reloc *r, int32_t var,
                     uint32_t offset, const uint8_t *bytes)
{
    const char *section = l->c->sections[r->section].name;
    isa_reloc made = {.var = var, .offset = offset, .target_kernel = -1};
    int64_t addend = r->addend;
    uint64_t address;

    if (r->type != CUBIN_R_64 && r->type != CUBIN_R_GENERIC_64)
        return load_fail(l,
                         "section '%s': Heddle does not know how to patch "
                         "it (relocation of type %u); compile the program "
                         "to PTX",
                         section, r->type);
    if (r->in_place && bytes)
        memcpy(&addend, bytes, sizeof addend);
    if (load_variable(l, r->symbol, &addend, &made.target)) {
        made.addend = addend;
    } else if (load_function_address(l, r->symbol, &address)) {
        made.addend = (int64_t)address + addend;
        made.target_kernel = 0;
        l->pointers |= l->c->symbols[r->symbol].section != 0;
    } else {
        return load_fail(l,
                         "section '%s' needs the address of '%s', which is "
                         "not in the file: link it (nvlink), or compile "
                         "the program to PTX",
                         section, l->c->symbols[r->symbol].name);
    }
    add_reloc(l, made);
    return true;
}

static bool patch_globals(load *l, const cubin_reloc *r)
{
    const cubin_section *in = &l->c->sections[r->section];
    uint32_t symbol = variable_at(l, r->section, r->offset);
    const cubin_symbol *s = &l->c->symbols[symbol];
    uint64_t from = r->offset - s->value;

    if (symbol && s->size >= 8 && from <= s->size - 8)
        return reloc_of(l, r, (int32_t)l->var_of[symbol] - 1, (uint32_t)from,
                        in->bytes + r->offset);
    return load_fail(l,
                     "section '%s': what is to be patched there is no "
                     "variable; make it again with nvcc or ptxas",
                     in->name);
}

static bool patch_bank(load *l, const cubin_reloc *r, int32_t var)
{
    const cubin_section *in = &l->c->sections[r->section];

    if (in->size < 8 || r->offset > in->size - 8)
        return load_fail(l,
                         "section '%s': what is to be patched ends outside "
                         "of it; make it again with nvcc or ptxas",
                         in->name);
    return reloc_of(l, r, var, (uint32_t)r->offset, in->bytes + r->offset);
}

/* Bank 4 is what is patched in it; the rest is 0. */
static bool begin_symbols(load *l, uint32_t constant4)
{
    const cubin_section *in = &l->c->sections[constant4];

    if (!constant4 || !in->bytes)
        return true;
    if (!fits_bank(l, in))
        return false;
    for (uint64_t i = 0; i < in->size; i++)
        if (in->bytes[i])
            return load_fail(l,
                             "section '%s' has constants of its own, which "
                             "Heddle does not know; compile the program to "
                             "PTX",
                             in->name);
    l->p->symbol_const_bytes = (uint32_t)in->size;
    return true;
}

bool load_data(load *l)
{
    uint32_t constant3 = cubin_find(l->c, ".nv.constant3");
    uint32_t constant4 = cubin_find(l->c, ".nv.constant4");
    uint32_t init = cubin_find(l->c, ".nv.global.init");
    int32_t bank3;

    l->var_of = ARENA_ARRAY(l->c->mem, uint32_t, l->c->symbol_count);
    if (!add_globals(l, ".nv.global") || !add_globals(l, ".nv.global.init"))
        return false;
    bank3 = (int32_t)l->p->var_count;
    if (!add_constants(l) || !begin_symbols(l, constant4))
        return false;
    sort_variables(l);
    for (uint32_t i = 0; i < l->c->reloc_count; i++) {
        const cubin_reloc *r = &l->c->relocs[i];
        const cubin_section *in = &l->c->sections[r->section];
        bool good = true;

        if (!r->section || !in->bytes)
            continue;
        if (r->section == init)
            good = patch_globals(l, r);
        else if (r->section == constant3 || r->section == constant4)
            good = patch_bank(l, r, r->section == constant4 ? -1 : bank3);
        if (!good)
            return false;
    }
    return true;
}
