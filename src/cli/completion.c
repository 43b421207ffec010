/* Completion scripts for shells, from the tables of the commands, parameters,
 * presets and mechanisms. */
#include <string.h>

#include "base/must.h"
#include "cli/cli.h"
#include "codegen/dump.h"
#include "config/param.h"
#include "config/preset.h"
#include "energy/energy.h"
#include "study/mechanism.h"

/* What the value of an option can be completed with, by its placeholder.
 */
typedef enum value {
    VALUE_NONE,
    VALUE_FILE,
    VALUE_GPU, /* a preset or a file */
    VALUE_SET, /* PATH=VALUE, perhaps several with commas between them */
    VALUE_PART,
    VALUE_PASS,
    VALUE_WORDS, /* "a|b|c" in the placeholder itself, or formats */
} value;

static value value_kind_of(const cli_option *o)
{
    static const struct {
        const char *arg;
        value is;
    } table[] = {
        {"FILE", VALUE_FILE},        {"FOLDER", VALUE_FILE},
        {"BUFFER=FILE", VALUE_FILE}, {"GPU", VALUE_GPU},
        {"PART", VALUE_PART},        {"FORMAT", VALUE_WORDS},
        {"PASS", VALUE_PASS},
    };

    if (!o->arg)
        return VALUE_NONE;
    for (size_t i = 0; i < COUNTOF(table); i++)
        if (!strcmp(table[i].arg, o->arg))
            return table[i].is;
    if (strstr(o->arg, "PATH=VALUE"))
        return VALUE_SET;
    return strchr(o->arg, '|') ? VALUE_WORDS : VALUE_NONE;
}

/* ---- Lists of words, each with a blank before it ---- */

/* Of "text, json or csv; ..." the words, of "N|all" the small ones. */
static void put_choices(const cli_option *o, FILE *to)
{
    const char *s = strcmp(o->arg, "FORMAT") ? o->arg : o->help;
    size_t n;

    for (; *s && *s != ';' && *s != ':'; s += n ? n : 1) {
        n = strspn(s, "abcdefghijklmnopqrstuvwxyz");
        if (n && !(n == 2 && !strncmp(s, "or", 2)))
            fprintf(to, " %.*s", (int)n, s);
    }
}

static void put_commands(FILE *to)
{
    for (const cli_command *c = cli_commands; c->name; c++)
        if (c->help)
            fprintf(to, " %s", c->name);
}

static void put_presets(FILE *to)
{
    for (size_t i = 0; i < config_preset_count(); i++)
        fprintf(to, " %s", config_preset_get(i)->name);
}

static void put_passes(FILE *to)
{
    for (const cg_dump_word *w = cg_dump_words; w->name; w++)
        fprintf(to, " %s", w->name);
    fputs(" list", to);
}

static void put_parts(FILE *to)
{
    for (size_t i = 0; i < ENERGY_PARTS; i++)
        fprintf(to, " %s", energy_part_table[i].name);
}

/* What may stand first behind the command, besides options and files. */
static void put_operands(const cli_command *c, FILE *to)
{
    for (const cli_line *v = c->verbs; v && v->line; v++)
        fprintf(to, " %s", v->line);
    if (!strcmp(c->name, "help"))
        put_commands(to);
    if (!strcmp(c->name, "cost"))
        put_presets(to);
    for (size_t i = 0; !strcmp(c->name, "compare") && i < mechanism_count();
         i++)
        fprintf(to, " %s", mechanism_get(i)->name);
}

static void put_paths(FILE *to)
{
    for (size_t i = 0; i < config_param_count(); i++)
        fprintf(to, " %s=", config_param_get(i)->path);
}

/* Parameters whose values have names. */
static void put_assignments(FILE *to)
{
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);

        for (size_t k = 0; k < p->choice_count; k++)
            fprintf(to, " %s=%s", p->path, p->choices[k].text);
        if (p->kind == CONFIG_BOOL)
            fprintf(to, " %s=true %s=false", p->path, p->path);
    }
}

/* ---- bash ---- */

