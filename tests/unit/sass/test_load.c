/* tests/unit/sass/test_load.c - a cubin as a program: kernels, banks,
 * variables, and what is patched. */
#include "sass/load.h"

#include "sass/load_parts.h"
#include "test.h"
#include "unit/sass/make_cubin.h"

typedef struct rig {
    diag *dg;
    isa_program *p;
    status st;
} rig;

static const sass_load_options options = {.capability = 80, .gpu = "GPU"};

static void load_with(rig *r, maker *m, const sass_load_options *opt)
{
    strbuf file = {0};

    make_finish(m, &file);
    *r = (rig){.dg = diag_new()};
    r->st = sass_load("k.cubin", file.text, file.size, opt, r->dg, &r->p);
    strbuf_fini(&file);
}

static void load_made(rig *r, maker *m) { load_with(r, m, &options); }

static void stop(rig *r)
{
    isa_program_free(r->p);
    diag_free(r->dg);
}

static void refused(rig *r, const char *words)
{
    CHECK_EQ(r->st, ST_PROGRAM);
    CHECK_EQ(diag_count(r->dg), 1);
    if (!strstr(diag_get(r->dg, 0)->text, words))
        TEST_FAIL("'%s' is not in: %s", words, diag_get(r->dg, 0)->text);
    stop(r);
}

static unsigned start(maker *m)
{
    make_start(m, 80);
    return make_kernel(m, "k");
}

TEST(kernels_are_in_the_program)
{
    static const uint32_t base[] = {0, 0x640160}, a[] = {0, 0, 0x18ff000},
                          regs[] = {1, 20};
    strbuf of = {0}, info = {0};
    const isa_kernel *k;
    maker m;
    rig r;
    unsigned text = start(&m);

    make_attribute(&of, 0x0a, base, 2);
    make_attribute(&of, 0x17, a, 3);
    make_attribute(&info, 0x2f, regs, 2);
    make_section(&m, ".nv.info.k", 0x70000000, text, of.text, of.size);
    make_section(&m, ".nv.info", 0x70000000, 0, info.text, info.size);
    make_section(&m, ".nv.shared.k", SHT_NOBITS, text, NULL, 300);
    make_section(&m, ".nv.constant2.k", SHT_PROGBITS, text, "abcd", 4);
    load_made(&r, &m);
    CHECK_EQ(r.st, ST_OK);
    CHECK_EQ(r.p->arch, ARCH_AMPERE);
    CHECK_EQ(r.p->kernel_count, 1);
    k = &r.p->kernels[0];
    CHECK_STR(k->name, "k");
    CHECK_EQ(k->code_count, 2);
    CHECK_EQ(k->code[0].op, ISA_EXIT);
    CHECK_EQ(k->registers, 20);
    CHECK_EQ(k->shared_bytes, 300);
    CHECK_EQ(k->shared_reserved, 0);
    CHECK_EQ(k->bank0, BANK0_SM70);
    CHECK_EQ(isa_kernel_param_base(k, r.p->arch), 0x160);
    CHECK_EQ(k->param_bytes, 100);
    CHECK_EQ(k->params[0].kind, PARAM_BYTES);
    CHECK_EQ(k->params[0].size, 99);
    CHECK_EQ(k->constant_bytes, 4);
    CHECK(!memcmp(k->constants, "abcd", 4));
    stop(&r);
    strbuf_fini(&of);
    strbuf_fini(&info);
}

TEST(hopper_has_reserved_shared_memory)
{
    sass_load_options hopper = {.capability = 90, .gpu = "GPU"};
    const isa_kernel *k;
    unsigned text;
    maker m;
    rig r;

    make_start(&m, 90);
    text = make_kernel(&m, "k");
    make_section(&m, ".nv.shared.k", SHT_NOBITS, text, NULL, 1024 + 64);
    load_with(&r, &m, &hopper);
    CHECK_EQ(r.st, ST_OK);
    CHECK_EQ(r.p->arch, ARCH_HOPPER);
    k = &r.p->kernels[0];
    CHECK_EQ(k->shared_bytes, 64);
    CHECK_EQ(k->shared_reserved, 1024);
    CHECK_EQ(k->bank0, BANK0_SM90);
    CHECK_EQ(k->param_base, 0x210);
    stop(&r);
}

static const isa_var *variable(const rig *r, const char *name)
{
    for (uint32_t i = 0; i < r->p->var_count; i++)
        if (!strcmp(r->p->vars[i].name, name))
            return &r->p->vars[i];
    TEST_FAIL("no variable %s", name);
}

