/* Options: one table per subcommand feeds the parser, the help, the manual
 * and the completions. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "config/preset.h"
#include "energy/energy.h"

enum { OPTIONS_MAX = 64 };

const cli_command *cli_find(const char *name)
{
    for (const cli_command *c = cli_commands; c->name; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

int cli_usage(const cli_command *c, const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "heddle%s%s: ", c ? " " : "", c ? c->name : "");
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\nTry 'heddle help%s%s'.\n", c ? " " : "",
            c ? c->name : "");
    return cli_exit_code(ST_USAGE);
}

cli_args cli_start(const char *command, int argc, char **argv)
{
    optind = 0; /* glibc: start over, also its own state */
    return (cli_args){.command = cli_find(command), .argc = argc, .argv = argv};
}

/* The option that getopt stopped at, without its dashes: it is unknown, one of
 * several that begin so, or a flag that was given a value. */
static void refuse(cli_args *a, const char *word)
{
    const char *names[OPTIONS_MAX];
    size_t n = 0, length;
    bool is_long = word[0] == '-' && word[1] == '-';

    a->wrong = true;
    if (!is_long) {
        cli_usage(a->command, "unknown option '-%c'", optopt);
        return;
    }
    length = strcspn(word + 2, "=");
    char *name = strndup(word + 2, length);
    MUST(name != NULL);
    for (const cli_option *o = a->command->options; o && o->name; o++) {
        names[n++] = o->name;
        if (!strcmp(o->name, name)) {
            cli_usage(a->command, "option '--%s' takes no value", name);
            free(name);
            return;
        }
    }
    const char *near = suggest_nearest(name, names, n);
    if (near)
        cli_usage(a->command, "unknown option '--%s' (did you mean '--%s'?)",
                  name, near);
    else
        cli_usage(a->command, "unknown option '--%s'", name);
    free(name);
}

bool cli_next(cli_args *a)
{
    struct option table[OPTIONS_MAX + 1] = {0};
    char letters[2 * OPTIONS_MAX + 3] = "+:";
    size_t n = 0, k = 2;
    int index = -1;

    for (const cli_option *o = a->command->options; o && o->name; o++) {
        MUST(n < OPTIONS_MAX);
        table[n++] = (struct option){
            o->name, o->arg ? required_argument : no_argument, NULL, o->letter};
        if (o->letter) {
            letters[k++] = o->letter;
            if (o->arg)
                letters[k++] = ':';
        }
    }
    const char *how = letters + !a->command->starts_program;
    int c = getopt_long(a->argc, a->argv, how, table, &index);
    if (c == -1)
        return false;
    a->value = optarg;
    if (c == ':') {
        cli_usage(a->command, "option '%s' needs a value", a->argv[optind - 1]);
        a->wrong = true;
        return false;
    }
    if (c == '?') {
        refuse(a, a->argv[optind - 1]);
        return false;
    }
    if (c)
        for (index = 0; table[index].val != c;)
            index++;
    a->name = table[index].name;
    return !a->wrong;
}

const cli_option *cli_option_find(const cli_command *c, const char *word)
{
    bool is_long = word[0] == '-' && word[1] == '-';
    size_t n = is_long ? strcspn(word + 2, "=") : 0;

    for (const cli_option *o = c->options; o && o->name; o++)
        if (is_long ? strlen(o->name) == n && !strncmp(word + 2, o->name, n)
                    : o->letter && word[0] == '-' && word[1] == o->letter)
            return o;
    return NULL;
}

bool cli_is(const cli_args *a, const char *name)
{
    return !strcmp(a->name, name);
}

const char *cli_operand(const cli_args *a, int i)
{
    return optind + i < a->argc ? a->argv[optind + i] : NULL;
}

char **cli_operands(const cli_args *a) { return a->argv + optind; }

const char *cli_energy_part(cli_args *a)
{
    const char *names[ENERGY_PARTS], *near;

    if (energy_part_find(a->value) < ENERGY_PARTS)
        return a->value;
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        names[i] = energy_part_table[i].name;
    near = suggest_nearest(a->value, names, ENERGY_PARTS);
    cli_usage(a->command, "'%s' is no part of the energy (did you mean '%s'?)",
              a->value, near ? near : names[0]);
    a->wrong = true;
    return NULL;
}

bool cli_u64(cli_args *a, uint64_t most, uint64_t *out)
{
    char *end;

    errno = 0;
    unsigned long long v = strtoull(a->value, &end, 0);
    if (!isdigit((unsigned char)*a->value) || *end || errno || v > most) {
        cli_usage(a->command,
                  "--%s: '%s' is no whole number from 0 to %" PRIu64, a->name,
                  a->value, most);
        a->wrong = true;
        return false;
    }
    *out = v;
    return true;
}

