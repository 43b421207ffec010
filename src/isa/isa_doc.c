/* src/isa/isa_doc.c - the machine as Markdown tables. */
#include "isa/isa_doc.h"

#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "isa/encode.h"
#include "isa/isa.h"

/* A missing text is a hole here, which a test finds. */
static const char *const helps[ISA_COUNT] = {
#define HELP(id, text) [ISA_##id] = text,
#include "isa/help.def"
#undef HELP
};

static const struct {
    char letter;
    const char *help;
} letters[] = {
#define OPERAND(letter, kind, index, width, help) {letter, help},
#include "isa/operand.def"
#undef OPERAND
};

static const struct {
    unsigned bit, width;
    const char *name, *help;
} fields[] = {
#define FIELD(bit, width, value, help) {bit, width, #value, help},
#include "isa/encode.def"
#undef FIELD
};

/* In a table cell '|' would end the cell. */
static void put_escaped_cell(strbuf *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '|')
            strbuf_putc(out, '\\');
        strbuf_putc(out, *s);
    }
}

static void put_intro(strbuf *out)
{
    strbuf_puts(
        out,
        "# Machine instruction set\n\n"
        "Generated from the tables of `src/isa`; do not edit. "
        "[asm.md](asm.md) describes\nthe assembly language.\n\n"
        "A thread has 32-bit registers `R0` to `R254`; `RZ` reads zero. Wider "
        "values are in\naligned pairs and quads. Predicates are `P0` to `P6`; "
        "`PT` is true. Every\ninstruction has a guard, as in `@!P0 EXIT`. "
        "A source is a register, an immediate\nor a constant "
        "`c[bank][offset]`, of the last two at most one in an "
        "instruction.\n`-A` and `|A|` change the sign of floating-point "
        "sources, `-A` that of integers in\nadditions and multiplications, "
        "`~A` the bits of a source of `LOP3.LUT`.\n\n"
        "From `ampere` on a warp has uniform registers `UR0` to `UR62`, one "
        "value for all its\nlanes, `URZ`, and uniform predicates `UP0` to "
        "`UP6`, `UPT`. The classes `uniform`\nand `umove` work on them once, "
        "whatever lanes are active, under a guard of their\nown: "
        "`@!UP0 UMOV UR0, 0x1`. An operation of the lanes takes a uniform "
        "register in\nthe place of a constant, and an address may add one "
        "(a pair with `.E`):\n`[R2.64+UR4+0x10]`, `[UR4]`, or with a part of "
        "32 bits from the lane\n`[R2.U32+UR4]`.\n\n"
        "| family | instruction bytes | reconvergence | control "
        "information |\n"
        "|---|---|---|---|\n"
        "| `fermi` | 8 | `SSY`, `SYNC` | none |\n"
        "| `kepler` | 8, and a control word before every seven | `SSY`, "
        "`SYNC` | 8-bit code, `{0x25}` |\n"
        "| `volta`, `ampere`, `hopper` | 16 | `BSSY`, `BSYNC`, 16 barriers | "
        "`[B0-----:R-:W1:Y:S04]` |\n\n"
        "Of the last: `B` scoreboards waited for, `R` released when the "
        "sources have been\nread, `W` when the result is written, `Y` yield, "
        "`S` cycles to the next issue;\n`R1.reuse` keeps a source for the "
        "next instruction.\n");
}

static void put_letters(strbuf *out)
{
    strbuf_puts(out,
                "\n## Operands\n\n"
                "The letters of the instruction tables; `[x]` can be "
                "left out, `U` before a letter\nis the uniform operand.\n\n"
                "| letter | operand |\n|---|---|\n");
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        strbuf_printf(out, "| `%c` | %s |\n", letters[i].letter,
                      letters[i].help);
}

static void put_modifier_group(strbuf *out, isa_mod group)
{
    size_t length;
    const char *s;
    bool optional;

    isa_mod_text(group, 0, &length);
    optional = !length;
    strbuf_puts(out, optional ? "{" : "(");
    for (unsigned v = optional; (s = isa_mod_text(group, v, &length)); v++) {
        strbuf_puts(out, v > optional ? "\\|." : ".");
        strbuf_write(out, s, length);
    }
    strbuf_puts(out, optional ? "}" : ")");
}

static void put_form(strbuf *out, const char *form)
{
    const char *before = " ";

    for (const char *s = form; *s; s++) {
        bool optional = *s == '?';
        const char *uniform;

        if (*s == ',')
            continue;
        s += optional;
        uniform = *s == '^' ? "U" : "";
        s += *s == '^';
        strbuf_printf(out, optional ? "%s[%s%c]" : "%s%s%c", before, uniform,
                      *s);
        before = ", ";
    }
}

