/* The manual, in mdoc, from the tables of the commands: a page of all of them,
 * and one of each. */
#include <ctype.h>
#include <string.h>

#include "base/must.h"
#include "base/version.h"
#include "cli/cli.h"

static void roff_word(const char *w, size_t n, bool starts, FILE *to)
{
    if (starts && (*w == '.' || *w == '\''))
        fputs("\\&", to);
    for (size_t i = 0; i < n; i++) {
        if (w[i] == '\\')
            fputs("\\e", to);
        else if (w[i] == '-')
            fputs("\\-", to);
        else
            fputc(w[i], to);
    }
}

/* Text without what mdoc would take for a macro or an escape, in short lines,
 * each sentence on a new one. */
static void roff(const char *s, FILE *to)
{
    unsigned column = 0;
    char last = 0;

    while (*s) {
        size_t n = strcspn(s, " \n");

        if (column && (column + n > 72 || last == '.')) {
            fputc('\n', to);
            column = 0;
        } else if (column) {
            fputc(' ', to);
        }
        roff_word(s, n, !column, to);
        column += (unsigned)n + 1;
        last = n ? s[n - 1] : last;
        s += n;
        if (s[0] == '\n' && s[1] == '\n') {
            fputs("\n.Pp\n", to);
            column = 0;
            last = 0;
        }
        s += strspn(s, " \n");
    }
    fputc('\n', to);
}

static void manual_verbs(const cli_line *v, FILE *to)
{
    fputs(".Bl -tag -width indent\n", to);
    for (; v->line; v++) {
        fprintf(to, ".It Cm %s\n", v->line);
        roff(v->text, to);
    }
    fputs(".El\n", to);
}

static void manual_option(const cli_option *o, FILE *to)
{
    fputs(".It ", to);
    if (o->letter)
        fprintf(to, "Fl %c , ", o->letter);
    fprintf(to, "Fl \\-%s", o->name);
    if (o->arg)
        fprintf(to, " Ar %s", o->arg);
    fputc('\n', to);
    roff(o->help, to);
}

static void manual_options(const cli_command *c, FILE *to)
{
    for (cli_group g = 0; g < CLI_GROUP_COUNT; g++) {
        bool begun = false;

        for (const cli_option *o = NULL; (o = cli_option_next(c, o));) {
            if (cli_option_group(c, o) != g)
                continue;
            if (!begun)
                fprintf(to, ".Pp\n.Sy %s :\n.Bl -tag -width indent\n",
                        cli_group_title(g));
            begun = true;
            manual_option(o, to);
        }
        if (begun)
            fputs(".El\n", to);
    }
}

/* How it is called, what it does, its verbs and options. */
static void manual_body(const cli_command *c, FILE *to)
{
    fprintf(to, ".Bd -ragged\nusage: heddle %s\n", c->name);
    roff(c->synopsis, to);
    fputs(".Ed\n.Pp\n", to);
    roff(c->text, to);
    if (c->verbs)
        manual_verbs(c->verbs, to);
    manual_options(c, to);
}

/* Command lines as they are typed. `before` stands before the first one;
 * returns what stands before the next. */
static const char *manual_examples(const cli_command *c, const char *before,
                                   FILE *to)
{
    for (const cli_line *x = c->examples; x && x->line; x++) {
        fputs(before, to);
        roff(x->text, to);
        fputs(".Bd -literal -offset indent\nheddle ", to);
        roff_word(x->line, strlen(x->line), false, to);
        fputs("\n.Ed\n", to);
        before = ".Pp\n";
    }
    return before;
}

