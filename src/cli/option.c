/* Options: one table per subcommand feeds the parser, the help (help.c), the
 * manual (manual.c) and the completions (completion.c). */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/suggest.h"
#include "cli/cli.h"
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
    const cli_command *c = cli_find(command);

    optind = 0; /* glibc: start over, also its own state */
    return (cli_args){
        .command = c, .options = c->options, .argc = argc, .argv = argv};
}

cli_args cli_start_program(const char *command, int argc, char **argv)
{
    cli_args a = cli_start(command, argc, argv);

    a.options = a.command->program_options;
    return a;
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
    char *name = new_text_n(word + 2, length);
    for (const cli_option *o = a->options; o && o->name; o++) {
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

    MUST(!a->name || a->handled); /* a row that no handler asks for */
    for (const cli_option *o = a->options; o && o->name; o++) {
        MUST(n < OPTIONS_MAX);
        table[n++] = (struct option){
            o->name, o->arg ? required_argument : no_argument, NULL, o->letter};
        if (o->letter) {
            letters[k++] = o->letter;
            if (o->arg)
                letters[k++] = ':';
        }
    }
    bool program =
        a->command->starts_program || a->options != a->command->options;
    const char *how = letters + !program;
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
    a->handled = false;
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

static const cli_option *own_option(const cli_command *c, const char *name)
{
    for (const cli_option *o = c->options; o && o->name; o++)
        if (!strcmp(o->name, name))
            return o;
    return NULL;
}

const cli_option *cli_option_next(const cli_command *c, const cli_option *o)
{
    bool own = !o || own_option(c, o->name) == o;
    const cli_option *next = o ? o + 1 : c->options;

    if (own && next && next->name)
        return next;
    if (own)
        next = c->program_options;
    while (next && next->name && own_option(c, next->name))
        next++;
    return next && next->name ? next : NULL;
}

cli_group cli_option_group(const cli_command *c, const cli_option *o)
{
    return own_option(c, o->name) ? o->group : CLI_PROGRAM;
}

bool cli_is(cli_args *a, const char *name)
{
    bool is = !strcmp(a->name, name);

    a->handled |= is;
    return is;
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