bool cli_take_width(cli_args *a, unsigned *out)
{
    char *end;
    unsigned long v;

    errno = 0;
    v = strtoul(a->value, &end, 10);
    if (!isdigit((unsigned char)*a->value) || *end || errno ||
        v < CLI_WIDTH_LEAST || v > CLI_WIDTH_MOST) {
        cli_usage(a->command, "--width: '%s' is no whole number from %d to %d",
                  a->value, CLI_WIDTH_LEAST, CLI_WIDTH_MOST);
        a->wrong = true;
        return false;
    }
    *out = (unsigned)v;
    return true;
}

/* ---- Help ---- */

enum { LEFT = 33, RIGHT = 98 }; /* columns of the help texts */

void cli_fold(const char *text, unsigned left, FILE *to)
{
    unsigned at = left;

    for (bool first = true; *text; first = false) {
        unsigned length = (unsigned)strcspn(text, " ");

        if (!first && at + 1 + length > RIGHT) {
            fprintf(to, "\n%*s", (int)left, "");
            at = left;
        } else if (!first) {
            fputc(' ', to);
            at++;
        }
        fprintf(to, "%.*s", (int)length, text);
        at += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

static void print_option(const cli_option *o, FILE *to)
{
    int n = o->letter ? fprintf(to, "  -%c, --%s", o->letter, o->name)
                      : fprintf(to, "      --%s", o->name);

    if (o->arg)
        n += fprintf(to, " %s", o->arg);
    if (n + 1 > LEFT)
        fprintf(to, "\n%*s", LEFT, "");
    else
        fprintf(to, "%*s", LEFT - n, "");
    cli_fold(o->help, LEFT, to);
}

static void overview(FILE *to)
{
    fputs("heddle - cycle-level GPU simulator and microarchitecture "
          "laboratory\n\nusage: heddle COMMAND [OPTION...]\n\ncommands:\n",
          to);
    for (const cli_command *c = cli_commands; c->name; c++)
        if (c->help)
            fprintf(to, "  %-12s %s\n", c->name, c->help);
    fputs("\n'heddle help COMMAND' tells more; so does the manual, heddle(1)."
          "\n",
          to);
}

void cli_help(const cli_command *c, FILE *to)
{
    if (!c) {
        overview(to);
        return;
    }
    fprintf(to, "usage: heddle %s %s\n\n%s\n", c->name, c->synopsis, c->text);
    if (c->options && c->options->name)
        fputs("\noptions:\n", to);
    for (const cli_option *o = c->options; o && o->name; o++)
        print_option(o, to);
}

/* ---- Manual, in mdoc ---- */

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

/* Lines indented by four blanks stay as they are. Returns what follows. */
static const char *roff_example(const char *s, FILE *to)
{
    fputs(".Bd -literal -offset indent\n", to);
    while (!strncmp(s, "    ", 4)) {
        size_t n = strcspn(s, "\n");

        roff_word(s + 4, n - 4, true, to);
        fputc('\n', to);
        s += n + (s[n] == '\n');
    }
    fputs(".Ed\n.Pp\n", to);
    return s + strspn(s, "\n");
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
            bool example = !strncmp(s + 2, "    ", 4);

            fputs(example ? "\n" : "\n.Pp\n", to);
            column = 0;
            last = 0;
            if (example)
                s = roff_example(s + 2, to);
        }
        s += strspn(s, " \n");
    }
    fputc('\n', to);
}

static void manual_command(const cli_command *c, FILE *to)
{
    fprintf(to, ".Ss heddle %s\n", c->name);
    fprintf(to, ".Bd -ragged\nusage: heddle %s\n", c->name);
    roff(c->synopsis, to);
    fputs(".Ed\n.Pp\n", to);
    roff(c->text, to);
    if (!c->options || !c->options->name)
        return;
    fputs(".Bl -tag -width indent\n", to);
    for (const cli_option *o = c->options; o->name; o++) {
        fputs(".It ", to);
        if (o->letter)
            fprintf(to, "Fl %c , ", o->letter);
        fprintf(to, "Fl \\-%s", o->name);
        if (o->arg)
            fprintf(to, " Ar %s", o->arg);
        fputc('\n', to);
        roff(o->help, to);
    }
    fputs(".El\n", to);
}

