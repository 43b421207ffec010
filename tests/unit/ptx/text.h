/* tests/unit/ptx/text.h - PTX texts for the tests of this folder: parsing one,
 * and a kernel around a few lines. */
#ifndef TEXT_H
#define TEXT_H

#include "base/must.h"
#include "ptx/ptx.h"

typedef struct text {
    arena *a;
    diag *dg;
    ptx_module *m; /* NULL after an error */
} text;

static inline text text_parse(const char *s)
{
    text t = {arena_new(), diag_new(), NULL};

    ptx_parse("t.ptx", s, strlen(s), t.a, t.dg, &t.m);
    return t;
}

#define TEXT_HEAD ".version 8.5\n.target sm_80\n.address_size 64\n"

/* The lines of a body stand from line 10 on; so that tests need few
 * declarations, registers of all kinds exist. */
static inline text text_body(const char *lines)
{
    static const char head[] = TEXT_HEAD
        ".global .align 4 .u32 g[4]; .shared .align 16 .b8 sh[64];\n"
        ".func (.param .b32 r) callee (.param .b64 a, .param .b32 b);\n"
        ".visible .entry k(.param .u64 a, .param .u32 n) {\n"
        ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<99>;\n"
        ".reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
        ".reg .v4 .f32 v; .reg .u32 %u<9>; .reg .s32 %s<9>;\n";
    strbuf b = {0};

    strbuf_printf(&b, "%s%s\n}\n", head, lines);
    text t = text_parse(b.text);
    strbuf_fini(&b);
    return t;
}

static inline void text_free(text *t)
{
    diag_free(t->dg);
    arena_free(t->a);
}

/* The kernel of text_body. */
static inline ptx_func *text_kernel(const text *t)
{
    if (!t->m && diag_count(t->dg))
        fprintf(stderr, "%u:%u: %s\n", diag_get(t->dg, 0)->line,
                diag_get(t->dg, 0)->column, diag_get(t->dg, 0)->text);
    MUST(t->m);
    return ptx_find_func(t->m, "k");
}

/* Its instruction i. */
static inline const ptx_inst *text_inst(const text *t, unsigned i)
{
    const ptx_func *f = text_kernel(t);

    MUST(i < f->ninsts);
    return &f->insts[i];
}

#endif
