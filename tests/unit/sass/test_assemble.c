/* Text becomes a cubin that says what the text says; mistakes are told with
 * their lines. */
#include "test.h"

#include "base/strbuf.h"
#include "sass/assemble.h"
#include "sass/cubin_write.h"

typedef struct made {
    arena *mem;
    diag *dg;
    cubin *c; /* read from the file that was written; NULL: errors are in dg */
} made;

static made assemble(const char *text)
{
    made m = {arena_new(), diag_new(), NULL};
    cubin *c = NULL;
    strbuf file = {0};

    if (sass_assemble("k.sass", text, strlen(text), NULL, m.mem, m.dg, &c) ==
        ST_OK) {
        cubin_write(c, &file);
        CHECK_EQ(cubin_read("k.cubin", file.text, file.size, m.mem, m.dg, &m.c),
                 ST_OK);
    }
    strbuf_fini(&file);
    return m;
}

static void drop(made m)
{
    arena_free(m.mem);
    diag_free(m.dg);
}

#define FIRST "\t[B------:R-:W-:-:S01] "

static const char kernel[] =
    ".target sm_80\n"
    ".data .nv.constant3\n"
    ".align 4\n"
    ".object factor, 4\n"
    ".word 0x40000000 // two\n"
    ".end\n"
    ".data .nv.global\n.object count, 8\n.zero 8\n.end\n"
    ".kernel twice\n"
    ".registers 10\n.shared 64\n.frame 8\n.stack 16\n.max_threads 128\n"
    ".param 4\n.param 8\n.param 12\n"
    ".word .loop, 7\n" FIRST "MOV R3, 0x4 ;\n"
    ".loop:" FIRST "MOV R6, /* here */ RZ\n"
    "\t.reloc low count+4\n" FIRST "MOV R6, 0x0 ;\n" FIRST "BAR.SYNC 0x3 ;\n"
    "\t[B0----5:R1:W2:Y:S11] @P0 BRA .loop ;\n" FIRST "EXIT ;\n"
    ".inner part, 24\n" FIRST "RET.REL.NODEC R6 part ;\n"
    ".end\n";

TEST(a_kernel_is_what_its_directives_say)
{
    made m = assemble(kernel);
    const cubin_function *f;

    CHECK(m.c);
    CHECK_EQ(m.c->sm, 80);
    CHECK_EQ(m.c->elf_type, CUBIN_LINKED);
    CHECK_EQ(m.c->function_count, 1);
    f = &m.c->functions[0];
    CHECK_STR(f->name, "twice");
    CHECK(f->entry);
    CHECK_EQ(f->registers, 10);
    CHECK_EQ(f->barriers, 4); /* 0 to 3 */
    CHECK_EQ(f->frame_bytes, 8);
    CHECK_EQ(f->stack_bytes, 16);
    CHECK_EQ(f->max_threads[0], 128);
    CHECK_EQ(f->max_threads[1], 1);
    CHECK_EQ(m.c->sections[f->shared].size, 64);
    drop(m);
}

/* At multiples of their sizes up to 8; 12 is a multiple of 4. */
TEST(parameters_lie_behind_one_another)
{
    made m = assemble(kernel);
    const cubin_function *f = &m.c->functions[0];

    CHECK_EQ(f->param_base, 0x160);
    CHECK_EQ(f->param_count, 3);
    CHECK_EQ(f->params[0].offset, 0);
    CHECK_EQ(f->params[1].offset, 8);
    CHECK_EQ(f->params[2].offset, 16);
    CHECK_EQ(f->param_bytes, 28);
    CHECK_EQ(m.c->sections[f->constant0].size, 0x160 + 28);
    drop(m);
}

static uint64_t word_at(const cubin *c, uint32_t section, uint64_t at)
{
    uint64_t w;

    memcpy(&w, c->sections[section].bytes + at, sizeof w);
    return w;
}

