/* src/asm/asm.c - the assembler: statements in two passes. The first finds the
 * labels of each kernel and counts its instructions, the second does the
 * rest. */
#include "asm/asm.h"

#include "asm/data.h"
#include "asm/directive.h"
#include "asm/inst.h"
#include "asm/kernel.h"
#include "asm/operand.h"
#include "asm/parser.h"

/* ---- statements ---- */

static bool is_label(const asm_parser *a)
{
    asm_lexer lx = a->lx;

    return (a->tok.kind == TOK_NAME || a->tok.kind == TOK_STRING) &&
           asm_lex_next(&lx).kind == ':';
}

static bool is_directive(const asm_parser *a)
{
    return a->tok.kind == TOK_NAME && a->tok.text[0] == '.';
}

static void skip_statement(asm_parser *a)
{
    while (!asm_at_end(a))
        asm_advance(a);
    if (a->tok.kind == TOK_EOL)
        asm_advance(a);
}

/* ---- first pass ---- */

static void collect_label(asm_parser *a)
{
    asm_label *label = ARENA_NEW(a->scratch, asm_label);
    char *name = asm_text(&a->tok, a->scratch);

    label->index = a->scope ? a->scope->code_count : 0;
    if (a->scope && !strmap_get(a->scope->labels, name))
        strmap_put(a->scope->labels, name, label);
    asm_advance(a);
    asm_advance(a);
}

static void collect_scope(asm_parser *a)
{
    asm_scope *s = ARENA_NEW(a->scratch, asm_scope);

    s->labels = strmap_new();
    *a->scopes_end = s;
    a->scopes_end = &s->next;
    a->scope = s;
}

/* Must see kernels, labels and instructions exactly as the second pass does. */
static void collect_labels(asm_parser *a)
{
    while (a->tok.kind != TOK_END) {
        while (is_label(a))
            collect_label(a);
        if (is_directive(a)) {
            if (asm_is(&a->tok, ".kernel"))
                collect_scope(a);
        } else if (!asm_at_end(a) && a->scope) {
            a->scope->code_count++;
        }
        skip_statement(a);
    }
}

/* ---- second pass ---- */

static void define_label(asm_parser *a)
{
    asm_token t = a->tok;
    asm_label *label;

    asm_advance(a);
    asm_advance(a);
    a->failed = false;
    if (!a->in_kernel) {
        asm_fail(a, &t, "a label belongs into a kernel");
        return;
    }
    label = strmap_get(a->scope->labels, asm_text(&t, a->scratch));
    if (asm_is_reserved(&t))
        asm_fail(a, &t, "this name is taken by the machine");
    else if (!label || label->defined)
        asm_fail(a, &t, "the label is there already");
    else
        label->defined = true;
}

static void take_inst(asm_parser *a)
{
    asm_token first = a->tok;
    isa_inst in = isa_new(ISA_NOP);

    if (first.kind == TOK_BAD)
        asm_fail(a, &first, "%s", first.why);
    if (!a->in_kernel) {
        asm_fail(a, &first, "an instruction belongs into a kernel");
        return;
    }
    asm_data_end(a);
    asm_inst(a, &in);
    asm_kernel_add(a, &in); /* also a wrong one, so that numbers agree */
}

static void parse_statements(asm_parser *a)
{
    while (a->tok.kind != TOK_END) {
        while (is_label(a))
            define_label(a);
        a->failed = false;
        if (asm_is(&a->tok, ".kernel")) /* as in the first pass */
            a->scope = a->scope ? a->scope->next : a->scopes;
        if (is_directive(a))
            asm_directive(a);
        else if (!asm_at_end(a))
            take_inst(a);
        skip_statement(a);
    }
    a->failed = false;
    asm_data_end(a);
    asm_kernel_end(a);
    isa_program_files(a->p);
    asm_resolve(a);
}

static void start_pass(asm_parser *a, const char *text, size_t size)
{
    asm_lex_init(&a->lx, text, size);
    a->tok = asm_lex_next(&a->lx);
    a->last = a->tok;
    a->scope = NULL;
}

/* The rules that no statement breaks by itself. */
static void check_program(asm_parser *a, size_t before)
{
    strbuf why = {0};

    if (diag_errors(a->dg) == before && !isa_program_check(a->p, &why))
        diag_add(a->dg, DIAG_ERROR, a->file, 0, 0, 1, "%s", why.text);
    strbuf_fini(&why);
}

static void parser_fini(asm_parser *a)
{
    for (asm_scope *s = a->scopes; s; s = s->next)
        strmap_free(s->labels);
    strmap_free(a->sets);
    strmap_free(a->file_numbers);
    strmap_free(a->var_names);
    strbuf_fini(&a->constants);
    strbuf_fini(&a->initial);
    isa_program_free(a->p);
    arena_free(a->scratch);
}

status asm_parse(const char *file, const char *text, size_t size, diag *dg,
                 isa_program **out)
{
    asm_parser a = {.file = file, .dg = dg};
    size_t before = diag_errors(dg);
    status st = ST_PROGRAM;

    a.scopes_end = &a.scopes;
    a.pending_end = &a.pending;
    a.scratch = arena_new();
    a.p = isa_program_new(ARCH_VOLTA);
    a.sets = strmap_new();
    a.file_numbers = strmap_new();
    a.var_names = strmap_new();
    diag_source(dg, file, text, size);
    a.silent = true;
    start_pass(&a, text, size);
    collect_labels(&a);
    a.silent = false;
    start_pass(&a, text, size);
    parse_statements(&a);
    check_program(&a, before);
    if (diag_errors(dg) == before) {
        *out = a.p;
        a.p = NULL;
        st = ST_OK;
    }
    parser_fini(&a);
    return st;
}
