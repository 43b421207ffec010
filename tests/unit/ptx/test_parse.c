/* What the tree says about a text. */
#include "test.h"

#include "text.h"

TEST(module_header)
{
    text t = text_parse("// comment\n.version 7.8\n.target sm_90a, debug, "
                        "texmode_independent\n.address_size 64\n");

    CHECK(t.m);
    CHECK_EQ(t.m->version_major, 7);
    CHECK_EQ(t.m->version_minor, 8);
    CHECK_EQ(t.m->sm, 90);
    CHECK_STR(t.m->target, "sm_90a");
    CHECK(t.m->debug && t.m->texmode_independent);
    CHECK_EQ(t.m->address_size, 64);
    text_free(&t);
}

TEST(address_size_is_32_without_directive)
{
    text t = text_parse(".version 1.4\n.target sm_13\n");

    CHECK(t.m);
    CHECK_EQ(t.m->address_size, 32);
    text_free(&t);
}

TEST(globals_have_type_size_and_alignment)
{
    text t = text_parse(TEXT_HEAD ".visible .global .align 16 .f32 m[2][3];\n"
                                  ".extern .shared .align 8 .b8 dyn[];\n"
                                  ".const .v4 .u16 c, d;\n"
                                  ".weak .global .attribute(.managed) "
                                  ".u64 w;\n");
    CHECK(t.m);
    CHECK_EQ(t.m->nglobals, 5);
    const ptx_var *m = t.m->globals[0], *dyn = t.m->globals[1];
    CHECK_STR(m->name, "m");
    CHECK_EQ(m->linkage, PTX_VISIBLE);
    CHECK_EQ(m->space, PTX_SPACE_GLOBAL);
    CHECK_EQ(m->align, 16);
    CHECK_EQ(m->size, 24);
    CHECK_EQ(m->ndims, 2);
    CHECK_EQ(m->dims[1], 3);
    CHECK(dyn->unsized && dyn->linkage == PTX_EXTERN);
    CHECK_EQ(dyn->size, 0);
    CHECK_EQ(t.m->globals[2]->align, 8); /* natural: the whole vector */
    CHECK_EQ(t.m->globals[3]->size, 8);
    CHECK(t.m->globals[4]->managed);
    CHECK(ptx_find_global(t.m, "w") == t.m->globals[4]);
    CHECK(!ptx_find_global(t.m, "x"));
    text_free(&t);
}

TEST(initial_values_become_bytes)
{
    text t = text_parse(TEXT_HEAD ".global .u16 a[] = {1, 0x203, -1};\n"
                                  ".global .f32 f[3] = {1.0, 0fC0000000};\n"
                                  ".const .u8 n[2][2] = {{1}, {2, 3}};\n"
                                  ".global .f64 d = -0.5;\n"
                                  ".global .v2 .u32 v[2] = {{1, 2}, {3, 4}};\n"
                                  ".global .u32 e = (3 + 4 * 5) << 1;\n");
    static const uint8_t a[] = {1, 0, 3, 2, 255, 255};
    static const uint8_t f[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0};
    static const uint8_t n[] = {1, 0, 2, 3};
    static const uint8_t d[] = {0, 0, 0, 0, 0, 0, 0xe0, 0xbf};
    static const uint8_t v[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};

    CHECK(t.m);
    ptx_var *const *g = t.m->globals;
    CHECK_EQ(g[0]->size, 6);
    CHECK(!g[0]->unsized);
    CHECK(!memcmp(g[0]->init, a, 6));
    CHECK_EQ(g[1]->init_size, 8);
    CHECK_EQ(g[1]->size, 12);
    CHECK(!memcmp(g[1]->init, f, 8));
    CHECK(!memcmp(g[2]->init, n, 4));
    CHECK(!memcmp(g[3]->init, d, 8));
    CHECK(!memcmp(g[4]->init, v, 16));
    CHECK_EQ(g[5]->init[0], 46);
    text_free(&t);
}

