/* src/sass/sass_source.c - a cubin as text that can be assembled. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sass/assemble.h"
#include "sass/assemble_parts.h"
#include "sass/sass_parse.h"
#include "sass/sass_text.h"
#include "sass/shape.h"
#include "sass/special.h"

enum {
    SYMBOL_OBJECT = 1,
    SYMBOL_FUNCTION = 2,
    SYMBOL_SECTION = 3,
    SYMBOL_CUDA_OBJECT = 13,
    WORDS_A_LINE = 4,
    ZEROS = 16, /* so many are told by their number */
};

typedef struct source_writer {
    const cubin *c;
    const sass_table *t; /* NULL: not known */
    strbuf *out;
} source_writer;

static void put_name(const char *name, strbuf *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789_$.";
    bool quoted = name[strspn(name, plain)];

    strbuf_printf(out, quoted ? "\"%s\"" : "%s", name);
}

/* ---- What is patched ---- */

/* What REL sections have in place: of data its bytes, of code nothing. */
static int64_t addend_of(const source_writer *s, const cubin_reloc *r)
{
    const cubin_section *in = &s->c->sections[r->section];
    int64_t addend = 0;
    uint64_t size = r->type == CUBIN_R_32 ? 4 : 8;

    if (!r->in_place)
        return r->addend;
    if (!cubin_function_of(s->c, r->section) && in->bytes && size <= in->size &&
        r->offset <= in->size - size)
        memcpy(&addend, in->bytes + r->offset, size);
    return addend;
}

static void put_reloc(const source_writer *s, const cubin_reloc *r)
{
    const cubin_symbol *symbol = &s->c->symbols[r->symbol];
    const char *type = sass_reloc_name(r->type);
    int64_t addend = addend_of(s, r);

    strbuf_puts(s->out, "\t.reloc\t");
    if (type)
        strbuf_puts(s->out, type);
    else
        strbuf_printf(s->out, "%u", r->type);
    strbuf_putc(s->out, ' ');
    if (symbol->section &&
        strstr(s->c->sections[symbol->section].name, ".nv.shared.")) {
        put_name(s->c->sections[symbol->section].name, s->out);
        addend += (int64_t)symbol->value;
    } else if (symbol->type == SYMBOL_SECTION && symbol->section) {
        put_name(s->c->sections[symbol->section].name, s->out);
    } else {
        put_name(symbol->name, s->out);
    }
    if (addend)
        strbuf_printf(s->out, "+%" PRId64, addend);
    strbuf_putc(s->out, '\n');
}

/* ---- Data ---- */

static bool is_variable(const cubin_symbol *y, uint32_t section)
{
    return y->section == section &&
           (y->type == SYMBOL_OBJECT || y->type == SYMBOL_CUDA_OBJECT);
}

static int compare_symbols(const void *a, const void *b)
{
    const cubin_symbol *x = *(const cubin_symbol *const *)a,
                       *y = *(const cubin_symbol *const *)b;

    return x->value != y->value ? (x->value < y->value ? -1 : 1)
                                : strcmp(x->name, y->name);
}

/* Bytes that are 0, from `at` on; of a section without bytes all are. */
static uint64_t count_zeros(const cubin_section *in, uint64_t at, uint64_t end)
{
    uint64_t to = at;

    while (to < end && (!in->bytes || !in->bytes[to]))
        to++;
    return to - at;
}

/* Words from `at` on, up to where zeros or `end` are; how many bytes. */
static uint64_t put_words(const source_writer *s, const cubin_section *in,
                          uint64_t at, uint64_t end)
{
    uint64_t from = at;
    unsigned n = 0;

    for (; end - at >= 4 && count_zeros(in, at, end) < ZEROS; at += 4, n++) {
        uint32_t word;

        memcpy(&word, in->bytes + at, sizeof word);
        strbuf_printf(s->out, "%s0x%x",
                      n % WORDS_A_LINE ? ", "
                      : n              ? "\n\t.word\t"
                                       : "\t.word\t",
                      word);
    }
    if (n)
        strbuf_putc(s->out, '\n');
    return at - from;
}

