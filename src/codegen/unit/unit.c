/* src/codegen/unit/unit.c - the variables of a module: places, initial values,
 * and the addresses that the loader fills in. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "codegen/unit/unit.h"
#include "exec/services.h"
#include "mem/tex.h"

void cu_error(cg_unit *u, ptx_place at, uint32_t length, const char *fmt, ...)
{
    char text[512];
    uint64_t key = (uint64_t)at.line << 32 | at.column, seen;
    va_list ap;

    u->failed = u->broken = true;
    if (at.line && map_get(u->reported, key, &seen))
        return;
    map_put(u->reported, key, 1);
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ARENA_GROW(u->p->mem, u->messages, u->nmessages, u->room_messages);
    u->messages[u->nmessages++] =
        (cu_message){at, length ? length : 1, arena_strdup(u->p->mem, text)};
}

static const cg_symbol *cu_symbol(const cg_unit *u, const ptx_var *v)
{
    uint64_t at;

    return map_get(u->symbols, (uintptr_t)v, &at) ? (cg_symbol *)(uintptr_t)at
                                                  : NULL;
}

const cg_symbol *cu_use(cg_unit *u, const ptx_var *v)
{
    const cg_symbol *s = cu_symbol(u, v);

    if (s && s->broken)
        u->failed = true; /* reported at its declaration */
    return s;
}

static uint32_t add_var(cg_unit *u, isa_var v)
{
    ARENA_GROW(u->p->mem, u->vars, u->nvars, u->room_vars);
    u->vars[u->nvars] = v;
    return u->nvars++;
}

static void add_reloc(cg_unit *u, isa_reloc r)
{
    ARENA_GROW(u->p->mem, u->relocs, u->nrelocs, u->room_relocs);
    u->relocs[u->nrelocs++] = r;
}

/* ---- textures and samplers --------------------------------------------- */

/* The value that stands behind `key =` in the braces of an initialiser. */
static bool handle_field(const char *text, const char *key, char value[32])
{
    const char *at = text ? strstr(text, key) : NULL;

    return at && sscanf(at + strlen(key), " = %31[a-z_0-9]", value) == 1;
}

static uint8_t address_mode(const char *text, unsigned d)
{
    static const struct {
        const char *text;
        uint8_t mode;
    } modes[] = {{"wrap", TEX_ADDRESS_REPEAT},
                 {"mirror", TEX_ADDRESS_MIRROR},
                 {"clamp_ogl", TEX_ADDRESS_OGL},
                 {"clamp_to_edge", TEX_ADDRESS_EDGE},
                 {"clamp_to_border", TEX_ADDRESS_BORDER}};
    char key[16], value[32];

    snprintf(key, sizeof key, "addr_mode_%u", d);
    if (handle_field(text, key, value))
        for (unsigned i = 0; i < COUNTOF(modes); i++)
            if (!strcmp(value, modes[i].text))
                return modes[i].mode;
    return TEX_ADDRESS_EDGE;
}

/* A texture, surface or sampler: eight bytes of a description, see isa_var,
 * that the loader makes a handle of. */
static void place_handle(cg_unit *u, const ptx_var *v)
{
    cg_symbol *s = ARENA_NEW(u->p->mem, cg_symbol);
    uint8_t *init = arena_alloc(u->p->mem, ISA_HANDLE_BYTES);
    char value[32];

    if (v->ndims) {
        cu_error(u, v->place, (uint32_t)strlen(v->name),
                 "unsupported array '%s' of textures or samplers", v->name);
        return;
    }
    memset(init, 0, ISA_HANDLE_BYTES);
    init[HANDLE_KIND] = v->type == PTX_TYPE_SAMPLERREF ? HANDLE_SAMPLER
                        : v->type == PTX_TYPE_SURFREF  ? HANDLE_SURFACE
                                                       : HANDLE_TEXTURE;
    if (handle_field(v->opaque, "filter_mode", value))
        init[HANDLE_LINEAR] = !strcmp(value, "linear");
    if (handle_field(v->opaque, "force_unnormalized_coords", value))
        init[HANDLE_UNNORMALISED] = strcmp(value, "0") != 0;
    for (unsigned d = 0; d < 3; d++)
        init[HANDLE_ADDRESS + d] = address_mode(v->opaque, d);
    s->var = v;
    s->space = SPACE_HANDLE;
    s->number = add_var(u, (isa_var){.name = arena_strdup(u->p->mem, v->name),
                                     .space = SPACE_HANDLE,
                                     .size = ISA_HANDLE_BYTES,
                                     .align = 8,
                                     .init = init});
    map_put(u->symbols, (uintptr_t)v, (uintptr_t)s);
}

/* ---- variables --------------------------------------------------------- */

/* All bytes, with zeros where there is no initializer. */
static uint8_t *initial_value(cg_unit *u, const ptx_var *v)
{
    const uint64_t most = 1 << 28;
    uint8_t *init;

    if (v->size > most - u->init_bytes) {
        cu_error(u, v->place, (uint32_t)strlen(v->name),
                 "variables with initial values need more than %u bytes",
                 (unsigned)most);
        return NULL;
    }
    u->init_bytes += v->size;
    init = arena_alloc(u->p->mem, v->size ? v->size : 1);
    memcpy(init, v->init, v->init_size < v->size ? v->init_size : v->size);
    return init;
}