TEST(addresses_in_initial_values_become_relocations)
{
    text t = text_parse(
        TEXT_HEAD ".global .u32 x[9];\n.func f;\n"
                  ".global .u64 p[3] = {x, generic(x)+8, f};\n"
                  ".global .u8 b[4] = {7, 0xff(x), 0xff00(generic(x)+4), 9};");
    CHECK(t.m);
    const ptx_var *x = t.m->globals[0], *p = t.m->globals[1];
    const ptx_var *b = t.m->globals[2];
    CHECK_EQ(p->nrelocs, 3);
    CHECK(p->relocs[0].var == x && !p->relocs[0].generic);
    CHECK(p->relocs[1].var == x && p->relocs[1].generic);
    CHECK_EQ(p->relocs[1].addend, 8);
    CHECK_EQ(p->relocs[1].at, 8);
    CHECK_EQ(p->relocs[1].size, 8);
    CHECK_EQ(p->relocs[1].mask, UINT64_MAX);
    CHECK(p->relocs[2].func == t.m->funcs[0]);
    CHECK_EQ(b->nrelocs, 2);
    CHECK_EQ(b->relocs[1].at, 2);
    CHECK_EQ(b->relocs[1].mask, 0xff00);
    CHECK_EQ(b->relocs[1].size, 1);
    CHECK_EQ(b->init[0], 7);
    CHECK_EQ(b->init[3], 9);
    text_free(&t);
}

TEST(extern_and_its_definition_are_one)
{
    text t = text_parse(TEXT_HEAD ".extern .global .u32 x[];\n"
                                  ".global .u64 p = x;\n"
                                  ".visible .global .u32 x[4];\n");
    CHECK(t.m);
    CHECK_EQ(t.m->nglobals, 2);
    CHECK_EQ(t.m->globals[0]->size, 16);
    CHECK_EQ(t.m->globals[0]->linkage, PTX_VISIBLE);
    CHECK(t.m->globals[1]->relocs[0].var == t.m->globals[0]);
    text_free(&t);
}

TEST(functions_keep_parameters_and_directives)
{
    text t = text_parse(
        TEXT_HEAD
        ".visible .entry k(.param .u64 .ptr .global .align 4 p,\n"
        " .param .align 8 .b8 s[24])\n"
        ".maxntid 128, 2\n.minnctapersm 3\n.maxnreg 32\n"
        ".pragma \"nounroll\";\n{ ret; }\n"
        ".weak .func (.reg .b32 r) f(.reg .b32 a) .noreturn { exit; }\n"
        ".entry e .reqntid 8,4,2 { ret; }\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);");
    CHECK(t.m);
    CHECK_EQ(t.m->nfuncs, 4);
    const ptx_func *k = t.m->funcs[0], *f = t.m->funcs[1], *e = t.m->funcs[2];
    CHECK(k->entry && k->linkage == PTX_VISIBLE && k->has_body);
    CHECK_EQ(k->nparams, 2);
    CHECK(k->params[0]->is_ptr);
    CHECK_EQ(k->params[0]->ptr_space, PTX_SPACE_GLOBAL);
    CHECK_EQ(k->params[0]->ptr_align, 4);
    CHECK_EQ(k->params[1]->size, 24);
    CHECK_EQ(k->params[1]->align, 8);
    CHECK_EQ(k->maxntid[0], 128);
    CHECK_EQ(k->maxntid[1], 2);
    CHECK_EQ(k->maxntid[2], 1);
    CHECK_EQ(k->minnctapersm, 3);
    CHECK_EQ(k->maxnreg, 32);
    CHECK_EQ(k->npragmas, 1);
    CHECK(f->noreturn && !f->entry && f->linkage == PTX_WEAK);
    CHECK_EQ(f->params[0]->space, PTX_SPACE_REG);
    CHECK_STR(f->regs[f->params[0]->reg].name, "a");
    CHECK_EQ(e->reqntid[2], 2);
    CHECK(!t.m->funcs[3]->has_body && t.m->funcs[3]->nrets == 1);
    text_free(&t);
}

TEST(words_behind_a_dot_are_names_without_one)
{
    text t = text_parse(TEXT_HEAD
                        ".func f(.param .b64 ptr, .param .b32 align)\n"
                        "{\n.reg .b32 v2, attribute;\n.reg .b64 p;\n"
                        "ld.param.u64 p, [ptr]; ld.param.u32 v2, [align];\n"
                        "mov.u32 attribute, v2; ret;\n}\n");

    CHECK(t.m);
    CHECK_STR(t.m->funcs[0]->params[0]->name, "ptr");
    CHECK_STR(t.m->funcs[0]->params[1]->name, "align");
    CHECK_EQ(t.m->funcs[0]->nregs, 3);
    text_free(&t);
}