static void bash_options(const cli_command *c, FILE *to)
{
    fprintf(to, "    %s)\n        operands=\"", c->name);
    put_operands(c, to);
    fputs("\"\n        opts=\"", to);
    for (const cli_option *o = NULL; (o = cli_option_next(c, o));)
        fprintf(to, " --%s", o->name);
    fputs("\"\n        case $previous in\n", to);
    for (const cli_option *o = NULL; (o = cli_option_next(c, o));) {
        value v = value_kind_of(o);

        if (!o->arg)
            continue;
        if (o->letter)
            fprintf(to, "        -%c | --%s) ", o->letter, o->name);
        else
            fprintf(to, "        --%s) ", o->name);
        fputs(v == VALUE_FILE  ? "kind=file"
              : v == VALUE_GPU ? "kind=gpu"
              : v == VALUE_SET ? "kind=set"
                               : "kind=words list=\"",
              to);
        if (v == VALUE_WORDS)
            put_choices(o, to);
        if (v == VALUE_PART)
            put_parts(to);
        if (v == VALUE_PASS)
            put_passes(to);
        fputs(v == VALUE_FILE || v == VALUE_GPU || v == VALUE_SET ? " ;;\n"
                                                                  : "\" ;;\n",
              to);
    }
    fputs("        esac ;;\n", to);
}

/* Words are taken from the line, since bash parts them at = and :, and what it
 * has parted off is taken off the answers. */
static const char bash_start[] =
    "# bash completion for heddle\n"
    "_heddle()\n"
    "{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur= previous= kind= list=\n"
    "    local operands= opts= part prefix words i\n"
    "    read -ra words <<<\"$line\"\n"
    "    case $line in\n"
    "    *[[:space:]]) ;;\n"
    "    *) cur=${words[-1]} && unset 'words[-1]' ;;\n"
    "    esac\n"
    "    previous=${words[-1]}\n"
    "    case $cur in\n"
    "    --*=*) previous=${cur%%=*} cur=${cur#*=} ;;\n"
    "    esac\n"
    "    if [ ${#words[@]} = 1 ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"";

static const char bash_end[] =
    "    esac\n"
    "    part=${cur##*[,:]}\n"
    "    case $kind in\n"
    "    set)\n"
    "        case $part in\n"
    "        *=*) list=$_heddle_assignments ;;\n"
    "        *) list=$_heddle_paths && compopt -o nospace ;;\n"
    "        esac\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"${cur%\"$part\"}\" "
    "-W \"$list\" -- \"$part\")\n"
    "        ;;\n"
    "    words) mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$cur\") ;;\n"
    "    gpu) mapfile -t COMPREPLY < <(compgen -f -W \"$_heddle_gpus\" "
    "-- \"$cur\") ;;\n"
    "    file) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "    *)\n"
    "        case $cur in\n"
    "        -*) mapfile -t COMPREPLY < <(compgen -W \"$opts\" -- \"$cur\") "
    ";;\n"
    "        *)\n"
    "            [ ${#words[@]} = 2 ] || operands=\n"
    "            [ \"${words[1]}\" != config ] || [ ${#words[@]} = 2 ] ||\n"
    "                operands=$_heddle_gpus\n"
    "            mapfile -t COMPREPLY < <(compgen -f -W \"$operands\" -- "
    "\"$cur\")\n"
    "            ;;\n"
    "        esac\n"
    "        ;;\n"
    "    esac\n"
    "    prefix=${cur%\"${cur##*[=:]}\"}\n"
    "    case $COMP_WORDBREAKS in\n"
    "    *=*) for i in \"${!COMPREPLY[@]}\"; do\n"
    "        COMPREPLY[i]=${COMPREPLY[i]#\"$prefix\"}\n"
    "    done ;;\n"
    "    esac\n"
    "}\n"
    "complete -o filenames -F _heddle heddle\n";

static void complete_bash(FILE *to)
{
    fputs(bash_start, to);
    put_commands(to);
    fputs("\" -- \"$cur\")\n        return\n    fi\n    case ${words[1]} in\n",
          to);
    for (const cli_command *c = cli_commands; c->name; c++)
        if (c->help)
            bash_options(c, to);
    fputs(bash_end, to);
    fputs("_heddle_gpus=\"", to);
    put_presets(to);
    fputs("\"\n_heddle_paths=\"", to);
    put_paths(to);
    fputs("\"\n_heddle_assignments=\"", to);
    put_assignments(to);
    fputs("\"\n", to);
}

