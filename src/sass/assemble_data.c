/* src/sass/assemble_data.c - directives: what kernels are, bytes, variables and
 * what is patched. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/must.h"
#include "isa/program.h"
#include "sass/assemble_read.h"

#define DATA_MOST ((uint64_t)1 << 26) /* bytes of a section in the file */
#define ZERO_MOST ((uint64_t)1 << 47)

const char *const sass_data_sections[SASS_DATA_SECTIONS] = {
    ".nv.constant3", ".nv.constant4", ".nv.global", ".nv.global.init"};

/* ---- Messages ---- */

bool stmt_wrong_at(assembler *a, unsigned line, unsigned column,
                   unsigned length, const char *fmt, ...)
{
    strbuf text = {0};
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&text, fmt, ap);
    va_end(ap);
    diag_add(a->s.dg, DIAG_ERROR, a->s.file, line, column, length, "%s",
             text.text);
    strbuf_fini(&text);
    return false;
}

unsigned stmt_word_length(const char *at)
{
    size_t n = strcspn(at, " \t,;");

    return n ? (unsigned)n : 1;
}

/* ---- Operands of directives ---- */

void stmt_skip(const char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
}

bool stmt_at_end(const char *at)
{
    stmt_skip(&at);
    return !*at;
}

bool stmt_in_symbol(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_$.", c));
}

bool stmt_get_number(assembler *a, const char **at, uint64_t most,
                     uint64_t *value)
{
    const char *from = *at;
    int64_t v;

    *value = 0;
    stmt_skip(&from);
    if (!sass_read_number(at, &v) || v < 0 || (uint64_t)v > most)
        return WRONG(a, from, "a number from 0 to %llu has to be here",
                     (unsigned long long)most);
    *value = (uint64_t)v;
    return true;
}

bool stmt_get_small(assembler *a, const char **at, uint32_t most,
                    uint32_t *value)
{
    uint64_t v = 0;

    if (!stmt_get_number(a, at, most, &v))
        return false;
    *value = (uint32_t)v;
    return true;
}

bool stmt_get_name(assembler *a, const char **at, const char **name)
{
    const char *from;

    stmt_skip(at);
    from = *at;
    if (*from == '"') {
        const char *end = strchr(from + 1, '"');

        if (!end || end == from + 1)
            return WRONG(a, from, "a name in quotes has to be here");
        *name = arena_strndup(a->s.mem, from + 1, (size_t)(end - from) - 1);
        *at = end + 1;
        return true;
    }
    while (stmt_in_symbol(**at))
        ++*at;
    if (*at == from)
        return WRONG(a, from, "a name has to be here");
    *name = arena_strndup(a->s.mem, from, (size_t)(*at - from));
    return true;
}

uint64_t stmt_here(const part *p)
{
    return p->kind == PART_DATA ? p->size
                                : (uint64_t)p->code_count * SASS_BYTES;
}

/* ---- Of kernels ---- */

bool stmt_registers(assembler *a, const char **at)
{
    return stmt_get_small(a, at, 255, &a->in->registers);
}

bool stmt_shared(assembler *a, const char **at)
{
    return stmt_get_small(a, at, INT32_MAX, &a->in->shared);
}

bool stmt_frame(assembler *a, const char **at)
{
    return stmt_get_small(a, at, 1 << 24, &a->in->frame_bytes);
}

bool stmt_stack(assembler *a, const char **at)
{
    return stmt_get_small(a, at, 1 << 24, &a->in->stack_bytes);
}

bool stmt_barriers(assembler *a, const char **at)
{
    return stmt_get_small(a, at, 16, &a->in->barriers);
}

bool stmt_param_base(assembler *a, const char **at)
{
    return stmt_get_small(a, at, UINT16_MAX, &a->in->param_base);
}

/* Up to `most`, separated by commas; what is missing is 1. */
static bool get_extent(assembler *a, const char **at, uint32_t to[3],
                       uint32_t most)
{
    for (unsigned i = 0; i < 3; i++)
        to[i] = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!stmt_get_small(a, at, most, &to[i]))
            return false;
        if (!sass_read_maybe(at, ","))
            break;
    }
    return true;
}

bool stmt_max_threads(assembler *a, const char **at)
{
    return get_extent(a, at, a->in->max_threads, 1024);
}

bool stmt_req_threads(assembler *a, const char **at)
{
    return get_extent(a, at, a->in->req_threads, 1024);
}

