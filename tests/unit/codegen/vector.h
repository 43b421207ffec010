/* tests/unit/codegen/vector.h - the lines of the programs in tests/exec that
 * say how to run them:
 *     // run: [grid=X[,Y[,Z]]] [cta=X[,Y[,Z]]] [shared=BYTES] [stack=BYTES]
 *            [in=WORD,...]
 *     // expect: WORD,... [at INDEX]
 * The kernel, the first of the file, has two parameters, the addresses of the
 * input and of an output of zeros. A word is an integer, a float (1.5f), or a
 * double (1.5d), which takes two. `x*N` repeats a word, `a..b` counts. Several
 * `expect` lines may follow a `run`, several `run`s a program. */
#ifndef VECTOR_H
#define VECTOR_H

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { WORDS = 16384 };

typedef struct words {
    uint32_t w[WORDS];
    unsigned n;
} words;

static inline void push(words *to, uint32_t w)
{
    CHECK(to->n < WORDS);
    to->w[to->n++] = w;
}

static inline const char *one_word(const char *s, words *to)
{
    char *end;
    long long v = strtoll(s, &end, 0);

    if (*end == '.' && end[1] == '.') {
        long long last = strtoll(end + 2, &end, 0);

        for (; v <= last; v++)
            push(to, (uint32_t)v);
        return end;
    }
    if (*end == '.' || *end == 'f' || *end == 'd' || *end == 'e') {
        double d = strtod(s, &end);
        float f = (float)d;
        uint32_t w[2];

        memcpy(w, &d, 8);
        if (*end == 'f')
            memcpy(w, &f, 4);
        push(to, w[0]);
        if (*end == 'd')
            push(to, w[1]);
        end++;
    } else {
        push(to, (uint32_t)v);
    }
    if (*end == '*') {
        long n = strtol(end + 1, &end, 0);
        uint32_t w = to->w[to->n - 1];

        while (--n > 0)
            push(to, w);
    }
    return end;
}

static inline const char *word_list(const char *s, words *to)
{
    to->n = 0;
    for (;;) {
        s = one_word(s, to);
        if (*s != ',')
            return s;
        while (*++s == ' ')
            ;
    }
}

typedef struct vector_run {
    uint32_t grid[3], cta[3], shared, stack;
    words in;
} vector_run;

static inline const char *three(const char *s, uint32_t v[3])
{
    for (unsigned i = 0; i < 3; i++) {
        char *end;

        v[i] = (uint32_t)strtoul(s, &end, 0);
        s = end;
        if (*s != ',')
            break;
        s++;
    }
    return s;
}

static inline void read_run(const char *s, vector_run *l)
{
    *l = (vector_run){.grid = {1, 1, 1}, .cta = {1, 1, 1}};
    for (;;) {
        while (*s == ' ')
            s++;
        if (!strncmp(s, "grid=", 5))
            s = three(s + 5, l->grid);
        else if (!strncmp(s, "cta=", 4))
            s = three(s + 4, l->cta);
        else if (!strncmp(s, "shared=", 7))
            l->shared = (uint32_t)strtoul(s + 7, (char **)&s, 0);
        else if (!strncmp(s, "stack=", 6))
            l->stack = (uint32_t)strtoul(s + 6, (char **)&s, 0);
        else if (!strncmp(s, "in=", 3))
            s = word_list(s + 3, &l->in);
        else
            break;
    }
    CHECK(*s == '\n' || *s == 0);
}

static inline int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static inline int is_ptx(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    const char *only = getenv("ONLY");

    return dot && !strcmp(dot, ".ptx") && (!only || strstr(e->d_name, only));
}

#endif
