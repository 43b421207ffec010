/* src/sass/assemble_build.c - sections, symbols, relocations and attributes of
 * what text says, as ptxas 13 has them. */
#include <elf.h>
#include <string.h>

#include "base/bits.h"
#include "sass/assemble_parts.h"
#include "sass/cubin_write.h"

enum {
    OTHER_ENTRY = 0x10,
    OPCODE_EXIT = 0x94d,
    OPCODE_BAR = 0x11d, /* bits 8..0 */
    BARRIERS_MOST = 16,
    API_VERSION = 0x82,
};

typedef struct builder {
    source_text *s;
    cubin *c;
    uint32_t sections_room, symbols_room, relocs_room;
    strmap *symbols; /* name -> number + 1 */
} builder;

/* ---- Sections ---- */

static uint32_t add_section(builder *b, cubin_section s)
{
    cubin *c = b->c;

    ARENA_GROW(c->mem, c->sections, c->section_count, b->sections_room);
    c->sections[c->section_count] = s;
    return c->section_count++;
}

static const char *name_of(builder *b, const char *kind, const part *p)
{
    return arena_printf(b->c->mem, "%s.%s", kind, p->name);
}

static void add_code(builder *b, part *p)
{
    uint32_t barriers = b->c->sm < 75 ? p->barriers << 20 : 0;

    p->section = add_section(
        b, (cubin_section){.name = name_of(b, ".text", p),
                           .type = CUBIN_T_BYTES,
                           .flags = CUBIN_F_ALLOC | CUBIN_F_CODE | barriers,
                           .align = p->align,
                           .bytes = (const uint8_t *)p->code,
                           .size = (uint64_t)p->code_count * SASS_BYTES});
    if (p->size)
        add_section(b, (cubin_section){.name = name_of(b, ".nv.constant2", p),
                                       .type = CUBIN_T_BYTES,
                                       .flags = CUBIN_F_ALLOC | CUBIN_F_INFO,
                                       .info = p->section,
                                       .align = 8,
                                       .bytes = p->bytes,
                                       .size = p->size});
}

static uint32_t param_bytes(const part *p)
{
    uint32_t end = 0;

    for (uint32_t i = 0; i < p->param_count; i++)
        if (p->params[i].offset + p->params[i].size > end)
            end = p->params[i].offset + p->params[i].size;
    return end;
}

/* What a kernel has of its own: bank 0, and shared memory. */
static void add_memory(builder *b, const part *p)
{
    uint64_t bank0 = p->param_base + param_bytes(p);
    uint32_t shared = p->shared;

    if (p->kind != PART_KERNEL)
        return;
    add_section(b, (cubin_section){.name = name_of(b, ".nv.constant0", p),
                                   .type = CUBIN_T_BYTES,
                                   .flags = CUBIN_F_ALLOC | CUBIN_F_INFO,
                                   .info = p->section,
                                   .align = 4,
                                   .bytes = arena_alloc(b->c->mem, bank0),
                                   .size = bank0});
    if (!shared)
        return;
    add_section(b, (cubin_section){
                       .name = name_of(b, ".nv.shared", p),
                       .type = CUBIN_T_EMPTY,
                       .flags = CUBIN_F_ALLOC | CUBIN_F_WRITE | CUBIN_F_INFO,
                       .info = p->section,
                       .align = 16,
                       .size = shared + sass_shared_reserved(b->c->sm)});
}

/* Variables can be written, constants not; .nv.global has no bytes. */
static void add_data(builder *b, part *p)
{
    bool global = !strncmp(p->name, ".nv.global", 10);
    bool empty = !strcmp(p->name, ".nv.global");

    p->section = add_section(
        b,
        (cubin_section){.name = p->name,
                        .type = empty ? CUBIN_T_EMPTY : CUBIN_T_BYTES,
                        .flags = CUBIN_F_ALLOC | (global ? CUBIN_F_WRITE : 0),
                        .align = p->align,
                        .bytes = p->bytes,
                        .size = p->size});
}

/* ---- Symbols ---- */

static uint32_t add_symbol(builder *b, cubin_symbol s)
{
    cubin *c = b->c;

    ARENA_GROW(c->mem, c->symbols, c->symbol_count, b->symbols_room);
    c->symbols[c->symbol_count] = s;
    strmap_put(b->symbols, s.name, (void *)(uintptr_t)(c->symbol_count + 1));
    return c->symbol_count++;
}

