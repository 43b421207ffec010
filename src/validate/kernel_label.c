/* src/validate/kernel_label.c - see kernel_label.h. */
#include "validate/kernel_label.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Mangled names [ITANIUM:mangling] ---- */

/* The last identifier of "_Z4scanIiEvPT_" or "_ZN2ns4scanE...", which stand
 * with their lengths before them; NULL: it is something else. */
static const char *base_of_mangled(const char *name, arena *mem)
{
    const char *at = name + 2, *base = NULL;
    bool nested = *at == 'N';

    at += nested;
    for (;;) {
        size_t n;
        char *end;

        while (*at == 'L' || *at == 'K')
            at++;
        if (!isdigit((unsigned char)*at))
            return base;
        n = strtoul(at, &end, 10);
        if (n > strlen(end))
            return NULL;
        base = arena_strndup(mem, end, n);
        at = end + n;
        if (!nested)
            return base;
    }
}

/* ---- Names of C++ ---- */

static const char anonymous[] = "(anonymous namespace)";

/* The parameters and what the profiler adds begin here. */
static const char *behind_name(const char *name)
{
    unsigned depth = 0;

    for (const char *at = name; *at; at++) {
        if (!strncmp(at, anonymous, sizeof anonymous - 1))
            at += sizeof anonymous - 2;
        else if (*at == '<')
            depth++;
        else if (*at == '>' && depth)
            depth--;
        else if (!depth && (*at == '(' || *at == '['))
            return at;
    }
    return name + strlen(name);
}

/* Behind the last blank or "::" outside of angles, without trailing blanks. */
static const char *last_part(const char *name, const char **end, arena *mem)
{
    const char *from = name;
    unsigned depth = 0;

    while (*end > name && (*end)[-1] == ' ')
        --*end;
    for (const char *at = name; at < *end; at++) {
        depth += *at == '<';
        depth -= *at == '>' && depth;
        if (!depth && (*at == ' ' || *at == ':'))
            from = at + 1;
    }
    return arena_strndup(mem, from, (size_t)(*end - from));
}

/* "(int)" of "(int)4"; 0: there is none. */
static size_t cast_length(const char *at)
{
    size_t n = *at == '(' ? strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_ ") : 0;

    return n && at[1 + n] == ')' ? n + 2 : 0;
}

/* A word of arguments in the one form of all writers: 1 for true, 256 for 256u;
 * its length in the text. */
static size_t take_word(const char *at, char **to)
{
    size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789_");
    size_t kept = n;

    if (n == 4 && !memcmp(at, "true", 4))
        *(*to)++ = '1';
    else if (n == 5 && !memcmp(at, "false", 5))
        *(*to)++ = '0';
    else {
        while (isdigit((unsigned char)*at) && kept > 1 &&
               strchr("uUlL", at[kept - 1]))
            kept--;
        memcpy(*to, at, kept);
        *to += kept;
    }
    return n;
}

static const char *plain_arguments(const char *text, arena *mem)
{
    char *out = arena_alloc(mem, strlen(text) + 1), *to = out;

    while (*text) {
        size_t cast = cast_length(text);

        if (cast)
            text += cast;
        else if (isalnum((unsigned char)*text) || *text == '_')
            text += take_word(text, &to);
        else if (*text == ' ')
            text++;
        else
            *to++ = *text++;
    }
    return out;
}

kernel_label kernel_label_of(const char *name, arena *mem)
{
    kernel_label l = {.name = name};
    const char *end = behind_name(name), *part, *angle;

    if (!strncmp(name, "_Z", 2) && (l.base = base_of_mangled(name, mem)))
        return l;
    part = last_part(name, &end, mem);
    angle = strchr(part, '<');
    l.base = angle ? arena_strndup(mem, part, (size_t)(angle - part)) : part;
    l.arguments = angle ? plain_arguments(angle, mem) : NULL;
    return l;
}

bool kernel_label_equal(const kernel_label *a, const kernel_label *b)
{
    return !strcmp(a->base, b->base) && (!a->arguments || !b->arguments ||
                                         !strcmp(a->arguments, b->arguments));
}
