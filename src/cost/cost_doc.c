/* src/cost/cost_doc.c - the tables of structures and terms as Markdown. */
#include "cost/cost_doc.h"

#include <string.h>

#include "base/must.h"
#include "cost/cost.h"

static const char head[] =
    "# Storage and comparators\n"
    "\n"
    "Generated from the tables in the sources; do not edit.\n"
    "\n"
    "`heddle cost` says how many bits each structure of a machine stores, and "
    "how many\n"
    "its comparators look at in a cycle. Both come from the configuration "
    "alone, by the\n"
    "formulas below.\n"
    "\n"
    "    heddle cost v100                            every structure\n"
    "    heddle cost gtx480 k20 v100                 beside each other\n"
    "    heddle cost gtx480 --over l1.ways=2,4,8     what changes with a "
    "parameter\n"
    "    heddle cost v100 --structure l1_mshrs \\\n"
    "        --over l1.mshrs=128,256,512 --over l1.merges=4,8,16\n"
    "\n"
    "All formats have the same figures; `--format csv` has a line for each "
    "structure of\n"
    "each machine. `heddle compare` prints the difference of its sides.\n"
    "\n"
    "## What is counted\n"
    "\n"
    "- What the model has and hardware would store: tables, queues, tags, "
    "counters. Not\n"
    "  latches between pipeline stages, nor what only the simulator keeps, "
    "such as the\n"
    "  reason of a stall.\n"
    "- **Data arrays** (registers, shared memory, lines of caches) are summed "
    "apart: they\n"
    "  are most of a chip and the same for most ideas. The rest is "
    "**control**.\n"
    "- **Compared bits** are those of a search by content: tags of the ways of "
    "a set, lines\n"
    "  of MSHRs, ages of warps. A bit selected by an index costs none, so the "
    "scoreboard has\n"
    "  none. Storage alone would flatter structures that search: look at "
    "both.\n"
    "- Widths that no parameter gives are terms of their own, below; most of "
    "them are\n"
    "  guesses, and all of them are the same for every machine of a "
    "comparison.\n"
    "- Ages are full: log2 of the ways for each way, log2 of the warps for "
    "each warp.\n"
    "- Network buffers are those of a port, `noc.buffer` messages. The model's "
    "credits are\n"
    "  those of pairs of ports, so that it never has to admit more than they "
    "promise; a real\n"
    "  network of this size would share them.\n"
    "- Bits are not area: a bit of a register file with many ports is larger "
    "than one of an\n"
    "  L2. No technology is assumed.\n"
    "\n"
    "`heddle cost` also takes machines that cannot be simulated, since two "
    "parameters\n"
    "contradict each other, and says so.\n";

static const char formulas[] =
    "\n"
    "Formulas are over the parameters of [config.md](config.md) and the terms "
    "below.\n"
    "`bits_for(n)` is log2 n, rounded up; `least(a, b)` the smaller. "
    "`tags(sets, ways, line, state)` is\n"
    "`sets * ways * (tag + state + bits_for(ways))`, where `tag` is "
    "`address_bits` without\n"
    "log2 of the sets, rounded down, and of the line; `compare(sets, ways, "
    "line)` is\n"
    "`ways * (1 + tag)`: one look-up.\n";

/* Bars would end a cell. */
static void put_code_cell(strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            strbuf_putc(out, '\\');
        strbuf_putc(out, *text);
    }
}

static void put_structure(strbuf *out, const cost_structure *c)
{
    strbuf_printf(out, "| `%s` | %s%s; each %s | `", c->id, c->help,
                  c->bulk ? " (data)" : "", c->per);
    put_code_cell(out, c->formula);
    if (strcmp(c->compared, "0") != 0) {
        strbuf_puts(out, "`, compared `");
        put_code_cell(out, c->compared);
    }
    if (strcmp(c->exists, "1") != 0) {
        strbuf_puts(out, "`, if `");
        put_code_cell(out, c->exists);
    }
    strbuf_printf(out, "` | %s |\n", c->source);
}

/* Parameters, by the type of their choices. */
static const struct {
    const char *type, *path;
} params[] = {
#define SECTION(path, id, help)
#define END(id)
#define INT(sec, id, def, min, max, unit, source, help)
#define POW2(sec, id, def, min, max, unit, source, help)
#define SIZE(sec, id, def, min, max, unit, source, help)
#define BOOL(sec, id, def, source, help)
#define ENUM(sec, id, type, def, source, help) {#type, #sec "." #id},
#define TEXT(sec, id, def, source, help)
#include "config/params.def"
#undef SECTION
#undef END
#undef INT
#undef POW2
#undef SIZE
#undef BOOL
#undef ENUM
#undef TEXT
};

static const struct {
    const char *type, *id, *text;
} values[] = {
#define ENUM_BEGIN(type)
#define VALUE(type, id, text, help) {#type, #id, text},
#define ENUM_END(type)
#include "config/enums.def"
#undef ENUM_BEGIN
#undef VALUE
#undef ENUM_END
};

static const char choices[] =
    "\n"
    "## Choices without bits of their own\n"
    "\n"
    "Every other choice of a policy stands in a formula above.\n"
    "\n"
    "| choice | why |\n"
    "|---|---|\n";

/* As a setting of each parameter that has it. */
static void put_choice(strbuf *out, const cost_choice *c)
{
    const char *before = "| ";

    for (size_t v = 0; v < COUNTOF(values); v++) {
        if (strcmp(values[v].id, c->id) != 0)
            continue;
        for (size_t p = 0; p < COUNTOF(params); p++) {
            if (strcmp(params[p].type, values[v].type) != 0)
                continue;
            strbuf_printf(out, "%s`%s=%s`", before, params[p].path,
                          values[v].text);
            before = ", ";
        }
    }
    strbuf_printf(out, " | %s |\n", c->help);
}

void cost_doc(strbuf *out)
{
    strbuf_puts(out, head);
    strbuf_puts(out, "\n## Structures\n");
    strbuf_puts(out, formulas);
    strbuf_puts(out, "\n| structure | what it holds | bits of one | source |\n"
                     "|---|---|---|---|\n");
    for (size_t i = 0; i < COST_STRUCTURES; i++)
        put_structure(out, &cost_table[i]);
    strbuf_puts(out, "\n## Terms\n\n| term | value | meaning | source |\n"
                     "|---|---|---|---|\n");
    for (size_t i = 0; i < COST_TERMS; i++) {
        strbuf_printf(out, "| `%s` | `", cost_terms[i].id);
        put_code_cell(out, cost_terms[i].value);
        strbuf_printf(out, "` | %s | %s |\n", cost_terms[i].help,
                      cost_terms[i].source);
    }
    strbuf_puts(out, choices);
    for (size_t i = 0; i < cost_choice_count(); i++)
        put_choice(out, cost_choice_get(i));
}
