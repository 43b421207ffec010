#include "opencl/program/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/suggest.h"

/* What becomes of an option. */
typedef enum action {
    SAME,  /* clang has it under this name */
    VALUE, /* so, with a value in the same word or the next */
    DROP,  /* without effect here */
    DROP_VALUE,
    SPEED, /* -O1 at least: the built-in functions count on inlining */
    FLUSH, /* denormal singles are 0 */
    ARG_INFO,
    LIBRARY,
} action;

enum { /* the calls that accept it */
       B = 1 << OPTIONS_BUILD | 1 << OPTIONS_COMPILE,
       L = 1 << OPTIONS_LINK
};

typedef struct option_row {
    const char *text; /* one that ends with * : all that begin so */
    action action;
    unsigned calls;
} option_row;

/* The first row that fits counts. */
static const option_row rows[] = {
    /* [OCL30:compiler-options] */
    {"-cl-single-precision-constant", SAME, B},
    {"-cl-denorms-are-zero", FLUSH, B | L},
    {"-cl-fp32-correctly-rounded-divide-sqrt", SAME, B},
    {"-cl-opt-disable", SPEED, B},
    {"-cl-strict-aliasing", DROP, B},         /* of OpenCL 1.0 */
    {"-cl-uniform-work-group-size", DROP, B}, /* all are */
    {"-cl-no-subgroup-ifp", DROP, B | L},
    {"-cl-mad-enable", SAME, B},
    {"-cl-no-signed-zeros", SAME, B | L},
    {"-cl-no-signed-zeroes", DROP, B | L}, /* older spelling */
    {"-cl-unsafe-math-optimizations", SAME, B | L},
    {"-cl-finite-math-only", SAME, B | L},
    {"-cl-fast-relaxed-math", SAME, B | L},
    {"-cl-std=*", SAME, B},
    {"-cl-ext=*", DROP, B},
    {"-cl-kernel-arg-info", ARG_INFO, B},
    {"-create-library", LIBRARY, L},
    {"-enable-link-options", DROP, L},
    {"-Werror", SAME, B},
    {"-w", SAME, B},
    {"-g", DROP, B}, /* line information is always made */
    {"-x", DROP_VALUE, B},
    {"-spir-std=*", DROP, B},
    /* Options of other implementations that programs give regardless. */
    {"-cl-nv-*", DROP, B | L},
    {"-nv-*", DROP, B | L},
    {"-cl-intel-*", DROP, B | L},
    {"-cl-amd-*", DROP, B | L},
    {"-cl-arm-*", DROP, B | L},
    {"-qcom-*", DROP, B | L},
    {"-fbin-*", DROP, B | L},
    {"-fno-bin-*", DROP, B | L},
    {"-save-temps*", DROP, B | L},
    {"-m*", DROP, B | L}, /* machines */
    {"-s", DROP_VALUE, B},
    /* What clang has besides. */
    {"-include", VALUE, B},
    {"-I*", VALUE, B},
    {"-D*", VALUE, B},
    {"-U*", VALUE, B},
    {"-O*", SPEED, B | L},
    {"-W*", SAME, B},
    {"-f*", SAME, B},
    {"-pedantic*", SAME, B},
};

static const option_row *find_option_row(const char *word)
{
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        size_t n = strlen(rows[i].text);
        bool all = rows[i].text[n - 1] == '*';

        if (all ? !strncmp(word, rows[i].text, n - 1)
                : !strcmp(word, rows[i].text))
            return &rows[i];
    }
    return NULL;
}

/* ---- Words ---- */

/* The next word of *at, which the caller frees: quotes hold spaces together,
 * a backslash takes the next character as it is. NULL: there is none. */
static char *next_word(const char **at)
{
    strbuf b = {0};
    const char *p = *at;
    char quote = 0;

    p += strspn(p, " \t\r\n\v\f");
    if (!*p) {
        *at = p;
        return NULL;
    }
    strbuf_write(&b, "", 0);
    for (; *p && (quote || !strchr(" \t\r\n\v\f", *p)); p++) {
        if (*p == '\\' && p[1] && quote != '\'')
            strbuf_putc(&b, *++p);
        else if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        else
            strbuf_putc(&b, *p);
    }
    *at = p;
    return b.text;
}

static void add_argument(ocl_options *o, char *word)
{
    o->args = renew(o->args, o->count + 2, sizeof *o->args);
    o->args[o->count++] = word;
    o->args[o->count] = NULL;
}

static void suggest_option(const char *word, unsigned calls, strbuf *why)
{
    const char *names[COUNTOF(rows)];
    size_t n = 0;

    for (size_t i = 0; i < COUNTOF(rows); i++)
        if (rows[i].calls & calls && !strchr(rows[i].text, '*'))
            names[n++] = rows[i].text;
    const char *near = suggest_nearest(word, names, n);
    if (near)
        strbuf_printf(why, "; there is %s", near);
}

/* True: it has been used up or kept. */
static bool take_build_option(ocl_options *o, char *word, const char **at,
                              options_of call, strbuf *why)
{
    const option_row *r = find_option_row(word);

    if (!r || !(r->calls & 1u << call)) {
        strbuf_printf(why, "option '%s' is %s", word,
                      r ? "not for this call" : "unknown");
        if (!r)
            suggest_option(word, 1u << call, why);
        strbuf_putc(why, '\n');
        return false;
    }
    /* A value can stand in the same word or the next. */
    char *value = NULL;
    size_t n = strcspn(r->text, "*");
    if ((r->action == VALUE || r->action == DROP_VALUE) && !word[n]) {
        value = next_word(at);
        if (!value) {
            strbuf_printf(why, "option '%s' lacks its value\n", word);
            return false;
        }
    }
    switch (r->action) {
    case SAME:
    case VALUE:
        add_argument(o, new_text(word));
        if (value)
            add_argument(o, new_text(value));
        break;
    case SPEED:
        add_argument(o, new_text(!strcmp(word, "-cl-opt-disable") || !word[2] ||
                                         !strcmp(word, "-O0")
                                     ? "-O1"
                                     : word));
        break;
    case FLUSH:
        add_argument(o, new_text("-Xclang"));
        add_argument(
            o, new_text("-fdenormal-fp-math-f32=preserve-sign,preserve-sign"));
        break;
    case ARG_INFO:
        o->arg_info = true;
        break;
    case LIBRARY:
        o->library = true;
        break;
    case DROP:
    case DROP_VALUE:
        break;
    }
    free(value);
    return true;
}

bool options_read(const char *text, options_of call, ocl_options *o,
                  strbuf *why)
{
    bool good = true;
    char *word;

    *o = (ocl_options){0};
    while (good && text && (word = next_word(&text))) {
        good = take_build_option(o, word, &text, call, why);
        free(word);
    }
    if (!good)
        options_fini(o);
    return good;
}

void options_fini(ocl_options *o)
{
    for (size_t i = 0; i < o->count; i++)
        free(o->args[i]);
    free(o->args);
    *o = (ocl_options){0};
}