bool stmt_cluster(assembler *a, const char **at)
{
    a->in->explicit_cga = true;
    return stmt_at_end(*at) || get_extent(a, at, a->in->req_cga, 16);
}

bool stmt_max_cluster(assembler *a, const char **at)
{
    return stmt_get_small(a, at, 16, &a->in->max_cga);
}

/* Its size in bytes, and where it is among the others; else it is behind them,
 * at a multiple of its size up to 8. */
bool stmt_param(assembler *a, const char **at)
{
    part *p = a->in;
    cubin_param *last, made = {0};

    if (!stmt_get_small(a, at, PARAMS_MOST, &made.size))
        return false;
    last = p->param_count ? &p->params[p->param_count - 1] : NULL;
    if (sass_read_maybe(at, ",")) {
        if (!stmt_get_small(a, at, PARAMS_MOST, &made.offset))
            return false;
    } else if (last) {
        uint32_t align = made.size & -made.size;

        align = align > 8 ? 8 : align ? align : 1;
        made.offset = (last->offset + last->size + align - 1) & -align;
    }
    if (made.offset + made.size > PARAMS_MOST)
        return WRONG(a, *at, "the parameters have more than %u bytes",
                     PARAMS_MOST);
    ARENA_GROW(a->s.mem, p->params, p->param_count, p->param_room);
    p->params[p->param_count++] = made;
    return true;
}

/* .extern NAME: it may call that function of the run-time. */
bool stmt_extern(assembler *a, const char **at)
{
    part *p = a->in;

    ARENA_GROW(a->s.mem, p->externs, p->extern_count, p->extern_room);
    return stmt_get_name(a, at, &p->externs[p->extern_count++]);
}

/* ---- Bytes ---- */

static bool is_empty_section(const part *p)
{
    return p->kind == PART_DATA && !strcmp(p->name, ".nv.global");
}

static bool add_bytes(assembler *a, const void *bytes, uint64_t size)
{
    part *p = a->in;
    bool bank = strcmp(p->name, ".nv.global.init");
    uint64_t most = bank ? CBANK_BYTES : DATA_MOST;

    if (is_empty_section(p))
        return WRONG(a, a->begin,
                     "'%s' has zeros only: .zero N, or begin with "
                     ".data .nv.global.init",
                     p->name);
    if (p->size + size > most)
        return WRONG(a, a->begin, "'%s' has more than %llu bytes of data",
                     p->name, (unsigned long long)most);
    if (p->size + size > p->room) {
        p->room = 2 * (p->size + size);
        p->bytes = arena_renew(a->s.mem, p->bytes, p->size, p->room, 1);
    }
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
    return true;
}

/* A label, as a word of constants: where it is, once that is known. */
static bool add_fix(assembler *a, const char **at)
{
    part *p = a->in;
    part_fix f = {.offset = p->size, .line = a->line};

    if (!stmt_get_name(a, at, &f.label))
        return false;
    ARENA_GROW(a->s.mem, p->fixes, p->fix_count, p->fix_room);
    p->fixes[p->fix_count++] = f;
    return add_bytes(a, &(uint32_t){0}, 4);
}

/* Numbers of `bytes` bytes, with a sign or without; in code labels, too. */
static bool get_values(assembler *a, const char **at, unsigned bytes)
{
    do {
        const char *from = *at;

        if (bytes == 4 && a->in->kind != PART_DATA &&
            from[strspn(from, " \t")] == '.') {
            if (!add_fix(a, at))
                return false;
            continue;
        }
        int64_t v,
            most = bytes == 8 ? INT64_MAX : (INT64_C(1) << 8 * bytes) - 1;

        stmt_skip(&from);
        if (!sass_read_number(at, &v) || v > most ||
            v < -(INT64_C(1) << (8 * bytes - 1)))
            return WRONG(a, from, "a number of %u bits has to be here",
                         8 * bytes);
        if (!add_bytes(a, &v, bytes))
            return false;
    } while (sass_read_maybe(at, ","));
    return true;
}

bool stmt_byte(assembler *a, const char **at) { return get_values(a, at, 1); }

bool stmt_word(assembler *a, const char **at) { return get_values(a, at, 4); }

