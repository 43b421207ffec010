#include "report/profile.h"

#include "fake.h"

enum { CODE = 6 };

static const char source[] = "float f(float x)\n{\n\treturn x\x01 * 2; // \xc3"
                             "\xa9\n}\n";
static const char *files[] = {"/a/k.cu", "/inc/k.h", "/other/k.h"};

/* Six instructions of k.cu:9, k.h:3, k.cu:9, other k.h:3, k.cu:2 and of no
 * line; the second loses most slots. */
static fake *profiled(sm_profile_row row[CODE + 1], isa_program *p)
{
    static isa_inst code[CODE];
    static const uint16_t file[CODE] = {1, 2, 1, 3, 1, 0};
    static const uint32_t line[CODE] = {9, 3, 9, 3, 2, 0};
    fake *f = fake_new();

    memset(row, 0, (CODE + 1) * sizeof *row);
    for (unsigned i = 0; i < CODE; i++) {
        code[i] = isa_new(i == CODE - 1 ? ISA_EXIT : ISA_NOP);
        code[i].file = file[i];
        code[i].line = line[i];
        isa_finish(&code[i]);
        row[i].insts = 10 + i;
        row[i].lanes = (10 + i) * 16;
        row[i].stall[WHY_RAW_ALU] = i == 1 ? 100 : 5;
        row[i].stall[WHY_BRANCH] = i == 1 ? 100 : 0;
        row[i].wait[WHY_READY] = i;
    }
    row[1].reads = 4;
    row[1].read_hits = 1;
    row[CODE].stall[WHY_NO_WARP] = 60;
    *p = (isa_program){.files = files, .file_count = 3};
    f->kernel.code = code;
    f->kernel.code_count = CODE;
    f->kernel.files = files;
    f->launch.profile = row;
    f->launch.arch = ARCH_VOLTA;
    f->launch.source = p;
    return f;
}

TEST(rows_of_lines_add_up_and_are_in_order)
{
    sm_profile_row row[CODE + 1];
    isa_program prog;
    fake *f = profiled(row, &prog);
    profile p = profile_make(&f->launch, PROFILE_LINES);
    uint64_t insts = 0, slots = 0, waits = 0;

    CHECK_EQ(p.count, 6); /* no line, 1:2, 1:9, 2:3, 3:3, no instruction */
    CHECK_EQ(p.row[0].line, 0);
    CHECK_EQ(p.row[1].line, 2);
    CHECK_EQ(p.row[2].line, 9);
    CHECK_EQ(p.row[2].count, 2);
    CHECK_EQ(p.row[2].sum.insts, 10 + 12);
    CHECK_EQ(p.row[3].file, 2);
    CHECK_EQ(p.row[3].slots, 11 + 200);
    CHECK_EQ(p.row[5].slots, 60);
    for (size_t i = 0; i < p.count; i++) {
        insts += p.row[i].sum.insts;
        slots += p.row[i].slots;
        waits += p.row[i].waits;
    }
    CHECK_EQ(insts, 75);
    CHECK_EQ(insts, p.total.sum.insts);
    CHECK_EQ(slots, 75 + 200 + 25 + 60);
    CHECK_EQ(slots, p.total.slots);
    CHECK_EQ(waits, 15);
    CHECK_EQ(waits, p.total.waits);
    size_t *hot = profile_hottest(&p, false);
    CHECK_EQ(hot[0], 3);
    CHECK_EQ(hot[1], 2);
    CHECK_EQ(hot[5], 5); /* never a place in the program */
    free(hot);
    profile_free(&p);
    fake_free(f);
}

static size_t longest(const char *text)
{
    size_t most = 0;

    while (*text) {
        size_t n = 0;

        for (; *text && *text != '\n'; text++)
            n += ((unsigned char)*text & 0xc0) != 0x80;
        most = n > most ? n : most;
        text += *text == '\n';
    }
    return most;
}

