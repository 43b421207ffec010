/* tests/unit/isa/test_object.c - object files come back the same, and no
 * damaged one is accepted or does harm. */
#include "isa/object.h"

#include "base/hash.h"
#include "base/rng.h"
#include "isa/encode.h"
#include "test.h"

static isa_inst *make_code(arena *mem)
{
    isa_inst *code = ARENA_ARRAY(mem, isa_inst, 3);

    code[0] = isa_new(ISA_FADD);
    code[0].dst = 7;
    code[0].src_kind[0] = code[0].src_kind[1] = SRC_REG;
    code[0].src[0] = 3;
    code[0].line = 12;
    code[1] = isa_new(ISA_BRA);
    code[1].val[0] = 2;
    code[1].guard = 1 | PRED_NOT;
    code[2] = isa_new(ISA_EXIT);
    for (unsigned i = 0; i < 3; i++)
        isa_finish(&code[i]);
    return code;
}

static isa_program *make(void)
{
    static const isa_param params[] = {{"x", PARAM_POINTER, 8, 8, 0, false},
                                       {"n", PARAM_INT, 4, 4, 8, false}};
    static const uint8_t init[16] = {1, 2, 3};
    static const char *const files[] = {"a.cu", "b.h"};
    static const isa_var vars[] = {
        {"table", SPACE_GLOBAL, 16, 8, 0, init},
        {"big", SPACE_GLOBAL, 1ull << 40, 256, 0, NULL},
        {"coeff", SPACE_CONST, 8, 4, 8, NULL}};
    static const isa_reloc relocs[] = {{-1, 0, 1, -5, -1}, {0, 8, 0, 0, 0}};
    isa_program *p = isa_program_new(ARCH_KEPLER);
    isa_kernel *k = ARENA_ARRAY(p->mem, isa_kernel, 2);

    p->kernels = k;
    p->kernel_count = 2;
    p->vars = (isa_var *)vars;
    p->var_count = 3;
    p->relocs = (isa_reloc *)relocs;
    p->reloc_count = 2;
    p->user_const_bytes = 16;
    p->symbol_const_bytes = 8;
    k[0] = (isa_kernel){.name = "first",
                        .code = make_code(p->mem),
                        .code_count = 3,
                        .registers = 20,
                        .shared_bytes = 1,
                        .local_bytes = 12,
                        .spill_bytes = 4,
                        .barriers = 5,
                        .max_threads = 6,
                        .req_threads = {7, 8, 9},
                        .req_cga = {2, 1, 4},
                        .max_cga = 12,
                        .explicit_cga = 1,
                        .shared_reserved = 1024,
                        .bank0 = BANK0_SM90,
                        .param_base = 0x210,
                        .params = (isa_param *)params,
                        .param_count = 2,
                        .param_bytes = 16,
                        .constants = (uint8_t *)init,
                        .constant_bytes = 16};
    k[1] = (isa_kernel){.name = "second",
                        .code = make_code(p->mem),
                        .code_count = 3,
                        .registers = 8};
    p->files = (const char **)files;
    p->file_count = 2;
    k[0].code[1].line = 7;
    k[0].code[1].file = 2;
    isa_program_files(p);
    return p;
}

static status read_back(const void *data, size_t size, char *why,
                        isa_program **p)
{
    diag *dg = diag_new();
    status st = object_read("o.hobj", data, size, dg, p);

    if (st != ST_OK) {
        CHECK_EQ(diag_count(dg), 1);
        snprintf(why, 100, "%s", diag_get(dg, 0)->text);
    }
    diag_free(dg);
    return st;
}

static void check_same_kernel(const isa_kernel *a, const isa_kernel *b)
{
    CHECK_STR(a->name, b->name);
    CHECK_EQ(a->code_count, b->code_count);
    CHECK(!memcmp(a->code, b->code, a->code_count * sizeof *a->code));
    CHECK_EQ(a->registers, b->registers);
    CHECK_EQ(a->shared_bytes, b->shared_bytes);
    CHECK_EQ(a->local_bytes, b->local_bytes);
    CHECK_EQ(a->spill_bytes, b->spill_bytes);
    CHECK_EQ(a->barriers, b->barriers);
    CHECK_EQ(a->max_threads, b->max_threads);
    CHECK(!memcmp(a->req_threads, b->req_threads, sizeof a->req_threads));
    CHECK(!memcmp(a->req_cga, b->req_cga, sizeof a->req_cga));
    CHECK_EQ(a->max_cga, b->max_cga);
    CHECK_EQ(a->explicit_cga, b->explicit_cga);
    CHECK_EQ(a->shared_reserved, b->shared_reserved);
    CHECK_EQ(a->bank0, b->bank0);
    CHECK_EQ(a->param_base, b->param_base);
    CHECK_EQ(a->param_bytes, b->param_bytes);
    CHECK_EQ(a->param_count, b->param_count);
    for (uint32_t i = 0; i < a->param_count; i++) {
        CHECK_STR(a->params[i].name, b->params[i].name);
        CHECK_EQ(a->params[i].kind, b->params[i].kind);
        CHECK_EQ(a->params[i].size, b->params[i].size);
        CHECK_EQ(a->params[i].align, b->params[i].align);
        CHECK_EQ(a->params[i].offset, b->params[i].offset);
    }
    CHECK_EQ(a->constant_bytes, b->constant_bytes);
    CHECK(!a->constant_bytes ||
          !memcmp(a->constants, b->constants, a->constant_bytes));
}

