/* tests/unit/sass/test_cubin.c - what a cubin says is read; what is damaged is
 * refused with one sentence and does no harm. */
#include "sass/cubin.h"

#include "sass/load.h"
#include "test.h"
#include "unit/sass/make_cubin.h"

/* A file that is read. */
typedef struct rig {
    arena *mem;
    diag *dg;
    cubin *c;
    status st;
} rig;

static void read_bytes(rig *r, const void *bytes, size_t size)
{
    *r = (rig){.mem = arena_new(), .dg = diag_new()};
    r->st = cubin_read("k.cubin", bytes, size, r->mem, r->dg, &r->c);
}

static void read_made(rig *r, maker *m)
{
    strbuf file = {0};

    make_finish(m, &file);
    read_bytes(r, file.text, file.size);
    strbuf_fini(&file);
}

static void stop(rig *r)
{
    arena_free(r->mem);
    diag_free(r->dg);
}

static void refused(rig *r, const char *words)
{
    CHECK_EQ(r->st, ST_PROGRAM);
    CHECK_EQ(diag_count(r->dg), 1);
    CHECK_STR(diag_get(r->dg, 0)->file, "k.cubin");
    if (!strstr(diag_get(r->dg, 0)->text, words))
        TEST_FAIL("'%s' is not in: %s", words, diag_get(r->dg, 0)->text);
    stop(r);
}

/* A kernel with all that has a meaning. */
static void make_whole(maker *m)
{
    static const uint32_t count[] = {1, 24}, frame[] = {1, 16},
                          least[] = {1, 48}, base[] = {0, 0xc0160},
                          x[] = {0, 0, 0x21f000}, n[] = {0, 0x80001, 0x11f000},
                          threads[] = {64, 2, 1}, odd[] = {7, 8};
    static const uint8_t barriers[] = {2, 0x4c, 3, 0};
    unsigned text, section;
    strbuf info = {0}, of = {0};

    make_start(m, 80);
    text = make_kernel(m, "k");
    make_attribute(&info, 0x2f, count, 2);
    make_attribute(&info, 0x11, frame, 2);
    make_attribute(&info, 0x12, least, 2);
    make_section(m, ".nv.info", 0x70000000, 0, info.text, info.size);
    make_attribute(&of, 0x0a, base, 2);
    make_attribute(&of, 0x17, n, 3);
    make_attribute(&of, 0x17, x, 3);
    make_attribute(&of, 0x05, threads, 3);
    make_attribute(&of, 0xfe, odd, 2);
    strbuf_write(&of, (const char *)barriers, sizeof barriers);
    section = make_section(m, ".nv.info.k", 0x70000000, text, of.text, of.size);
    m->sections[section].sh_link = text;
    make_section(m, ".nv.constant0.k", SHT_PROGBITS, text, NULL, 0);
    make_bytes(m, m->section_count - 1, (uint8_t[0x16c]){0}, 0x16c);
    make_section(m, ".nv.shared.k", SHT_NOBITS, text, NULL, 256);
    strbuf_fini(&info);
    strbuf_fini(&of);
}

TEST(kernels_have_their_attributes)
{
    const cubin_function *f;
    maker m;
    rig r;

    make_whole(&m);
    read_made(&r, &m);
    CHECK_EQ(r.st, ST_OK);
    CHECK_EQ(r.c->sm, 80);
    CHECK_EQ(r.c->function_count, 1);
    f = &r.c->functions[0];
    CHECK_STR(f->name, "k");
    CHECK(f->entry);
    CHECK_EQ(f->registers, 24);
    CHECK_EQ(f->frame_bytes, 16);
    CHECK_EQ(f->stack_bytes, 48);
    CHECK_EQ(f->barriers, 3);
    CHECK_EQ(f->param_base, 0x160);
    CHECK_EQ(f->param_bytes, 12);
    CHECK_EQ(f->param_count, 2);
    CHECK_EQ(f->params[0].size, 8);
    CHECK_EQ(f->params[1].offset, 8);
    CHECK_EQ(f->params[1].size, 4);
    CHECK_EQ(f->max_threads[0], 64);
    CHECK_EQ(f->max_threads[1], 2);
    CHECK_EQ(r.c->sections[f->shared].size, 256);
    CHECK_EQ(r.c->sections[f->constant0].size, 0x16c);
    stop(&r);
}

