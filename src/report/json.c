#include "report/json.h"

#include <inttypes.h>
#include <math.h>

json json_start(FILE *to) { return (json){.to = to, .first = true}; }

void json_end(json *j) { fputc('\n', j->to); }

static void quote(json *j, const char *s)
{
    fputc('"', j->to);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            fprintf(j->to, "\\%c", c);
        else if (c < 0x20)
            fprintf(j->to, "\\u%04x", c);
        else
            fputc(c, j->to);
    }
    fputc('"', j->to);
}

static void lead(json *j, const char *key)
{
    if (!j->first)
        fputc(',', j->to);
    if (j->depth)
        fprintf(j->to, "\n%*s", 2 * (int)j->depth, "");
    j->first = false;
    if (!key)
        return;
    quote(j, key);
    fputs(": ", j->to);
}

void json_open(json *j, const char *key, char bracket)
{
    lead(j, key);
    fputc(bracket, j->to);
    j->depth++;
    j->first = true;
}

void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->first)
        fprintf(j->to, "\n%*s", 2 * (int)j->depth, "");
    fputc(bracket == '{' ? '}' : ']', j->to);
    j->first = false;
}

void json_text(json *j, const char *key, const char *value)
{
    lead(j, key);
    if (value)
        quote(j, value);
    else
        fputs("null", j->to);
}

void json_u64(json *j, const char *key, uint64_t value)
{
    lead(j, key);
    fprintf(j->to, "%" PRIu64, value);
}

void json_real(json *j, const char *key, double value)
{
    lead(j, key);
    if (isfinite(value))
        fprintf(j->to, "%.9g", value);
    else
        fputs("null", j->to);
}

void json_bool(json *j, const char *key, bool value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->to);
}