TEST(program_comes_back_the_same)
{
    isa_program *p = make(), *q = NULL;
    strbuf b = {0};
    char why[100];

    object_write(p, &b);
    CHECK(object_file_is(b.text, b.size));
    CHECK_EQ(read_back(b.text, b.size, why, &q), ST_OK);
    CHECK_EQ(q->arch, ARCH_KEPLER);
    CHECK_EQ(q->user_const_bytes, 16);
    CHECK_EQ(q->symbol_const_bytes, 8);
    CHECK_EQ(q->var_count, 3);
    CHECK_STR(q->vars[1].name, "big");
    CHECK_EQ(q->vars[1].size, 1ull << 40);
    CHECK(!q->vars[1].init);
    CHECK(!memcmp(q->vars[0].init, p->vars[0].init, 16));
    CHECK_EQ(q->vars[2].offset, 8);
    CHECK_EQ(q->relocs[0].addend, -5);
    CHECK_EQ(q->relocs[0].var, -1);
    CHECK_EQ(q->relocs[1].target_kernel, 0);
    check_same_kernel(&q->kernels[0], &p->kernels[0]);
    check_same_kernel(&q->kernels[1], &p->kernels[1]);
    CHECK_EQ(q->file_count, 2);
    CHECK_STR(isa_kernel_file(&q->kernels[0], &q->kernels[0].code[1]), "b.h");
    CHECK_EQ(q->kernels[0].code[1].line, 7);
    CHECK(!isa_kernel_file(&q->kernels[0], &q->kernels[0].code[0]));
    isa_program_free(p);
    isa_program_free(q);
    strbuf_fini(&b);
}

TEST(every_truncation_is_refused)
{
    isa_program *p = make(), *q = NULL;
    strbuf b = {0};
    char why[100];

    object_write(p, &b);
    for (size_t n = 0; n < b.size; n++) {
        char *part = malloc(n ? n : 1);

        memcpy(part, b.text, n);
        CHECK_EQ(read_back(part, n, why, &q), ST_PROGRAM);
        free(part);
    }
    strbuf_putc(&b, 0);
    CHECK_EQ(read_back(b.text, b.size, why, &q), ST_PROGRAM);
    CHECK_STR(why, "bytes behind the program");
    isa_program_free(p);
    strbuf_fini(&b);
}

TEST(every_damaged_byte_is_noticed)
{
    isa_program *p = make(), *q = NULL;
    strbuf b = {0};
    char why[100];

    object_write(p, &b);
    for (size_t n = 0; n < b.size; n++) {
        b.text[n] ^= 0x10;
        CHECK_EQ(read_back(b.text, b.size, why, &q), ST_PROGRAM);
        b.text[n] ^= 0x10;
    }
    isa_program_free(p);
    strbuf_fini(&b);
}

/* Behind a checksum that is right again, everything is still looked at. */
TEST(damage_with_a_right_checksum_does_no_harm)
{
    isa_program *p = make(), *q;
    strbuf b = {0}, again = {0};
    char why[100];
    unsigned accepted = 0;
    rng r;

    rng_init(&r, 1, "object");
    object_write(p, &b);
    for (unsigned i = 0; i < 20000; i++) {
        size_t at = 32 + rng_below(&r, (uint32_t)b.size - 32);
        char old = b.text[at];
        uint64_t sum;

        b.text[at] = (char)rng_u64(&r);
        sum = hash_bytes(b.text + 32, b.size - 32, ARCH_KEPLER);
        memcpy(b.text + 16, &sum, 8);
        q = NULL;
        if (read_back(b.text, b.size, why, &q) == ST_OK) {
            accepted++;
            again.size = 0;
            object_write(q, &again); /* nothing was lost */
            CHECK(again.size == b.size && !memcmp(again.text, b.text, b.size));
            isa_program_free(q);
        }
        b.text[at] = old;
    }
    CHECK(accepted > 100 && accepted < 19000);
    isa_program_free(p);
    strbuf_fini(&b);
    strbuf_fini(&again);
}

