/* tests/unit/study/test_mechanism_fit.c - on which presets a mechanism can be
 * compared: where 'heddle compare' would make all its sides. */
#include "study/mechanism_fit.h"

#include <stdio.h>
#include <string.h>

#include "config/preset.h"
#include "config/rules.h"
#include "config/sheet.h"
#include "test.h"

/* NULL: it can be compared on the preset; else why not, in `room`. */
static const char *why_not(const char *name, const char *preset, char room[400])
{
    const mechanism *m = mechanism_find(name);
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    strbuf why = {0};

    CHECK(m && config_sheet_load(s, preset, dg) == ST_OK);
    bool fits = mechanism_fits(m, preset, config_sheet_values(s), &why);
    CHECK_EQ(fits, why.text == NULL);
    snprintf(room, 400, "%s", why.text ? why.text : "");
    strbuf_fini(&why);
    config_sheet_free(s);
    diag_free(dg);
    return fits ? NULL : room;
}

TEST(every_mechanism_fits_its_usual_gpu)
{
    char room[400];

    for (size_t i = 0; i < mechanism_count(); i++) {
        const mechanism *m = mechanism_get(i);
        const char *why = why_not(m->name, m->gpu ? m->gpu : "v100", room);

        if (why)
            TEST_FAIL("%s: %s", m->name, why);
        CHECK(m->where && *m->where);
    }
}

/* Four of the five on GPUs of today; the fifth has its own. */
TEST(mechanisms_fit_ampere_and_hopper)
{
    static const char *const most[] = {"reod", "hazard-table", "hazard-codes",
                                       "dispatch", "shared-front-end"};
    static const char *const gpus[] = {"a100", "h100", "h200"};
    char room[400];

    for (size_t g = 0; g < 3; g++) {
        for (size_t i = 0; i < sizeof most / sizeof *most; i++)
            CHECK(!why_not(most[i], gpus[g], room));
        const char *why = why_not("dual-issue", gpus[g], room);
        CHECK(why && strstr(why, "sm.issue.width is 2; only control codes"));
    }
}

TEST(a_reason_is_that_of_the_first_side_that_cannot_be)
{
    char room[400];

    /* It needs a parameter. */
    CHECK(strstr(why_not("reod", "k20", room), "no global loads"));
    /* The rival can be, a variant cannot. */
    CHECK(strstr(why_not("shared-front-end", "k20", room),
                 "gpu.cluster.size is 2"));
    CHECK(strstr(why_not("hazard-waits", "k20-single", room),
                 "sm.issue.hazard is codes"));
}

/* What a mechanism sets on its own GPU alone is part of the sides there. */
TEST(what_is_set_on_the_usual_gpu_is_set_there_alone)
{
    mechanism m = {.name = "x",
                   .gpu = "gtx480",
                   .set = "gpu.cluster.size=2",
                   .against = "one:gpu.cta.block=2",
                   .with = {"two:gpu.cta.block=1"}};
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    strbuf why = {0};

    CHECK(config_sheet_load(s, "gtx480", dg) == ST_OK);
    CHECK(mechanism_fits(&m, "v100", config_sheet_values(s), &why));
    CHECK(!mechanism_fits(&m, "gtx480", config_sheet_values(s), &why));
    CHECK(strstr(why.text, "gpu.cta.block is 2, but clusters take CTAs"));
    strbuf_fini(&why);
    config_sheet_free(s);
    diag_free(dg);
}
