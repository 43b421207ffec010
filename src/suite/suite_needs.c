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

char *suite_program_file(const suite *s, const suite_program *p,
                         const char *build, const char *size)
{
    arena *mem = arena_new();
    suite_values v = suite_values_of(s, p, build);
    const char *word = p->run.text[0], *folder;
    char *path;

    v.size = size ? suite_size_find(p, size) : NULL;
    if (!p->plain)
        word = suite_expand(mem, word, &v);
    folder = suite_expand(mem, p->folder, &v);
    if (*folder != '/')
        folder = arena_printf(mem, "%s/%s", s->folder, folder);
    path =
        session_program_path(p->shell ? first_word(mem, word) : word, folder);
    arena_free(mem);
    return path;
}

bool suite_needs_compiler(const suite *s, const suite_program *p,
                          const char *build, const char *size)
{
    char *path = suite_program_file(s, p, build, size);
    bool needs = !path || !session_program_is_cuda(path);

    free(path);
    return needs;
}
