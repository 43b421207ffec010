/* What is printed parses to the same. The inputs are the repository's own
 * kernels as clang and nvcc compile them, and texts with the rest. */
#include "test.h"

#include <glob.h>

#include "base/file.h"
#include "text.h"

static void same_operands(const ptx_operand *x, const ptx_operand *y,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, x++, y++) {
        CHECK_EQ(x->kind, y->kind);
        CHECK_EQ(x->reg, y->reg);
        CHECK_EQ(x->type, y->type);
        CHECK_EQ(x->sel, y->sel);
        CHECK_EQ(x->imm, y->imm);
        CHECK_EQ(x->negated, y->negated);
        CHECK_EQ(x->is_unsigned, y->is_unsigned);
        CHECK_EQ(!x->part, !y->part);
        if (x->part)
            CHECK_STR(x->part, y->part);
        CHECK_EQ(x->nelems, y->nelems);
        same_operands(x->elems, y->elems, x->nelems);
    }
}

static void same_insts(const ptx_func *f, const ptx_func *g)
{
    CHECK_EQ(f->ninsts, g->ninsts);
    for (uint32_t i = 0; i < f->ninsts; i++) {
        const ptx_inst *x = &f->insts[i], *y = &g->insts[i];
        CHECK_EQ(x->op, y->op);
        CHECK_STR(x->mods, y->mods);
        CHECK_EQ(x->flags, y->flags);
        CHECK_EQ(x->ntypes, y->ntypes);
        CHECK(!memcmp(x->types, y->types, sizeof x->types));
        CHECK_EQ(x->guarded, y->guarded);
        CHECK_EQ(x->guard_negated, y->guard_negated);
        CHECK_EQ(x->guard, y->guard);
        CHECK_EQ(x->nops, y->nops);
        CHECK_EQ(x->source.line, y->source.line);
        same_operands(x->ops, y->ops, x->nops);
        CHECK_EQ(!x->call, !y->call);
        if (x->call) {
            CHECK_EQ(x->call->nargs, y->call->nargs);
            same_operands(x->call->args, y->call->args, x->call->nargs);
            CHECK_EQ(x->call->nrets, y->call->nrets);
            same_operands(x->call->rets, y->call->rets, x->call->nrets);
            CHECK_EQ(!x->call->proto, !y->call->proto);
            CHECK_EQ(!x->call->targets, !y->call->targets);
        }
    }
}

static void same_func(const ptx_func *f, const ptx_func *g)
{
    CHECK_STR(f->name, g->name);
    CHECK_EQ(f->entry, g->entry);
    CHECK_EQ(f->nparams, g->nparams);
    CHECK_EQ(f->nregs, g->nregs);
    CHECK_EQ(f->nvars, g->nvars);
    CHECK_EQ(f->nlabels, g->nlabels);
    for (uint32_t i = 0; i < f->nlabels; i++)
        CHECK_EQ(f->labels[i]->inst, g->labels[i]->inst);
    same_insts(f, g);
}

static void same_var(const ptx_var *v, const ptx_var *w)
{
    CHECK_STR(v->name, w->name);
    CHECK_EQ(v->size, w->size);
    CHECK_EQ(v->align, w->align);
    CHECK_EQ(v->init_size, w->init_size);
    CHECK(!v->init_size || !memcmp(v->init, w->init, v->init_size));
    CHECK_EQ(v->nrelocs, w->nrelocs);
    for (uint32_t i = 0; i < v->nrelocs; i++) {
        CHECK_EQ(v->relocs[i].at, w->relocs[i].at);
        CHECK_EQ(v->relocs[i].addend, w->relocs[i].addend);
        CHECK_EQ(v->relocs[i].mask, w->relocs[i].mask);
        CHECK_EQ(v->relocs[i].generic, w->relocs[i].generic);
    }
}

