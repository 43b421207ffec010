/* Rows by line and by instruction, and launches of which parts are timed. */
#include <math.h>

#include "rig.h"

static size_t column_of(const char *name)
{
    heddle_info info;

    for (size_t i = 0; heddle_column_info(i, &info) == HEDDLE_OK; i++)
        if (!strcmp(info.name, name)) {
            CHECK(info.unit[0] && info.help[0]);
            return i;
        }
    TEST_FAIL("no column '%s'", name);
}

static uint64_t sum_of(const heddle_result *r, heddle_rows kind,
                       const char *name)
{
    size_t column = column_of(name);
    uint64_t sum = 0;
    heddle_row row;

    for (size_t i = 0; heddle_result_row(r, kind, i, &row) == HEDDLE_OK; i++)
        sum += row.values[column];
    return sum;
}

/* Each column adds up to the launch's counter, by either kind of rows. */
TEST(rows_add_up)
{
    static const char *const same[][2] = {
        {"insts", "sm[*].warp_insts"},
        {"stall_raw_mem", "sm[*].stall_raw_mem"},
        {"stall_no_warp", "sm[*].stall_no_warp"},
        {"warp_cycles", "sm[*].warp_cycles"}};
    heddle_sim *sim = rig_open();
    heddle_result *r;
    rig_saxpy s;
    uint64_t all;

    rig_saxpy_init(&s, sim);
    s.launch.flags = HEDDLE_PROFILE;
    OK(sim, heddle_run(s.kernel, &s.launch, &r));
    rig_saxpy_check(&s);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        OK(sim, heddle_result_counter(r, same[i][1], &all));
        CHECK(all > 0);
        CHECK_EQ(sum_of(r, HEDDLE_BY_LINE, same[i][0]), all);
        CHECK_EQ(sum_of(r, HEDDLE_BY_INSTRUCTION, same[i][0]), all);
    }
    /* A slot of each of 4 schedulers of 2 SMs in each cycle. */
    CHECK_EQ(sum_of(r, HEDDLE_BY_LINE, "slots"), 8 * heddle_result_cycles(r));
    heddle_close(sim);
}

/* 1,000 floats of two arrays are read, in warps of 32: 32 warps with two loads
 * each, but for threads beyond them. The line is told as it was given. */
TEST(a_line_has_its_text_and_its_loads)
{
    heddle_sim *sim = rig_open();
    size_t reads = column_of("reads");
    uint64_t loads = 0;
    heddle_result *r;
    heddle_row row;
    rig_saxpy s;

    rig_saxpy_init(&s, sim);
    s.launch.flags = HEDDLE_PROFILE;
    OK(sim, heddle_run(s.kernel, &s.launch, &r));
    for (size_t i = 0;
         heddle_result_row(r, HEDDLE_BY_LINE, i, &row) == HEDDLE_OK; i++) {
        if (!row.values[reads])
            continue;
        loads += row.values[reads];
        CHECK_STR(row.file, "rig.ptx");
        CHECK(row.text && strstr(row.text, "ld.global.f32 %f2, [%d4]"));
        CHECK(row.instructions >= 2 && row.line > 0);
    }
    CHECK_EQ(loads, 2 * 32);
    heddle_close(sim);
}

TEST(an_instruction_has_its_text_and_the_last_row_none)
{
    heddle_sim *sim = rig_open();
    heddle_result *r;
    heddle_row row;
    unsigned stores = 0;
    rig_saxpy s;
    size_t n;

    rig_saxpy_init(&s, sim);
    s.launch.flags = HEDDLE_PROFILE;
    OK(sim, heddle_run(s.kernel, &s.launch, &r));
    n = heddle_result_row_count(r, HEDDLE_BY_INSTRUCTION);
    CHECK(n > 10);
    for (size_t i = 0; i + 1 < n; i++) {
        OK(sim, heddle_result_row(r, HEDDLE_BY_INSTRUCTION, i, &row));
        CHECK_EQ(row.index, i);
        stores += !strncmp(row.text, "STG", 3);
    }
    CHECK_EQ(stores, 1);
    OK(sim, heddle_result_row(r, HEDDLE_BY_INSTRUCTION, n - 1, &row));
    CHECK_EQ(row.index, HEDDLE_NO_INSTRUCTION);
    CHECK(!row.text && !row.file);
    CHECK_EQ(heddle_result_row(r, HEDDLE_BY_INSTRUCTION, n, &row),
             HEDDLE_BAD_ARGUMENT);
    heddle_close(sim);
}

TEST(without_the_flag_there_are_no_rows)
{
    heddle_sim *sim = rig_open();
    heddle_result *r;
    heddle_row row;
    rig_saxpy s;

    rig_saxpy_init(&s, sim);
    OK(sim, heddle_run(s.kernel, &s.launch, &r));
    CHECK_EQ(heddle_result_row_count(r, HEDDLE_BY_LINE), 0);
    CHECK_EQ(heddle_result_row(r, HEDDLE_BY_LINE, 0, &row),
             HEDDLE_BAD_ARGUMENT);
    CHECK(!strstr(heddle_result_json(r), "\"lines\""));
    CHECK_EQ(heddle_result_row_count(NULL, HEDDLE_BY_LINE), 0);
    CHECK_EQ(heddle_result_row_count(r, (heddle_rows)7), 0);
    heddle_close(sim);
}

