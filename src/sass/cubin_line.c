/* src/sass/cubin_line.c - the lines of functions, from the line programs of
 * .debug_line [DWARF4:line-number-information]. Their addresses are relocated
 * by the symbols of functions. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "isa/program.h"
#include "sass/cubin_parts.h"

enum { VERSION_LEAST = 2, VERSION_MOST = 4 };

/* Opcodes. */
enum {
    OP_EXTENDED,
    OP_COPY,
    OP_ADVANCE_PC,
    OP_ADVANCE_LINE,
    OP_SET_FILE,
    OP_CONST_ADD_PC = 8,
    OP_FIXED_ADVANCE_PC = 9,
    EXTENDED_END = 1,
    EXTENDED_ADDRESS = 2,
};

/* What is left of a section or a part of it; `bad` once it was too short. */
typedef struct reader {
    const uint8_t *at, *end;
    bool bad;
} reader;

typedef struct line_table {
    cubin *c;
    const cubin_section *section;
    map *addresses;      /* offset in the section -> relocation + 1 */
    strmap *known;       /* paths -> numbers from 1 */
    uint32_t files_room; /* of c->files */
    /* Of the unit that is read: */
    uint32_t *files; /* its files, as numbers in c->files from 1 */
    uint32_t file_count, file_room;
    const char **folders;
    uint32_t folder_count, folder_room;
    unsigned min_bytes, line_range, opcode_base;
    int line_base;
    const uint8_t *lengths; /* operands of the opcodes from 1 on */
    /* The state machine: */
    cubin_function *function; /* NULL: of none */
    uint64_t address;
    uint64_t line;
    uint64_t file;
} line_table;

/* ---- Bytes ---- */