TEST(unknown_attributes_are_kept_by_number)
{
    const cubin_attribute *a = NULL;
    maker m;
    rig r;

    make_whole(&m);
    read_made(&r, &m);
    for (uint32_t i = 0; i < r.c->attribute_count; i++)
        if (r.c->attributes[i].number == 0xfe)
            a = &r.c->attributes[i];
    CHECK(a);
    CHECK_EQ(a->size, 8);
    CHECK(!cubin_attribute_name(a->number));
    CHECK_STR(cubin_attribute_name(0x2f), "REGCOUNT");
    stop(&r);
}

TEST(older_toolkits_have_other_headers)
{
    maker m;
    rig r;

    make_whole(&m);
    m.head.e_ident[EI_OSABI] = 0x33;
    m.head.e_ident[EI_ABIVERSION] = 7;
    m.head.e_flags = 0x00500550;
    read_made(&r, &m);
    CHECK_EQ(r.st, ST_OK);
    CHECK_EQ(r.c->sm, 0x50);
    stop(&r);
}

TEST(other_files_are_refused)
{
    static const char text[] = "this is a text that is longer than a header "
                               "of an ELF file has to be, I think";
    maker m;
    rig r;

    read_bytes(&r, text, sizeof text);
    refused(&r, "this is no ELF file");
    make_whole(&m);
    m.head.e_ident[EI_CLASS] = ELFCLASS32;
    read_made(&r, &m);
    refused(&r, "addresses of 32 bits");
    make_whole(&m);
    m.head.e_machine = EM_X86_64;
    read_made(&r, &m);
    refused(&r, "not for GPUs of CUDA");
    make_whole(&m);
    m.head.e_ident[EI_ABIVERSION] = 9;
    read_made(&r, &m);
    refused(&r, "of another toolkit");
    make_whole(&m);
    m.head.e_ident[EI_OSABI] = 0x50;
    read_made(&r, &m);
    refused(&r, "of another toolkit");
    make_whole(&m);
    m.head.e_flags = 0;
    read_made(&r, &m);
    refused(&r, "names no architecture");
}

TEST(damaged_sections_are_named)
{
    static const uint32_t symbol[] = {99, 1}, number[] = {0, 99, 0};
    strbuf info = {0};
    unsigned section;
    maker m;
    rig r;

    make_whole(&m);
    make_section(&m, ".nv.info.x", 0x70000000, 0, "\x05\x01\x00\x00", 4);
    read_made(&r, &m);
    refused(&r, "section '.nv.info.x': an attribute has an unknown format");
    make_whole(&m);
    make_section(&m, ".nv.info.x", 0x70000000, 0, "\x04\x01\x08\x00", 4);
    read_made(&r, &m);
    refused(&r, "section '.nv.info.x': an attribute ends outside");
    make_whole(&m);
    make_section(&m, ".nv.info.x", 0x70000000, 0, "\x04\x01", 2);
    read_made(&r, &m);
    refused(&r, "ends inside of an attribute");
    make_start(&m, 80);
    make_kernel(&m, "k");
    make_attribute(&info, 0x2f, symbol, 2);
    make_section(&m, ".nv.info", 0x70000000, 0, info.text, info.size);
    read_made(&r, &m);
    refused(&r, "section '.nv.info': an attribute names no symbol");
    strbuf_fini(&info);
    make_start(&m, 80);
    section = make_kernel(&m, "k");
    make_attribute(&info, 0x17, number, 3);
    make_section(&m, ".nv.info.k", 0x70000000, section, info.text, info.size);
    read_made(&r, &m);
    refused(&r, "a parameter has an impossible number");
    strbuf_fini(&info);
    make_whole(&m);
    m.symbols[1].st_value = 1000;
    read_made(&r, &m);
    refused(&r, "section '.symtab': a symbol ends outside of its section");
    make_whole(&m);
    make_section(&m, ".nv.global", SHT_NOBITS, 0, NULL, (size_t)1 << 60);
    read_made(&r, &m);
    refused(&r, "section '.nv.global': it has an impossible size");
}

TEST(damaged_relocations_are_refused)
{
    Elf64_Rela rela = {.r_offset = 8, .r_info = ELF64_R_INFO(99, 2)};
    maker m;
    rig r;

    make_whole(&m);
    make_section(&m, ".rela.text.k", SHT_RELA, 1, &rela, sizeof rela);
    read_made(&r, &m);
    refused(&r, "an entry names no symbol");
    rela.r_info = ELF64_R_INFO(1, 2);
    rela.r_offset = 1000;
    make_whole(&m);
    make_section(&m, ".rela.text.k", SHT_RELA, 1, &rela, sizeof rela);
    read_made(&r, &m);
    refused(&r, "an entry lies outside");
    make_whole(&m);
    make_section(&m, ".rela.text.k", SHT_RELA, 1, &rela, 20);
    read_made(&r, &m);
    refused(&r, "it has half an entry");
    make_whole(&m);
    make_section(&m, ".rela.text.k", SHT_RELA, 99, &rela, sizeof rela);
    read_made(&r, &m);
    refused(&r, "it is for no section");
}

