/* src/config/print.c - walks the registry and writes. */
#include "config/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

/* Headings of the sections in which `path` lies and `previous` does not, then
 * the indentation of its line. Returns the id. */
static const char *open_sections(const char *previous, const char *path,
                                 strbuf *out)
{
    const char *id = path, *dot;
    unsigned depth = 0;

    while ((dot = strchr(id, '.'))) {
        size_t n = (size_t)(dot - path) + 1;

        if (strncmp(previous, path, n))
            strbuf_printf(out, "%*s%.*s:\n", (int)(2 * depth), "",
                          (int)(dot - id), id);
        depth++;
        id = dot + 1;
    }
    strbuf_printf(out, "%*s", (int)(2 * depth), "");
    return id;
}

static int by_path(const void *a, const void *b)
{
    return strcmp((*(const config_param *const *)a)->path,
                  (*(const config_param *const *)b)->path);
}

void config_dump(const config *cfg, strbuf *out)
{
    size_t n = config_param_count();
    const config_param **all = new_array(n, sizeof *all);
    const char *previous = "";

    for (size_t i = 0; i < n; i++)
        all[i] = config_param_get(i);
    qsort(all, n, sizeof *all, by_path);
    for (size_t i = 0; i < n; i++) {
        strbuf_printf(out, "%s: ", open_sections(previous, all[i]->path, out));
        config_value(cfg, all[i], out);
        strbuf_putc(out, '\n');
        previous = all[i]->path;
    }
    free(all);
}

uint64_t config_hash(const config *cfg)
{
    strbuf text = {0};
    uint64_t h;

    config_dump(cfg, &text);
    h = hash_bytes(text.text, text.size, 0);
    strbuf_fini(&text);
    return h;
}

static void put_origin(config_origin o, strbuf *out)
{
    if (o.kind == CONFIG_FROM_DEFAULT)
        strbuf_puts(out, "default");
    else if (o.kind == CONFIG_FROM_FILE)
        strbuf_printf(out, "%s:%u:%u", o.file, o.line, o.column);
    else
        strbuf_puts(out, o.file);
}

/* The source of the value in force: the comment of the file that set it, the
 * table's tag for a default, nothing for a value from the command line. */
static const char *source_of(config_origin o, const config_param *p)
{
    return o.kind == CONFIG_FROM_DEFAULT ? p->source : o.note;
}

void config_show(const config_sheet *s, strbuf *out)
{
    const config *cfg = config_sheet_values(s);
    const char *previous = "";

    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        config_origin o = config_sheet_origin(s, p);
        size_t start, width;

        const char *id = open_sections(previous, p->path, out);
        for (start = out->size; start && out->text[start - 1] != '\n';)
            start--;
        strbuf_printf(out, "%s: ", id);
        config_value(cfg, p, out);
        width = out->size - start;
        strbuf_printf(out, "%*s # ", width < 34 ? (int)(34 - width) : 0, "");
        if (*source_of(o, p))
            strbuf_printf(out, "%s ", source_of(o, p));
        put_origin(o, out);
        strbuf_putc(out, '\n');
        previous = p->path;
    }
}

size_t config_diff(const config *a, const config *b, strbuf *out)
{
    size_t different = 0;

    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        strbuf x = {0}, y = {0};

        config_value(a, p, &x);
        config_value(b, p, &y);
        if (strcmp(x.text, y.text)) {
            strbuf_printf(out, "%s: %s -> %s\n", p->path, x.text, y.text);
            different++;
        }
        strbuf_fini(&x);
        strbuf_fini(&y);
    }
    return different;
}

static void put_range(const config_param *p, strbuf *out)
{
    switch (p->kind) {
    case CONFIG_INT:
    case CONFIG_SIZE:
        strbuf_printf(out, "%" PRIu64 " to %" PRIu64, p->min, p->max);
        break;
    case CONFIG_POW2:
        strbuf_printf(out, "%" PRIu64 " to %" PRIu64 ", a power of two", p->min,
                      p->max);
        break;
    case CONFIG_BOOL:
        strbuf_puts(out, "true or false");
        break;
    case CONFIG_ENUM:
        for (size_t i = 0; i < p->choice_count; i++)
            strbuf_printf(out, "%s%s", i ? ", " : "", p->choices[i].text);
        break;
    case CONFIG_STRING:
        strbuf_printf(out, "up to %" PRIu64 " characters", p->max);
        break;
    }
}

