/* src/opencl/program/link_units.c - reads names and lines from LLVM assembly.
 */
#include "opencl/program/link_units.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "opencl/program/ptx_text.h"

/* Messages name so many at most. */
enum { MOST_NAMES = 8, MOST_USERS = 3 };

typedef struct symbol {
    const char *name, *line; /* in the text */
    size_t size;
} symbol;

typedef struct unit {
    const char *name; /* of its program */
    char *text;
    symbol *defined; /* for all units to see */
    size_t count;
} unit;

struct link_units {
    unit *units;
    size_t count;
};

/* ---- Names ---- */

/* What follows an '@': as it is, or in quotes. */
static const char *read_symbol_name(const char *p, size_t *size)
{
    bool quoted = *p == '"';

    p += quoted;
    *size = strcspn(p, quoted ? "\"" : " (),=*\n");
    return p;
}

static bool span_has_word(const char *from, const char *end, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = from; p + n <= end; p++)
        if (!memcmp(p, word, n) && (p == from || p[-1] == ' ') &&
            (p + n == end || p[n] == ' '))
            return true;
    return false;
}

/* Between these are only definitions that no other unit can collide with. */
static bool is_alone(const char *from, const char *end)
{
    static const char *const words[] = {
        "internal", "private",      "external",    "available_externally",
        "linkonce", "linkonce_odr", "weak",        "weak_odr",
        "common",   "appending",    "extern_weak",
    };

    for (size_t i = 0; i < COUNTOF(words); i++)
        if (span_has_word(from, end, words[i]))
            return true;
    return false;
}

/* What the line defines for others: "define dso_local i32 @f(...", "@v =
 * dso_local ... constant ...". */
static bool read_definition(const char *line, symbol *s)
{
    bool function = !strncmp(line, "define ", 7);
    const char *at = function ? strchr(line, '@') : line;

    if (!at || *at != '@')
        return false;
    s->line = line;
    s->name = read_symbol_name(at + 1, &s->size);
    if (function)
        return !is_alone(line, at);
    at = s->name + s->size + 3; /* " = " or "\" = " */
    return strncmp(s->name, "llvm.", 5) != 0 &&
           !is_alone(at, at + strcspn(at, "[{<%\n"));
}

static const char *next_ir_line(const char *p)
{
    p = strchrnul(p, '\n');
    return *p ? p + 1 : p;
}

static void list_definitions(unit *u)
{
    size_t room = 0;

    for (const char *p = u->text; *p; p = next_ir_line(p)) {
        symbol s;

        if (!read_definition(p, &s))
            continue;
        GROW(u->defined, u->count + 1, room);
        u->defined[u->count++] = s;
    }
}

static const symbol *find_definition(const unit *u, const symbol *s)
{
    for (size_t i = 0; i < u->count; i++)
        if (u->defined[i].size == s->size &&
            !memcmp(u->defined[i].name, s->name, s->size))
            return &u->defined[i];
    return NULL;
}

/* ---- Places ---- */

/* "!N = ..."; NULL: there is none. */
static const char *find_node(const unit *u, unsigned long n)
{
    char text[32];
    const char *at;

    snprintf(text, sizeof text, "\n!%lu = ", n);
    at = strstr(u->text, text);
    return at ? at + 1 : NULL;
}

/* The value behind the field's name in that line; NULL: it has none. */
static const char *ir_field(const char *line, const char *name)
{
    size_t n = (size_t)(next_ir_line(line) - line);
    const char *at = memmem(line, n, name, strlen(name));

    return at ? at + strlen(name) : NULL;
}

static const char *node_of(const unit *u, const char *line, const char *name)
{
    const char *value = line ? ir_field(line, name) : NULL;

    return value ? find_node(u, strtoul(value, NULL, 10)) : NULL;
}

/* "<source>:3", of a line with "!dbg !N"; false: there is none. */
static bool put_symbol_place(const unit *u, const char *line, strbuf *to)
{
    const char *node = node_of(u, line, "!dbg !"), *file = NULL;
    const char *number = node ? ir_field(node, "line: ") : NULL;

    for (int steps = 0; node && !file && steps < 16; steps++) {
        file = node_of(u, node, "file: !");
        node = node_of(u, node, "scope: !");
    }
    const char *name = file ? ir_field(file, "filename: \"") : NULL;
    if (!number || !name)
        return false;
    if (!strncmp(name, COMPILE_HEADERS "/", sizeof COMPILE_HEADERS))
        name += sizeof COMPILE_HEADERS;
    strbuf_printf(to, "%.*s:%lu", (int)strcspn(name, "\""), name,
                  strtoul(number, NULL, 10));
    return true;
}