static void put_bytes(const source_writer *s, const cubin_section *in,
                      uint64_t at, uint64_t end)
{
    while (at < end) {
        uint64_t zeros = count_zeros(in, at, end);

        if (zeros >= ZEROS || zeros == end - at) {
            strbuf_printf(s->out, "\t.zero\t%" PRIu64 "\n", zeros);
            at += zeros;
        } else if (end - at >= 4) {
            at += put_words(s, in, at, end);
        } else {
            strbuf_printf(s->out, "\t.byte\t0x%x\n", in->bytes[at++]);
        }
    }
}

static void put_data(const source_writer *s, const char *name)
{
    uint32_t number = cubin_find(s->c, name), n = 0, v = 0, r = 0, relocs;
    const cubin_section *in = &s->c->sections[number];
    const cubin_reloc *reloc = cubin_relocs_of(s->c, number, &relocs);
    const cubin_symbol **vars;

    if (!number || !in->size)
        return;
    vars = new_array(s->c->symbol_count, sizeof *vars);
    for (uint32_t i = 1; i < s->c->symbol_count; i++)
        if (is_variable(&s->c->symbols[i], number))
            vars[n++] = &s->c->symbols[i];
    qsort(vars, n, sizeof *vars, compare_symbols);
    strbuf_printf(s->out, ".data %s\n\t.align\t%" PRIu64 "\n", name,
                  in->align ? in->align : 1);
    for (uint64_t at = 0; at < in->size;) {
        uint64_t next = in->size;

        for (; v < n && vars[v]->value <= at; v++) {
            strbuf_puts(s->out, "\t.object\t");
            put_name(vars[v]->name, s->out);
            strbuf_printf(s->out, ", %" PRIu64 "\n", vars[v]->size);
        }
        for (; r < relocs && reloc[r].offset <= at; r++)
            put_reloc(s, &reloc[r]);
        if (v < n && vars[v]->value < next)
            next = vars[v]->value;
        if (r < relocs && reloc[r].offset < next)
            next = reloc[r].offset;
        put_bytes(s, in, at, next);
        at = next;
    }
    strbuf_puts(s->out, ".end\n\n");
    free(vars);
}

/* ---- Code ---- */

/* Where an instruction names a place in the code of its function: the last of
 * its operands. */
static bool target_of(const source_writer *s, const sass_encoding *e,
                      sass_word w, uint64_t address, uint64_t *to)
{
    uint64_t next = address + SASS_BYTES;

    for (unsigned i = e->operand; i < e->field_count; i++) {
        const sass_field *f = &e->fields[i];

        if (f->kind == FIELD_TARGET ||
            (f->kind == FIELD_SHAPE &&
             (f->shape == SHAPE_collective || f->shape == SHAPE_jrel ||
              (f->shape == SHAPE_jret && !sass_get(w, 85, 1))))) {
            *to = next + (uint64_t)sass_jump_bytes(s->c->sm, w);
            return true;
        }
        if (f->kind == FIELD_SHAPE && f->shape == SHAPE_jbssy) {
            *to = next + (uint64_t)(sass_get_signed(w, 34, 30) * 4);
            return true;
        }
    }
    return false;
}

static sass_word word_at(const cubin_section *s, uint64_t at)
{
    sass_word w;

    memcpy(&w, s->bytes + at, sizeof w);
    return w;
}

/* A jump by a register, and where it goes: an entry of the attribute of its
 * function that says so (its address, 0, how many targets, these). */
typedef struct jump_entry {
    const uint8_t *next; /* of the attribute; NULL: none is left */
    uint32_t left;       /* words */
    uint32_t at, count;
    const uint8_t *targets;
} jump_entry;

static uint32_t word_of(const uint8_t *words, uint32_t i)
{
    uint32_t word;

    memcpy(&word, words + 4 * (size_t)i, sizeof word);
    return word;
}

static bool next_jump(jump_entry *j)
{
    if (j->left < 3 || word_of(j->next, 2) > j->left - 3)
        return false;
    j->at = word_of(j->next, 0);
    j->count = word_of(j->next, 2);
    j->targets = j->next + 12;
    j->next = j->targets + 4 * (size_t)j->count;
    j->left -= 3 + j->count;
    return true;
}

