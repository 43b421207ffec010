/* tests/unit/config/test_print.c - dumps come back, explanations explain. */
#include "config/print.h"

#include "base/hash.h"
#include "config/param.h"
#include "test.h"

static config_sheet *sheet(const char *name)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    CHECK_EQ(config_sheet_load(s, name, dg), ST_OK);
    diag_free(dg);
    return s;
}

static void read_into(config_sheet *s, const strbuf *text)
{
    diag *dg = diag_new();

    CHECK_EQ(config_sheet_read(s, "dump", text->text, text->size, dg), ST_OK);
    diag_free(dg);
}

TEST(a_dump_holds_everything_and_is_accepted_back)
{
    config_sheet *s = sheet("k20"), *again = sheet("v100");
    strbuf a = {0}, b = {0};

    config_dump(config_sheet_values(s), &a);
    read_into(again, &a);
    config_dump(config_sheet_values(again), &b);
    CHECK_STR(a.text, b.text);
    CHECK_EQ(config_hash(config_sheet_values(s)),
             config_hash(config_sheet_values(again)));
    CHECK_EQ(config_hash(config_sheet_values(s)),
             hash_bytes(a.text, a.size, 0));
    for (size_t i = 0; i < config_param_count(); i++) {
        config_origin o = config_sheet_origin(again, config_param_get(i));

        CHECK_STR(o.file, "dump");
    }
    strbuf_fini(&a);
    strbuf_fini(&b);
    config_sheet_free(s);
    config_sheet_free(again);
}

TEST(a_dump_is_sorted)
{
    config_sheet *s = sheet("gtx480");
    strbuf a = {0};

    config_dump(config_sheet_values(s), &a);
    CHECK(!strncmp(a.text, "dram:\n  age_limit: 2000\n  bank_groups: 4\n", 40));
    CHECK(strstr(a.text, "\ngpu:\n  arch: fermi\n  capability: 20\n"));
    CHECK(strstr(a.text, "\n  name: \"GTX 480\"\n"));
    CHECK(strstr(a.text, "\n    fp32:\n      interval: 1\n      latency: 11\n"
                         "      unit: fma\n    fp32_cmp:\n"));
    CHECK(strstr(a.text, "\nl1:\n  alloc: on_miss\n"));
    strbuf_fini(&a);
    config_sheet_free(s);
}

TEST(every_parameter_changes_the_hash)
{
    config cfg, other;
    uint64_t h;

    config_defaults(&cfg);
    h = config_hash(&cfg);
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        strbuf why = {0}, diff = {0};

        other = cfg;
        if (p->kind == CONFIG_STRING)
            CHECK(config_put(&other, p, "another", &why));
        else if (p->min != p->max)
            config_put_number(
                &other, p, config_number(&cfg, p) == p->max ? p->min : p->max);
        else
            continue; /* only one choice yet */
        CHECK(config_hash(&other) != h);
        CHECK_EQ(config_diff(&cfg, &other, &diff), 1);
        CHECK(!strncmp(diff.text, p->path, strlen(p->path)));
        strbuf_fini(&diff);
    }
}

TEST(show_is_accepted_back_and_tells_origins)
{
    config_sheet *s = sheet("v100"), *again = config_sheet_new();
    diag *dg = diag_new();
    strbuf a = {0};

    CHECK_EQ(config_sheet_set(s, "sm.ctas=9", CONFIG_FROM_SET, dg), ST_OK);
    config_show(s, &a);
    CHECK(strstr(a.text, "\n  ctas: 9                          "
                         "# --set sm.ctas=9\n"));
    CHECK(strstr(a.text, "\n  warps: 64                        "
                         "# [MT4G:V100] configs/v100.yaml:"));
    CHECK(strstr(a.text, "\n  hang_cycles: 1000000             "
                         "# [default] default\n"));
    read_into(again, &a);
    CHECK_EQ(config_hash(config_sheet_values(s)),
             config_hash(config_sheet_values(again)));
    strbuf_fini(&a);
    diag_free(dg);
    config_sheet_free(s);
    config_sheet_free(again);
}

TEST(differences_are_listed_by_path)
{
    config a, b;
    strbuf out = {0};

    config_defaults(&a);
    b = a;
    CHECK_EQ(config_diff(&a, &b, &out), 0);
    CHECK(out.text == NULL);
    b.sm.warps = 32;
    b.l1.globals = false;
    CHECK_EQ(config_diff(&a, &b, &out), 2);
    CHECK_STR(out.text, "sm.warps: 48 -> 32\nl1.globals: true -> false\n");
    strbuf_fini(&out);
}

TEST(explain_answers_why)
{
    const config_param *p = config_param_find("sm.issue.scheduler");
    config_sheet *s = sheet("v100");
    diag *dg = diag_new();
    strbuf out = {0};

    CHECK_EQ(config_explain(s, "sm.warps", &out, dg), ST_OK);
    CHECK(strstr(out.text, "sm.warps = 64 warp\n"
                           "  meaning  resident warps\n"
                           "  origin   configs/v100.yaml:") == out.text);
    CHECK(strstr(out.text, "\n  source   [MT4G:V100]\n"
                           "  allowed  1 to 64\n"
                           "  default  48 [CG42:features]\n"));
    out.size = 0;
    CHECK_EQ(config_explain(s, "sm.issue.scheduler", &out, dg), ST_OK);
    CHECK(strstr(out.text, "\n  allowed  lrr, gto, "));
    for (size_t i = 0; i < p->choice_count; i++) {
        strbuf line = {0};

        strbuf_printf(&line, "\n    %-16s %s\n", p->choices[i].text,
                      p->choices[i].help);
        CHECK(strstr(out.text, line.text));
        strbuf_fini(&line);
    }
    out.size = 0;
    CHECK_EQ(config_explain(s, "sm.lsu", &out, dg), ST_OK);
    CHECK(strstr(out.text, "sm.lsu.coalesce = sector\n"));
    CHECK(strstr(out.text, "sm.lsu.stores = 128 transaction\n"));
    CHECK(!strstr(out.text, "sm.shared"));
    CHECK_EQ(diag_count(dg), 0);
    CHECK_EQ(config_explain(s, "sm.warp", &out, dg), ST_USAGE);
    CHECK_STR(diag_get(dg, 0)->text,
              "no parameter 'sm.warp' (did you mean 'sm.warps'?)");
    strbuf_fini(&out);
    diag_free(dg);
    config_sheet_free(s);
}

TEST(the_document_has_every_parameter_and_choice)
{
    strbuf out = {0};
    size_t rows = 0, bars = 0;

    config_doc(&out);
    for (const char *p = out.text; (p = strstr(p, "\n| `")); p++)
        rows++;
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        bool first = p->choices != NULL;

        for (size_t k = 0; k < i && first; k++)
            first = config_param_get(k)->choices != p->choices;
        bars += first ? p->choice_count : 0;
    }
    CHECK_EQ(rows, config_param_count() + bars);
    CHECK(strstr(out.text, "\n## `sm.rf`: register file"));
    CHECK(strstr(out.text, "| `warps` | 48 | warp | 1 to 64 | [CG42:features] "
                           "| resident warps |\n"));
    CHECK(strstr(out.text, "| `sm.issue.scheduler` | gto | greedy, then "
                           "oldest |\n"));
    strbuf_fini(&out);
}
