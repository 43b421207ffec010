/* src/sass/listing.c - each instruction on a line: control codes, address,
 * text, words. */
#include "sass/listing.h"

#include <inttypes.h>
#include <string.h>

#include "isa/program.h"
#include "sass/sass_text.h"

enum {
    INST_BYTES = 16,
    TEXT_WIDTH = 56, /* behind it the words stand */
    SYMBOL_FUNCTION = 2,
};

/* ---- Code ---- */

static void put_text(const sass_table *t, sass_word w, uint64_t address,
                     strbuf *out)
{
    const sass_encoding *e = t ? sass_find(t, w) : NULL;

    if (e)
        sass_put(t, e, w, address, out);
    else
        strbuf_printf(out, "? opcode 0x%03x", (unsigned)sass_get(w, 0, 12));
}

static void put_inst(const sass_table *t, const uint8_t *at, uint64_t address,
                     strbuf *out)
{
    uint64_t words[2];
    sass_word w;
    size_t begin;

    memcpy(words, at, sizeof words);
    w = (sass_word)words[1] << 64 | words[0];
    sass_put_control(w, out);
    strbuf_printf(out, " /*%04" PRIx64 "*/  ", address);
    begin = out->size;
    put_text(t, w, address, out);
    strbuf_puts(out, " ;");
    while (out->size - begin < TEXT_WIDTH)
        strbuf_putc(out, ' ');
    strbuf_printf(out, "/* 0x%016" PRIx64 " 0x%016" PRIx64 " */\n", words[0],
                  words[1]);
}

static void put_head(const cubin *c, const cubin_function *f, strbuf *out)
{
    const cubin_section *s = &c->sections[f->section];

    strbuf_printf(out,
                  "//--------------------- %s --------------------------\n"
                  "\t.section\t%s,\"ax\",@progbits\n"
                  "\t.sectioninfo\t@\"SHI_REGISTERS=%u\"\n"
                  "\t.align\t%u\n",
                  s->name, s->name, f->registers, (unsigned)s->align);
    if (f->symbol)
        strbuf_printf(out, "\t.global\t%s\n\t.type\t%s,@function\n", f->name,
                      f->name);
    if (f->entry)
        strbuf_printf(out, "\t.other\t%s,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n",
                      f->name);
}

/* Functions inside of others. */
static void put_labels(const cubin *c, const cubin_function *f,
                       uint64_t address, strbuf *out)
{
    for (uint32_t i = 1; i < c->symbol_count; i++) {
        const cubin_symbol *s = &c->symbols[i];

        if (s->section == f->section && s->type == SYMBOL_FUNCTION &&
            s->value == address)
            strbuf_printf(out, "%s:\n", s->name);
    }
}

/* Has the section a function at `address`? */
static bool has_label(const uint8_t *labels, uint64_t address)
{
    return labels[address / INST_BYTES];
}

static uint8_t *find_labels(const cubin *c, const cubin_function *f)
{
    uint64_t size = c->sections[f->section].size;
    uint8_t *labels = arena_alloc(c->mem, size / INST_BYTES + 1);

    for (uint32_t i = 1; i < c->symbol_count; i++)
        if (c->symbols[i].section == f->section &&
            c->symbols[i].type == SYMBOL_FUNCTION && c->symbols[i].value < size)
            labels[c->symbols[i].value / INST_BYTES] = 1;
    return labels;
}

static void put_function(const cubin *c, const cubin_function *f,
                         const sass_table *t, strbuf *out)
{
    const cubin_section *s = &c->sections[f->section];
    const cubin_line *shown = NULL;
    const uint8_t *labels = find_labels(c, f);

    put_head(c, f, out);
    for (uint64_t at = 0; at + INST_BYTES <= s->size; at += INST_BYTES) {
        const cubin_line *line = cubin_line_at(f, (uint32_t)at);

        if (has_label(labels, at))
            put_labels(c, f, at, out);
        if (line &&
            (!shown || line->line != shown->line || line->file != shown->file))
            strbuf_printf(out, "\t//## File \"%s\", line %u\n",
                          c->files[line->file - 1], line->line);
        shown = line;
        put_inst(t, s->bytes + at, at, out);
    }
    strbuf_putc(out, '\n');
}

