/* src/suite/suite_needs.c - see suite_run.h: what programs need, from their
 * files. */
#include <stdlib.h>
#include <string.h>

#include "session/program_file.h"
#include "suite/suite_run.h"

/* The first word of a shell's command, which may be in quotes. */
static const char *first_word(arena *mem, const char *line)
{
    const char *ends = " \t\n|&;<>()";

    line += strspn(line, " \t\n");
    if (*line == '\'' || *line == '"') {
        ends = *line == '"' ? "\"" : "'";
        line++;
    }
    return arena_strndup(mem, line, strcspn(line, ends));
}

bool suite_needs_compiler(const suite *s, const suite_program *p,
                          const char *build, const char *size)
{
    arena *mem = arena_new();
    const suite_values v = {.dir = s->folder,
                            .build = build,
                            .tmp = "{tmp}",
                            .name = p->name,
                            .size = size ? suite_size_find(p, size) : NULL};
    const char *word = p->run.text[0], *folder;
    bool needs;
    char *path;

    if (!p->plain)
        word = suite_expand(mem, word, &v);
    folder = suite_expand(mem, p->folder, &v);
    if (*folder != '/')
        folder = arena_printf(mem, "%s/%s", s->folder, folder);
    path =
        session_program_path(p->shell ? first_word(mem, word) : word, folder);
    needs = !path || !session_program_is_cuda(path);
    free(path);
    arena_free(mem);
    return needs;
}
