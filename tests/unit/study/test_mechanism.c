/* tests/unit/study/test_mechanism.c - what rows of mechanisms repeat of presets
 * is what these say. */
#include "study/mechanism.h"

#include <stdio.h>
#include <string.h>

#include "config/print.h"
#include "config/sheet.h"
#include "test.h"

static config_sheet *sheet_of(const char *preset, diag *dg)
{
    config_sheet *s = config_sheet_new();

    CHECK(s && config_sheet_load(s, preset, dg) == ST_OK);
    return s;
}

/* The assignments of the variant of that name. */
static const char *variant(const mechanism *m, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < MECHANISM_VARIANTS && m->with[i]; i++)
        if (!strncmp(m->with[i], name, n) && m->with[i][n] == ':')
            return m->with[i] + n + 1;
    TEST_FAIL("%s has no variant %s", m->name, name);
    return NULL;
}

static void set_all(config_sheet *s, const char *list, diag *dg)
{
    char one[128];

    while (*list) {
        size_t n = strcspn(list, ",");

        snprintf(one, sizeof one, "%.*s", (int)n, list);
        CHECK(config_sheet_set(s, one, CONFIG_FROM_SET, dg) == ST_OK);
        list += n + (list[n] == ',');
    }
}

TEST(dual_issue_is_compared_with_the_preset_without)
{
    diag *dg = diag_new();
    config_sheet *k20 = sheet_of("k20", dg);
    config_sheet *single = sheet_of("k20-single", dg);
    const mechanism *m = mechanism_find("dual-issue");
    strbuf diff = {0};

    CHECK(m != NULL);
    set_all(k20, variant(m, "scoreboard"), dg);
    config_diff(config_sheet_values(k20), config_sheet_values(single), &diff);
    CHECK_STR(diff.text,
              "gpu.name: \"Tesla K20\" -> \"Tesla K20 (single issue)\"\n");
    strbuf_fini(&diff);
    config_sheet_free(single);
    config_sheet_free(k20);
    diag_free(dg);
}
