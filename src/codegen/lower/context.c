/* src/codegen/lower/context.c - what every part of the translation uses:
 * refusals, pieces of code behind a guard, shared variables, new functions. */
#include "codegen/lower/context.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

void lo_unsupported(lower *l, const char *why)
{
    const ptx_inst *in = l->in;
    const char *op = ptx_op_text(in->op), *mods = in->mods ? in->mods : "";
    const char *file =
        in->source.file ? ptx_file_path(l->u->m, in->source.file) : NULL;
    uint32_t length = (uint32_t)(strlen(op) + strlen(mods));
    char source[300] = "";

    if (file && in->source.line)
        snprintf(source, sizeof source, " (from %.256s:%u)", file,
                 in->source.line);
    cu_error(l->u, in->place, length, "unsupported instruction '%s%s'%s%s%s",
             op, mods, why ? ": " : "", why ? why : "", source);
}

lo_skip lo_skip_begin(lower *l)
{
    lo_skip s = {NULL};

    if (!l->b.guard.reg)
        return s;
    cg_pred p = l->b.guard;
    l->b.guard = (cg_pred){0};
    s.join = cg_block_new(l->b.f);
    cb_branch(&l->b, cg_not(p), s.join);
    return s;
}

void lo_skip_end(lower *l, lo_skip s)
{
    if (s.join)
        cb_enter(&l->b, s.join);
}

uint32_t lo_dynamic_shared(const lower *l)
{
    return (uint32_t)bits_align_up(l->shared_bytes, l->dynamic_align);
}

static void note_shared(lower *l, const ptx_var *v, uint32_t at)
{
    arena *mem = l->u->p->mem;

    ARENA_GROW(mem, l->shared, l->shared_count, l->shared_room);
    l->shared[l->shared_count++] = (isa_shared){
        arena_strdup(mem, v->name), at, v->unsized ? 0 : (uint32_t)v->size};
}

uint32_t lo_shared_offset(lower *l, const ptx_var *v)
{
    uint64_t at;

    if (v->unsized) { /* dynamic: behind all the others */
        uint32_t align = v->align < 16 ? 16 : v->align;

        if (!l->dynamic_align)
            note_shared(l, v, 0);
        if (l->dynamic_align < align)
            l->dynamic_align = align;
        return lo_dynamic_shared(l);
    }
    if (map_get(l->shared_at, (uintptr_t)v, &at))
        return (uint32_t)at;
    if (v->align < l->shared_least)
        return 0; /* not yet its turn */
    at = bits_align_up(l->shared_bytes, v->align ? v->align : 1);
    if (at + v->size > UINT32_MAX / 2) {
        cu_error(l->u, v->place, 1, "'%s' is too large", v->name);
        return 0;
    }
    map_put(l->shared_at, (uintptr_t)v, at);
    note_shared(l, v, (uint32_t)at);
    l->shared_bytes = (uint32_t)(at + v->size);
    return (uint32_t)at;
}

cg_func *lo_part_new(lower *l, const ptx_func *fn, const char *name)
{
    lo_parts *p = l->parts;
    cg_func *f;

    ARENA_GROW(l->b.f->mem, p->part, p->n, p->room);
    f = cg_func_new(l->b.f->mem, l->b.f->opt, name);
    f->const_slots = l->b.f->const_slots;
    f->pool = l->b.f->pool;
    f->frame_align = l->u->frame_align;
    f->is_function = true;
    p->part[p->n++] = (lo_part){fn, f, NULL};
    return f;
}
