#include "base/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/must.h"

typedef struct source {
    char *text;
    const char **lines; /* where each starts, and the end */
    uint32_t count;
} source;

struct sources {
    source *file;
    uint32_t count;
    char *program; /* NULL: unknown */
};

static void find_lines(source *f, size_t size)
{
    const char *end = f->text + size;
    uint32_t n = 1;

    for (const char *s = f->text; s < end; s++)
        n += *s == '\n';
    f->lines = new_array(n + 1, sizeof *f->lines);
    f->lines[f->count++] = f->text;
    for (const char *s = f->text; s < end; s++)
        if (*s == '\n')
            f->lines[f->count++] = s + 1;
    f->lines[f->count] = end;
}

/* `name` in the folder of `beside`. */
static char *path_beside(const char *beside, const char *name)
{
    const char *slash = strrchr(beside, '/'), *last = strrchr(name, '/');
    size_t n = slash ? (size_t)(slash - beside) + 1 : 0;
    char *path;

    name = last ? last + 1 : name;
    path = new_array(n + strlen(name) + 1, 1);
    memcpy(path, beside, n);
    strcpy(path + n, name);
    return path;
}

static void read_one(source *f, const char *path, const char *beside)
{
    diag *quiet = diag_new();
    size_t size = 0;
    status st;

    st = file_read(path, quiet, &f->text, &size);
    if (st != ST_OK && beside) {
        char *other = path_beside(beside, path);

        st = file_read(other, quiet, &f->text, &size);
        free(other);
    }
    diag_free(quiet);
    if (st == ST_OK)
        find_lines(f, size);
    else
        f->text = NULL;
}

sources *sources_new(const char *const *paths, uint32_t count,
                     const char *beside)
{
    sources *s = new0(1, sizeof *s);

    s->count = count;
    s->file = new0((size_t)count + 1, sizeof *s->file);
    for (uint32_t i = 0; i < count; i++)
        read_one(&s->file[i], paths[i], beside);
    return s;
}

void sources_put(sources *s, uint32_t file, const char *text, size_t size)
{
    source *f = &s->file[file];

    MUST(file < s->count);
    free(f->text);
    free(f->lines);
    *f = (source){.text = new_array(size + 1, 1)};
    memcpy(f->text, text, size);
    f->text[size] = 0;
    find_lines(f, size);
}

void sources_free(sources *s)
{
    for (uint32_t i = 0; s && i < s->count; i++) {
        free(s->file[i].text);
        free(s->file[i].lines);
    }
    if (s) {
        free(s->file);
        free(s->program);
    }
    free(s);
}

void sources_put_program(sources *s, const char *text, size_t size)
{
    free(s->program);
    s->program = new_array(size + 1, 1);
    memcpy(s->program, text, size);
    s->program[size] = 0;
}

const char *sources_program(const sources *s) { return s ? s->program : NULL; }

const char *sources_indented(const sources *s, uint32_t file, uint32_t line,
                             size_t *length)
{
    const source *f = s && file < s->count ? &s->file[file] : NULL;
    const char *at, *end;

    if (!f || !line || line > f->count)
        return NULL;
    at = f->lines[line - 1];
    end = f->lines[line];
    while (end > at && strchr(" \t\r\n", end[-1]))
        end--;
    *length = (size_t)(end - at);
    return at;
}

const char *sources_line(const sources *s, uint32_t file, uint32_t line,
                         size_t *length)
{
    const char *at = sources_indented(s, file, line, length);

    while (at && *length && (*at == ' ' || *at == '\t')) {
        at++;
        --*length;
    }
    return at;
}
