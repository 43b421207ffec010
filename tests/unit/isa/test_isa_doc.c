/* tests/unit/isa/test_isa_doc.c - docs/isa.md names and explains everything. */
#include "isa/isa_doc.h"

#include "isa/isa.h"
#include "test.h"

TEST(every_operation_is_explained)
{
    strbuf b = {0};

    isa_doc(&b);
    CHECK(!strstr(b.text, "| ? |"));
    for (unsigned i = 0; i < ISA_COUNT; i++) {
        char row[80];

        snprintf(row, sizeof row, "| `%s", isa_table[i].text);
        if (!strstr(b.text, row))
            TEST_FAIL("%s is missing", isa_table[i].text);
        snprintf(row, sizeof row, " | 0x%03x | %s |\n", isa_table[i].code,
                 isa_table[i].source);
        CHECK(strstr(b.text, row));
    }
    strbuf_fini(&b);
}

TEST(no_table_cell_is_cut_by_a_bar)
{
    strbuf b = {0};

    isa_doc(&b);
    for (char *line = strtok(b.text, "\n"), *above = line; line;
         above = line, line = strtok(NULL, "\n")) {
        unsigned bars[2] = {0, 0};

        if (line[0] != '|' || above[0] != '|')
            continue;
        for (unsigned i = 0; i < 2; i++)
            for (char *s = i ? above : line, before = 0; *s; before = *s++)
                bars[i] += *s == '|' && before != '\\';
        CHECK_EQ(bars[0], bars[1]);
    }
    strbuf_fini(&b);
}