TEST(prototype_and_definition_are_one_function)
{
    text t = text_parse(TEXT_HEAD ".func (.param .b32 r) f(.param .b32 x);\n"
                                  ".func (.param .b32 q) f(.param .b32 y)\n"
                                  "{ st.param.b32 [q], 1; ret; }\n");
    CHECK(t.m);
    CHECK_EQ(t.m->nfuncs, 1);
    CHECK(t.m->funcs[0]->has_body);
    CHECK_STR(t.m->funcs[0]->params[0]->name, "y");
    CHECK(t.m->funcs[0]->insts[0].ops[0].var == t.m->funcs[0]->rets[0]);
    text_free(&t);
}

TEST(modifiers_fill_their_fields)
{
    text t = text_body("@!%p1 ld.global.nc.L1::no_allocate.v2.f32 {%f1, _}, "
                       "[%rd1+-8];\n"
                       "atom.acq_rel.gpu.shared.cas.b32 %r1, [%r2], 0, 1;\n"
                       "setp.lt.and.ftz.f32 %p1|%p2, %f1, 0f3F800000, !%p3;\n"
                       "mad.wide.s32 %rd1, %r1, -4, %rd2;\n"
                       "cvt.rzi.ftz.sat.s32.f32 %r1, %f1;\n"
                       "ld .global .u32 %r1, [g+4];\n");
    const ptx_inst *ld = text_inst(&t, 0), *cas = text_inst(&t, 1);
    const ptx_inst *setp = text_inst(&t, 2), *mad = text_inst(&t, 3);
    const ptx_inst *cvt = text_inst(&t, 4), *apart = text_inst(&t, 5);

    CHECK_EQ(ld->op, PTX_LD);
    CHECK(ld->guarded && ld->guard_negated);
    CHECK_STR(text_kernel(&t)->regs[ld->guard].name, "%p1");
    CHECK_STR(ld->mods, ".global.nc.L1::no_allocate.v2.f32");
    CHECK_EQ(ld->spaces[0], PTX_SPACE_GLOBAL);
    CHECK_EQ(ld->vec, 2);
    CHECK(ptx_has(ld, PTX_FLAG_NC));
    CHECK_EQ(ld->types[0], PTX_TYPE_F32);
    CHECK_EQ(ld->ops[0].kind, PTX_OPD_VEC);
    CHECK_EQ(ld->ops[0].elems[1].kind, PTX_OPD_SINK);
    CHECK_EQ(ld->ops[1].kind, PTX_OPD_ADDR);
    CHECK_EQ(ld->ops[1].imm, -8);
    CHECK_EQ(ld->place.line, 10);
    CHECK_EQ(ld->place.column, 7);

    CHECK_EQ(cas->order, PTX_ORDER_ACQ_REL);
    CHECK_EQ(cas->scope, PTX_SCOPE_GPU);
    CHECK_EQ(cas->subs[0], PTX_SUB_CAS);
    CHECK_EQ(cas->nops, 4);

    CHECK_EQ(setp->cmp, PTX_CMP_LT);
    CHECK_EQ(setp->boolop, PTX_BOOL_AND);
    CHECK(ptx_has(setp, PTX_FLAG_FTZ));
    CHECK_EQ(setp->ops[0].kind, PTX_OPD_PAIR);
    CHECK_EQ(setp->ops[2].kind, PTX_OPD_FIMM);
    CHECK_EQ(setp->ops[2].imm, 0x3f800000);
    CHECK_EQ(setp->ops[2].type, PTX_TYPE_F32);
    CHECK(setp->ops[3].negated);

    CHECK_EQ(mad->half, PTX_HALF_WIDE);
    CHECK_EQ(mad->ops[2].kind, PTX_OPD_IMM);
    CHECK_EQ(mad->ops[2].imm, -4);
    CHECK_EQ(cvt->round, PTX_ROUND_RZI);
    CHECK_EQ(cvt->ntypes, 2);
    CHECK_EQ(cvt->types[1], PTX_TYPE_F32);
    CHECK(ptx_has(cvt, PTX_FLAG_SAT));
    CHECK_STR(apart->mods, ".global.u32");
    CHECK(apart->ops[1].var == t.m->globals[0]);
    text_free(&t);
}