static void round_trip(const char *name, const char *s)
{
    text one = text_parse(s);
    strbuf a = {0}, b = {0};

    if (!one.m)
        TEST_FAIL("%s:%u: %s", name, diag_get(one.dg, 0)->line,
                  diag_get(one.dg, 0)->text);
    ptx_print(one.m, &a);
    text two = text_parse(a.text);
    if (!two.m)
        TEST_FAIL("%s, printed: %u: %s\n%s", name, diag_get(two.dg, 0)->line,
                  diag_get(two.dg, 0)->text, a.text);
    ptx_print(two.m, &b);
    CHECK_STR(b.text, a.text);
    CHECK_EQ(one.m->nfuncs, two.m->nfuncs);
    for (uint32_t i = 0; i < one.m->nfuncs; i++)
        same_func(one.m->funcs[i], two.m->funcs[i]);
    CHECK_EQ(one.m->nglobals, two.m->nglobals);
    for (uint32_t i = 0; i < one.m->nglobals; i++)
        same_var(one.m->globals[i], two.m->globals[i]);
    strbuf_fini(&a);
    strbuf_fini(&b);
    text_free(&one);
    text_free(&two);
}

TEST(every_workload_survives_printing)
{
    const char *root = getenv("HEDDLE_SOURCE");
    char pattern[4096];
    glob_t g;

    snprintf(pattern, sizeof pattern, "%s/workloads/*/ptx/*.ptx",
             root ? root : ".");
    if (glob(pattern, 0, NULL, &g))
        TEST_SKIP("HEDDLE_SOURCE does not name the sources");
    for (size_t i = 0; i < g.gl_pathc; i++) {
        diag *dg = diag_new();
        char *s;
        size_t size;
        CHECK_EQ(file_read(g.gl_pathv[i], dg, &s, &size), ST_OK);
        round_trip(g.gl_pathv[i], s);
        free(s);
        diag_free(dg);
    }
    globfree(&g);
}

TEST(everything_else_survives_printing)
{
    round_trip(
        "rest", TEXT_HEAD
        ".file 1 \"k.cu\"\n.pragma \"p\";\n"
        ".extern .global .u32 later[];\n"
        ".global .u64 p[4] = {later, generic(later)+-8, 0, 5};\n"
        ".global .u32 later[3] = {1, 2};\n"
        ".global .u8 bytes[2] = {0xff(later), 0xff00(generic(later)+4)};\n"
        ".const .v2 .f64 c[2][1] = {{{1.5, 2}}, {{-1, 0d7FF0000000000000}}};\n"
        ".global .samplerref s = { addr_mode_0 = wrap };\n"
        ".global .f32 wide[19] = {1,2,3,4,5,6,7,8,9,10,11};\n"
        ".extern .shared .align 16 .b8 dyn[];\n"
        ".func (.param .align 8 .b8 r[16]) f(.param .b32 a, .reg .b32 b) "
        ".noreturn;\n"
        ".func g { ret; }\n.func h;\n.alias h, g;\n"
        ".visible .entry k(.param .u64 .ptr .shared .align 4 a)\n"
        ".maxntid 32,2,1 .minnctapersm 2 .maxnreg 40 .pragma \"q\";\n"
        "{ .reg .pred p<3>; .reg .v2 .b32 v, w; .reg .b64 d<9>;\n"
        ".reg .b32 %x; .local .align 8 .b8 stack[16];\n"
        ".pragma \"nounroll\";\n"
        "mov.u64 d1, -9223372036854775808; mov.u64 d1, 0xffffffffffffffff;\n"
        "ld.local.v2.u32 v, [stack+-8]; ld.local.u32 v.x, [-4];\n"
        "@!p1 setp.gt.or.u32 p0|_, v.x, v.y, !p2;\n"
        "ts: .branchtargets A, B; cs: .calltargets g;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[8]);\n"
        "A: { .reg .b64 d1; .param .b32 r0; .param .align 4 .b8 a0[8];\n"
        "call (r0), d1, (a0), proto; } B:\n"
        "bra A; brx.idx v.x, ts2; ts2: .branchtargets A;\n"
        "call d1, cs; call g;\n"
        ".loc 1 2 3, function_name $L, inlined_at 1 1 1\n"
        "vmad.s32.s32.u32.shr7 %x, -v.x.h1, v.y.b0, v.x; }\n"
        ".section .debug_abbrev\n{\n.b8 1\n}\n");
}

TEST(instruction_as_text)
{
    text t = text_body("@!%p1 fma.rn.f32 %f1, %f2, 0f3F800000, -1.0;\n");
    strbuf b = {0};

    ptx_print_inst(text_kernel(&t), text_inst(&t, 0), &b);
    CHECK_STR(b.text,
              "@!%p1 fma.rn.f32 %f1, %f2, 0f3F800000, 0dBFF0000000000000;");
    strbuf_fini(&b);
    text_free(&t);
}