void cli_manual(FILE *to)
{
    static const struct {
        const char *name, *text;
    } variables[] = {
        {"NO_COLOR", "If set and not empty, messages are not coloured."},
        {"COLUMNS", "Columns of tables, where --width does not say; else those "
                    "of the terminal, else 100."},
        {"HEDDLE_GPU", "The OpenCL driver without heddle exec: presets or "
                       "files of its devices, separated by commas; default "
                       "v100."},
        {"HEDDLE_LOG", "The OpenCL driver: 1 for a sentence on standard error "
                       "for every error of a call."},
        {"HEDDLE_CACHE", "The OpenCL driver: 0 to keep no compiled programs."},
        {"HEDDLE_CLANG", "The OpenCL driver: the compiler; else it is looked "
                         "for. none: there is none, and suite, compare and "
                         "sweep do not try it first."},
        {"HEDDLE_LIBCLC", "The OpenCL driver: libclc's "
                          "nvptx64--nvidiacl.bc; else it is looked for."},
        {"HEDDLE_CLANG_SECONDS", "The OpenCL driver: how long the compiler "
                                 "may take for a program; default 300."},
        {"HEDDLE_SESSION", "Set by heddle exec for the program it runs."},
    };
    static const struct {
        int code;
        const char *text;
    } codes[] = {
        {0, "success"},
        {1, "results differ from what was expected, or could not be written"},
        {2, "the command line or the launch asks for what cannot be"},
        {3, "a configuration or launch file is wrong"},
        {4, "the program is not accepted"},
        {5, "the simulated program did something illegal"},
        {6, "no progress, or a limit was reached"},
        {7, "out of memory, or a bug of Heddle"},
        {130, "interrupted"},
        {125, "Heddle's OpenCL driver is missing, or the compiler of kernels "
              "does not work; other statuses of exec are those of the program"},
    };

    fputs(".Dd $Mdocdate$\n.Dt HEDDLE 1\n.Os\n.Sh NAME\n.Nm heddle\n"
          ".Nd cycle\\-level GPU simulator and microarchitecture laboratory\n"
          ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar option ...\n"
          ".Sh DESCRIPTION\n.Nm\nruns GPU kernels, given as PTX or assembly, "
          "on a simulated GPU\nand reports cycles, stalls and memory "
          "traffic.\nResults go to standard output, everything else to "
          "standard error.\n.Sh COMMANDS\n",
          to);
    for (const cli_command *c = cli_commands; c->name; c++)
        if (c->help)
            manual_command(c, to);
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width indent\n", to);
    for (size_t i = 0; i < COUNTOF(variables); i++) {
        fprintf(to, ".It Ev %s\n", variables[i].name);
        roff(variables[i].text, to);
    }
    fputs(".El\n.Sh EXIT STATUS\n.Bl -tag -width indent\n", to);
    for (size_t i = 0; i < COUNTOF(codes); i++) {
        fprintf(to, ".It %d\n", codes[i].code);
        roff(codes[i].text, to);
    }
    fputs(".El\n", to);
}

/* ---- Completion ---- */

static void words(FILE *to)
{
    for (const cli_command *c = cli_commands; c->name; c++)
        if (c->help)
            fprintf(to, " %s", c->name);
}

static void complete_bash(FILE *to)
{
    fputs("# bash completion for heddle\n_heddle()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} opts=\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"",
          to);
    words(to);
    fputs("\" -- \"$cur\")\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          to);
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (!c->options || !c->options->name)
            continue;
        fprintf(to, "    %s) opts=\"", c->name);
        for (const cli_option *o = c->options; o->name; o++)
            fprintf(to, "%s--%s", o == c->options ? "" : " ", o->name);
        fputs("\" ;;\n", to);
    }
    fputs("    esac\n    case ${COMP_WORDS[COMP_CWORD - 1]} in\n"
          "    -g | --gpu) opts=\"",
          to);
    for (size_t i = 0; i < config_preset_count(); i++)
        fprintf(to, "%s%s", i ? " " : "", config_preset_get(i)->name);
    fputs("\" ;;\n    -f | --format) opts=\"text json csv\" ;;\n    esac\n"
          "    case $cur in\n"
          "    -*) mapfile -t COMPREPLY < <(compgen -W \"$opts\" -- \"$cur\") "
          ";;\n"
          "    *)\n        [ \"${opts#-}\" != \"$opts\" ] && opts=\n"
          "        mapfile -t COMPREPLY < <(compgen -f -W \"$opts\" -- "
          "\"$cur\")\n        ;;\n"
          "    esac\n}\ncomplete -o filenames -F _heddle heddle\n",
          to);
}

static void complete_zsh(FILE *to)
{
    fputs("#compdef heddle\n_heddle() {\n"
          "    if (( CURRENT == 2 )); then\n        compadd",
          to);
    words(to);
    fputs("\n        return\n    fi\n    case ${words[2]} in\n", to);
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (!c->options || !c->options->name)
            continue;
        fprintf(to, "    %s) _arguments", c->name);
        for (const cli_option *o = c->options; o->name; o++)
            fprintf(to, " '--%s%s'", o->name, o->arg ? ":value:_files" : "");
        fputs(" '*:file:_files' ;;\n", to);
    }
    fputs("    *) _files ;;\n    esac\n}\n_heddle \"$@\"\n", to);
}

static void complete_fish(FILE *to)
{
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (!c->help)
            continue;
        fprintf(to, "complete -c heddle -n __fish_use_subcommand -a %s\n",
                c->name);
        for (const cli_option *o = c->options; o && o->name; o++)
            fprintf(to,
                    "complete -c heddle -n '__fish_seen_subcommand_from %s' "
                    "-l %s%s\n",
                    c->name, o->name, o->arg ? " -r" : "");
    }
}

bool cli_completion(const char *shell, FILE *to)
{
    if (!strcmp(shell, "bash"))
        complete_bash(to);
    else if (!strcmp(shell, "zsh"))
        complete_zsh(to);
    else if (!strcmp(shell, "fish"))
        complete_fish(to);
    else
        return false;
    return true;
}