/* Bytes that are 0; in .nv.global they take no place in the file. */
bool stmt_zero(assembler *a, const char **at)
{
    static const uint8_t zeros[256];
    const char *from = *at;
    uint64_t count;

    if (!stmt_get_number(a, at, ZERO_MOST, &count))
        return false;
    if (is_empty_section(a->in)) {
        a->in->size += count;
        return a->in->size < ZERO_MOST ||
               WRONG(a, from, "no GPU has that much memory");
    }
    for (; count; count -= count < sizeof zeros ? count : sizeof zeros)
        if (!add_bytes(a, zeros, count < sizeof zeros ? count : sizeof zeros))
            return false;
    return true;
}

bool stmt_align(assembler *a, const char **at)
{
    const char *from = *at;

    if (!stmt_get_number(a, at, 4096, &a->in->align))
        return false;
    return (a->in->align && !(a->in->align & (a->in->align - 1))) ||
           WRONG(a, from, "an alignment is a power of two");
}

static bool add_object(assembler *a, part_object o)
{
    part *p = a->in;

    ARENA_GROW(a->s.mem, p->objects, p->object_count, p->object_room);
    p->objects[p->object_count++] = o;
    return true;
}

/* .object NAME, SIZE: a variable of what follows. */
bool stmt_object(assembler *a, const char **at)
{
    part_object o = {.offset = stmt_here(a->in)};

    if (!stmt_get_name(a, at, &o.name) || !sass_read_text(at, ","))
        return WRONG(a, *at, "a name, a comma and a size have to be here");
    return stmt_get_number(a, at, ZERO_MOST, &o.size) && add_object(a, o);
}

bool stmt_add_label(assembler *a, const char *name, const char *at)
{
    part *p = a->in;

    if (strmap_get(p->labels, name))
        return WRONG(a, at, "the label '%s' is there twice", name);
    strmap_put(p->labels, name, (void *)(uintptr_t)(stmt_here(p) + 1));
    ARENA_GROW(a->s.mem, p->leaders, p->leader_count, p->leader_room);
    p->leaders[p->leader_count++] = p->code_count;
    return true;
}

/* .inner NAME, FRAME: a function inside of a kernel, from here to the next. */
bool stmt_inner(assembler *a, const char **at)
{
    part_object o = {.offset = stmt_here(a->in)};
    const char *from = *at;

    stmt_skip(&from);
    if (!stmt_get_name(a, at, &o.name))
        return false;
    if (sass_read_maybe(at, ",") && !stmt_get_small(a, at, 1 << 24, &o.frame))
        return false;
    return stmt_add_label(a, o.name, from) && add_object(a, o);
}

/* ---- What is patched ---- */

static const struct {
    uint32_t type;
    const char *name;
} reloc_names[] = {
    {CUBIN_R_32, "word"},
    {CUBIN_R_64, "address"},
    {CUBIN_R_GENERIC_64, "generic"},
    {CUBIN_R_TEXTURE, "texture"},
    {CUBIN_R_SURFACE, "surface"},
    {CUBIN_R_ABS32, "shared"},
    {CUBIN_R_LOW_32, "low"},
    {CUBIN_R_HIGH_32, "high"},
    {CUBIN_R_CALL, "call"},
    {CUBIN_R_CALL_90, "call90"},
};

const char *sass_reloc_name(uint32_t type)
{
    for (size_t i = 0; i < COUNTOF(reloc_names); i++)
        if (reloc_names[i].type == type)
            return reloc_names[i].name;
    return NULL;
}

static bool get_reloc_type(assembler *a, const char **at, uint32_t *type)
{
    const char *from, *name;

    stmt_skip(at);
    from = *at;
    if (isdigit((unsigned char)**at))
        return stmt_get_small(a, at, UINT16_MAX, type);
    if (!stmt_get_name(a, at, &name))
        return false;
    for (size_t i = 0; i < COUNTOF(reloc_names); i++)
        if (!strcmp(reloc_names[i].name, name)) {
            *type = reloc_names[i].type;
            return true;
        }
    return WRONG(a, from, "no relocation is called '%s'", name);
}

/* .reloc TYPE NAME+ADDEND: what follows is patched with the address. */
bool stmt_reloc(assembler *a, const char **at)
{
    part *p = a->in;
    part_reloc r = {.offset = stmt_here(p)};

    if (!get_reloc_type(a, at, &r.type) || !stmt_get_name(a, at, &r.symbol))
        return false;
    if (sass_read_maybe(at, "+") && !sass_read_number(at, &r.addend))
        return WRONG(a, *at, "a number has to be here");
    ARENA_GROW(a->s.mem, p->relocs, p->reloc_count, p->reloc_room);
    p->relocs[p->reloc_count++] = r;
    return true;
}
