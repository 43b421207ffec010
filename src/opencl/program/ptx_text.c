#include "opencl/program/ptx_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

/* The end of the comment at `p`, or `p` if there is none. */
static const char *skip_comment(const char *p, const char *end)
{
    const char *stop;

    if (end - p < 2 || p[0] != '/')
        return p;
    if (p[1] == '/') {
        stop = memchr(p, '\n', (size_t)(end - p));
        return stop ? stop : end;
    }
    if (p[1] != '*')
        return p;
    stop = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
    return stop ? stop + 2 : end;
}

bool ptx_text_is(const char *text, size_t size)
{
    const char *p = text, *end = text + size;

    while (p < end) {
        const char *next = skip_comment(p, end);

        if (next == p && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
            next++;
        if (next == p)
            break;
        p = next;
    }
    return end - p >= 8 && !memcmp(p, ".version", 8);
}

/* ---- Functions without a body ---- */

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Behind the parentheses that begin at `p`, if they do. */
static const char *skip_list(const char *p)
{
    p = skip_space(p);
    if (*p != '(')
        return p;
    p += strcspn(p, ")");
    return skip_space(*p ? p + 1 : p);
}

/* What follows ".func": its name, and whether there is a body. */
static const char *read_function(const char *p, size_t *name_size, bool *body)
{
    const char *name = skip_list(p);

    *name_size = strcspn(name, " \t\r\n(;{");
    p = skip_list(name + *name_size);
    while (*p == '.') /* .noreturn and the like */
        p = skip_space(p + strcspn(p, " \t\r\n;{"));
    *body = *p == '{';
    return name;
}

/* Functions that the compiler replaces by services [CUDA13:system-calls]. */
static bool is_system(const char *name, size_t size)
{
    static const char *const names[] = {"vprintf", "malloc", "free",
                                        "__assertfail"};

    for (size_t i = 0; i < COUNTOF(names); i++)
        if (strlen(names[i]) == size && !memcmp(names[i], name, size))
            return true;
    return false;
}

/* The next ".func" at or behind `p`, which is at no other word's end; NULL. */
static const char *next_function(const char *p)
{
    while ((p = strstr(p, ".func")) && !strchr(" \t\r\n(", p[5]))
        p += 5;
    return p ? p + 5 : NULL;
}

static bool has_body(const char *text, const char *name, size_t size)
{
    for (const char *p = text; (p = next_function(p));) {
        size_t n;
        bool body;
        const char *other = read_function(p, &n, &body);

        if (body && n == size && !memcmp(other, name, size))
            return true;
    }
    return false;
}

const char *ptx_text_source_name(const char *name, size_t *size)
{
    char *rest;
    unsigned long n;

    if (*size < 4 || strncmp(name, "_Z", 2))
        return name;
    n = strtoul(name + 2, &rest, 10);
    if (!n || n > *size - (size_t)(rest - name))
        return name;
    *size = n;
    return rest;
}

static void put_undefined(const char *what, const char *name, size_t size,
                          const ptx_text_users *users, strbuf *log)
{
    size_t n = size;
    const char *shown = ptx_text_source_name(name, &n);

    strbuf_printf(log, "error: %s '%.*s' is used, but not defined", what,
                  (int)n, shown);
    if (users)
        users->put(users->data, name, size, log);
    strbuf_putc(log, '\n');
}

/* ---- Variables of other modules ---- */

/* What follows ".extern": the name of a variable in memory that only another
 * module could define. ".extern .const .align 4 .b8 name[16];" NULL: it is
 * something else. */
static const char *read_variable(const char *p, size_t *size)
{
    const char *end = p + strcspn(p, ";{(");
    const char *space = skip_space(p);

    if (*end != ';' ||
        (strncmp(space, ".const", 6) && strncmp(space, ".global", 7)))
        return NULL;
    for (p = space; p < end; p = skip_space(p)) {
        *size = strcspn(p, " \t\r\n[;");
        if (*p != '.' && (*p < '0' || *p > '9'))
            return p;
        p += *size;
    }
    return NULL;
}

static bool undefined_variables(const char *text, const ptx_text_users *users,
                                strbuf *log)
{
    bool found = false;

    for (const char *p = text; (p = strstr(p, ".extern"));) {
        size_t n;
        const char *name = read_variable(p += 7, &n);

        if (!name)
            continue;
        put_undefined("variable", name, n, users, log);
        found = true;
    }
    return found;
}

bool ptx_text_undefined(const char *text, const ptx_text_users *users,
                        strbuf *log)
{
    bool found = undefined_variables(text, users, log);

    for (const char *p = text; (p = next_function(p));) {
        size_t n;
        bool body;
        const char *name = read_function(p, &n, &body);

        if (body || !n || is_system(name, n) || has_body(text, name, n))
            continue;
        put_undefined("function", name, n, users, log);
        found = true;
    }
    return found;
}