TEST(same_word_means_what_its_instruction_says)
{
    text t = text_body("setp.lo.u32 %p1, %r1, %r2;\n"
                       "mul.lo.u32 %r1, %r1, %r2;\n"
                       "atom.global.and.b32 %r1, [%rd1], 1;\n"
                       "setp.eq.and.s32 %p1, %r1, 0, %p2;\n"
                       "vote.sync.uni.pred %p1, %p2, -1;\n"
                       "bra.uni L;\nL: ret;\n");

    CHECK_EQ(text_inst(&t, 0)->cmp, PTX_CMP_LO);
    CHECK_EQ(text_inst(&t, 0)->half, PTX_HALF_NONE);
    CHECK_EQ(text_inst(&t, 1)->half, PTX_HALF_LO);
    CHECK_EQ(text_inst(&t, 2)->subs[0], PTX_SUB_AND);
    CHECK_EQ(text_inst(&t, 3)->boolop, PTX_BOOL_AND);
    CHECK_EQ(text_inst(&t, 4)->subs[0], PTX_SUB_UNI);
    CHECK(ptx_has(text_inst(&t, 5), PTX_FLAG_UNI));
    text_free(&t);
}

TEST(matrix_shapes_and_layouts)
{
    text t = text_body(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
        "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};\n"
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1,%r2,%r3,%r4}, "
        "[%r5+16];\n");
    const ptx_inst *mma = text_inst(&t, 0), *ldm = text_inst(&t, 1);

    CHECK_EQ(mma->m, 16);
    CHECK_EQ(mma->n, 8);
    CHECK_EQ(mma->k, 16);
    CHECK_EQ(mma->layouts[0], PTX_LAYOUT_ROW);
    CHECK_EQ(mma->layouts[1], PTX_LAYOUT_COL);
    CHECK_EQ(mma->ntypes, 4);
    CHECK_EQ(mma->types[3], PTX_TYPE_F32);
    CHECK_EQ(ldm->num, 4);
    CHECK(ptx_has(ldm, PTX_FLAG_TRANS));
    text_free(&t);
}

TEST(operands_of_every_kind)
{
    text t = text_body("mov.u32 %r1, %tid.z;\nmov.u32 %r1, %envreg3;\n"
                       "mov.u64 %rd1, g+4;\nmov.u64 %rd1, g[2];\n"
                       "mov.u32 %r1, WARP_SZ*2+1;\nmov.f32 %f1, -1.5;\n"
                       "mov.f64 %fd1, 0d3FF0000000000000;\n"
                       "mov.f32 %f1, v.z;\nst.global.v4.f32 [%rd1], v;\n"
                       "ld.local.u32 %r1, [16];\nmov.u64 %rd1, callee;\n"
                       "vadd.s32.u32.s32 %r1, %r2.b0, %r3.h1;\n"
                       "mov.b64 {%r1, %r2}, %rd1;\n");

    CHECK_EQ(text_inst(&t, 0)->ops[1].sreg, PTX_SREG_TID);
    CHECK_EQ(text_inst(&t, 0)->ops[1].sel, 2);
    CHECK_EQ(text_inst(&t, 1)->ops[1].sreg, PTX_SREG_ENVREG3);
    CHECK(text_inst(&t, 2)->ops[1].var == t.m->globals[0]);
    CHECK_EQ(text_inst(&t, 2)->ops[1].imm, 4);
    CHECK_EQ(text_inst(&t, 3)->ops[1].imm, 8);
    CHECK_EQ(text_inst(&t, 4)->ops[1].imm, 65);
    CHECK_EQ(text_inst(&t, 5)->ops[1].imm, (int64_t)0xbff8000000000000);
    CHECK_EQ(text_inst(&t, 5)->ops[1].type, PTX_TYPE_F64);
    CHECK_EQ(text_inst(&t, 6)->ops[1].imm, 0x3ff0000000000000);
    const ptx_operand *z = &text_inst(&t, 7)->ops[1];
    const ptx_operand *whole = &text_inst(&t, 8)->ops[1];
    CHECK_EQ(z->kind, PTX_OPD_REG);
    CHECK_STR(text_kernel(&t)->regs[z->reg].name, "v.z");
    CHECK_EQ(whole->kind, PTX_OPD_VEC);
    CHECK_EQ(whole->elems[2].reg, z->reg);
    CHECK_EQ(text_inst(&t, 9)->ops[1].reg, PTX_NO_REG);
    CHECK_EQ(text_inst(&t, 9)->ops[1].imm, 16);
    CHECK(text_inst(&t, 10)->ops[1].func == t.m->funcs[0]);
    CHECK_STR(text_inst(&t, 11)->ops[1].part, "b0");
    CHECK_STR(text_inst(&t, 11)->ops[2].part, "h1");
    text_free(&t);
}