static jump_entry jumps_of(const cubin *c, const cubin_function *f)
{
    for (uint32_t i = 0; i < f->attribute_count; i++) {
        const cubin_attribute *a = &c->attributes[f->first_attribute + i];

        if (a->number == CUBIN_A_INDIRECT_BRANCH_TARGETS)
            return (jump_entry){.next = a->at, .left = a->size / 4};
    }
    return (jump_entry){.left = 0};
}

/* By instruction of a function: what is known of it. */
enum {
    NOTE_PLACE = 1, /* another names it */
    NOTE_MOVE = 2,  /* its immediate is such a place */
    NOTE_CASE = 4,  /* a jump by a register can go there */
};

/* What jumps by registers go to. */
static void note_cases(const source_writer *s, const cubin_function *f,
                       uint64_t size, uint8_t *notes)
{
    jump_entry jump = jumps_of(s->c, f);

    while (next_jump(&jump))
        for (uint32_t j = 0; j < jump.count; j++) {
            uint32_t to = word_of(jump.targets, j);

            if (to % SASS_BYTES == 0 && to < size)
                notes[to / SASS_BYTES] |= NOTE_PLACE | NOTE_CASE;
        }
}

/* .targets in front of the jump at `at`, of which some are instructions. */
static void put_targets(const source_writer *s, const cubin_function *f,
                        uint64_t at, uint64_t size)
{
    jump_entry jump = jumps_of(s->c, f);

    while (next_jump(&jump)) {
        const char *between = "\t.targets\t";

        for (uint32_t j = 0; jump.at == at && j < jump.count; j++) {
            uint32_t to = word_of(jump.targets, j);

            if (to % SASS_BYTES || to >= size)
                continue;
            strbuf_printf(s->out, "%s.L_%x", between, to);
            between = ", ";
        }
        if (*between == ',')
            strbuf_putc(s->out, '\n');
    }
}

/* A move of `address`. */
static bool is_move(const source_writer *s, sass_word w, uint64_t address)
{
    const sass_encoding *e = sass_find(s->t, w);

    return e && e->form == 4 && sass_get(w, 32, 32) == address &&
           (e->row->isa == ISA_MOV ||
            (sass_has_alias(e) && sass_get(w, 24, 8) == SASS_RZ));
}

enum { FAR = 64 }; /* instructions between a move and what it is for */

/* Places in the code that a call needs as numbers, so that they stay right when
 * the code changes: what is behind call `i`, moved in front of it, and the
 * address of LEPC `i`, moved behind it. */
static void note_moves(const source_writer *s, const cubin_section *in,
                       uint64_t i, bool call, uint8_t *notes)
{
    uint64_t count = in->size / SASS_BYTES, to = call ? i + 1 : i;

    for (uint64_t n = 1; n < FAR; n++) {
        uint64_t j = call ? i - n : i + n;

        if (call ? n > i : j >= count)
            return;
        if (!is_move(s, word_at(in, j * SASS_BYTES), to * SASS_BYTES))
            continue;
        notes[j] |= NOTE_MOVE;
        notes[to] |= NOTE_PLACE;
        return;
    }
}

static uint8_t *find_notes(const source_writer *s, const cubin_function *f)
{
    const cubin_section *in = &s->c->sections[f->section];
    uint64_t count = in->size / SASS_BYTES;
    uint8_t *notes = new0(count + 2, 1);

    note_cases(s, f, in->size, notes);
    for (uint64_t i = 0; s->t && i < count; i++) {
        sass_word w = word_at(in, i * SASS_BYTES);
        const sass_encoding *e = sass_find(s->t, w);
        uint64_t to;

        if (e && target_of(s, e, w, i * SASS_BYTES, &to) &&
            to % SASS_BYTES == 0 && to < in->size)
            notes[to / SASS_BYTES] |= NOTE_PLACE;
        if (e && ((e->row->how == HOW_CALL && i + 1 < count) ||
                  e->row->how == HOW_LEPC))
            note_moves(s, in, i, e->row->how == HOW_CALL, notes);
    }
    return notes;
}

/* The place in the code that the last operand names, so that it can be a
 * label. */
static bool named_place(const source_writer *s, const sass_encoding *e,
                        sass_word w, uint64_t address, const uint8_t *notes,
                        uint64_t *to)
{
    *to = 0;
    if (notes[address / SASS_BYTES] & NOTE_MOVE)
        *to = sass_get(w, 32, 32);
    else if (!target_of(s, e, w, address, to))
        return false;
    return *to % SASS_BYTES == 0;
}