static void place_var(cg_unit *u, const ptx_var *v)
{
    ptx_space space = ptx_space_base(v->space);
    cg_symbol *s;
    isa_var out = {.size = v->size, .align = v->align};

    if (ptx_type_kind(v->type) == PTX_KIND_OPAQUE || space == PTX_SPACE_TEX) {
        place_handle(u, v);
        return;
    }
    if (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_CONST &&
        space != PTX_SPACE_SHARED)
        return;
    s = ARENA_NEW(u->p->mem, cg_symbol);
    s->var = v;
    s->number = UINT32_MAX;
    map_put(u->symbols, (uintptr_t)v, (uintptr_t)s);
    if (space == PTX_SPACE_SHARED) {
        s->space = SPACE_SHARED;
        return;
    }
    if (v->has_init)
        out.init = initial_value(u, v);
    out.name = arena_strdup(u->p->mem, v->name);
    out.space = s->space =
        space == PTX_SPACE_CONST ? SPACE_CONST : SPACE_GLOBAL;
    if (s->space == SPACE_CONST) {
        u->const_bytes =
            (uint32_t)bits_align_up(u->const_bytes, v->align ? v->align : 1);
        out.offset = s->offset = u->const_bytes;
        if (v->size > CBANK_BYTES - u->const_bytes)
            cu_error(u, v->place, (uint32_t)strlen(v->name),
                     "constant variables need more than %u bytes",
                     (unsigned)CBANK_BYTES);
        else
            u->const_bytes += (uint32_t)v->size;
    }
    s->number = add_var(u, out);
}

/* The address of a function is a constant at compile time. */
static void store_handle(cg_unit *u, const cg_symbol *s, const ptx_reloc *r)
{
    uint64_t handle = r->func->entry ? exec_kernel_handle(r->func->name)
                                     : cu_handle(u, r->func);
    uint64_t value = (handle + (uint64_t)r->addend) & r->mask;
    isa_var *v = &u->vars[s->number];
    uint8_t *init;

    if (!v->init || !r->mask || r->size > 8 || r->at + r->size > v->size)
        return;
    init = arena_alloc(u->p->mem, v->size);
    memcpy(init, v->init, v->size);
    value >>= bits_ctz64(r->mask);
    memcpy(init + r->at, &value, r->size);
    v->init = init;
}

static void place_relocs(cg_unit *u, const ptx_var *v)
{
    const cg_symbol *s = cu_symbol(u, v);

    for (uint32_t i = 0; s && i < v->nrelocs; i++) {
        const ptx_reloc *r = &v->relocs[i];
        const cg_symbol *to = r->var ? cu_symbol(u, r->var) : NULL;

        if (r->func && cu_handle(u, r->func)) {
            store_handle(u, s, r);
            continue;
        }
        if (!to || to->number == UINT32_MAX || r->size != 8 ||
            r->mask != UINT64_MAX) {
            cu_error(u, v->place, (uint32_t)strlen(v->name),
                     "unsupported initial value of '%s': only whole addresses "
                     "of global and constant variables can be stored",
                     v->name);
            ((cg_symbol *)s)->broken = true;
            return;
        }
        add_reloc(u, (isa_reloc){.var = (int32_t)s->number,
                                 .offset = (uint32_t)r->at,
                                 .target = to->number,
                                 .addend = r->addend,
                                 .target_kernel = -1});
    }
}

void cu_layout(cg_unit *u)
{
    const ptx_module *m = u->m;

    for (uint32_t i = 0; i < m->nglobals; i++)
        place_var(u, m->globals[i]);
    for (uint32_t i = 0; i < m->nfuncs; i++)
        for (uint32_t j = 0; j < m->funcs[i]->nvars; j++)
            place_var(u, m->funcs[i]->vars[j]);
    for (uint32_t i = 0; i < m->nglobals; i++)
        place_relocs(u, m->globals[i]);
    for (uint32_t i = 0; i < m->nfuncs; i++)
        for (uint32_t j = 0; j < m->funcs[i]->nvars; j++)
            place_relocs(u, m->funcs[i]->vars[j]);
}

uint32_t cu_slot(cg_unit *u, const cg_symbol *s, int64_t addend)
{
    uint64_t key = (uint64_t)s->number << 40 ^ (uint64_t)addend, at;

    if (map_get(u->slots, key, &at))
        return (uint32_t)at;
    at = u->symbol_bytes;
    u->symbol_bytes += 8;
    map_put(u->slots, key, at);
    if (s->space == SPACE_CONST)
        map_put(u->const_slots, at, s->offset + (uint64_t)addend);
    add_reloc(u, (isa_reloc){.var = -1,
                             .offset = (uint32_t)at,
                             .target = s->number,
                             .addend = addend,
                             .target_kernel = -1});
    return (uint32_t)at;
}