TEST(texture_address_has_coordinates)
{
    text t = text_parse(TEXT_HEAD
                        ".global .texref tx; .global .samplerref sm = "
                        "{ addr_mode_0 = wrap, filter_mode = linear };\n"
                        ".entry k { .reg .f32 f<4>; .reg .f32 x, y;\n"
                        "tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [tx, sm, {x, y}];\n"
                        "tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [tx, {x, y}]; }\n");
    const ptx_operand *a = &text_inst(&t, 0)->ops[1];
    const ptx_operand *b = &text_inst(&t, 1)->ops[1];

    CHECK(a->var == t.m->globals[0]);
    CHECK_EQ(a->nelems, 2);
    CHECK(a->elems[0].var == t.m->globals[1]);
    CHECK_EQ(a->elems[1].kind, PTX_OPD_VEC);
    CHECK_EQ(b->nelems, 1);
    CHECK(t.m->globals[1]->opaque);
    text_free(&t);
}

TEST(calls_direct_and_indirect)
{
    text t = text_body(
        "{ .param .b64 p0; .param .b32 p1; .param .b32 r0;\n"
        "st.param.b64 [p0+0], %rd1; st.param.b32 [p1+0], %r1;\n"
        "call.uni (r0), callee, (p0, p1);\n"
        "ld.param.b32 %r1, [r0+0]; }\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 "
        "_);\n"
        "{ .param .b64 p0; .param .b32 p1; .param .b32 r0;\n"
        "call (r0), %rd2, (p0, p1), proto; }\n");
    const ptx_call *direct = text_inst(&t, 2)->call;
    const ptx_call *indirect = text_inst(&t, 4)->call;

    CHECK(direct->func == ptx_find_func(t.m, "callee"));
    CHECK_EQ(direct->nargs, 2);
    CHECK_EQ(direct->nrets, 1);
    CHECK_STR(direct->args[1].var->name, "p1");
    CHECK(!indirect->func);
    CHECK(indirect->proto == text_kernel(&t)->protos[0]);
    CHECK_STR(text_kernel(&t)->regs[indirect->target.reg].name, "%rd2");
    /* Both p0 are variables of their own. */
    CHECK(direct->args[0].var != indirect->args[0].var);
    text_free(&t);
}

TEST(labels_and_branch_tables)
{
    text t = text_body("bra B;\nA: add.u32 %r1, %r1, 1;\nB: @%p1 bra A;\n"
                       "ts: .branchtargets A, B, C;\n"
                       "brx.idx %r1, ts;\nC:\n");
    const ptx_func *f = text_kernel(&t);

    CHECK_EQ(f->ninsts, 4);
    CHECK_EQ(f->insts[0].ops[0].label->inst, 2);
    CHECK_EQ(f->insts[2].ops[0].label->inst, 1);
    const ptx_table *ts = f->insts[3].ops[1].table;
    CHECK_EQ(ts->count, 3);
    CHECK_EQ(ts->labels[0]->inst, 1);
    CHECK_EQ(ts->labels[2]->inst, 4);
    text_free(&t);
}

TEST(inner_scopes_hide_outer_names)
{
    text t = text_body("mov.u32 %r1, 1;\n"
                       "{ .reg .b64 %r1; mov.u64 %r1, 2; L: bra L;\n"
                       "  { .reg .b16 %r<4>; mov.u16 %r1, 3; } }\n"
                       "{ .reg .pred q; L: @q bra L; }\n"
                       "mov.u32 %r1, 4;\n");
    const ptx_func *f = text_kernel(&t);

    CHECK_EQ(f->insts[0].ops[0].reg, f->insts[6 - 1].ops[0].reg);
    CHECK_EQ(f->insts[1].ops[0].type, PTX_TYPE_B64);
    CHECK_EQ(f->insts[3].ops[0].type, PTX_TYPE_B16);
    CHECK(f->insts[2].ops[0].label != f->insts[4].ops[0].label);
    text_free(&t);
}