/* The text, if it says all; else what it is as words. */
static void put_code(const source_writer *s, const cubin_function *f,
                     uint64_t at, const uint8_t *notes)
{
    static const sass_word control = (sass_word)0x1ffff << SASS_CONTROL;
    uint64_t size = s->c->sections[f->section].size, to;
    sass_word w = word_at(&s->c->sections[f->section], at), back = 0;
    const sass_encoding *e = s->t ? sass_find(s->t, w) : NULL;
    strbuf text = {0};
    const char *where;

    if (e)
        sass_put(s->t, e, w, at, &text);
    if (e && (e->row->how == HOW_BRX || e->row->how == HOW_BRXU))
        put_targets(s, f, at, size);
    if (e && sass_parse(s->t, text.text, at, NULL, &back, &where) &&
        !((back ^ w) & ~control)) {
        strbuf_putc(s->out, '\t');
        sass_put_control(w, s->out);
        strbuf_putc(s->out, ' ');
        if (named_place(s, e, w, at, notes, &to) && to < size) {
            *strrchr(text.text, ' ') = '\0';
            strbuf_printf(s->out, "%s .L_%" PRIx64 " ;\n", text.text, to);
        } else {
            strbuf_printf(s->out, "%s ;\n", text.text);
        }
    } else {
        strbuf_printf(s->out, "\t.inst\t0x%016" PRIx64 ", 0x%016" PRIx64,
                      (uint64_t)w, (uint64_t)(w >> 64));
        strbuf_printf(s->out, "  // %s\n", e ? text.text : "unknown");
    }
    strbuf_fini(&text);
}

static uint32_t frame_of(const cubin *c, uint32_t symbol)
{
    for (uint32_t i = 0; i < c->attribute_count; i++) {
        const cubin_attribute *a = &c->attributes[i];
        uint32_t words[2];

        if (a->number != CUBIN_A_FRAME_SIZE || a->size < sizeof words)
            continue;
        memcpy(words, a->at, sizeof words);
        if (words[0] == symbol)
            return words[1];
    }
    return 0;
}

/* Functions inside of the section that begin at `at`. */
static void put_inner(const source_writer *s, const cubin_function *f,
                      uint64_t at)
{
    for (uint32_t i = 1; i < s->c->symbol_count; i++) {
        const cubin_symbol *y = &s->c->symbols[i];

        if (y->section != f->section || y->type != SYMBOL_FUNCTION ||
            y->value != at || i == f->symbol)
            continue;
        strbuf_puts(s->out, "\t.inner\t");
        put_name(y->name, s->out);
        strbuf_printf(s->out, ", %u\n", frame_of(s->c, i));
    }
}

static uint8_t *find_inner(const source_writer *s, const cubin_function *f,
                           uint64_t size)
{
    uint8_t *places = new0(size / SASS_BYTES + 1, 1);

    for (uint32_t i = 1; i < s->c->symbol_count; i++) {
        const cubin_symbol *y = &s->c->symbols[i];

        if (y->section == f->section && y->type == SYMBOL_FUNCTION &&
            y->value < size && i != f->symbol)
            places[y->value / SASS_BYTES] = 1;
    }
    return places;
}

/* A word that is where a jump can go is a label. */
static void put_constants(const source_writer *s, const cubin_section *in,
                          const uint8_t *notes, uint64_t code)
{
    uint64_t from = 0;

    for (uint64_t at = 0; at + 4 <= in->size; at += 4) {
        uint32_t word;

        memcpy(&word, in->bytes + at, sizeof word);
        if (word % SASS_BYTES || word >= code ||
            !(notes[word / SASS_BYTES] & NOTE_CASE))
            continue;
        put_bytes(s, in, from, at);
        strbuf_printf(s->out, "\t.word\t.L_%x\n", word);
        from = at + 4;
    }
    put_bytes(s, in, from, in->size);
}

