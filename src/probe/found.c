#include "probe/found.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void probe_found_init(probe_found *f)
{
    *f = (probe_found){.mem = arena_new()};
}

void probe_found_fini(probe_found *f)
{
    for (size_t i = 0; i < f->curve_count; i++) {
        free(f->curves[i].x);
        free(f->curves[i].y);
    }
    free(f->curves);
    free(f->values);
    arena_free(f->mem);
    *f = (probe_found){0};
}

static void add_value(probe_found *f, probe_value v)
{
    v.id = arena_strdup(f->mem, v.id);
    v.what = arena_strdup(f->mem, v.what);
    if (v.word)
        v.word = arena_strdup(f->mem, v.word);
    GROW(f->values, f->value_count + 1, f->value_room);
    f->values[f->value_count++] = v;
}

void probe_found_number(probe_found *f, const char *probe, const char *id,
                        const char *what, const char *unit, double number)
{
    add_value(f, (probe_value){.probe = probe,
                               .id = id,
                               .what = what,
                               .unit = unit,
                               .number = number});
}

void probe_found_word(probe_found *f, const char *probe, const char *id,
                      const char *what, const char *word)
{
    add_value(
        f,
        (probe_value){
            .probe = probe, .id = id, .what = what, .unit = "", .word = word});
}

const probe_value *probe_found_get(const probe_found *f, const char *id)
{
    for (size_t i = 0; i < f->value_count; i++)
        if (!strcmp(f->values[i].id, id))
            return &f->values[i];
    return NULL;
}

void probe_found_matrix(probe_found *f, unsigned registers,
                        const probe_pairs conflicts)
{
    probe_pairs *copy = arena_alloc(f->mem, sizeof *copy);

    memcpy(copy, conflicts, sizeof *copy);
    f->conflicts = (const probe_pairs *)copy;
    f->registers = registers;
}

size_t probe_found_curve(probe_found *f, const probe_curve *like)
{
    GROW(f->curves, f->curve_count + 1, f->curve_room);
    probe_curve *c = &f->curves[f->curve_count];

    *c = *like;
    c->x = c->y = NULL;
    c->count = c->room = 0;
    c->id = arena_strdup(f->mem, like->id);
    c->what = arena_strdup(f->mem, like->what);
    if (like->line)
        c->line = arena_strdup(f->mem, like->line);
    return f->curve_count++;
}

void probe_found_point(probe_found *f, size_t curve, double x, double y)
{
    probe_curve *c = &f->curves[curve];
    size_t room = c->room;

    GROW(c->x, c->count + 1, room);
    GROW(c->y, c->count + 1, c->room);
    c->x[c->count] = x;
    c->y[c->count++] = y;
}
