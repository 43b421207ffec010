/* tests/unit/config/test_param.c - the table itself is sound. */
#include "config/param.h"

#include "base/bits.h"
#include "base/must.h"
#include "test.h"

/* Names of the instruction classes; only their list, not the layer above. */
static const char *const classes[] = {
#define CLASS(id, name, help) #name,
#include "isa/class.def"
#undef CLASS
};

TEST(paths_are_unique_and_well_formed)
{
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);

        CHECK(config_param_find(p->path) == p);
        CHECK_EQ(strspn(p->path, "abcdefghijklmnopqrstuvwxyz0123456789_."),
                 strlen(p->path));
        CHECK_STR(strrchr(p->path, '.') + 1, p->id);
        CHECK(config_section_find(p->path) == NULL);
    }
}

TEST(every_section_a_path_passes_through_exists)
{
    char path[128];

    for (size_t i = 0; i < config_param_count(); i++) {
        snprintf(path, sizeof path, "%s", config_param_get(i)->path);
        for (char *dot; (dot = strrchr(path, '.'));) {
            *dot = '\0';
            CHECK(config_section_find(path) != NULL);
        }
    }
    for (size_t i = 0; i < config_section_count(); i++)
        CHECK(*config_section_get(i)->help);
    CHECK(config_section_find("sm.warps") == NULL);
}

TEST(every_parameter_says_what_it_is)
{
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);

        CHECK(*p->help);
        CHECK_EQ(p->source[0], '[');
        CHECK_EQ(p->source[strlen(p->source) - 1], ']');
        CHECK(p->min <= p->max);
        CHECK_EQ(p->kind == CONFIG_ENUM, p->choices != NULL);
        if (p->kind == CONFIG_INT || p->kind == CONFIG_POW2)
            CHECK(*p->unit && p->max <= UINT32_MAX);
        for (size_t k = 0; k < p->choice_count; k++)
            CHECK(*p->choices[k].text && *p->choices[k].help);
    }
}

TEST(defaults_are_values_a_file_could_give)
{
    config cfg, again;

    config_defaults(&cfg);
    again = cfg;
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        uint64_t v = config_number(&cfg, p);
        strbuf text = {0}, why = {0};

        config_value(&cfg, p, &text);
        if (p->kind == CONFIG_STRING) { /* without the quotes */
            text.text[text.size - 1] = '\0';
            CHECK(config_put(&again, p, text.text + 1, &why));
        } else {
            CHECK(v >= p->min && v <= p->max);
            CHECK(p->kind != CONFIG_POW2 || bits_is_pow2(v));
            CHECK(config_put(&again, p, text.text, &why));
        }
        strbuf_fini(&text);
        strbuf_fini(&why);
    }
    CHECK(!memcmp(&cfg, &again, sizeof cfg));
}

TEST(values_do_not_share_storage)
{
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        config cfg;

        if (p->kind == CONFIG_STRING)
            continue;
        memset(&cfg, 0, sizeof cfg);
        config_put_number(&cfg, p, p->max);
        for (size_t k = 0; k < config_param_count(); k++) {
            const config_param *q = config_param_get(k);

            if (q->kind != CONFIG_STRING)
                CHECK_EQ(config_number(&cfg, q), k == i ? p->max : 0);
        }
    }
}

TEST(every_instruction_class_has_a_row)
{
    config cfg;
    config_op op;
    size_t rows = 0;

    config_defaults(&cfg);
    for (size_t i = 0; i < COUNTOF(classes); i++)
        CHECK(config_op_find(&cfg, classes[i], &op));
    for (size_t i = 0; i < config_section_count(); i++)
        rows += !strncmp(config_section_get(i)->path, "sm.op.", 6);
    CHECK_EQ(rows, COUNTOF(classes));
    CHECK(!config_op_find(&cfg, "fp33", &op));
}

TEST(rows_are_found_by_name_and_number)
{
    config cfg;
    config_op op;

    config_defaults(&cfg);
    cfg.sm.op.sfu.unit = CFG_UNIT_XU;
    cfg.sm.op.sfu.interval = 4;
    cfg.sm.op.sfu.latency = 22;
    CHECK(config_op_find(&cfg, "sfu", &op));
    CHECK_EQ(op.unit, CFG_UNIT_XU);
    CHECK_EQ(op.interval, 4);
    CHECK_EQ(op.latency, 22);
    cfg.sm.unit.fma.private = 1;
    cfg.sm.unit.fma.shared = 2;
    cfg.sm.unit.tensor.private = 5;
    CHECK_EQ(config_unit_get(&cfg, CFG_UNIT_FMA).private, 1);
    CHECK_EQ(config_unit_get(&cfg, CFG_UNIT_FMA).shared, 2);
    CHECK_EQ(config_unit_get(&cfg, CFG_UNIT_TENSOR).private, 5);
}

TEST(clock_ratios_are_exact)
{
    config cfg;
    config_ratio r;

    config_defaults(&cfg);
    cfg.gpu.clock_khz = 1380000;
    r = config_clock_ratio(&cfg, 877000);
    CHECK_EQ(r.num, 877);
    CHECK_EQ(r.den, 1380);
    r = config_clock_ratio(&cfg, 0);
    CHECK_EQ(r.num, 1);
    CHECK_EQ(r.den, 1);
}

TEST(suggestions_prefer_the_same_section)
{
    CHECK_STR(config_param_suggest("l2.lin"), "l2.line");
    CHECK_STR(config_param_suggest("sm.l1i.lin"), "sm.l1i.line");
    CHECK_STR(config_param_suggest("sm.rff"), "sm.rf");
    CHECK_STR(config_param_suggest("l1.t_faw"), "dram.t_faw");
    CHECK(config_param_suggest("qqqqqqqqqqqq") == NULL);
}
