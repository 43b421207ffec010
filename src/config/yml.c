/* src/config/yml.c - libyaml's events, made into a tree. */
#include "config/yml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/must.h"

enum { DEEPEST = 32 };

typedef struct reader {
    yaml_parser_t parser;
    const char *file, *text;
    size_t size;
    arena *arena;
    diag *dg;
    size_t *lines; /* offset of each line in `text` */
    size_t line_count;
    yml_node *open[DEEPEST]; /* unfinished mappings and lists */
    yml_node **tail[DEEPEST];
    unsigned depth;
    yml_node *key; /* read, its value still to come */
    yml_node *root;
    unsigned documents;
    bool broken; /* stop: the rest would be misread */
} reader;

static void index_lines(reader *r)
{
    size_t n = 1;

    for (size_t i = 0; i < r->size; i++)
        n += r->text[i] == '\n';
    r->lines = ARENA_ARRAY(r->arena, size_t, n);
    n = 1;
    for (size_t i = 0; i < r->size; i++)
        if (r->text[i] == '\n')
            r->lines[n++] = i + 1;
    r->line_count = n;
}

/* libyaml counts characters, messages count bytes. */
static size_t offset_of(const reader *r, yaml_mark_t m)
{
    size_t at, end;

    if (m.line >= r->line_count)
        return r->size;
    at = r->lines[m.line];
    end = m.line + 1 < r->line_count ? r->lines[m.line + 1] - 1 : r->size;
    for (size_t i = 0; i < m.column && at < end; i++)
        do
            at++;
        while (at < end && ((unsigned char)r->text[at] & 0xc0) == 0x80);
    return at;
}

static yml_place place_of_marks(const reader *r, yaml_mark_t from,
                                yaml_mark_t to)
{
    size_t a = offset_of(r, from), b = offset_of(r, to);
    size_t line = from.line < r->line_count ? from.line : r->line_count - 1;
    yml_place p = {(unsigned)line + 1, (unsigned)(a - r->lines[line]) + 1, 1};

    if (from.line == to.line && b > a)
        p.length = (unsigned)(b - a);
    return p;
}

#define ERROR(r, p, ...)                                                       \
    diag_add((r)->dg, DIAG_ERROR, (r)->file, (p).line, (p).column, (p).length, \
             __VA_ARGS__)

/* The comment behind a value on its line. Within {} or [] other members may
 * come first: the comment speaks for all of them. A quote ends the search, as
 * it may hold a '#'. */
static const char *note_after(const reader *r, yaml_mark_t end)
{
    size_t at = offset_of(r, end), stop;

    while (at < r->size && r->text[at] &&
           (strchr(" \t,:{}[]_", r->text[at]) ||
            isalnum((unsigned char)r->text[at])))
        at++;
    if (at >= r->size || r->text[at] != '#')
        return "";
    at++;
    while (at < r->size && r->text[at] == ' ')
        at++;
    stop = at;
    while (stop < r->size && r->text[stop] != '\n')
        stop++;
    while (stop > at && (unsigned char)r->text[stop - 1] <= ' ')
        stop--;
    return arena_strndup(r->arena, r->text + at, stop - at);
}

static void refuse_marks(reader *r, const yaml_char_t *anchor,
                         const yaml_char_t *tag, yml_place p)
{
    if (anchor)
        ERROR(r, p, "anchors are not supported");
    if (tag)
        ERROR(r, p, "tags are not supported");
}

static yml_node *new_node(reader *r, const yaml_event_t *e, yml_kind kind)
{
    yml_node *n = ARENA_NEW(r->arena, yml_node);

    n->kind = kind;
    n->at = place_of_marks(r, e->start_mark, e->end_mark);
    n->text = n->note = "";
    return n;
}

const yml_node *yml_get(const yml_node *map, const char *key)
{
    for (const yml_node *n = map->first; n; n = n->next)
        if (n->key && !strcmp(n->key, key))
            return n;
    return NULL;
}

/* Puts a finished or just opened node where it belongs. */
static void attach(reader *r, yml_node *n)
{
    yml_node *in;

    if (r->depth == 0) {
        r->root = n;
        return;
    }
    in = r->open[r->depth - 1];
    if (in->kind == YML_MAP) {
        const yml_node *other = yml_get(in, r->key->text);

        n->key = r->key->text;
        n->key_at = r->key->at;
        r->key = NULL;
        if (other) {
            ERROR(r, n->key_at, "repeated key '%s', first on line %u", n->key,
                  other->key_at.line);
            return; /* not linked: the first one counts */
        }
    }
    *r->tail[r->depth - 1] = n;
    r->tail[r->depth - 1] = &n->next;
    in->count++;
}