TEST(code_has_its_control_codes_and_places)
{
    made m = assemble(kernel);
    const cubin_function *f = &m.c->functions[0];

    CHECK_EQ(m.c->sections[f->section].size, 7 * 16);
    /* waits for 0 and 5, reads 1, writes 2, may yield, stalls 11; the branch
     * goes back by four instructions, of its own and the three before */
    CHECK_EQ(word_at(m.c, f->section, 4 * 16 + 8) >> 41, 0x1094b);
    CHECK_EQ(word_at(m.c, f->section, 4 * 16), 0xffffffc000000947);
    CHECK_EQ(word_at(m.c, f->constant2, 0), 0x0000000700000010);
    drop(m);
}

static const cubin_symbol *symbol_named(const cubin *c, const char *name)
{
    for (uint32_t i = 1; i < c->symbol_count; i++)
        if (!strcmp(c->symbols[i].name, name))
            return &c->symbols[i];
    TEST_FAIL("no symbol %s", name);
    return NULL;
}

TEST(variables_and_what_is_patched_are_there)
{
    made m = assemble(kernel);
    uint32_t bank = cubin_find(m.c, ".nv.constant3"), count;
    const cubin_reloc *r =
        cubin_relocs_of(m.c, m.c->functions[0].section, &count);
    const cubin_symbol *part = symbol_named(m.c, "part");

    CHECK_EQ(m.c->sections[bank].size, 4);
    CHECK_EQ(symbol_named(m.c, "factor")->section, bank);
    CHECK_EQ(symbol_named(m.c, "count")->size, 8);
    CHECK(!m.c->sections[cubin_find(m.c, ".nv.global")].bytes);
    CHECK_EQ(count, 1);
    CHECK_EQ(r->type, CUBIN_R_LOW_32);
    CHECK_EQ(r->offset, 2 * 16);
    CHECK_EQ(r->addend, 4);
    CHECK_STR(m.c->symbols[r->symbol].name, "count");
    CHECK_EQ(part->value, 6 * 16);
    CHECK_EQ(part->size, 16);
    drop(m);
}

/* The first 1024 bytes of shared memory are the system's. */
TEST(on_hopper_shared_memory_begins_later)
{
    made m = assemble(".target sm_90\n.kernel k\n.registers 8\n.shared 256\n"
                      ".param 8\n" FIRST "EXIT\n.end\n");
    const cubin_function *f = &m.c->functions[0];

    CHECK_EQ(m.c->sections[f->shared].size, 1024 + 256);
    CHECK_EQ(f->param_base, 0x210);
    drop(m);
}

TEST(its_text_is_made_of_it_again)
{
    made m = assemble(kernel), again;
    strbuf text = {0}, second = {0};

    sass_source(m.c, &text);
    again = assemble(text.text);
    CHECK(again.c);
    sass_source(again.c, &second);
    CHECK_STR(second.text, text.text);
    strbuf_fini(&text);
    strbuf_fini(&second);
    drop(m);
    drop(again);
}

TEST(the_text_is_known_by_its_target)
{
    const char *yes = "/* a */ // b\n\t.target sm_80\n", *no = ".arch volta\n";

    CHECK(sass_is_source(yes, strlen(yes)));
    CHECK(!sass_is_source(no, strlen(no)));
    CHECK(!sass_is_source("", 0));
    CHECK(!sass_is_source(".version 8.0\n.target sm_80\n", 28));
}

/* Exactly this error, in that line and column. */
static void check_error(const char *text, unsigned line, unsigned column,
                        const char *want)
{
    made m = assemble(text);
    const diag_item *item;

    CHECK(!m.c);
    if (diag_count(m.dg) != 1)
        TEST_FAIL("%zu errors of: %s", diag_count(m.dg), text);
    item = diag_get(m.dg, 0);
    CHECK_STR(item->text, want);
    CHECK_EQ(item->line, line);
    CHECK_EQ(item->column, column);
    drop(m);
}

#define BEGIN ".target sm_80\n.kernel k\n.registers 8\n"

