/* Traces of kernels: what is read, and what is refused with its line. */
#include "test.h"

#include "base/strbuf.h"
#include "replay/cta_lines.h"
#include "replay/kernel_trace.h"

static const char HEAD[] = "-kernel name = k\n"
                           "-kernel id = 7\n"
                           "-grid dim = (2,1,1)\n"
                           "-block dim = (40,1,1)\n"
                           "-shmem = 256\n"
                           "-nregs = 16\n"
                           "-shmem base_addr = 0x00007f0e8e000000\n"
                           "-local mem base_addr = 0x00007f0e8c000000\n"
                           "-accelsim tracer version = 4\n"
                           "-something new = 12\n"
                           "\n"
                           "#traces format = ...\n\n";

static const char LAST[] = "0010 ffffffff 0 EXIT 0 0 0\n";

/* One CTA of one warp with these lines. */
static void put_cta(strbuf *b, unsigned x, unsigned insts, const char *lines)
{
    strbuf_printf(b,
                  "#BEGIN_TB\n\nthread block = %u,0,0\n\nwarp = 0\n"
                  "insts = %u\n%s\n#END_TB\n",
                  x, insts, lines);
}

static status read_text(const char *text, size_t size, diag *dg,
                        kernel_trace **out)
{
    replay_input *in;
    status st = replay_input_bytes("k.traceg", text, size, dg, &in);

    return st == ST_OK
               ? kernel_trace_take(in, &(kernel_trace_how){NULL, NULL}, dg, out)
               : st;
}

/* The trace with these lines in its first CTA. */
static kernel_trace *good(unsigned insts, const char *lines)
{
    strbuf b = {0};
    diag *dg = diag_new();
    kernel_trace *k;

    strbuf_puts(&b, HEAD);
    put_cta(&b, 0, insts, lines);
    put_cta(&b, 1, 1, LAST);
    if (read_text(b.text, b.size, dg, &k) != ST_OK)
        TEST_FAIL("%u: %s", diag_get(dg, 0)->line, diag_get(dg, 0)->text);
    CHECK_EQ(diag_count(dg), 0);
    diag_free(dg);
    strbuf_fini(&b);
    return k;
}

/* The first line is number 20 of the file. */
static void bad(unsigned insts, const char *lines, unsigned line,
                const char *why)
{
    strbuf b = {0};
    diag *dg = diag_new();
    kernel_trace *k;

    strbuf_puts(&b, HEAD);
    put_cta(&b, 0, insts, lines);
    put_cta(&b, 1, 1, LAST);
    CHECK_EQ(read_text(b.text, b.size, dg, &k), ST_INPUT);
    CHECK_EQ(diag_errors(dg), 1);
    if (diag_get(dg, 0)->line != line || !strstr(diag_get(dg, 0)->text, why))
        TEST_FAIL("%u: %s", diag_get(dg, 0)->line, diag_get(dg, 0)->text);
    diag_free(dg);
    strbuf_fini(&b);
}

TEST(the_header)
{
    kernel_trace *k = good(1, LAST);

    CHECK_STR(k->name, "k");
    CHECK_EQ(k->id, 7);
    CHECK_EQ(k->grid[0], 2);
    CHECK_EQ(k->block[0], 40);
    CHECK_EQ(k->shared_bytes, 256);
    CHECK_EQ(k->registers, 16);
    CHECK_EQ(k->shared_base, 0x7f0e8e000000);
    CHECK_EQ(k->version, 4);
    CHECK_EQ(k->cta_count, 2);
    CHECK_EQ(k->warp_insts, 2);
    CHECK_EQ(k->thread_insts, 64);
    CHECK_EQ(k->unended, 0);
    kernel_trace_free(k);
}

/* Addresses in all three forms are the same. */
TEST(addresses)
{
    kernel_trace *k =
        good(5, "0000 000000f0 1 R4 LDG.E 1 R2 4 0 0x100 0x104 0x108 0x10c 0\n"
                "0000 000000f0 1 R4 LDG.E 1 R2 4 1 0x100 4 0\n"
                "0000 000000f0 1 R4 LDG.E 1 R2 4 2 0x100 4 4 4 0\n"
                "0000 00000000 1 R4 LDG.E 1 R2 4 1 0x0 0 0\n"
                "0010 ffffffff 0 EXIT 0 0 0\n");
    replay_cursor cursor[REPLAY_WARPS];
    uint64_t addr[ISA_WARP];
    size_t size;
    uint8_t *bytes = spool_get(k->ctas, 0, &size);

    CHECK_EQ(k->code.count, 2);
    CHECK_EQ(cta_lines_unpack(bytes, size, cursor), 1);
    CHECK_EQ(cursor[0].left, 5);
    for (unsigned i = 0; i < 3; i++) {
        replay_record_head(&cursor[0]);
        CHECK_EQ(cursor[0].inst, 0);
        CHECK_EQ(cursor[0].mask, 0xf0);
        CHECK(replay_record_addresses(&cursor[0], addr));
        for (unsigned l = 4; l < 8; l++)
            CHECK_EQ(addr[l], 0x100 + 4 * (l - 4));
    }
    replay_record_head(&cursor[0]);
    CHECK(!replay_record_addresses(&cursor[0], addr));
    replay_record_head(&cursor[0]);
    CHECK_EQ(cursor[0].inst, 1);
    free(bytes);
    kernel_trace_free(k);
}