TEST(innermost_range_that_covers_a_name_has_it)
{
    text t = text_body("{ .reg .b64 %r1<5>; mov.u64 %r12, 1; mov.u32 %r15, 2;\n"
                       "  { .reg .b16 %r<14>; mov.u16 %r12, 1; } }\n"
                       "mov.u32 %r12, 3;\n");

    CHECK_EQ(text_inst(&t, 0)->ops[0].type, PTX_TYPE_B64);
    CHECK_EQ(text_inst(&t, 1)->ops[0].type, PTX_TYPE_B32);
    CHECK_EQ(text_inst(&t, 2)->ops[0].type, PTX_TYPE_B16);
    CHECK_EQ(text_inst(&t, 3)->ops[0].type, PTX_TYPE_B32);
    text_free(&t);
}

TEST(only_used_registers_of_a_range_exist)
{
    text t = text_parse(TEXT_HEAD ".entry k { .reg .b32 %r<1000000>;\n"
                                  "add.u32 %r7, %r999999, %r7; }\n");
    const ptx_func *f = text_kernel(&t);

    CHECK_EQ(f->nregs, 2);
    CHECK_STR(f->regs[f->insts[0].ops[1].reg].name, "%r999999");
    CHECK_EQ(f->insts[0].ops[0].reg, f->insts[0].ops[2].reg);
    text_free(&t);
}

TEST(source_lines_from_loc)
{
    text t = text_parse(
        TEXT_HEAD ".entry k {\nret;\n.loc 1 12 5\nret;\n"
                  ".loc 2 7 3, function_name $L__info_string0, inlined_at 1 12 "
                  "5 // note\nret;\n}\n"
                  ".file 1 \"a/k.cu\"\n.file 2 \"b.h\", 1234, 99\n");
    CHECK_EQ(text_inst(&t, 0)->source.file, 0);
    CHECK_EQ(text_inst(&t, 1)->source.file, 1);
    CHECK_EQ(text_inst(&t, 1)->source.line, 12);
    CHECK_EQ(text_inst(&t, 1)->source.column, 5);
    CHECK_EQ(text_inst(&t, 2)->source.line, 7);
    CHECK_STR(ptx_file_path(t.m, 1), "a/k.cu");
    CHECK_STR(ptx_file_path(t.m, 2), "b.h");
    CHECK(!ptx_file_path(t.m, 3));
    text_free(&t);
}

TEST(files_in_folders_as_llvm_names_them)
{
    text t = text_parse(TEXT_HEAD ".entry k {\n.loc 1 2 3\nret;\n}\n"
                                  ".file 1 \"src\" \"k.cl\"\n"
                                  ".file 2 \".\" \"<source>\"\n"
                                  ".file 3 \"src\" \"/usr/k.h\", 12, 34\n"
                                  ".file 4 \"b.h\"\n"
                                  ".file 5 \"./<source>\"\n");
    CHECK_STR(ptx_file_path(t.m, 1), "src/k.cl");
    CHECK_STR(ptx_file_path(t.m, 2), "<source>");
    CHECK_STR(ptx_file_path(t.m, 3), "/usr/k.h");
    CHECK_STR(ptx_file_path(t.m, 4), "b.h");
    CHECK_STR(ptx_file_path(t.m, 5), "<source>");
    text_free(&t);
}

TEST(debug_sections_and_foreign_lines_are_passed_over)
{
    text t = text_parse("# 1 \"k.c\"\n" TEXT_HEAD "@@DWARF .byte 1, 2\n"
                        ".entry k { /* a\n b */ ret; // }\n}\n"
                        ".section .debug_str {\nL: .b8 99, 1\n { } }\n"
                        ".pragma \"x\";\n");
    CHECK_EQ(text_kernel(&t)->ninsts, 1);
    text_free(&t);
}