static bool wrong_part(const builder *b, const part *p, const char *fmt,
                       const char *name)
{
    diag_add(b->s->dg, DIAG_ERROR, b->s->file, p->line, 0, 1, fmt, p->name,
             name);
    return false;
}

static bool add_objects(builder *b, const part *p)
{
    bool code = p->kind != PART_DATA;
    uint64_t end = code ? (uint64_t)p->code_count * SASS_BYTES : p->size;

    for (uint32_t i = 0; i < p->object_count; i++) {
        const part_object *o = &p->objects[i];
        uint64_t next =
            i + 1 < p->object_count ? p->objects[i + 1].offset : end;

        if (strmap_get(b->symbols, o->name))
            return wrong_part(b, p, "'%s': the name '%s' is there twice",
                              o->name);
        if (!code && o->size > end - o->offset)
            return wrong_part(b, p,
                              "'%s': the variable '%s' is larger than what "
                              "is behind it",
                              o->name);
        add_symbol(b, (cubin_symbol){.name = o->name,
                                     .value = o->offset,
                                     .size = code ? next - o->offset : o->size,
                                     .section = p->section,
                                     .type = code ? STT_FUNC : STT_OBJECT,
                                     .bind = code ? STB_LOCAL : STB_GLOBAL});
    }
    return true;
}

/* Sections and functions inside of kernels are local, and so first. */
static bool add_symbols(builder *b)
{
    source_text *s = b->s;

    for (uint32_t i = 1; i < b->c->section_count; i++)
        add_symbol(b, (cubin_symbol){.name = b->c->sections[i].name,
                                     .section = i,
                                     .type = STT_SECTION,
                                     .bind = STB_LOCAL});
    for (uint32_t i = 0; i < s->part_count; i++)
        if (s->parts[i].kind != PART_DATA && !add_objects(b, &s->parts[i]))
            return false;
    for (uint32_t i = 0; i < s->part_count; i++) {
        part *p = &s->parts[i];

        if (p->kind == PART_DATA) {
            if (!add_objects(b, p))
                return false;
            continue;
        }
        if (strmap_get(b->symbols, p->name))
            return wrong_part(b, p, "'%s': the name '%s' is there twice",
                              p->name);
        p->symbol = add_symbol(
            b,
            (cubin_symbol){.name = p->name,
                           .size = (uint64_t)p->code_count * SASS_BYTES,
                           .section = p->section,
                           .type = STT_FUNC,
                           .bind = STB_GLOBAL,
                           .other = p->kind == PART_KERNEL ? OTHER_ENTRY : 0});
        b->c->sections[p->section].info = p->registers << 24 | p->symbol;
    }
    return true;
}

/* What is nowhere else is a function of the run-time. */
static uint32_t symbol_named(builder *b, const char *name)
{
    uintptr_t found = (uintptr_t)strmap_get(b->symbols, name);

    return found ? (uint32_t)found - 1
                 : add_symbol(b, (cubin_symbol){.name = name,
                                                .type = STT_FUNC,
                                                .bind = STB_GLOBAL});
}

/* ---- What is patched ---- */

/* In the order of sections, as parts are, and of offsets. */
static bool add_relocs(builder *b, const part *p)
{
    cubin *c = b->c;
    uint64_t size = c->sections[p->section].size;

    for (uint32_t i = 0; i < p->reloc_count; i++) {
        const part_reloc *r = &p->relocs[i];
        uint64_t bytes = p->kind != PART_DATA    ? SASS_BYTES
                         : r->type == CUBIN_R_32 ? 4
                                                 : 8;

        if (r->offset + bytes > size)
            return wrong_part(b, p,
                              "'%s': there is nothing behind the last .reloc, "
                              "of '%s'",
                              r->symbol);
        ARENA_GROW(c->mem, c->relocs, c->reloc_count, b->relocs_room);
        c->relocs[c->reloc_count++] =
            (cubin_reloc){.section = p->section,
                          .type = r->type,
                          .symbol = symbol_named(b, r->symbol),
                          .offset = r->offset,
                          .addend = r->addend};
    }
    return true;
}

/* ---- Attributes ---- */