TEST(variables_have_places_and_initial_values)
{
    Elf64_Rela rela = {.r_offset = 8, .r_addend = 4};
    Elf64_Rel rel = {.r_offset = 0};
    unsigned zero, init, user, symbols;
    const isa_reloc *own = NULL, *bank = NULL;
    maker m;
    rig r;

    start(&m);
    zero = make_section(&m, ".nv.global", SHT_NOBITS, 0, NULL, 40);
    init = make_section(&m, ".nv.global.init", SHT_PROGBITS, 0,
                        "0123456789abcdef", 16);
    user = make_section(&m, ".nv.constant3", SHT_PROGBITS, 0, "CONSTANT", 8);
    symbols =
        make_section(&m, ".nv.constant4", SHT_PROGBITS, 0, "\0\0\0\0\0\0\0", 8);
    rela.r_info = ELF64_R_INFO(m.symbol_count, 4);
    make_symbol(&m, "zeroes", STT_OBJECT, zero, 0, 40);
    rel.r_info = ELF64_R_INFO(m.symbol_count, 2);
    make_symbol(&m, "given", STT_OBJECT, init, 0, 16);
    make_symbol(&m, "fixed", STT_OBJECT, user, 4, 4);
    make_section(&m, ".rela.nv.global.init", SHT_RELA, init, &rela,
                 sizeof rela);
    make_section(&m, ".rel.nv.constant4", SHT_REL, symbols, &rel, sizeof rel);
    load_made(&r, &m);
    CHECK_EQ(r.st, ST_OK);
    CHECK_EQ(variable(&r, "zeroes")->size, 40);
    CHECK(!variable(&r, "zeroes")->init);
    CHECK(!memcmp(variable(&r, "given")->init, "0123456789abcdef", 16));
    CHECK_EQ(variable(&r, "fixed")->offset, 4);
    CHECK_EQ(variable(&r, "fixed")->space, SPACE_CONST);
    CHECK_EQ(r.p->user_const_bytes, 8);
    CHECK_EQ(r.p->symbol_const_bytes, 8);
    CHECK_EQ(r.p->reloc_count, 2);
    for (uint32_t i = 0; i < 2; i++)
        *(r.p->relocs[i].var < 0 ? &bank : &own) = &r.p->relocs[i];
    CHECK(own && bank);
    CHECK_EQ(own->offset, 8);
    CHECK_EQ(own->addend, 4);
    CHECK_STR(r.p->vars[own->target].name, "zeroes");
    CHECK_STR(r.p->vars[own->var].name, "given");
    CHECK_STR(r.p->vars[bank->target].name, "given");
    CHECK_EQ(bank->addend, 0);
    stop(&r);
}

/* MOV R20, its target's address; EXIT. */
static const uint64_t move_address[4] = {0x0000000000147802, 0x000fe40000000f00,
                                         0x000000000000794d,
                                         0x000fea0003800000};

TEST(functions_lie_behind_the_largest_kernel)
{
    Elf64_Rela rela = {.r_offset = 0, .r_addend = 16};
    const isa_kernel *k;
    unsigned text;
    maker m;
    rig r;

    text = start(&m);
    strbuf_fini(&m.bytes[text]);
    make_bytes(&m, text, move_address, sizeof move_address);
    make_kernel(&m, "f");
    m.symbols[m.symbol_count - 1].st_other = 0;
    rela.r_info = ELF64_R_INFO(m.symbol_count - 1, CUBIN_R_LOW_32);
    make_section(&m, ".rela.text.k", SHT_RELA, text, &rela, sizeof rela);
    load_made(&r, &m);
    CHECK_EQ(r.st, ST_OK);
    CHECK_EQ(r.p->kernel_count, 1);
    k = &r.p->kernels[0];
    CHECK_EQ(k->function_count, 1);
    CHECK_STR(k->functions[0].name, "f");
    CHECK_EQ(k->functions[0].start, 8); /* behind 128 bytes */
    CHECK_EQ(k->code_count, 16);
    CHECK_EQ(k->code[0].val[1], 128 + 16);
    CHECK_EQ(k->code[2].op, ISA_BPT);
    CHECK_EQ(k->code[8].op, ISA_EXIT);
    CHECK_EQ(k->code[10].op, ISA_BPT);
    stop(&r);
}

TEST(addresses_of_variables_in_code_are_constants)
{
    Elf64_Rela rela = {.r_offset = 0, .r_addend = 4};
    unsigned text, zero;
    const isa_inst *in;
    maker m;
    rig r;

    text = start(&m);
    strbuf_fini(&m.bytes[text]);
    make_bytes(&m, text, move_address, sizeof move_address);
    zero = make_section(&m, ".nv.global", SHT_NOBITS, 0, NULL, 40);
    rela.r_info = ELF64_R_INFO(m.symbol_count, CUBIN_R_HIGH_32);
    make_symbol(&m, "zeroes", STT_OBJECT, zero, 0, 40);
    make_section(&m, ".rela.text.k", SHT_RELA, text, &rela, sizeof rela);
    load_made(&r, &m);
    CHECK_EQ(r.st, ST_OK);
    in = &r.p->kernels[0].code[0];
    CHECK_EQ(in->src_kind[1], SRC_CONST);
    CHECK_EQ(in->val[1], CBANK_SYMBOL << 16 | 4);
    CHECK_EQ(r.p->symbol_const_bytes, 8);
    CHECK_EQ(r.p->reloc_count, 1);
    CHECK_EQ(r.p->relocs[0].addend, 4);
    CHECK_STR(r.p->vars[r.p->relocs[0].target].name, "zeroes");
    stop(&r);
}