/* Results outlive their module, and what is dropped leaves nothing. */
TEST(rows_outlive_the_module)
{
    heddle_sim *sim = rig_open();
    heddle_result *r, *look;
    heddle_row row;
    rig_saxpy s;
    heddle_module *m;

    OK(sim, heddle_load(sim, "rig.ptx", rig_ptx, sizeof rig_ptx - 1, &m));
    rig_saxpy_init(&s, sim);
    OK(sim, heddle_kernel_find(m, "saxpy", &s.kernel));
    s.launch.flags = HEDDLE_PROFILE;
    OK(sim, heddle_begin(s.kernel, &s.launch));
    CHECK_EQ(heddle_advance(sim, 100, NULL, &r), HEDDLE_OK);
    OK(sim, heddle_look(sim, &look));
    CHECK_EQ(heddle_result_row_count(look, HEDDLE_BY_LINE), 0);
    OK(sim, heddle_advance(sim, HEDDLE_TO_THE_END, NULL, &r));
    OK(sim, heddle_unload(m));
    CHECK(strstr(heddle_result_json(r), "\"lines\""));
    CHECK(strstr(heddle_result_json(r), "ld.global.f32 %f2"));
    OK(sim, heddle_result_row(r, HEDDLE_BY_LINE, 0, &row));
    OK(sim, heddle_begin(s.kernel = rig_kernel(sim, "saxpy"), &s.launch));
    CHECK_EQ(heddle_advance(sim, 100, NULL, &r), HEDDLE_OK);
    heddle_close(sim); /* with a launch in flight */
}

TEST(without_timing_rows_have_instructions)
{
    heddle_sim *sim = rig_open();
    heddle_result *r;
    double insts;
    rig_saxpy s;

    rig_saxpy_init(&s, sim);
    s.launch.flags = HEDDLE_PROFILE | HEDDLE_FUNCTIONAL;
    OK(sim, heddle_run(s.kernel, &s.launch, &r));
    OK(sim, heddle_result_figure(r, "warp_insts", &insts));
    CHECK_EQ(sum_of(r, HEDDLE_BY_LINE, "insts"), (uint64_t)insts);
    CHECK_EQ(sum_of(r, HEDDLE_BY_LINE, "slots"), (uint64_t)insts);
    CHECK_EQ(sum_of(r, HEDDLE_BY_LINE, "warp_cycles"), 0);
    heddle_close(sim);
}

/* ---- Sampling ---- */

static const char loop_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 p)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d1, %r4, 4;\n"
    "ld.param.u64 %d2, [p]; add.u64 %d2, %d2, %d1;\n"
    "mov.u32 %r5, 60; ld.global.u32 %r6, [%d2];\n"
    "AGAIN: add.u32 %r6, %r6, 1; sub.u32 %r5, %r5, 1;\n"
    "setp.ne.u32 %p, %r5, 0; @%p bra AGAIN;\n"
    "st.global.u32 [%d2], %r6; ret;\n}\n";

enum { CTAS = 2000, BLOCK = 64 };

/* Cycles of all, as they are told. */
static double run_loop(uint32_t flags, double *estimated)
{
    heddle_sim *sim = rig_open();
    heddle_module *m;
    heddle_kernel *k;
    heddle_buffer *b;
    heddle_result *r;
    heddle_launch l;
    void *bytes;

    OK(sim, heddle_load(sim, NULL, loop_ptx, sizeof loop_ptx - 1, &m));
    OK(sim, heddle_kernel_find(m, NULL, &k));
    OK(sim, heddle_alloc(sim, 4 * CTAS * BLOCK, NULL, &b));
    const heddle_arg args[] = {HEDDLE_BUFFER(b)};
    l = rig_launch(args, 1, BLOCK);
    l.grid[0] = CTAS;
    l.flags = flags;
    OK(sim, heddle_run(k, &l, &r));
    OK(sim, heddle_map(b, &bytes));
    for (uint32_t i = 0; i < CTAS * BLOCK; i++)
        CHECK_EQ(((uint32_t *)bytes)[i], 60);
    OK(sim, heddle_result_figure(r, "estimated", estimated));
    double cycles = (double)heddle_result_cycles(r) + *estimated;
    heddle_close(sim);
    return cycles;
}

TEST(of_a_long_launch_parts_are_timed)
{
    double left, none, all = run_loop(0, &none);
    double told = run_loop(HEDDLE_SAMPLE, &left);

    CHECK(none == 0);
    CHECK(left > all / 2); /* 31 generations of 64 CTAs */
    CHECK(fabs(told - all) < all * 0.05);
}
