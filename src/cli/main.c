/* The command: finds the subcommand (commands/commands.c) and runs it. */
#include <string.h>

#include "base/suggest.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/keep.h"

/* --help or -h anywhere before a lone --, or before the program that the
 * command starts. */
static bool asks_for_help(const cli_command *c, int argc, char **argv)
{
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const cli_option *o = cli_option_find(c, argv[i]);

        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
        if (!c->starts_program)
            continue;
        if (argv[i][0] != '-')
            return false;
        if (o && o->arg &&
            (argv[i][1] == '-' ? !strchr(argv[i], '=') : !argv[i][2]))
            i++; /* its value */
    }
    return false;
}

static void print_version(void)
{
    printf("heddle %s (%s)\n", version_text, cli_build());
}

static int unknown_command(const char *name)
{
    const char *names[32];
    size_t n = 0;

    for (const cli_command *c = cli_commands; c->name && n < 32; c++)
        if (c->help)
            names[n++] = c->name;
    const char *near = suggest_nearest(name, names, n);
    if (near)
        return cli_usage(NULL, "no command '%s' (did you mean '%s'?)", name,
                         near);
    return cli_usage(NULL, "no command '%s'", name);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        cli_help(NULL, stderr);
        return 2;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        print_version();
        return cli_finish(0);
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        cli_help(NULL, stdout);
        return cli_finish(0);
    }
    const cli_command *c = cli_find(name);
    if (!c)
        return unknown_command(name);
    if (asks_for_help(c, argc, argv)) {
        cli_help(c, stdout);
        return cli_finish(0);
    }
    return c->run(argc - 1, argv + 1);
}