/* ---- Units ---- */

static char *assembly_of(const compile_file *object)
{
    const compile_job job = {
        .to = COMPILE_INFO, .objects = object, .object_count = 1};
    compile_result r;
    char *text = NULL;

    if (compile_run(&job, &r) == CL_SUCCESS) {
        text = r.out;
        r.out = NULL;
    }
    compile_result_fini(&r);
    return text ? text : new_text("");
}

link_units *link_units_new(const compile_file *units, size_t count)
{
    link_units *u = new_array(1, sizeof *u);

    *u = (link_units){alloc_try_zeroed(count, sizeof *u->units), count};
    MUST(u->units);
    for (size_t i = 0; i < count; i++) {
        u->units[i].name = units[i].name;
        u->units[i].text = assembly_of(&units[i]);
        MUST(u->units[i].text);
        list_definitions(&u->units[i]);
    }
    return u;
}

void link_units_free(link_units *u)
{
    for (size_t i = 0; u && i < u->count; i++) {
        free(u->units[i].text);
        free(u->units[i].defined);
    }
    if (u)
        free(u->units);
    free(u);
}

/* ---- Messages ---- */

static void put_definition(const unit *u, const symbol *s, strbuf *log)
{
    strbuf place = {0};

    strbuf_puts(log, u->name);
    if (put_symbol_place(u, s->line, &place))
        strbuf_printf(log, " (%s)", place.text);
    strbuf_fini(&place);
}

/* Units before `from` do not define it. */
static bool put_twice(const link_units *u, size_t from, const symbol *s,
                      strbuf *log)
{
    strbuf line = {0};
    size_t n = s->size;
    const char *name = ptx_text_source_name(s->name, &n);
    unsigned others = 0;

    strbuf_printf(&line, "error: '%.*s' is defined in ", (int)n, name);
    put_definition(&u->units[from], s, &line);
    for (size_t i = from + 1; i < u->count; i++) {
        const symbol *other = find_definition(&u->units[i], s);

        if (!other)
            continue;
        strbuf_puts(&line, " and in ");
        put_definition(&u->units[i], other, &line);
        others++;
    }
    if (others)
        strbuf_printf(log, "%s: make it static, or leave it in one of them\n",
                      line.text);
    strbuf_fini(&line);
    return others;
}

bool link_units_twice(const link_units *u, strbuf *log)
{
    unsigned found = 0;

    for (size_t i = 0; i < u->count; i++)
        for (size_t k = 0; k < u->units[i].count; k++) {
            const symbol *s = &u->units[i].defined[k];
            bool told = false;

            for (size_t j = 0; j < i && !told; j++)
                told = find_definition(&u->units[j], s);
            if (!told && found < MOST_NAMES)
                found += put_twice(u, i, s, log);
        }
    return found;
}

static bool is_used(const char *line, const char *end, const char *name,
                    size_t size)
{
    for (const char *at = line; (at = memchr(at, '@', (size_t)(end - at)));) {
        size_t n;
        const char *other = read_symbol_name(++at, &n);

        if (n == size && !memcmp(other, name, size))
            return true;
    }
    return false;
}

/* The first place in a unit. */
static bool put_user(const unit *u, const char *name, size_t size, strbuf *log)
{
    const char *function = NULL;

    for (const char *p = u->text, *next; *p; p = next) {
        strbuf place = {0};

        next = next_ir_line(p);
        if (!strncmp(p, "define ", 7))
            function = strchr(p, '@');
        else if (*p == '}')
            function = NULL;
        else if (function && is_used(p, next, name, size)) {
            size_t n;
            const char *in = read_symbol_name(function + 1, &n);

            in = ptx_text_source_name(in, &n);
            strbuf_printf(log, "%s (", u->name);
            if (put_symbol_place(u, p, &place))
                strbuf_printf(log, "%s, ", place.text);
            strbuf_printf(log, "in '%.*s')", (int)n, in);
            strbuf_fini(&place);
            return true;
        }
    }
    return false;
}

void link_units_users(const link_units *u, const char *name, size_t size,
                      strbuf *log)
{
    unsigned found = 0;

    for (size_t i = 0; i < u->count && found < MOST_USERS; i++) {
        strbuf user = {0};

        if (put_user(&u->units[i], name, size, &user))
            strbuf_printf(log, "%s%s", found++ ? ", " : ": ", user.text);
        strbuf_fini(&user);
    }
}
