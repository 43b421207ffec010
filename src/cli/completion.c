/* Completion scripts for shells, from the tables of the commands. */
#include <string.h>

#include "cli/cli.h"
#include "config/preset.h"

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
