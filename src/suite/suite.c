/* src/suite/suite.c - suites by name and size, and the words in their texts;
 * suite_read.c reads them. */
#include "suite/suite.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/suggest.h"

void suite_free(suite *s)
{
    if (s)
        arena_free(s->mem);
}

const suite_program *suite_find(const suite *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->programs[i].name, name))
            return &s->programs[i];
    return NULL;
}

/* ---- Choosing ---- */

static bool is_tagged(const suite_program *p, suite_texts tags)
{
    for (size_t i = 0; i < tags.count; i++)
        for (size_t k = 0; k < p->tags.count; k++)
            if (!strcmp(tags.text[i], p->tags.text[k]))
                return true;
    return !tags.count;
}

static status unknown_program(const suite *s, const char *name, diag *dg)
{
    const char **names = ARENA_ARRAY(s->mem, const char *, s->count), *near;

    for (size_t i = 0; i < s->count; i++)
        names[i] = s->programs[i].name;
    near = suggest_nearest(name, names, s->count);
    if (near)
        diag_error(dg, "no program '%s' in %s (did you mean '%s'?)", name,
                   s->path, near);
    else
        diag_error(dg, "no program '%s' in %s", name, s->path);
    return ST_USAGE;
}

/* None of the tags is on any program. */
static status unknown_tag(const suite *s, suite_texts tags, diag *dg)
{
    const char **known, *near;
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++)
        count += s->programs[i].tags.count;
    known = ARENA_ARRAY(s->mem, const char *, count);
    count = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->programs[i].tags.count; k++)
            known[count++] = s->programs[i].tags.text[k];
    near = suggest_nearest(tags.text[0], known, count);
    if (near)
        diag_error(dg, "no program of %s has the tag '%s' (did you mean '%s'?)",
                   s->path, tags.text[0], near);
    else
        diag_error(dg, "no program of %s has the tag '%s'", s->path,
                   tags.text[0]);
    return ST_USAGE;
}

static void choose_if_tagged(const suite_program *p, suite_texts tags,
                             const suite_program **chosen, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (chosen[i] == p)
            return;
    if (is_tagged(p, tags))
        chosen[(*count)++] = p;
}

status suite_choose(const suite *s, suite_texts names, suite_texts tags,
                    diag *dg, const suite_program ***chosen, size_t *count)
{
    const suite_program **list =
        ARENA_ARRAY(s->mem, const suite_program *, s->count);

    *count = 0;
    for (size_t i = 0; i < names.count; i++) {
        const suite_program *p = suite_find(s, names.text[i]);

        if (!p)
            return unknown_program(s, names.text[i], dg);
        choose_if_tagged(p, tags, list, count);
    }
    for (size_t i = 0; !names.count && i < s->count; i++)
        choose_if_tagged(&s->programs[i], tags, list, count);
    *chosen = list;
    if (*count || !tags.count)
        return ST_OK;
    for (size_t i = 0; names.count && i < s->count; i++)
        if (is_tagged(&s->programs[i], tags)) {
            diag_error(dg, "no program named has the tag '%s'", tags.text[0]);
            return ST_USAGE;
        }
    return unknown_tag(s, tags, dg);
}

const suite_size *suite_size_find(const suite_program *p, const char *name)
{
    for (size_t i = 0; i < p->size_count; i++)
        if (!strcmp(p->sizes[i].name, name))
            return &p->sizes[i];
    return NULL;
}

bool suite_word(const char *text, const char *at, const char **name,
                size_t *length)
{
    if (*at != '{' || (at > text && at[-1] == '$'))
        return false;
    *name = at + 1;
    *length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz");
    return *length > 0 && at[*length + 1] == '}';
}

static bool is_named(const char *name, size_t length, const char *what)
{
    return strlen(what) == length && !memcmp(what, name, length);
}

bool suite_is_drawn(const suite_program *p)
{
    const char *name;
    size_t length;

    for (size_t i = 0; i < p->run.count && !p->plain; i++)
        for (const char *at = p->run.text[i]; *at; at++)
            if (suite_word(p->run.text[i], at, &name, &length) &&
                is_named(name, length, "draw"))
                return true;
    return false;
}

suite_values suite_values_of(const suite *s, const suite_program *p,
                             const char *build)
{
    return (suite_values){.dir = s->folder,
                          .build = build,
                          .tmp = "{tmp}",
                          .name = p ? p->name : s->name,
                          .words = s->words,
                          .word_count = s->word_count};
}

static const char *value_of_word(const char *name, size_t length,
                                 const suite_values *v)
{
    const suite_named all[] = {{"dir", v->dir},
                               {"build", v->build},
                               {"tmp", v->tmp},
                               {"name", v->name}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is_named(name, length, all[i].name))
            return all[i].value;
    for (size_t i = 0; i < v->word_count; i++)
        if (is_named(name, length, v->words[i].name))
            return v->words[i].value;
    return NULL;
}

static void put_size(strbuf *b, const suite_size *size)
{
    for (size_t i = 0; size && i < size->is.count; i++) {
        if (i)
            strbuf_putc(b, ' ');
        strbuf_puts(b, size->is.text[i]);
    }
}

const char *suite_expand(arena *mem, const char *text, const suite_values *v)
{
    strbuf b = {0};
    const char *name, *out;
    size_t length;

    for (const char *at = text; *at; at++) {
        if (!suite_word(text, at, &name, &length)) {
            strbuf_putc(&b, *at);
            continue;
        }
        if (is_named(name, length, "size")) {
            put_size(&b, v->size);
        } else if (is_named(name, length, "draw")) {
            strbuf_printf(&b, "%u", v->draw ? v->draw : 1);
        } else {
            const char *is = value_of_word(name, length, v);

            strbuf_puts(&b, is ? is : "");
        }
        at += length + 1;
    }
    out = arena_strdup(mem, b.text ? b.text : "");
    strbuf_fini(&b);
    return out;
}

const char **suite_expand_all(arena *mem, suite_texts texts,
                              const suite_values *v)
{
    size_t more = v->size ? v->size->is.count : 0, n = 0;
    const char **out =
        ARENA_ARRAY(mem, const char *, texts.count *(more + 1) + 1);

    for (size_t i = 0; i < texts.count; i++) {
        if (strcmp(texts.text[i], "{size}")) {
            out[n++] = suite_expand(mem, texts.text[i], v);
            continue;
        }
        for (size_t k = 0; k < more; k++)
            out[n++] = v->size->is.text[k];
    }
    out[n] = NULL;
    return out;
}