TEST(mistakes_are_told_with_their_places)
{
    check_error("\n.kernel k\n", 2, 8, ".target has to be first");
    check_error(".target sm_61\n", 1, 9, "sm_70 to sm_90 have to be here");
    check_error(".target sm_80\n.regs 3\n", 2, 1,
                "there is no directive '.regs'");
    check_error(".target sm_80\n.word 3\n", 2, 1,
                ".word has to be inside of a .kernel or .function");
    check_error(BEGIN FIRST "EXIT ;\n", 2, 0, "'k' has no .end");
    check_error(BEGIN ".end\n", 2, 0, "'k' has no instructions");
    check_error(".target sm_80\n.kernel k\n" FIRST "EXIT ;\n.end\n", 2, 0,
                "'k' does not say how many registers it has: .registers N");
    check_error(BEGIN "  EXIT ;\n" FIRST "EXIT ;\n.end\n", 4, 0,
                "control codes, such as [B------:R-:W-:-:S01], have to be in "
                "front of each instruction");
    check_error(BEGIN "  [B------] EXIT ;\n" FIRST "EXIT ;\n.end\n", 4, 3,
                "control codes have the form [B------:R-:W-:-:S01]");
    check_error(BEGIN FIRST "FOO R1, R2 ;\n.end\n", 4, 24,
                "sm_80 has no instruction 'FOO' that Heddle knows");
    check_error(BEGIN FIRST "@P0 FOO R1, R2 ;\n.end\n", 4, 28,
                "sm_80 has no instruction 'FOO' that Heddle knows");
    check_error(BEGIN FIRST "IADD3 R1, R256, R3, R4 ;\n.end\n", 4, 34,
                "'R256' cannot be here");
    check_error(BEGIN FIRST "IADD3 R1, R2, R3 ;\n.end\n", 4, 40,
                "something is missing behind this");
    check_error(BEGIN FIRST "BRA .nowhere ;\n.end\n", 4, 28,
                "'.nowhere' cannot be here");
    check_error(BEGIN ".word .nowhere\n" FIRST "EXIT\n.end\n", 4, 0,
                "there is no label '.nowhere'");
    check_error(BEGIN ".a:\n.a:\n" FIRST "EXIT\n.end\n", 5, 1,
                "the label '.a' is there twice");
    check_error(BEGIN ".registers 256\n" FIRST "EXIT\n.end\n", 4, 12,
                "a number from 0 to 255 has to be here");
    check_error(BEGIN ".registers 8 9\n" FIRST "EXIT\n.end\n", 4, 14,
                "this is too much for .registers");
    check_error(BEGIN ".object a, 4\n" FIRST "EXIT\n.end\n", 4, 1,
                ".object cannot be here");
    check_error(BEGIN ".zero 65537\n" FIRST "EXIT\n.end\n", 4, 1,
                "'k' has more than 65536 bytes of data");
    check_error(BEGIN FIRST "EXIT\n.reloc low a\n.end\n", 2, 0,
                "'k': there is nothing behind the last .reloc, of 'a'");
    check_error(".target sm_80\n.data .nv.constant9\n.end\n", 2, 7,
                "data are in .nv.constant3, .nv.constant4, .nv.global or "
                ".nv.global.init");
    check_error(
        ".target sm_80\n.data .nv.global\n.object a, 8\n.zero 4\n.end\n", 2, 0,
        "'.nv.global': the variable 'a' is larger than what is "
        "behind it");
    check_error(".target sm_80\n.data .nv.global\n.zero 4\n.word 4\n.end\n", 4,
                1,
                "'.nv.global' has zeros only: .zero N, or begin with "
                ".data .nv.global.init");
    check_error("", 0, 0, "it has no .target");
}

/* All of them, not the first alone. */
TEST(each_mistake_is_told)
{
    made m = assemble(BEGIN FIRST "FOO\n" FIRST "BAR R1\n.nope\n.end\n");

    CHECK(!m.c);
    CHECK_EQ(diag_count(m.dg), 3);
    drop(m);
}