static void make_call(maker *m, const char *name)
{
    unsigned text = start(m);
    uint32_t symbol = m->symbol_count;
    strbuf of = {0};

    make_symbol(m, name, STT_FUNC, 0, 0, 0);
    make_attribute(&of, 0x0f, &symbol, 1);
    make_section(m, ".nv.info.k", 0x70000000, text, of.text, of.size);
    strbuf_fini(&of);
}

TEST(functions_of_the_run_time_are_served)
{
    static const char *const names[] = {"vprintf", "malloc", "free",
                                        "__assertfail"};
    static const isa_op ops[] = {ISA_PRINT, ISA_MALLOC, ISA_FREE, ISA_STL};

    for (unsigned i = 0; i < 4; i++) {
        const isa_kernel *k;
        maker m;
        rig r;

        make_call(&m, names[i]);
        load_made(&r, &m);
        CHECK_EQ(r.st, ST_OK);
        k = &r.p->kernels[0];
        CHECK_EQ(k->code_count, 8 + LOAD_SERVICES * SERVICE_INSTS);
        CHECK_EQ(k->code[8 + i * SERVICE_INSTS].op, ops[i]);
        CHECK_EQ(k->local_bytes, 32);
        stop(&r);
    }
}

TEST(what_cannot_run_is_refused_by_kernel)
{
    static const uint64_t odd[4] = {0xabc, 0, 0x794d, 0};
    maker m;
    rig r;

    make_call(&m, "cudaLaunchDeviceV2");
    load_made(&r, &m);
    refused(&r, "kernel 'k' cannot run: it launches kernels by "
                "'cudaLaunchDeviceV2'");
    make_call(&m, "other");
    load_made(&r, &m);
    refused(&r, "kernel 'k' cannot run: it calls 'other'");
    make_start(&m, 80);
    make_symbol(&m, "k", STT_FUNC, 1, 0, 32);
    m.symbols[1].st_other = 0x10;
    make_section(&m, ".text.k", SHT_PROGBITS, 0, odd, sizeof odd);
    load_made(&r, &m);
    refused(&r, "kernel 'k' cannot run: 1 of its 2 instructions are unknown");
}

TEST(textures_by_name_are_refused)
{
    Elf64_Rel rel = {.r_offset = 4, .r_info = ELF64_R_INFO(0, 6)};
    unsigned text, bank;
    maker m;
    rig r;

    text = start(&m);
    bank =
        make_section(&m, ".nv.constant0.k", SHT_PROGBITS, text, "01234567", 8);
    rel.r_info = ELF64_R_INFO(m.symbol_count, 6);
    make_symbol(&m, "image", 10, 0, 0, 0);
    make_section(&m, ".rel.nv.constant0.k", SHT_REL, bank, &rel, sizeof rel);
    load_made(&r, &m);
    refused(&r, "it reads the texture or surface 'image' by name");
}

TEST(what_is_left_out_is_a_warning)
{
    sass_load_options partial = {.capability = 80, .partial = true};
    maker m;
    rig r;

    make_call(&m, "other");
    make_kernel(&m, "good");
    load_with(&r, &m, &partial);
    CHECK_EQ(r.st, ST_OK);
    CHECK_EQ(diag_errors(r.dg), 0);
    CHECK_EQ(r.p->kernel_count, 1);
    CHECK_STR(r.p->kernels[0].name, "good");
    CHECK_STR(r.p->missing[0], "k");
    stop(&r);
}

TEST(other_architectures_are_refused)
{
    sass_load_options volta = {.capability = 70, .gpu = "GPU"};
    maker m;
    rig r;

    start(&m);
    load_with(&r, &m, &volta);
    refused(&r, "the code is for sm_80, but the GPU 'GPU' has compute "
                "capability 7.0");
    make_start(&m, 120);
    make_kernel(&m, "k");
    load_made(&r, &m);
    refused(&r, "this is machine code of sm_120, but Heddle runs that of sm_70 "
                "to sm_90");
    start(&m);
    m.head.e_type = ET_REL;
    load_made(&r, &m);
    refused(&r, "has to be linked first");
}

TEST(code_of_odd_sizes_is_refused)
{
    maker m;
    rig r;

    make_start(&m, 80);
    make_symbol(&m, "k", STT_FUNC, 1, 0, 8);
    make_section(&m, ".text.k", SHT_PROGBITS, 0, make_exit, 24);
    load_made(&r, &m);
    refused(&r, "section '.text.k' has 24 bytes");
}