/* ---- zsh ---- */

static void zsh_option(const cli_option *o, FILE *to)
{
    value v = value_kind_of(o);

    if (o->letter)
        fprintf(to, " '-%c%s'", o->letter, o->arg ? "+:value:_files" : "");
    fprintf(to, " '--%s", o->name);
    switch (v) {
    case VALUE_SET:
        fputs("=:parameter:_heddle_set", to);
        break;
    case VALUE_GPU:
        fputs("=:GPU:_heddle_gpu", to);
        break;
    case VALUE_PART:
        fputs("=:part:(", to);
        put_parts(to);
        fputc(')', to);
        break;
    case VALUE_PASS:
        fputs("=:pass:(", to);
        put_passes(to);
        fputc(')', to);
        break;
    case VALUE_WORDS:
        fputs("=:value:(", to);
        put_choices(o, to);
        fputc(')', to);
        break;
    case VALUE_NONE:
    case VALUE_FILE:
        fputs(o->arg ? "=:value:_files" : "", to);
    }
    fputc('\'', to);
}

static void complete_zsh(FILE *to)
{
    fputs(
        "#compdef heddle\n_heddle_set() {\n    if [[ $PREFIX == *=* ]]; then\n"
        "        compadd --",
        to);
    put_assignments(to);
    fputs("\n    else\n        compadd -S '' --", to);
    put_paths(to);
    fputs("\n    fi\n}\n_heddle_gpu() {\n    compadd --", to);
    put_presets(to);
    fputs("\n    _files\n}\n_heddle_first() {\n    compadd -- \"$@\"\n"
          "    _files\n}\n_heddle() {\n"
          "    if (( CURRENT == 2 )); then\n        compadd",
          to);
    put_commands(to);
    fputs("\n        return\n    fi\n    local command=${words[2]}\n"
          "    shift words\n    (( CURRENT-- ))\n    case $command in\n",
          to);
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (!c->help)
            continue;
        fprintf(to, "    %s) _arguments", c->name);
        for (const cli_option *o = NULL; (o = cli_option_next(c, o));)
            zsh_option(o, to);
        fputs(" '1:word:_heddle_first", to);
        put_operands(c, to);
        fputs("' '*:file:_files' ;;\n", to);
    }
    fputs("    *) _files ;;\n    esac\n}\n_heddle \"$@\"\n", to);
}

/* ---- fish ---- */

static void fish_option(const cli_command *c, const cli_option *o, FILE *to)
{
    value v = value_kind_of(o);
    bool words = v == VALUE_WORDS || v == VALUE_PART || v == VALUE_PASS;

    fprintf(to, "complete -c heddle -n '__fish_seen_subcommand_from %s' -l %s",
            c->name, o->name);
    if (o->letter)
        fprintf(to, " -s %c", o->letter);
    if (v == VALUE_SET)
        fputs(" -x -a '(__heddle_set)'", to);
    else if (words)
        fputs(" -x -a '", to);
    else if (v == VALUE_GPU)
        fputs(" -r -a '", to);
    else if (o->arg)
        fputs(" -r", to);
    if (v == VALUE_WORDS)
        put_choices(o, to);
    if (v == VALUE_PART)
        put_parts(to);
    if (v == VALUE_PASS)
        put_passes(to);
    if (v == VALUE_GPU)
        put_presets(to);
    fputs(words || v == VALUE_GPU ? "'\n" : "\n", to);
}

static void complete_fish(FILE *to)
{
    fputs("function __heddle_set\n    string split -n ' ' '", to);
    put_paths(to);
    put_assignments(to);
    fputs("'\nend\n", to);
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (!c->help)
            continue;
        fprintf(to, "complete -c heddle -n __fish_use_subcommand -a %s\n",
                c->name);
        fprintf(to,
                "complete -c heddle -n '__fish_seen_subcommand_from %s' -a '",
                c->name);
        put_operands(c, to);
        fputs("'\n", to);
        for (const cli_option *o = NULL; (o = cli_option_next(c, o));)
            fish_option(c, o, to);
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