static void put_body(const source_writer *s, const cubin_function *f,
                     const uint8_t *notes)
{
    const cubin_section *in = &s->c->sections[f->section];
    uint8_t *inner = find_inner(s, f, in->size);
    uint32_t relocs;
    const cubin_reloc *r = cubin_relocs_of(s->c, f->section, &relocs);

    for (uint64_t at = 0; at + SASS_BYTES <= in->size; at += SASS_BYTES) {
        if (inner[at / SASS_BYTES])
            put_inner(s, f, at);
        if (notes[at / SASS_BYTES] & NOTE_PLACE)
            strbuf_printf(s->out, ".L_%" PRIx64 ":\n", at);
        for (; relocs && r->offset <= at; r++, relocs--)
            put_reloc(s, r);
        put_code(s, f, at, notes);
    }
    free(inner);
}

/* ---- Functions ---- */

static void put_extent(const char *name, const uint32_t of[3], strbuf *out)
{
    if (of[0])
        strbuf_printf(out, "\t%s\t%u, %u, %u\n", name, of[0], of[1], of[2]);
}

static void put_kernel(const source_writer *s, const cubin_function *f)
{
    uint32_t reserved = sass_shared_reserved(s->c->sm);
    uint64_t shared = f->shared ? s->c->sections[f->shared].size : 0;

    if (f->param_base && f->param_base != sass_param_base(s->c->sm))
        strbuf_printf(s->out, "\t.param_base\t0x%x\n", f->param_base);
    for (uint32_t i = 0; i < f->param_count; i++)
        strbuf_printf(s->out, "\t.param\t%u, %u\n", f->params[i].size,
                      f->params[i].offset);
    if (shared > reserved)
        strbuf_printf(s->out, "\t.shared\t%" PRIu64 "\n", shared - reserved);
    put_extent(".max_threads", f->max_threads, s->out);
    put_extent(".req_threads", f->req_threads, s->out);
    if (f->req_cga[0])
        put_extent(".cluster", f->req_cga, s->out);
    else if (f->explicit_cga)
        strbuf_puts(s->out, "\t.cluster\n");
    if (f->max_cga)
        strbuf_printf(s->out, "\t.max_cluster\t%u\n", f->max_cga);
}

static void put_externs(const source_writer *s, const cubin_function *f)
{
    for (uint32_t i = 0; i < f->attribute_count; i++) {
        const cubin_attribute *a = &s->c->attributes[f->first_attribute + i];

        for (unsigned at = 0; a->number == CUBIN_A_EXTERNS && at + 4 <= a->size;
             at += 4) {
            uint32_t symbol;

            memcpy(&symbol, a->at + at, sizeof symbol);
            if (symbol >= s->c->symbol_count)
                continue;
            strbuf_puts(s->out, "\t.extern\t");
            put_name(s->c->symbols[symbol].name, s->out);
            strbuf_putc(s->out, '\n');
        }
    }
}

static void put_function(const source_writer *s, const cubin_function *f)
{
    uint8_t *notes;

    strbuf_puts(s->out, f->entry ? ".kernel " : ".function ");
    put_name(f->name, s->out);
    strbuf_printf(s->out, "\n\t.align\t%" PRIu64 "\n\t.registers\t%u\n",
                  s->c->sections[f->section].align, f->registers);
    if (f->barriers)
        strbuf_printf(s->out, "\t.barriers\t%u\n", f->barriers);
    if (f->frame_bytes)
        strbuf_printf(s->out, "\t.frame\t%u\n", f->frame_bytes);
    if (f->stack_bytes != CUBIN_UNKNOWN)
        strbuf_printf(s->out, "\t.stack\t%u\n", f->stack_bytes);
    put_externs(s, f);
    if (f->entry)
        put_kernel(s, f);
    notes = find_notes(s, f);
    if (f->constant2 && s->c->sections[f->constant2].bytes)
        put_constants(s, &s->c->sections[f->constant2], notes,
                      s->c->sections[f->section].size);
    put_body(s, f, notes);
    free(notes);
    strbuf_puts(s->out, ".end\n\n");
}

void sass_source(const cubin *c, strbuf *out)
{
    sass_table *t = sass_table_new(c->sm);
    const source_writer s = {.c = c, .t = t, .out = out};

    strbuf_printf(out, ".target sm_%u\n\n", c->sm);
    for (size_t i = 0; i < SASS_DATA_SECTIONS; i++)
        put_data(&s, sass_data_sections[i]);
    for (uint32_t i = 0; i < c->function_count; i++)
        put_function(&s, &c->functions[i]);
    sass_table_free(t);
}