static const struct {
    const char *name, *text;
} variables[] = {
    {"NO_COLOR", "If set and not empty, messages are not coloured."},
    {"COLUMNS", "Columns of tables, where --width does not say; else those "
                "of the terminal, else 100. Also of help, else 80."},
    {"HEDDLE_GPU",
     "Programs without heddle exec, of OpenCL or CUDA: presets or "
     "files of its devices, separated by commas; default "
     "v100."},
    {"HEDDLE_AS_CPU", "The OpenCL driver: 1 lets its devices call themselves "
                      "CPUs."},
    {"HEDDLE_CODE", "CUDA programs: ptx to run their PTX, sass their machine "
                    "code, where --code does not say."},
    {"HEDDLE_LOG",
     "In OpenCL and CUDA programs: 1 for a sentence on standard error "
     "for every error of a call."},
    {"HEDDLE_CACHE", "The OpenCL driver: 0 to keep no compiled programs."},
    {"HEDDLE_CLANG", "For OpenCL and NVRTC: the compiler; else it is looked "
                     "for. none: there is none, and suite, compare and "
                     "sweep do not try it first."},
    {"HEDDLE_LIBCLC", "For OpenCL and NVRTC: libclc's "
                      "nvptx64--nvidiacl.bc; else it is looked for."},
    {"HEDDLE_PROGRESS_SECONDS", "How often a log that is no terminal gets a "
                                "line of progress; 60 seconds without it."},
    {"HEDDLE_CLANG_SECONDS", "The OpenCL driver: processor time that the "
                             "compiler may take for a program; default 300."},
    {"HEDDLE_SESSION", "Set by heddle exec for the program it runs."},
};

static void manual_exits(FILE *to)
{
    fputs(".Sh EXIT STATUS\n.Bl -tag -width indent\n", to);
    for (const cli_exit *e = cli_exits; e->text; e++) {
        fprintf(to, ".It %d\n", e->code);
        roff(e->text, to);
    }
    fputs(".El\n", to);
}

/* Whose name comes behind `last` in the alphabet; NULL: none. */
static const cli_command *manual_next(const char *last)
{
    const cli_command *best = NULL;

    for (const cli_command *c = cli_commands; c->name; c++)
        if (c->help && strcmp(c->name, last) > 0 &&
            (!best || strcmp(c->name, best->name) < 0))
            best = c;
    return best;
}

static void manual_see_also(FILE *to)
{
    const char *comma = "";

    fputs(".Sh SEE ALSO\n", to);
    for (const cli_command *c = manual_next(""); c; c = manual_next(c->name)) {
        fprintf(to, "%s.Xr heddle\\-%s 1", comma, c->name);
        comma = " ,\n";
    }
    fputc('\n', to);
}

void cli_manual(FILE *to)
{
    const char *before = ".Sh EXAMPLES\n";

    fprintf(to, ".Dd $Mdocdate$\n.Dt HEDDLE 1\n.Os Heddle %s\n", version_text);
    fputs(".Sh NAME\n.Nm heddle\n"
          ".Nd cycle\\-level GPU simulator and microarchitecture laboratory\n"
          ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar option ...\n"
          ".Sh DESCRIPTION\n.Nm\nruns GPU kernels, given as PTX, assembly "
          "or\nmachine "
          "code of real ones (cubins), on a simulated GPU\nand reports cycles, "
          "stalls and memory "
          "traffic.\nResults go to standard output, everything else to "
          "standard error.\n.Sh COMMANDS\n",
          to);
    for (const cli_command *c = cli_commands; c->name; c++)
        if (c->help) {
            fprintf(to, ".Ss heddle %s\n", c->name);
            manual_body(c, to);
        }
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width indent\n", to);
    for (size_t i = 0; i < COUNTOF(variables); i++) {
        fprintf(to, ".It Ev %s\n", variables[i].name);
        roff(variables[i].text, to);
    }
    fputs(".El\n", to);
    manual_exits(to);
    for (const cli_command *c = cli_commands; c->name; c++)
        before = manual_examples(c, before, to);
    manual_see_also(to);
}

void cli_manual_command(const cli_command *c, FILE *to)
{
    fputs(".Dd $Mdocdate$\n.Dt HEDDLE\\-", to);
    for (const char *s = c->name; *s; s++)
        fputc(toupper((unsigned char)*s), to);
    fprintf(to, " 1\n.Os Heddle %s\n.Sh NAME\n.Nm heddle\\-%s\n.Nd ",
            version_text, c->name);
    roff_word(c->help, strcspn(c->help, "?"), true, to); /* no sentence */
    fputs("\n.Sh DESCRIPTION\n", to);
    manual_body(c, to);
    manual_exits(to);
    manual_examples(c, ".Sh EXAMPLES\n", to);
    fputs(".Sh SEE ALSO\n.Xr heddle 1\n", to);
}