/* True if the next node is a key of a mapping. */
static bool wants_key(const reader *r)
{
    return r->depth && r->open[r->depth - 1]->kind == YML_MAP && !r->key;
}

static void on_scalar(reader *r, const yaml_event_t *e)
{
    yml_node *n = new_node(r, e, YML_SCALAR);
    const char *text = (const char *)e->data.scalar.value;

    refuse_marks(r, e->data.scalar.anchor, e->data.scalar.tag, n->at);
    if (memchr(text, '\0', e->data.scalar.length))
        ERROR(r, n->at, "a text must not contain the character NUL");
    n->text = arena_strndup(r->arena, text, e->data.scalar.length);
    n->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (wants_key(r)) {
        r->key = n;
        return;
    }
    if (e->start_mark.line == e->end_mark.line)
        n->note = note_after(r, e->end_mark);
    attach(r, n);
}

static void on_start(reader *r, const yaml_event_t *e, yml_kind kind)
{
    yml_node *n = new_node(r, e, kind);

    if (kind == YML_MAP)
        refuse_marks(r, e->data.mapping_start.anchor, e->data.mapping_start.tag,
                     n->at);
    else
        refuse_marks(r, e->data.sequence_start.anchor,
                     e->data.sequence_start.tag, n->at);
    if (wants_key(r)) {
        ERROR(r, n->at, "a key must be a plain name");
        r->broken = true;
        return;
    }
    if (r->depth == DEEPEST) {
        ERROR(r, n->at, "nested more than %d levels deep", DEEPEST);
        r->broken = true;
        return;
    }
    attach(r, n);
    r->open[r->depth] = n;
    r->tail[r->depth++] = &n->first;
}

static void on_event(reader *r, const yaml_event_t *e)
{
    yml_place p = place_of_marks(r, e->start_mark, e->end_mark);

    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->documents++) {
            ERROR(r, p, "only one document is allowed in a file");
            r->broken = true;
        }
        break;
    case YAML_SCALAR_EVENT:
        on_scalar(r, e);
        break;
    case YAML_MAPPING_START_EVENT:
        on_start(r, e, YML_MAP);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_start(r, e, YML_LIST);
        break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        r->depth--;
        break;
    case YAML_ALIAS_EVENT:
        ERROR(r, p, "aliases are not supported");
        r->broken = true;
        break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
}

static void on_problem(reader *r)
{
    const yaml_parser_t *p = &r->parser;
    yaml_mark_t m = p->problem_mark;
    const char *what = p->problem ? p->problem : "not readable";

    ALLOC_MUST(p->error != YAML_MEMORY_ERROR);
    if (p->error == YAML_READER_ERROR) { /* has an offset, no mark */
        size_t at = p->problem_offset < r->size ? p->problem_offset : r->size;

        m.line = m.column = 0;
        while (m.line + 1 < r->line_count && r->lines[m.line + 1] <= at)
            m.line++;
        ERROR(r,
              ((yml_place){(unsigned)m.line + 1,
                           (unsigned)(at - r->lines[m.line]) + 1, 1}),
              "%s", what);
    } else if (p->context) {
        ERROR(r, place_of_marks(r, m, m), "%s %s", what, p->context);
    } else {
        ERROR(r, place_of_marks(r, m, m), "%s", what);
    }
}

static void read_events(reader *r)
{
    bool end = false;

    while (!end && !r->broken) {
        yaml_event_t e;

        if (!yaml_parser_parse(&r->parser, &e)) {
            on_problem(r);
            return;
        }
        on_event(r, &e);
        end = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
    }
}

status yml_read(const char *file, const char *text, size_t size, arena *a,
                diag *dg, yml_node **root)
{
    reader r = {.file = file, .text = text, .size = size, .arena = a, .dg = dg};
    size_t before = diag_errors(dg);

    diag_source(dg, file, text, size);
    index_lines(&r);
    ALLOC_MUST(yaml_parser_initialize(&r.parser));
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    read_events(&r);
    yaml_parser_delete(&r.parser);
    if (diag_errors(dg) != before)
        return ST_CONFIG;
    if (!r.root) {
        r.root = ARENA_NEW(a, yml_node);
        r.root->kind = YML_MAP;
        r.root->at = (yml_place){1, 1, 1};
        r.root->text = r.root->note = "";
    }
    *root = r.root;
    return ST_OK;
}
