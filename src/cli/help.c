/* Help, from the tables of the commands. */
#include <string.h>

#include "cli/cli.h"

enum {
    INDENT = 2,
    LEFT = 28,      /* where the texts of options and verbs begin */
    NARROWEST = 40, /* fewer columns than that are taken for so many */
    WIDEST = 100,
    USUAL = 80
};

static unsigned help_width(FILE *to)
{
    unsigned width = cli_columns(to);

    return !width              ? USUAL
           : width < NARROWEST ? NARROWEST
           : width > WIDEST    ? WIDEST
                               : width;
}

/* A word of `n` bytes at column `*at`, with a blank before it or, where it
 * does not fit, on a new line. */
static void put_word(const char *word, size_t n, unsigned left, unsigned *at,
                     bool first, FILE *to)
{
    if (!first && *at + 1 + n > help_width(to)) {
        fprintf(to, "\n%*s", (int)left, "");
        *at = left;
    } else if (!first) {
        fputc(' ', to);
        ++*at;
    }
    fprintf(to, "%.*s", (int)n, word);
    *at += (unsigned)n;
}

/* The same from column `at` on. */
static void fold_from(const char *text, unsigned at, unsigned left, FILE *to)
{
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");

        put_word(text, n, left, &at, first, to);
        text += n;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

void cli_fold(const char *text, unsigned left, FILE *to)
{
    fold_from(text, left, left, to);
}

/* `what`, which ends at column n, and its text beside it or below. */
static void put_help_text(unsigned n, const char *text, FILE *to)
{
    unsigned left = help_width(to) < 2 * LEFT ? 3 * INDENT : LEFT;

    if (n + 2 > left)
        fprintf(to, "\n%*s", (int)left, "");
    else
        fprintf(to, "%*s", (int)(left - n), "");
    cli_fold(text, left, to);
}

static void put_option(const cli_option *o, FILE *to)
{
    int n = o->letter
                ? fprintf(to, "%*s-%c, --%s", INDENT, "", o->letter, o->name)
                : fprintf(to, "%*s--%s", INDENT + 4, "", o->name);

    if (o->arg)
        n += fprintf(to, " %s", o->arg);
    put_help_text((unsigned)n, o->help, to);
}

const char *cli_group_title(cli_group g)
{
    static const char *const titles[] = {
#define GROUP(id, title) title,
        CLI_GROUPS(GROUP)
#undef GROUP
    };

    return titles[g];
}

static void put_options(const cli_command *c, FILE *to)
{
    for (cli_group g = 0; g < CLI_GROUP_COUNT; g++) {
        bool begun = false;

        for (const cli_option *o = NULL; (o = cli_option_next(c, o));) {
            if (cli_option_group(c, o) != g)
                continue;
            if (!begun)
                fprintf(to, "\n%s:\n", cli_group_title(g));
            begun = true;
            put_option(o, to);
        }
    }
}

static void put_verbs(const cli_line *v, FILE *to)
{
    if (v)
        fputc('\n', to);
    for (; v && v->line; v++)
        put_help_text((unsigned)fprintf(to, "%*s%s", INDENT, "", v->line),
                      v->text, to);
}

static void put_examples(const cli_line *x, FILE *to)
{
    if (x)
        fputs("\nexamples:\n", to);
    for (; x && x->line; x++) {
        fprintf(to, "%*s", INDENT, "");
        cli_fold(x->text, INDENT, to);
        fprintf(to, "%*sheddle ", 2 * INDENT, "");
        for (const char *s = x->line; *s; s++) {
            fputc(*s, to);
            if (*s == '\n')
                fprintf(to, "%*s", 2 * INDENT, "");
        }
        fputc('\n', to);
    }
}

/* Paragraphs are parted by empty lines. */
static void put_paragraphs(const char *text, FILE *to)
{
    unsigned at = 0;

    for (bool first = true; *text;) {
        size_t n = strcspn(text, " \n");

        put_word(text, n, 0, &at, first, to);
        first = text[n] == '\n';
        text += n;
        if (first)
            fputs("\n\n", to);
        if (first)
            at = 0;
        text += strspn(text, " \n");
    }
    fputc('\n', to);
}

static void overview(FILE *to)
{
    fputs("heddle - cycle-level GPU simulator and microarchitecture "
          "laboratory\n\nusage: heddle COMMAND [OPTION...]\n\ncommands:\n",
          to);
    for (const cli_command *c = cli_commands; c->name; c++)
        if (c->help)
            fprintf(to, "  %-12s %s\n", c->name, c->help);
    fputs("\nexit status:\n", to);
    for (const cli_exit *e = cli_exits; e->text; e++) {
        fprintf(to, "  %3d  ", e->code);
        cli_fold(e->text, 7, to);
    }
    fputs("\n'heddle help COMMAND' tells more; so does the manual, heddle(1)."
          "\n",
          to);
}

void cli_help(const cli_command *c, FILE *to)
{
    enum { BEHIND_USAGE = 14 };

    if (!c) {
        overview(to);
        return;
    }
    int n = fprintf(to, "usage: heddle %s ", c->name);
    fold_from(c->synopsis, (unsigned)n, BEHIND_USAGE, to);
    fputc('\n', to);
    put_paragraphs(c->text, to);
    put_verbs(c->verbs, to);
    put_examples(c->examples, to);
    put_options(c, to);
}