static void explain_one(const config_sheet *s, const config_param *p,
                        strbuf *out)
{
    config_origin o = config_sheet_origin(s, p);
    config defaults;

    config_defaults(&defaults);
    strbuf_printf(out, "%s = ", p->path);
    config_value(config_sheet_values(s), p, out);
    strbuf_printf(out, "%s%s\n  meaning  %s\n  origin   ", *p->unit ? " " : "",
                  p->unit, p->help);
    put_origin(o, out);
    strbuf_printf(out, "\n  source   %s\n  allowed  ",
                  *source_of(o, p) ? source_of(o, p) : "-");
    put_range(p, out);
    strbuf_puts(out, "\n  default  ");
    config_value(&defaults, p, out);
    strbuf_printf(out, " %s\n", p->source);
    for (size_t i = 0; i < p->choice_count; i++)
        strbuf_printf(out, "    %-16s %s\n", p->choices[i].text,
                      p->choices[i].help);
}

status config_explain(const config_sheet *s, const char *path, strbuf *out,
                      diag *dg)
{
    const config_param *p = config_param_find(path);
    const char *near;

    if (p) {
        explain_one(s, p, out);
        return ST_OK;
    }
    if (config_section_find(path)) {
        size_t n = strlen(path);

        strbuf_printf(out, "%s: %s\n", path, config_section_find(path)->help);
        for (size_t i = 0; i < config_param_count(); i++) {
            p = config_param_get(i);
            if (!strncmp(p->path, path, n) && p->path[n] == '.') {
                strbuf_putc(out, '\n');
                explain_one(s, p, out);
            }
        }
        return ST_OK;
    }
    near = config_param_suggest(path);
    if (near)
        diag_error(dg, "no parameter '%s' (did you mean '%s'?)", path, near);
    else
        diag_error(dg, "no parameter '%s'", path);
    return ST_USAGE;
}

/* Parameters of one section, not of those within it. */
static void doc_section(const config *defaults, const config_section *sec,
                        strbuf *out)
{
    size_t n = strlen(sec->path);
    bool any = false;

    strbuf_printf(out, "\n## `%s`: %s\n", sec->path, sec->help);
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);

        if (strncmp(p->path, sec->path, n) ||
            p->path + n + 1 != p->path + strlen(p->path) - strlen(p->id))
            continue;
        if (!any)
            strbuf_puts(out, "\n| key | default | unit | allowed | source | "
                             "meaning |\n|---|---|---|---|---|---|\n");
        any = true;
        strbuf_printf(out, "| `%s` | ", p->id);
        config_value(defaults, p, out);
        strbuf_printf(out, " | %s | ", *p->unit ? p->unit : "-");
        put_range(p, out);
        strbuf_printf(out, " | %s | %s |\n", p->source, p->help);
    }
}

static void doc_choices(strbuf *out)
{
    strbuf_puts(out, "\n## Choices\n\n| parameter | value | meaning |\n"
                     "|---|---|---|\n");
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        bool first = true;

        for (size_t k = 0; k < i && first; k++)
            first = config_param_get(k)->choices != p->choices;
        if (!first && p->choices)
            continue; /* the rows of sm.op share theirs */
        for (size_t k = 0; k < p->choice_count; k++)
            strbuf_printf(out, "| `%s` | %s | %s |\n", p->path,
                          p->choices[k].text, p->choices[k].help);
    }
}

void config_doc(strbuf *out)
{
    config defaults;

    config_defaults(&defaults);
    strbuf_puts(
        out,
        "# Configuration\n\n"
        "Generated from `src/config/params.def`; do not edit.\n\n"
        "A configuration is a YAML file of nested sections, applied on top of "
        "the defaults\n"
        "below; `extends: NAME` as its first key starts from a preset or from "
        "another file.\n"
        "`--set sm.warps=32` changes one value. Sizes may end in K, M, G or T "
        "(powers of\n"
        "1024), clocks in kHz, MHz or GHz. Cycles are those of the core clock "
        "unless the\n"
        "meaning says otherwise. The source tags are explained in "
        "`docs/sources.md`;\n"
        "`[default]` is a value that only has to be reasonable until a preset "
        "replaces it.\n");
    for (size_t i = 0; i < config_section_count(); i++)
        doc_section(&defaults, config_section_get(i), out);
    doc_choices(out);
}