bool sass_list(const cubin *c, const char *only, strbuf *out)
{
    sass_table *t = sass_table_new(c->sm); /* NULL: not known */
    bool any = !only;

    strbuf_printf(out, "// code for sm_%u\n", c->sm);
    for (uint32_t i = 0; i < c->function_count; i++) {
        const cubin_function *f = &c->functions[i];

        if (only && !isa_name_is(f->name, only))
            continue;
        put_function(c, f, t, out);
        any = true;
    }
    sass_table_free(t);
    return any;
}

/* ---- What is in a file ---- */

static void put_sections(const cubin *c, strbuf *out)
{
    strbuf_puts(out, "sections\n");
    for (uint32_t i = 1; i < c->section_count; i++)
        strbuf_printf(out, "  %3u  %8" PRIu64 " bytes  type 0x%-8x  %s\n", i,
                      c->sections[i].size, c->sections[i].type,
                      c->sections[i].name);
}

static void put_params(const cubin_function *f, strbuf *out)
{
    strbuf_printf(out, "  parameters: %u bytes at 0x%x of bank 0\n",
                  f->param_bytes, f->param_base);
    for (uint32_t i = 0; i < f->param_count; i++)
        strbuf_printf(out, "    %u: %u bytes at %u\n", i, f->params[i].size,
                      f->params[i].offset);
}

static void put_functions(const cubin *c, strbuf *out)
{
    for (uint32_t i = 0; i < c->function_count; i++) {
        const cubin_function *f = &c->functions[i];

        strbuf_printf(out,
                      "%s %s\n"
                      "  %" PRIu64 " instructions, %u registers, %u barriers, "
                      "%" PRIu64 " bytes shared, frame of %u bytes",
                      f->entry ? "kernel" : "function", f->name,
                      c->sections[f->section].size / INST_BYTES, f->registers,
                      f->barriers, f->shared ? c->sections[f->shared].size : 0,
                      f->frame_bytes);
        if (f->stack_bytes != CUBIN_UNKNOWN)
            strbuf_printf(out, ", with calls %u", f->stack_bytes);
        strbuf_putc(out, '\n');
        if (f->entry)
            put_params(f, out);
    }
}

static void put_attribute(const cubin_attribute *a, strbuf *out)
{
    const char *name = cubin_attribute_name(a->number);

    strbuf_printf(out, "  0x%02x %-26s", a->number, name ? name : "(unknown)");
    for (unsigned i = 0; a->format == CUBIN_FORMAT_SIZED && i + 4 <= a->size;
         i += 4) {
        uint32_t word;

        memcpy(&word, a->at + i, 4);
        strbuf_printf(out, " 0x%x", word);
    }
    if (a->format == CUBIN_FORMAT_BYTE || a->format == CUBIN_FORMAT_HALF)
        strbuf_printf(
            out, " 0x%x",
            a->at[0] |
                (a->format == CUBIN_FORMAT_HALF ? (unsigned)a->at[1] << 8 : 0));
    strbuf_putc(out, '\n');
}

static void put_attributes(const cubin *c, strbuf *out)
{
    uint32_t section = 0;

    for (uint32_t i = 0; i < c->attribute_count; i++) {
        const cubin_attribute *a = &c->attributes[i];

        if (a->section != section)
            strbuf_printf(out, "attributes %s\n", c->sections[a->section].name);
        section = a->section;
        put_attribute(a, out);
    }
}

void sass_list_info(const cubin *c, strbuf *out)
{
    strbuf_printf(out, "code for sm_%u, %s, ABI 0x%x version %u\n", c->sm,
                  c->elf_type == CUBIN_LINKED ? "linked" : "an object to link",
                  c->os_abi, c->abi_version);
    put_sections(c, out);
    put_functions(c, out);
    put_attributes(c, out);
}
