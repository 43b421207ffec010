/* src/codegen/unit/lines.c - source lines on their way through the compiler. An
 * operation carries the number of a line; passes copy it to what they make in
 * its place, so that moves, spills and slow paths count for the line they
 * serve. Only the files that the finished code refers to are listed in the
 * program. */

#include "base/must.h"
#include "codegen/unit/unit.h"

#include "base/alloc.h"

uint32_t cu_line(cg_unit *u, uint32_t file, uint32_t line)
{
    uint64_t key = (uint64_t)file << 32 | line, number;

    if (map_get(u->lines, key, &number))
        return (uint32_t)number;
    GROW(u->places, u->nplaces + 2, u->room_places);
    u->places[++u->nplaces] = (cg_place){file, line};
    map_put(u->lines, key, u->nplaces);
    return u->nplaces;
}

static const char *path_of(const cg_unit *u, uint32_t file)
{
    const char *path = file ? ptx_file_path(u->m, file) : u->m->file;

    return path && *path ? path : NULL;
}

static uint16_t new_file(cg_unit *u, const char *path)
{
    isa_program *p = u->p;
    uint16_t *number;

    if (p->file_count == ISA_FILES_MAX)
        return 0;
    ARENA_GROW(p->mem, p->files, p->file_count, u->room_files);
    p->files[p->file_count++] = arena_strdup(p->mem, path);
    number = ARENA_NEW(p->mem, uint16_t);
    *number = (uint16_t)p->file_count;
    strmap_put(u->paths, path, number);
    return *number;
}

/* Two numbers of .file may have the same path. */
static uint16_t file_number(cg_unit *u, uint32_t file)
{
    const char *path;
    const uint16_t *known;
    uint64_t number = 0;

    if (map_get(u->files, file, &number))
        return (uint16_t)number;
    path = path_of(u, file);
    if (path) {
        known = strmap_get(u->paths, path);
        number = known ? *known : new_file(u, path);
    }
    map_put(u->files, file, number);
    return (uint16_t)number;
}

void cu_place_lines(cg_unit *u, isa_kernel *k)
{
    uint32_t line = 0;

    /* Jumps and meeting points without a line in the source get the line of the
     * instruction before them, at the start that of the one behind. */
    for (uint32_t i = 0; i < k->code_count && !line; i++)
        line = k->code[i].line;
    for (uint32_t i = 0; i < k->code_count; i++) {
        isa_inst *in = &k->code[i];

        line = in->line ? in->line : line;
        if (!line)
            continue;
        in->line = u->places[line].line;
        in->file = file_number(u, u->places[line].file);
    }
}
