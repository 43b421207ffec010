/* tests/unit/text/test_csv_rows.c - cells of CSV, in and out of quotes. */
#include "text/csv_rows.h"

#include "test.h"

typedef struct fake {
    arena *mem;
    csv_rows rows;
    csv_row row;
} fake;

static void begin(fake *f, const char *text)
{
    *f = (fake){.mem = arena_new(), .rows = csv_rows_of(text, strlen(text))};
}

static bool next(fake *f) { return csv_rows_next(&f->rows, f->mem, &f->row); }

TEST(cells_and_quotes)
{
    fake f;

    begin(&f, "a,,\"b,c\",\"say \"\"x\"\"\"\r\n\n\"1,234\",it's \"so\"\nend");
    CHECK(next(&f));
    CHECK_EQ(f.row.count, 4);
    CHECK_STR(f.row.cells[1], "");
    CHECK_STR(f.row.cells[2], "b,c");
    CHECK_STR(f.row.cells[3], "say \"x\"");
    CHECK(next(&f));
    CHECK_EQ(f.row.line, 3);
    CHECK_STR(f.row.cells[0], "1,234");
    CHECK_STR(f.row.cells[1], "it's \"so\"");
    CHECK(next(&f));
    CHECK_EQ(f.row.line, 4);
    CHECK_EQ(f.row.count, 1);
    CHECK(!f.row.open && !next(&f));
    arena_free(f.mem);
}

TEST(lines_within_quotes)
{
    fake f;

    begin(&f, "\xef\xbb\xbf\"a\nb\",c\nd");
    CHECK(next(&f));
    CHECK_STR(f.row.cells[0], "a\nb");
    CHECK_STR(f.row.cells[1], "c");
    CHECK(next(&f));
    CHECK_EQ(f.row.line, 3);
    CHECK(!next(&f));
    arena_free(f.mem);
}

TEST(an_end_within_quotes)
{
    fake f;

    begin(&f, "a\nb,\"c,d");
    CHECK(next(&f) && !f.row.open);
    CHECK(next(&f) && f.row.open);
    CHECK_STR(f.row.cells[1], "c,d");
    CHECK(!next(&f));
    arena_free(f.mem);
    begin(&f, "");
    CHECK(!next(&f));
    arena_free(f.mem);
    begin(&f, "x,\"\"\"");
    CHECK(next(&f) && f.row.open);
    CHECK_STR(f.row.cells[1], "\"");
    arena_free(f.mem);
}