static void put_inst(strbuf *out, const isa_desc *d)
{
    strbuf_printf(out, "| `%s", d->text);
    put_form(out, d->form);
    strbuf_puts(out, "` | ");
    for (unsigned g = 0; g < ISA_MODS; g++)
        if (d->mods >> g & 1)
            strbuf_printf(out, "%s ", isa_mod_table[g].id);
    strbuf_puts(out, "| ");
    put_escaped_cell(out, helps[d - isa_table] ? helps[d - isa_table] : "?");
    strbuf_printf(out, " | 0x%03x | %s |\n", d->code, d->source);
}

static void put_class(strbuf *out, unsigned class)
{
    bool any = false;

    for (unsigned i = 0; i < ISA_COUNT; i++) {
        if (isa_table[i].class != class)
            continue;
        if (!any)
            strbuf_printf(out,
                          "\n### `%s`: %s\n\n"
                          "| instruction | modifiers | meaning | code | source "
                          "|\n|---|---|---|---|---|\n",
                          isa_class_names[class], isa_class_helps[class]);
        any = true;
        put_inst(out, &isa_table[i]);
    }
}

static void put_groups(strbuf *out)
{
    strbuf_puts(out, "\n## Modifiers\n\n"
                     "In printing order. `{...}` can be left out, one of "
                     "`(...)` is always given.\n\n"
                     "| group | values |\n|---|---|\n");
    for (unsigned g = 0; g < ISA_MODS; g++) {
        strbuf_printf(out, "| %s | ", isa_mod_table[g].id);
        put_modifier_group(out, (isa_mod)g);
        strbuf_puts(out, " |\n");
    }
}

/* The ABI of the compiler (codegen/ir/abi.h); the machine does not depend on
 * it. */
static void put_calls(strbuf *out)
{
    static const struct {
        const char *what, *use;
    } rows[] = {
        {"`R1`", "end of the caller's frame, a byte offset in local memory; "
                 "the callee's begins there; kept"},
        {"`R2`", "where to return to, an instruction index"},
        {"`R3`", "where `CALL.IND` goes"},
        {"`R4` to `R15`", "arguments, results: a word each, 8 bytes and their "
                          "multiples from an even register; the rest from "
                          "`R1` on"},
        {"`R16` to `R31`, `R40` to `R47`, `R56` to `R63`, ...",
         "kept by the callee"},
        {"`B0` to `B15`", "kept by the callee"},
        {"the others, predicates", "lost in a call, as far as the callee "
                                   "writes them"},
    };

    strbuf_puts(out, "\n## Calls\n\n"
                     "What compiled functions keep to; assembly may do "
                     "otherwise.\n\n| register | use |\n|---|---|\n");
    for (unsigned i = 0; i < COUNTOF(rows); i++)
        strbuf_printf(out, "| %s | %s |\n", rows[i].what, rows[i].use);
}

static void put_sregs(strbuf *out)
{
    strbuf_puts(out, "\n## Special registers\n\n"
                     "| register | value |\n|---|---|\n");
    for (unsigned i = 0; i < ISA_SREGS; i++)
        strbuf_printf(out, "| `%s` | %s |\n", isa_sreg_names[i],
                      isa_sreg_helps[i]);
}

static void put_encoding(strbuf *out)
{
    strbuf_printf(out,
                  "\n## Encoding\n\n"
                  "In object files an instruction is a little-endian number "
                  "of %d bytes, version %d.\nIt is Heddle's own, not the "
                  "vendor's. Bits without a field are 0.\n\n"
                  "| bits | field | meaning |\n|---|---|---|\n",
                  ISA_CODE_BYTES, ISA_CODE_VERSION);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *name = fields[i].name;

        if (!strncmp(name, "in->", 4))
            name += 4;
        strbuf_printf(out, "| %u..%u | `%s` | %s |\n", fields[i].bit,
                      fields[i].bit + fields[i].width - 1, name,
                      fields[i].help);
    }
}

void isa_doc(strbuf *out)
{
    put_intro(out);
    put_letters(out);
    put_groups(out);
    strbuf_puts(out, "\n## Instructions\n\n"
                     "By the class that a GPU's configuration gives a unit, "
                     "latency and interval\n(`sm.op.<class>`).\n");
    for (unsigned c = 0; c < ISA_CLASSES; c++)
        put_class(out, c);
    put_calls(out);
    put_sregs(out);
    put_encoding(out);
}
