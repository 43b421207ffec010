#include "text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "base/version.h"

json json_start(FILE *to) { return (json){.to = to, .first = true}; }

void json_end(json *j) { fputc('\n', j->to); }

json *json_memory_begin(json_memory *m)
{
    FILE *to = open_memstream(&m->text, &m->size);

    ALLOC_MUST(to);
    m->is = json_start(to);
    m->is.flat = true;
    json_open(&m->is, NULL, '{');
    return &m->is;
}

char *json_memory_end(json_memory *m)
{
    json_close(&m->is, '{');
    ALLOC_MUST(fclose(m->is.to) == 0);
    return m->text;
}

/* How many bytes of `s` stand in JSON as they are. */
static size_t plain_length(const char *s)
{
    size_t n = 0;

    while ((unsigned char)s[n] >= 0x20 && s[n] != '"' && s[n] != '\\') {
        unsigned more = utf8_length(s + n);

        if (!more)
            break;
        n += more;
    }
    return n;
}

static void quote(json *j, const char *text)
{
    fputc('"', j->to);
    for (const char *s = text; *s;) {
        size_t n = plain_length(s);

        fwrite(s, 1, n, j->to);
        s += n;
        if (!*s)
            break;
        if (*s == '"' || *s == '\\')
            fprintf(j->to, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            fprintf(j->to, "\\u%04x", *s);
        else
            fputs("\\ufffd", j->to);
        s++;
    }
    fputc('"', j->to);
}

static void lead(json *j, const char *key)
{
    if (!j->first)
        fputc(',', j->to);
    if (j->flat && !j->first)
        fputc(' ', j->to);
    else if (j->depth && !j->flat)
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
    if (!j->first && !j->flat)
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

void json_thousandths(json *j, const char *key, uint64_t value)
{
    unsigned rest = (unsigned)(value % 1000), digits = 3;

    lead(j, key);
    for (; digits && rest % 10 == 0; digits--)
        rest /= 10;
    if (digits)
        fprintf(j->to, "%" PRIu64 ".%0*u", value / 1000, (int)digits, rest);
    else
        fprintf(j->to, "%" PRIu64, value / 1000);
}

void json_real(json *j, const char *key, double value)
{
    lead(j, key);
    char text[32];

    if (!isfinite(value)) {
        fputs("null", j->to);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) { /* as few as suffice */
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, j->to);
}

void json_bool(json *j, const char *key, bool value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->to);
}

json json_document(FILE *to)
{
    json j = json_start(to);

    json_open(&j, NULL, '{');
    json_u64(&j, "schema", JSON_SCHEMA);
    json_open(&j, "heddle", '{');
    json_text(&j, "version", HEDDLE_VERSION);
    json_text(&j, "commit", heddle_commit);
    json_close(&j, '{');
    return j;
}

void json_document_end(json *j)
{
    json_close(j, '{');
    json_end(j);
}

void json_raw(json *j, const char *key, const char *value)
{
    lead(j, key);
    fputs(value ? value : "null", j->to);
}