TEST(other_versions_are_named)
{
    isa_program *p = make(), *q = NULL;
    strbuf b = {0};
    char why[100];

    object_write(p, &b);
    b.text[4]++;
    CHECK_EQ(read_back(b.text, b.size, why, &q), ST_PROGRAM);
    CHECK_STR(why, "the object file has another version; assemble it again");
    CHECK(!object_file_is("HOB", 3));
    CHECK(!object_file_is("// x", 4));
    isa_program_free(p);
    strbuf_fini(&b);
}

/* ---- isa_program_check ---- */

static void check_refused(isa_program *p, const char *want)
{
    strbuf why = {0};

    CHECK(!isa_program_check(p, &why));
    CHECK_STR(why.text, want);
    strbuf_fini(&why);
}

TEST(programs_that_do_not_agree_are_refused)
{
    isa_program *p = make();
    isa_kernel *k = p->kernels;
    strbuf why = {0};

    CHECK(isa_program_check(p, &why));
    k->registers = 7;
    check_refused(p, "kernel first: the number of registers is not what the "
                     "code needs");
    k->registers = 8;
    k->code[1].val[0] = 3;
    check_refused(p, "kernel first, instruction 1: branch target outside the "
                     "code");
    k->code[1].val[0] = 2;
    k->code[0].mod = 1;
    check_refused(p, "kernel first, instruction 0: a modifier that the "
                     "operation does not have");
    k->code[0].mod = 0;
    k->param_bytes = 11;
    check_refused(p, "kernel first: a parameter lies outside the parameter "
                     "bytes");
    k->param_bytes = 16;
    k[1].name = "first";
    check_refused(p, "two kernels are called first");
    k[1].name = "second";
    p->symbol_const_bytes = 7;
    check_refused(p, "relocation 0: outside the variable");
    p->symbol_const_bytes = 8;
    p->user_const_bytes = 15;
    check_refused(p, "variable coeff: outside the memory of its space");
    p->user_const_bytes = 16;
    CHECK(isa_program_check(p, &why));
    isa_program_free(p);
}

/* ---- the encoding ---- */

TEST(encoding_has_the_documented_fields)
{
    isa_inst in = isa_new(ISA_IMAD), out;
    uint8_t code[ISA_CODE_BYTES];

    in.guard = 2 | PRED_NOT;
    in.dst = 0x11;
    in.src[0] = 0x22;
    in.src[2] = 0x44;
    in.src_kind[0] = in.src_kind[2] = SRC_REG;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = 0x12345678;
    in.src_mod[2] = SRC_NEG;
    in.line = 0x0a0b;
    isa_finish(&in);
    isa_encode(&in, code);
    CHECK_EQ(code[0] | code[1] << 8, 0x032);
    CHECK_EQ(code[2] & 15, 2 | 8);
    CHECK_EQ(code[3], 0x11);
    CHECK_EQ(code[4], 0x22);
    CHECK_EQ(code[6], 0x44);
    CHECK_EQ(code[7] >> 4 | (code[8] & 3) << 4, SRC_REG | SRC_IMM << 3);
    CHECK_EQ(code[9] & 7, SRC_NEG); /* bits 72..74 */
    CHECK_EQ(code[16], 0x78);
    CHECK_EQ(code[19], 0x12);
    CHECK_EQ(code[24] | code[25] << 8, 0x0a0b);
    CHECK(!isa_decode(code, ARCH_VOLTA, &out));
    CHECK(!memcmp(&in, &out, sizeof in));
}

TEST(decoding_refuses_what_encoding_never_writes)
{
    isa_inst in = isa_new(ISA_NOP), out;
    uint8_t code[ISA_CODE_BYTES];
    unsigned refused = 0;

    isa_finish(&in);
    isa_encode(&in, code);
    for (unsigned bit = 0; bit < 8 * ISA_CODE_BYTES; bit++) {
        code[bit / 8] ^= (uint8_t)(1u << bit % 8);
        refused += isa_decode(code, ARCH_VOLTA, &out) != NULL;
        code[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    /* Free are 4 bits of the guard, 32 of the line, and CTL_HAS; of the codes
     * beside NOP's 0e3, BPT's 0e2 and BAROR's 0eb need no operand. */
    CHECK_EQ(refused, 8 * ISA_CODE_BYTES - 4 - 32 - 1 - 2);
    code[0] = code[1] = 0xff;
    CHECK_STR(isa_decode(code, ARCH_VOLTA, &out), "no such operation");
}