TEST(the_table_has_the_hottest_lines_and_fits)
{
    sm_profile_row row[CODE + 1];
    isa_program prog;
    fake *f = profiled(row, &prog);

    f->run.options.by_line = f->run.options.by_instruction = true;
    f->run.options.has_top = true;
    f->run.options.top = 2;
    f->launch.sources = sources_new(files, 3, NULL);
    sources_put((sources *)f->launch.sources, 1, source, strlen(source));
    char *text = fake_print(f, report_text);
    CHECK(strstr(text, "/inc/k.h:3  return x  * 2; // \xc3\xa9\n"));
    CHECK(strstr(text, "raw_alu    50 %"));
    CHECK(strstr(text, "  k.cu:9"));
    CHECK(!strstr(text, "  k.cu:2\n"));
    CHECK(strstr(text, "(3 others; --top 0 shows all)"));
    CHECK(strstr(text, "(no instruction)"));
    CHECK(strstr(text, "100.0 %  100.0 %      75   16.0"));
    CHECK(strstr(text, "   1  NOP  // /inc/k.h:3"));
    free(text);
    for (unsigned width = 1; width < 300; width += 7) {
        f->run.options.width = width;
        f->run.options.top = width % 3;
        text = fake_print(f, report_text);
        CHECK(longest(strstr(text, "by source line")) <=
              (width < 80 ? 80 : width));
        free(text);
    }
    f->run.options.width = 0;
    f->run.functional = f->launch.functional = true;
    f->launch.totals = f->launch.counters = NULL;
    text = fake_print(f, report_text);
    CHECK(!strstr(text, "stalled"));
    CHECK(strstr(text, "share"));
    free(text);
    sources_free((sources *)f->launch.sources);
    fake_free(f);
}

/* The column `head` of the first row with `text`. */
static double cell(const char *table, const char *head, const char *text)
{
    const char *title = strstr(table, "slots    warps");
    const char *at = strstr(title, head), *row = strstr(title, text);
    size_t end = (size_t)(at - title) + strlen(head);

    CHECK(at && row);
    while (row[-1] != '\n')
        row--;
    title -= 2; /* to the beginning of its line */
    while (title[-1] != '\n') {
        title--;
        end++;
    }
    end += 2;
    while (end && row[end - 1] != ' ')
        end--;
    return strtod(row + end, NULL);
}

TEST(conflicts_are_told_of_an_access_and_wherever_there_are_any)
{
    static const unsigned widths[] = {80, 100, 139, 140, 200};
    sm_profile_row row[CODE + 1];
    isa_program prog;
    fake *f = profiled(row, &prog);

    f->run.options.by_line = true;
    row[1].mem_shared = 2; /* of 11 instructions of the line k.h:3 */
    row[1].shared_passes = 8;
    row[1].shared_conflicts = 6;
    for (size_t i = 0; i < COUNTOF(widths); i++) {
        f->run.options.width = widths[i];
        char *text = fake_print(f, report_text);
        CHECK(strstr(text, "  bank: cycles that a shared access loses"));
        CHECK(cell(text, "bank", "/inc/k.h:3") == 3);
        free(text);
    }
    row[1].shared_conflicts = 0;
    row[1].shared_passes = 2;
    for (size_t i = 0; i < COUNTOF(widths); i++) {
        f->run.options.width = widths[i];
        char *text = fake_print(f, report_text);
        CHECK(!strstr(text, "bank:"));
        CHECK(!!strstr(text, " bank ") == (widths[i] >= 140));
        free(text);
    }
    fake_free(f);
}

TEST(sectors_are_told_of_an_access_and_where_they_are_many)
{
    sm_profile_row row[CODE + 1];
    isa_program prog;
    fake *f = profiled(row, &prog);

    f->run.options.by_line = true;
    row[1].tx_insts = 4;
    row[1].tx = 128;
    row[1].sectors = 128;
    f->run.options.width = 100;
    char *text = fake_print(f, report_text);
    CHECK(cell(text, "sectors", "/inc/k.h:3") == 32);
    free(text);
    row[1].tx = 4;
    row[1].sectors = 16;
    text = fake_print(f, report_text);
    CHECK(!strstr(text, "sectors"));
    free(text);
    f->run.options.width = 130;
    text = fake_print(f, report_text);
    CHECK(cell(text, "sectors", "/inc/k.h:3") == 4);
    free(text);
    fake_free(f);
}

TEST(data_have_every_row_and_value)
{
    sm_profile_row row[CODE + 1];
    isa_program prog;
    fake *f = profiled(row, &prog);
    unsigned lines = 0;

    f->run.options.by_line = true;
    char *text = fake_print(f, report_csv);
    for (const char *s = text; *s; s++)
        lines += *s == '\n';
    CHECK_EQ(lines, 1 + 6);
    CHECK(strstr(text, "\n0,k,/inc/k.h,3,1,11,176,0,0,0,0,0,4,1,0,0,0,0,211,"));
    CHECK(strstr(text, "\n0,k,,0,0,0,0,"));
    free(text);
    f->run.options.by_line = false;
    f->run.options.by_instruction = true;
    text = fake_print(f, report_csv);
    CHECK(strstr(text, "\n0,k,1,16,/inc/k.h,3,11,"));
    CHECK(strstr(text, ",NOP\n"));
    free(text);
    text = fake_print(f, report_json);
    CHECK(strstr(text, "\"instruction\": \"EXIT\""));
    CHECK(strstr(text, "\"read_hits\": 1"));
    free(text);
    fake_free(f);
}