static void put_attribute(strbuf *info, unsigned number, const uint32_t *words,
                          uint32_t count)
{
    const uint8_t head[4] = {CUBIN_FORMAT_SIZED, (uint8_t)number,
                             (uint8_t)(4 * count), (uint8_t)(4 * count >> 8)};

    strbuf_write(info, (const char *)head, sizeof head);
    strbuf_write(info, (const char *)words, 4 * count);
}

static void put_value(strbuf *info, unsigned number, unsigned format,
                      unsigned value)
{
    const uint8_t head[4] = {(uint8_t)format, (uint8_t)number, (uint8_t)value,
                             (uint8_t)(value >> 8)};

    strbuf_write(info, (const char *)head, sizeof head);
}

#define PUT_WORDS(info, number, ...)                                           \
    put_attribute((info), (number), (const uint32_t[]){__VA_ARGS__},           \
                  sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void put_params(const builder *b, const part *p, strbuf *info)
{
    uint32_t bytes = param_bytes(p), bank0 = 0;

    for (uint32_t i = p->param_count; i-- > 0;)
        PUT_WORDS(info, CUBIN_A_KPARAM_INFO, 0, i | p->params[i].offset << 16,
                  p->params[i].size << 18 | 0x1f000);
    for (uint32_t i = 1; i < b->c->section_count; i++)
        if (b->c->sections[i].info == p->section &&
            !strncmp(b->c->sections[i].name, ".nv.constant0", 13))
            bank0 = i; /* the number of its symbol, too */
    put_value(info, CUBIN_A_CBANK_PARAM_SIZE, CUBIN_FORMAT_HALF, bytes);
    PUT_WORDS(info, CUBIN_A_PARAM_CBANK, bank0, bytes << 16 | p->param_base);
}

/* Where a kernel ends, in bytes. */
static void put_exits(const part *p, strbuf *info)
{
    enum { EXITS_MOST = 0xffff / 4 };
    strbuf exits = {0};

    for (uint32_t i = 0; i < p->code_count; i++) {
        uint32_t at = i * SASS_BYTES;

        if (sass_get(p->code[i], 0, 12) == OPCODE_EXIT &&
            exits.size < 4 * EXITS_MOST)
            strbuf_write(&exits, (const char *)&at, 4);
    }
    if (exits.size)
        put_attribute(info, CUBIN_A_EXIT_INSTR_OFFSETS,
                      (const uint32_t *)exits.text, (uint32_t)exits.size / 4);
    strbuf_fini(&exits);
}

/* Jumps by registers: where they are, 0, how many targets, these. */
static void put_targets(builder *b, const part *p, strbuf *info)
{
    enum { WORDS_MOST = 0xffff / 4 };
    strbuf words = {0};

    for (uint32_t i = 0; i < p->targets_count; i++) {
        const part_targets *t = &p->targets[i];
        const uint32_t head[3] = {t->address, 0, t->count};

        if (words.size / 4 + t->count + 3 > WORDS_MOST)
            break;
        strbuf_write(&words, (const char *)head, sizeof head);
        strbuf_write(&words, (const char *)t->places, 4 * t->count);
    }
    if (words.size)
        put_attribute(
            info, CUBIN_A_INDIRECT_BRANCH_TARGETS,
            (const uint32_t *)arena_strndup(b->c->mem, words.text, words.size),
            (uint32_t)words.size / 4);
    strbuf_fini(&words);
}

/* Functions of the run-time that it may call. */
static void put_externs(builder *b, const part *p, strbuf *info)
{
    for (uint32_t i = 0; i < p->extern_count; i++)
        PUT_WORDS(info, CUBIN_A_EXTERNS, symbol_named(b, p->externs[i]));
}

static void put_extent(strbuf *info, unsigned number, const uint32_t of[3])
{
    if (of[0])
        put_attribute(info, number, of, 3);
}

static void put_limits(const part *p, strbuf *info)
{
    put_extent(info, CUBIN_A_MAX_THREADS, p->max_threads);
    put_extent(info, CUBIN_A_REQNTID, p->req_threads);
    put_extent(info, CUBIN_A_CTA_PER_CLUSTER, p->req_cga);
    if (p->explicit_cga)
        put_value(info, CUBIN_A_EXPLICIT_CLUSTER, CUBIN_FORMAT_NONE, 0);
    if (p->max_cga)
        PUT_WORDS(info, CUBIN_A_MAX_CLUSTER_RANK, p->max_cga);
}

static void add_info(builder *b, const char *name, uint32_t of, strbuf *info)
{
    add_section(b, (cubin_section){
                       .name = name,
                       .type = CUBIN_T_INFO,
                       .flags = of ? CUBIN_F_INFO : 0,
                       .info = of,
                       .align = 4,
                       .bytes = (const uint8_t *)arena_strndup(
                           b->c->mem, info->text ? info->text : "", info->size),
                       .size = info->size});
    strbuf_fini(info);
}

/* Of the file: registers and stack, by symbol. */
static void put_sizes(const builder *b, const part *p, strbuf *info)
{
    PUT_WORDS(info, CUBIN_A_REGCOUNT, p->symbol, p->registers);
    for (uint32_t i = 0; i < p->object_count; i++)
        PUT_WORDS(
            info, CUBIN_A_FRAME_SIZE,
            (uint32_t)(uintptr_t)strmap_get(b->symbols, p->objects[i].name) - 1,
            p->objects[i].frame);
    PUT_WORDS(info, CUBIN_A_FRAME_SIZE, p->symbol, p->frame_bytes);
    if (p->stack_bytes != CUBIN_UNKNOWN)
        PUT_WORDS(info, CUBIN_A_MIN_STACK_SIZE, p->symbol, p->stack_bytes);
}

static void add_attributes(builder *b)
{
    source_text *s = b->s;
    strbuf sizes = {0};

    for (uint32_t i = 0; i < s->part_count; i++) {
        const part *p = &s->parts[i];
        strbuf info = {0};

        if (p->kind == PART_DATA)
            continue;
        put_sizes(b, p, &sizes);
        PUT_WORDS(&info, CUBIN_A_CUDA_API_VERSION, API_VERSION);
        put_externs(b, p, &info);
        put_targets(b, p, &info);
        if (p->kind == PART_KERNEL) {
            put_params(b, p, &info);
            put_limits(p, &info);
            put_exits(p, &info);
        }
        put_value(&info, CUBIN_A_MAXREG_COUNT, CUBIN_FORMAT_HALF, 0xff);
        put_value(&info, CUBIN_A_NUM_BARRIERS, CUBIN_FORMAT_BYTE, p->barriers);
        add_info(b, name_of(b, ".nv.info", p), p->section, &info);
    }
    add_info(b, ".nv.info", 0, &sizes);
}

/* ---- All of it ---- */

/* Barriers that code names; all if it takes one from a register. */
static uint32_t barriers_of(const part *p)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < p->code_count; i++) {
        sass_word w = p->code[i];
        bool named = sass_get(w, 11, 1); /* as forms 4 and 5 have it */
        uint32_t number = (uint32_t)sass_get(w, 54, 4) + 1;

        if (sass_get(w, 0, 9) != OPCODE_BAR)
            continue;
        if (!named)
            number = BARRIERS_MOST;
        if (number > most)
            most = number;
    }
    return most;
}

static bool build(builder *b)
{
    source_text *s = b->s;

    add_section(b, (cubin_section){.name = ""});
    for (uint32_t i = 0; i < s->part_count; i++) {
        part *p = &s->parts[i];

        if (p->kind == PART_DATA) {
            add_data(b, p);
            continue;
        }
        if (p->barriers == CUBIN_UNKNOWN)
            p->barriers = barriers_of(p);
        add_code(b, p);
        add_memory(b, p);
    }
    add_symbol(b, (cubin_symbol){.name = ""});
    if (!add_symbols(b))
        return false;
    for (uint32_t i = 0; i < s->part_count; i++)
        if (!add_relocs(b, &s->parts[i]))
            return false;
    add_attributes(b);
    return true;
}

bool sass_build(source_text *s, cubin **out)
{
    builder b = {
        .s = s, .c = ARENA_NEW(s->mem, cubin), .symbols = strmap_new()};
    bool good;

    b.c->mem = s->mem;
    b.c->file = s->file;
    b.c->sm = s->sm;
    b.c->elf_type = CUBIN_LINKED;
    good = build(&b);
    strmap_free(b.symbols);
    *out = b.c;
    return good;
}