TEST(code_of_the_first_compilers)
{
    text t = text_parse(
        ".version 1.3\n.target sm_10, map_f64_to_f32\n"
        ".const[2] .u32 bank;\n"
        ".entry k (.param .u32 __cudaparm_a)\n{\n"
        ".reg .u16 %rh<4>; .reg .u32 %r<9>; .reg .f32 %f<4>;\n"
        ".reg .pred %p<2>;\n.loc 14 5 0\n$LBB1:\n"
        "mov.u16 %rh1, %ctaid.x; mov.u16 %rh2, %ntid.x;\n"
        "mul.wide.u16 %r1, %rh1, %rh2; cvt.u32.u16 %r2, %tid.x;\n"
        "add.u32 %r3, %r2, %r1; ld.param.u32 %r4, [__cudaparm_a];\n"
        "set.gt.u32.s32 %r5, %r3, %r4; neg.s32 %r6, %r5;\n"
        "div.f32 %f1, %f2, %f3; sqrt.f32 %f1, %f1; sin.f32 %f2, %f1;\n"
        "mad.f32 %f1, %f2, %f3, %f1; mad24.lo.s32 %r1, %r2, %r3, %r4;\n"
        "@%p1 bra $LBB1; st.global.f32 [%r4+0], %f1; exit;\n"
        "$LDWend:\n}\n");

    CHECK_EQ(text_kernel(&t)->ninsts, 16);
    CHECK_EQ(text_kernel(&t)->labels[1]->inst, 16);
    CHECK_EQ(t.m->globals[0]->space, PTX_SPACE_CONST);
    text_free(&t);
}

TEST(attributes_without_effect_are_passed_over)
{
    text t = text_parse(
        TEXT_HEAD ".func .attribute(.unified(1, 2)) f .abi_preserve 8 .unique "
                  "{ ret; }\n"
                  ".global .attribute(.unified(3, 4), .managed) .u32 x;\n"
                  ".entry k .explicitcluster .reqnctapercluster 2, 1, 1 "
                  ".maxclusterrank 8 { ; ret; }\n");

    CHECK(t.m);
    CHECK(t.m->globals[0]->managed);
    CHECK(text_kernel(&t)->explicitcluster);
    CHECK_EQ(text_kernel(&t)->reqnctapercluster[0], 2);
    CHECK_EQ(text_kernel(&t)->maxclusterrank, 8);
    text_free(&t);
}

static bool is_b(void *arg, const char *kernel)
{
    ++*(unsigned *)arg;
    return !strcmp(kernel, "b");
}

/* Bodies of other kernels may be anything between braces. */
TEST(only_wanted_kernels_have_bodies)
{
    static const char s[] =
        TEXT_HEAD ".global .u32 g;\n"
                  ".entry a(.param .u64 p) { /* } */ // }\n"
                  "  .pragma \"}\"; {{ no instruction, 1.5e+3 [} %x] };\n"
                  "@@DWARF }\n"
                  "}\n"
                  ".func f() { ret; }\n"
                  ".entry b(.param .u32 n) { call f; ret; }\n"
                  ".entry c() { bad }\n"
                  ".global .u32 h;\n";
    text t = {arena_new(), diag_new(), NULL};
    unsigned asked = 0;
    const ptx_func *a, *b, *c;

    CHECK_EQ(
        ptx_parse_some("t.ptx", s, strlen(s), t.a, t.dg, is_b, &asked, &t.m),
        ST_OK);
    CHECK_EQ(asked, 3);
    CHECK_EQ(t.m->nfuncs, 4);
    a = ptx_find_func(t.m, "a");
    b = ptx_find_func(t.m, "b");
    c = ptx_find_func(t.m, "c");
    CHECK(a && a->skipped && a->has_body && a->ninsts == 0);
    CHECK_EQ(a->nparams, 1);
    CHECK(c && c->skipped);
    CHECK(b && !b->skipped);
    CHECK_EQ(b->ninsts, 2);
    CHECK_EQ(b->place.line, 10);
    CHECK(!ptx_find_func(t.m, "f")->skipped);
    CHECK(ptx_find_global(t.m, "h") != NULL);
    text_free(&t);
}

TEST(a_skipped_body_without_an_end_is_an_error)
{
    static const char s[] = TEXT_HEAD ".entry a() { { ret; }\n";
    text t = {arena_new(), diag_new(), NULL};
    unsigned asked = 0;

    CHECK_EQ(
        ptx_parse_some("t.ptx", s, strlen(s), t.a, t.dg, is_b, &asked, &t.m),
        ST_PROGRAM);
    CHECK_EQ(diag_errors(t.dg), 1);
    text_free(&t);
}