static uint64_t get(reader *r, size_t bytes)
{
    uint64_t value = 0;

    if ((size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    return value;
}

static uint64_t get_leb(reader *r, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0, byte;

    do {
        byte = (unsigned)get(r, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !r->bad);
    if (is_signed && byte & 0x40 && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return value;
}

static const char *get_text(reader *r)
{
    const char *text = (const char *)r->at;
    const uint8_t *end = memchr(r->at, 0, (size_t)(r->end - r->at));

    if (!end) {
        r->bad = true;
        r->at = r->end;
        return "";
    }
    r->at = end + 1;
    return text;
}

/* ---- Files ---- */

static uint32_t file_number(line_table *t, const char *folder, const char *name)
{
    bool whole = !*folder || *name == '/';
    char path[PATH_MAX];
    cubin *c = t->c;
    void *known;
    int n = snprintf(path, sizeof path, "%s%s%s", whole ? "" : folder,
                     whole ? "" : "/", name);

    if (n <= 0 || n >= (int)sizeof path)
        return 0;
    if ((known = strmap_get(t->known, path)))
        return (uint32_t)(uintptr_t)known;
    if (c->file_count == ISA_FILES_MAX)
        return 0;
    ARENA_GROW(c->mem, c->files, c->file_count, t->files_room);
    c->files[c->file_count++] = arena_strdup(c->mem, path);
    strmap_put(t->known, c->files[c->file_count - 1],
               (void *)(uintptr_t)c->file_count);
    return c->file_count;
}

static void read_files(line_table *t, reader *r)
{
    const char *text;

    t->folder_count = t->file_count = 0;
    while (*(text = get_text(r))) {
        ARENA_GROW(t->c->mem, t->folders, t->folder_count, t->folder_room);
        t->folders[t->folder_count++] = text;
    }
    while (*(text = get_text(r))) {
        uint64_t folder = get_leb(r, false);

        get_leb(r, false); /* time and size of it */
        get_leb(r, false);
        ARENA_GROW(t->c->mem, t->files, t->file_count, t->file_room);
        t->files[t->file_count++] = file_number(
            t,
            folder && folder <= t->folder_count ? t->folders[folder - 1] : "",
            text);
    }
}

/* ---- Line programs ---- */

static void put_row(line_table *t, bool end)
{
    cubin_function *f = t->function;
    cubin_line row = {.line = (uint32_t)t->line};

    if (!f || t->address > t->c->sections[f->section].size)
        return;
    row.offset = (uint32_t)t->address;
    if (!end && t->file && t->file <= t->file_count && t->line <= UINT32_MAX)
        row.file = t->files[t->file - 1];
    ARENA_GROW(t->c->mem, f->lines, f->line_count, f->line_room);
    f->lines[f->line_count++] = row;
}

static void begin_sequence(line_table *t)
{
    t->function = NULL;
    t->address = 0;
    t->line = t->file = 1;
}

/* The operand of `set address`: relative to the symbol of its relocation. */
static void set_address(line_table *t, reader *r)
{
    uint64_t place = (uint64_t)(r->at - t->section->bytes), number;
    uint64_t value = get(r, 8);
    const cubin_reloc *reloc;
    const cubin_symbol *s;

    t->function = NULL;
    if (!map_get(t->addresses, place, &number))
        return;
    reloc = &t->c->relocs[number];
    s = &t->c->symbols[reloc->symbol];
    t->function = cubin_function_of(t->c, s->section);
    t->address = s->value + (reloc->in_place ? value : (uint64_t)reloc->addend);
}

static void run_extended(line_table *t, reader *r)
{
    uint64_t size = get_leb(r, false);
    const uint8_t *end;

    if (!size || size > (uint64_t)(r->end - r->at)) {
        r->bad = true;
        return;
    }
    end = r->at + size;
    switch (get(r, 1)) {
    case EXTENDED_END:
        put_row(t, true);
        begin_sequence(t);
        break;
    case EXTENDED_ADDRESS:
        if (size == 9)
            set_address(t, r);
        break;
    default: /* names of functions, inlined calls and the like */
        break;
    }
    r->at = end;
}

static void run_special(line_table *t, unsigned opcode)
{
    unsigned step = opcode - t->opcode_base;

    t->address += (uint64_t)(step / t->line_range) * t->min_bytes;
    t->line += (uint64_t)(int64_t)(t->line_base + (int)(step % t->line_range));
    put_row(t, false);
}

static void run_opcode(line_table *t, reader *r, unsigned opcode)
{
    switch (opcode) {
    case OP_EXTENDED:
        run_extended(t, r);
        break;
    case OP_COPY:
        put_row(t, false);
        break;
    case OP_ADVANCE_PC:
        t->address += get_leb(r, false) * t->min_bytes;
        break;
    case OP_ADVANCE_LINE:
        t->line += get_leb(r, true);
        break;
    case OP_SET_FILE:
        t->file = get_leb(r, false);
        break;
    case OP_CONST_ADD_PC:
        t->address +=
            (uint64_t)((255 - t->opcode_base) / t->line_range) * t->min_bytes;
        break;
    case OP_FIXED_ADVANCE_PC:
        t->address += get(r, 2);
        break;
    default:
        for (unsigned i = 0; i < t->lengths[opcode - 1]; i++)
            get_leb(r, false);
        break;
    }
}

static void run_program(line_table *t, reader *r)
{
    begin_sequence(t);
    while (r->at < r->end && !r->bad) {
        unsigned opcode = (unsigned)get(r, 1);

        if (opcode >= t->opcode_base)
            run_special(t, opcode);
        else
            run_opcode(t, r, opcode);
    }
}

/* ---- Units ---- */

/* A unit has a header, files and a program. */
static bool read_unit(line_table *t, reader *r)
{
    unsigned version = (unsigned)get(r, 2);
    uint64_t header = get(r, 4);
    reader files = *r;

    if (version < VERSION_LEAST || version > VERSION_MOST ||
        header > (uint64_t)(r->end - r->at))
        return false;
    files.end = r->at += header;
    t->min_bytes = (unsigned)get(&files, 1);
    if (version >= 4)
        get(&files, 1); /* instructions of a VLIW bundle */
    get(&files, 1);     /* is it a statement, at first? */
    t->line_base = (int8_t)get(&files, 1);
    t->line_range = (unsigned)get(&files, 1);
    t->opcode_base = (unsigned)get(&files, 1);
    t->lengths = files.at;
    if (!t->line_range || !t->opcode_base ||
        t->opcode_base - 1 > (uint64_t)(files.end - files.at))
        return false;
    files.at += t->opcode_base - 1;
    read_files(t, &files);
    if (files.bad)
        return false;
    run_program(t, r);
    return !r->bad;
}

static bool read_table(line_table *t)
{
    reader r = {.at = t->section->bytes,
                .end = t->section->bytes + t->section->size};

    while (r.at < r.end) {
        uint64_t size = get(&r, 4);
        reader unit = r;

        if (r.bad || size > (uint64_t)(r.end - r.at))
            return false;
        unit.end = r.at += size;
        if (!read_unit(t, &unit))
            return false;
    }
    return true;
}

/* ---- All of it ---- */

typedef struct sorted_line {
    cubin_line line;
    uint32_t place;
} sorted_line;

static int compare_lines(const void *a, const void *b)
{
    const sorted_line *x = a, *y = b;

    if (x->line.offset != y->line.offset)
        return x->line.offset < y->line.offset ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* An end of a sequence is before the beginning of another at the same
 * place. */
static void sort_lines(cubin_function *f)
{
    sorted_line *sorted = new_array(f->line_count, sizeof *sorted);

    for (uint32_t i = 0; i < f->line_count; i++)
        sorted[i] = (sorted_line){f->lines[i], f->lines[i].file ? i + 1 : 0};
    qsort(sorted, f->line_count, sizeof *sorted, compare_lines);
    for (uint32_t i = 0; i < f->line_count; i++)
        f->lines[i] = sorted[i].line;
    free(sorted);
}

bool cubin_read_lines(cubin *c, diag *dg)
{
    uint32_t section = cubin_find(c, ".debug_line");
    line_table t = {.c = c, .section = &c->sections[section]};
    bool good = true;

    if (!section || !t.section->bytes)
        return true;
    t.addresses = map_new();
    t.known = strmap_new();
    for (uint32_t i = 0; i < c->reloc_count; i++)
        if (c->relocs[i].section == section)
            map_put(t.addresses, c->relocs[i].offset, i);
    if (!read_table(&t))
        good = cubin_damaged(c, t.section->name,
                             "a line program cannot be read", dg);
    map_free(t.addresses);
    strmap_free(t.known);
    for (uint32_t i = 0; i < c->function_count; i++)
        if (c->functions[i].line_count)
            sort_lines(&c->functions[i]);
    return good;
}

const cubin_line *cubin_line_at(const cubin_function *f, uint32_t offset)
{
    uint32_t low = 0, high = f->line_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (f->lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low && f->lines[low - 1].file ? &f->lines[low - 1] : NULL;
}