/* Functions have addresses of their own, from 0 on. */
TEST(two_instructions_at_one_address)
{
    kernel_trace *k = good(3, "0000 ffffffff 1 R1 MOV 0 0 0\n"
                              "0000 ffffffff 1 R2 MOV 0 0 0\n"
                              "0010 ffffffff 0 EXIT 0 0 0\n");
    isa_program *p = isa_program_new(ARCH_VOLTA);
    isa_kernel kernel = {0};

    CHECK_EQ(k->code.count, 3);
    CHECK_EQ(replay_code_make(&k->code, p, &kernel), 1);
    CHECK_EQ(kernel.code_count, 3);
    CHECK_EQ(kernel.code[0].dst, 1);
    CHECK_EQ(kernel.code[1].op, ISA_EXIT);
    CHECK_EQ(kernel.code[2].dst, 2);
    isa_program_free(p);
    kernel_trace_free(k);
}

TEST(launches_of_a_kernel_add_to_its_code)
{
    kernel_trace *k = good(2, "0000 ffffffff 1 R1 MOV 0 0 0\n"
                              "0030 ffffffff 0 EXIT 0 0 0\n");
    kernel_trace *l = good(2, "0000 ffffffff 1 R1 MOV 0 0 0\n"
                              "0020 ffffffff 1 R2 MOV 0 0 0\n");
    isa_program *p = isa_program_new(ARCH_VOLTA);
    isa_kernel have = {0}, more = {0}, other = {.registers = 1};

    replay_code_make(&k->code, p, &have);
    replay_code_make(&l->code, p, &more);
    replay_code_make(&l->code, p, &other);
    CHECK(!replay_code_merge(&more, &have)); /* it is longer */
    CHECK(!replay_code_merge(&have, &other));
    CHECK_EQ(have.code[2].op, ISA_NOP);
    CHECK(replay_code_merge(&have, &more));
    CHECK_EQ(have.code[2].op, ISA_MOV);
    have.code[0].dst = 9;
    CHECK(!replay_code_merge(&have, &more));
    isa_program_free(p);
    kernel_trace_free(k);
    kernel_trace_free(l);
}

TEST(warps_that_do_not_end)
{
    kernel_trace *k = good(1, "0000 ffffffff 1 R1 MOV 0 0 0\n");
    kernel_trace *l = good(0, "");

    CHECK_EQ(k->unended, 1);
    CHECK_EQ(k->warp_insts, 2);
    CHECK_EQ(l->unended, 1);
    kernel_trace_free(k);
    kernel_trace_free(l);
}

TEST(local_memory_that_is_used)
{
    kernel_trace *k =
        good(3, "0000 ffffffff 0 STL.64 2 R1 R2 8 1 0x7f0e8cfff000 0 0\n"
                "0010 ffffffff 1 R4 LDL 1 R1 4 1 0xfff010 0 0\n"
                "0020 ffffffff 0 EXIT 0 0 0\n");

    CHECK_EQ(k->local_low, 0xfff000);
    CHECK_EQ(k->local_high, 0xfff014);
    kernel_trace_free(k);
}

TEST(lines_that_are_refused)
{
    static const char EXIT[] = "0010 ffffffff 0 EXIT 0 0 0\n";
    char text[256];

#define BAD(line, why)                                                         \
    snprintf(text, sizeof text, "%s\n%s", line, EXIT);                         \
    bad(2, text, 20, why)
    BAD("0000", "ends where a mask");
    BAD("0000 ffffffff", "ends where the number of results");
    BAD("0000 ffffffff 1 R1", "ends where the name");
    BAD("0000 ffffffff 1 R1 MOV", "ends where the number of sources");
    BAD("0000 ffffffff 1 R1 MOV 0", "ends where the bytes");
    BAD("0000 ffffffff 33 R1 MOV 0 0", "number of results, 32 at most");
    BAD("0000 ffffffff 1 R300 MOV 0 0 0", "R0 to R255");
    BAD("0000 ffffffff 1 X3 MOV 0 0 0", "R0 to R255");
    BAD("0000 ffffffff 1 R1 MOV 0 0 x", "immediate");
    BAD("zz ffffffff 1 R1 MOV 0 0 0", "address of code");
    BAD("0000 fffffffff 1 R1 MOV 0 0 0", "32 lanes");
    BAD("0000 ffffffff 1 R1 LDG 1 R2 4 3 0x0 0", "0 to 2");
    BAD("0000 ffffffff 1 R1 LDG 1 R2 4 1 0x0", "a distance");
    BAD("0000 ffffffff 1 R1 LDG 1 R2 4 0 0x0", "ends where an address");
    BAD("0000 ffffffff 1 R1 LDG 1 R2 9999 0 0x0", "bytes that a lane");
    BAD("40000000 ffffffff 1 R1 MOV 0 0 0", "no kernel has code");
#undef BAD
    bad(1, "0000 ffffffff 0 EXIT 0 0 0\n0000 ffffffff 0 EXIT 0 0 0\n", 21,
        "more instructions than");
    bad(2, "0000 ffffffff 0 EXIT 0 0 0\n", 22, "says that 1 more");
    bad(1, "warp = 0\n", 20, "says that 1 more");
    bad(2, "0000 ffffffff 1 R1 FROB.X 0 0 0\n0000 ffffffff 1 R1 BAZ 0 0\n", 0,
        "2 operations cannot be replayed (executed so often): BAZ (1), FROB.X "
        "(1)");
}

/* No cut of a trace is taken for a whole one. */
TEST(every_cut_is_refused)
{
    strbuf b = {0};

    strbuf_puts(&b, HEAD);
    put_cta(&b, 0, 1, "0000 ffffffff 0 EXIT 0 0 0\n");
    put_cta(&b, 1, 1, LAST);
    for (size_t n = 0; n + 1 < b.size; n++) {
        diag *dg = diag_new();
        kernel_trace *k;

        if (read_text(b.text, n, dg, &k) == ST_OK)
            TEST_FAIL("%zu of %zu bytes", n, b.size);
        CHECK_EQ(diag_errors(dg), 1);
        diag_free(dg);
    }
    strbuf_fini(&b);
}
