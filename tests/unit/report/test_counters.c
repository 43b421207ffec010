#include "report/counters.h"

#include "base/must.h"
#include "config/sheet.h"
#include "gpu/gpu.h"
#include "test.h"

/* "sm[12].l1" as "sm[*].l1". */
static void pattern(const char *path, char *out)
{
    while (*path) {
        *out++ = *path++;
        if (out[-1] == '[') {
            *out++ = '*';
            path += strcspn(path, "]");
        }
    }
    *out = 0;
}

/* See fake_print of fake.h. */
__attribute__((noinline)) static char *list(void)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    CHECK(f);
    report_counter_list(f);
    fclose(f);
    return text;
}

/* A real machine registers what the list has, and nothing else. */
TEST(the_list_is_what_a_machine_has)
{
    diag *dg = diag_new();
    config_sheet *sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(sheet, "h100", dg), ST_OK);
    CHECK_EQ(config_sheet_set(sheet, "l1.queue=reod", CONFIG_FROM_SET, dg),
             ST_OK);
    CHECK_EQ(config_sheet_set(sheet, "rocache.sets=32", CONFIG_FROM_SET, dg),
             ST_OK);
    const config *cfg = config_sheet_values(sheet);
    mem_image *image = mem_image_new(1 << 20);
    stats *reg = stats_new();
    gpu *g = gpu_new(cfg, image, reg, &(gpu_options){.threads = 1});
    char *text = list();
    size_t lines = 0, kinds = 0;

    CHECK(g != NULL);
    for (const char *s = text; *s; s++)
        lines += *s == '\n';
    for (size_t b = 0; b < stats_block_count(reg); b++) {
        stats_block_item it = stats_block_get(reg, b);
        char path[64], line[160];

        pattern(it.path, path);
        for (size_t i = 0; i < it.count; i++) {
            snprintf(line, sizeof line, "%s.%s ", path, it.desc[i].id);
            const char *at = strstr(text, line);
            if (!at || (at != text && at[-1] != '\n'))
                TEST_FAIL("'%s' is not listed", line);
        }
        if (!strchr(it.path, '[') || strstr(it.path, "[0]"))
            kinds += it.count;
    }
    CHECK_EQ(lines, kinds);
    free(text);
    gpu_free(g);
    stats_free(reg);
    mem_image_free(image);
    config_sheet_free(sheet);
    diag_free(dg);
}

TEST(the_document_has_every_block)
{
    static const char *const paths[] = {
        "`gpu`",       "`sm[*]`", "`sm[*].l1`", "`noc.sm[*]`",
        "`noc.l2[*]`", "`l2[*]`", "`dram[*]`"};
    strbuf b = {0};

    report_counter_doc(&b);
    for (size_t i = 0; i < COUNTOF(paths); i++)
        CHECK(strstr(b.text, paths[i]));
    strbuf_fini(&b);
}
