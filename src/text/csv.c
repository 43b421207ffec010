#include "text/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

csv csv_start(FILE *to) { return (csv){.to = to}; }

static void cell(csv *c)
{
    if (c->begun)
        fputc(',', c->to);
    c->begun = true;
}

void csv_text(csv *c, const char *s)
{
    cell(c);
    if (!s)
        return;
    if (!s[strcspn(s, "\",\r\n")]) {
        fputs(s, c->to);
        return;
    }
    fputc('"', c->to);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', c->to);
        fputc(*s, c->to);
    }
    fputc('"', c->to);
}

void csv_u64(csv *c, uint64_t v)
{
    cell(c);
    fprintf(c->to, "%" PRIu64, v);
}

void csv_real(csv *c, double v)
{
    cell(c);
    if (isfinite(v))
        fprintf(c->to, "%.9g", v);
}

void csv_format(csv *c, const char *format, ...)
{
    va_list ap;

    cell(c);
    va_start(ap, format);
    vfprintf(c->to, format, ap);
    va_end(ap);
}

void csv_empty(csv *c, unsigned cells)
{
    for (unsigned i = 0; i < cells; i++)
        cell(c);
}

void csv_name(csv *c, const char *name, const char *rest)
{
    cell(c);
    fprintf(c->to, "%s%s", name, rest);
}

void csv_names(csv *c, const char *names)
{
    cell(c);
    fputs(names, c->to);
}

void csv_line(csv *c)
{
    fputc('\n', c->to);
    c->begun = false;
}