/* ---- Lines ---- */

/* One file, one sequence: line 7 from 0 on, line 9 from 16 on. */
static const uint8_t line_program[] = {
    57,  0,  0,   0,   2,   0, /* size, version */
    29,  0,  0,   0,           /* header */
    1,   1,  251, 14,  10,     /* units of 1, statements, base -5, range 14 */
    0,   1,  1,   1,   1,   0,   0,   0, 1,          /* operands of 1 to 9 */
    'd', 0,  0,   'a', '.', 'c', 'u', 0, 1, 0, 0, 0, /* folder, file */
    0,   0,  0,                                      /* (size of the header) */
    0,   9,  2,   0,   0,   0,   0,   0, 0, 0, 0,    /* set address */
    3,   6,  1,                                      /* 6 lines on, copy */
    2,   16, 3,   2,   1, /* 16 bytes and 2 lines on, copy */
    2,   16, 0,   1,   1, /* end */
};

static void make_lines(maker *m, uint8_t version)
{
    Elf64_Rela rela = {.r_info = ELF64_R_INFO(1, 2)};
    uint8_t program[sizeof line_program];
    unsigned section;

    memcpy(program, line_program, sizeof program);
    program[0] = (uint8_t)(sizeof program - 4);
    program[4] = version;
    for (unsigned i = 0; i + 3 < sizeof program; i++)
        if (!memcmp(program + i, "\0\x09\x02", 3))
            rela.r_offset = i + 3;
    /* The header ends where the program begins. */
    program[6] = (uint8_t)(rela.r_offset - 3 - 10);
    make_whole(m);
    section = make_section(m, ".debug_line", SHT_PROGBITS, 0, program,
                           sizeof program);
    make_section(m, ".rela.debug_line", SHT_RELA, section, &rela, sizeof rela);
}

TEST(instructions_have_lines)
{
    const cubin_function *f;
    maker m;
    rig r;

    make_lines(&m, 2);
    read_made(&r, &m);
    CHECK_EQ(r.st, ST_OK);
    CHECK_EQ(r.c->file_count, 1);
    CHECK_STR(r.c->files[0], "d/a.cu");
    f = &r.c->functions[0];
    CHECK_EQ(cubin_line_at(f, 0)->line, 7);
    CHECK_EQ(cubin_line_at(f, 16)->line, 9);
    CHECK_EQ(cubin_line_at(f, 16)->file, 1);
    CHECK(!cubin_line_at(f, 32));
    stop(&r);
}

TEST(damaged_lines_are_refused)
{
    maker m;
    rig r;

    make_lines(&m, 9);
    read_made(&r, &m);
    refused(&r, "section '.debug_line': a line program cannot be read");
}

/* ---- Damage of any kind ---- */

static void try_all(const char *bytes, size_t size)
{
    const sass_load_options opt = {.capability = 80, .gpu = "x"};
    diag *dg = diag_new();
    isa_program *p = NULL;
    rig r;

    read_bytes(&r, bytes, size);
    CHECK_EQ(diag_errors(r.dg), r.st != ST_OK);
    CHECK_EQ(sass_load("k.cubin", bytes, size, &opt, dg, &p) == ST_OK,
             diag_errors(dg) == 0);
    isa_program_free(p);
    diag_free(dg);
    stop(&r);
}

TEST(no_length_does_harm)
{
    strbuf file = {0};
    maker m;

    make_lines(&m, 2);
    make_finish(&m, &file);
    for (size_t n = 0; n <= file.size; n++) {
        char *exact = new_copy(file.text, n + 1, 1);

        exact[n] = 0;
        try_all(exact, n);
        free(exact);
    }
    strbuf_fini(&file);
}

TEST(no_changed_byte_does_harm)
{
    static const uint8_t flips[] = {0x01, 0x10, 0x80, 0xff};
    strbuf file = {0};
    maker m;

    make_lines(&m, 2);
    make_finish(&m, &file);
    for (size_t i = 0; i < file.size; i++) {
        char is = file.text[i];

        for (unsigned k = 0; k < sizeof flips; k++) {
            file.text[i] = (char)(is ^ flips[k]);
            try_all(file.text, file.size);
        }
        file.text[i] = is;
    }
    strbuf_fini(&file);
}
