/* tests/unit/config/test_sheet.c - files, presets, assignments, origins. */
#include "config/sheet.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/must.h"
#include "config/param.h"
#include "test.h"

static const char *messages(const diag *dg)
{
    static char text[8192];
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < diag_count(dg); i++) {
        const diag_item *it = diag_get(dg, i);

        if (it->line)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "%u:%u: ", it->line, it->column);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", it->text);
    }
    return text;
}

/* Messages of a text applied to the defaults. */
static const char *errors(const char *text)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    status st = config_sheet_read(s, "t.yaml", text, strlen(text), dg);
    const char *out = messages(dg);

    CHECK_EQ(st, diag_errors(dg) ? ST_CONFIG : ST_OK);
    diag_free(dg);
    config_sheet_free(s);
    return out;
}

static config values(const char *text)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    status st = config_sheet_read(s, "t.yaml", text, strlen(text), dg);
    config cfg = *config_sheet_values(s);
    const char *said = messages(dg);

    diag_free(dg);
    config_sheet_free(s);
    CHECK_STR(said, "");
    CHECK_EQ(st, ST_OK);
    return cfg;
}

TEST(values_of_every_kind_are_read)
{
    config c = values("gpu:\n  name: \"my GPU\"\n  global_bytes: 2G\n"
                      "  clock_khz: 1.5GHz\n"
                      "sm:\n  warps: 0x20\n  issue:\n    scheduler: lrr\n"
                      "l1:\n  globals: false\n  line: 64\n  sector: '64'\n");

    CHECK_STR(c.gpu.name, "my GPU");
    CHECK_EQ(c.gpu.global_bytes, (uint64_t)2 << 30);
    CHECK_EQ(c.gpu.clock_khz, 1500000);
    CHECK_EQ(c.sm.warps, 32);
    CHECK_EQ(c.sm.issue.scheduler, CFG_SCHEDULER_LRR);
    CHECK_EQ(c.l1.globals, false);
    CHECK_EQ(c.l1.line, 64);
    CHECK_EQ(c.l1.sector, 64);
}

TEST(what_is_not_set_keeps_its_default)
{
    config c = values("sm: {warps: 8}\n"), d;

    config_defaults(&d);
    CHECK_EQ(c.sm.warps, 8);
    d.sm.warps = 8;
    CHECK(!memcmp(&c, &d, sizeof c));
}

TEST(keys_may_be_dotted)
{
    config c = values("sm.rf.banks: 8\nsm:\n  rf.collectors: 3\n");

    CHECK_EQ(c.sm.rf.banks, 8);
    CHECK_EQ(c.sm.rf.collectors, 3);
}

TEST(suffixes_belong_to_units)
{
    CHECK_EQ(values("sm.shared_bytes: 48K\n").sm.shared_bytes, 49152);
    CHECK_EQ(values("gpu.global_bytes: 1T\n").gpu.global_bytes,
             (uint64_t)1 << 40);
    CHECK_EQ(values("gpu.clock_khz: 700.5MHz\n").gpu.clock_khz, 700500);
    CHECK_EQ(values("gpu.clock_khz: 706000kHz\n").gpu.clock_khz, 706000);
    CHECK_STR(errors("sm.warps: 1K\n"),
              "1:11: sm.warps must be a whole number (warp), not '1K'\n");
    CHECK_STR(errors("gpu.clock_khz: 1.0005kHz\n"),
              "1:16: gpu.clock_khz must be a whole number (kHz), not "
              "'1.0005kHz'\n");
    CHECK_STR(errors("sm.shared_bytes: 48k\n"),
              "1:18: sm.shared_bytes must be a whole number (byte), not "
              "'48k'\n");
}

TEST(unknown_keys_name_the_nearest)
{
    CHECK_STR(errors("sm:\n  warsp: 48\n"),
              "2:3: unknown key 'warsp' (did you mean 'warps'?)\n");
    CHECK_STR(errors("smm:\n  warps: 48\n"),
              "1:1: unknown key 'smm' (did you mean 'sm'?)\n");
    CHECK_STR(errors("warps: 48\n"),
              "1:1: unknown key 'warps' (did you mean 'sm.warps'?)\n");
    CHECK_STR(errors("sm:\n  l1i:\n    byts: 1\n"),
              "3:5: unknown key 'byts' (did you mean 'bytes'?)\n");
    CHECK_STR(errors("xyzzyplugh: 1\n"), "1:1: unknown key 'xyzzyplugh'\n");
    CHECK_STR(errors("<<: 1\n"), "1:1: unknown key '<<'\n");
    CHECK_STR(errors("'': 1\n"), "1:1: unknown key ''\n");
}

TEST(values_out_of_range_say_the_range)
{
    CHECK_STR(errors("sm:\n  warps: 200\n"),
              "2:10: sm.warps must be 1 to 64 (warp), not 200\n");
    CHECK_STR(errors("sm.warps: 0\n"),
              "1:11: sm.warps must be 1 to 64 (warp), not 0\n");
    CHECK_STR(errors("sm.warps: 18446744073709551616\n"),
              "1:11: sm.warps must be a whole number (warp), not "
              "'18446744073709551616'\n");
    CHECK_STR(errors("sm.warps: 18446744073709551615\n"),
              "1:11: sm.warps must be 1 to 64 (warp), not "
              "18446744073709551615\n");
    CHECK_STR(errors("gpu.global_bytes: 17592186044416T\n"),
              "1:19: gpu.global_bytes must be a whole number (byte), not "
              "'17592186044416T'\n");
    CHECK_STR(errors("l1.line: 96\n"),
              "1:10: l1.line must be a power of two, not 96\n");
}

TEST(values_of_the_wrong_kind_say_what_is_right)
{
    CHECK_STR(errors("sm.warps: many\n"),
              "1:11: sm.warps must be a whole number (warp), not 'many'\n");
    CHECK_STR(errors("sm.warps: -4\n"),
              "1:11: sm.warps must be a whole number (warp), not '-4'\n");
    CHECK_STR(errors("sm.warps: 4.5\n"),
              "1:11: sm.warps must be a whole number (warp), not '4.5'\n");
    CHECK_STR(errors("l1.globals: yes\n"),
              "1:13: l1.globals must be true or false, not 'yes'\n");
    CHECK_STR(errors("gpu.name: \"a\\\"b\"\n"),
              "1:11: gpu.name must not contain quotes, backslashes or control "
              "characters\n");
    CHECK_STR(errors("gpu.name: 0123456789012345678901234567890123456789"
                     "01234567\n"),
              "1:11: gpu.name must have at most 47 characters\n");
}

TEST(a_wrong_choice_says_which_there_are)
{
    const config_param *p = config_param_find("sm.issue.scheduler");
    strbuf want = {0};

    strbuf_puts(&want, "1:21: sm.issue.scheduler must be ");
    for (size_t i = 0; i < p->choice_count; i++)
        strbuf_printf(&want, "%s%s",
                      !i                         ? ""
                      : i + 1 == p->choice_count ? " or "
                                                 : ", ",
                      p->choices[i].text);
    strbuf_puts(&want, ", not 'gtoo' (did you mean 'gto'?)\n");
    CHECK_STR(errors("sm.issue.scheduler: gtoo\n"), want.text);
    strbuf_fini(&want);
}

TEST(values_and_sections_are_told_apart)
{
    CHECK_STR(errors("sm: 3\n"), "1:1: 'sm' is a section, not a value\n");
    CHECK_STR(errors("sm: [1]\n"), "1:1: 'sm' is a section, not a list\n");
    CHECK_STR(errors("sm:\n  warps: {a: 1}\n"),
              "2:3: sm.warps takes a value, not a section\n");
    CHECK_STR(errors("sm:\n  warps: [1, 2]\n"),
              "2:3: sm.warps takes a value, not a list\n");
    CHECK_STR(errors("sm:\n  warps:\n"), "2:3: sm.warps needs a value\n");
    CHECK_STR(errors("sm:\n"), "");
    CHECK_STR(errors("- 1\n"),
              "1:1: a configuration must be 'key: value' lines\n");
    CHECK_STR(errors("hello\n"),
              "1:1: a configuration must be 'key: value' lines\n");
}

TEST(a_value_is_set_once_in_a_file)
{
    CHECK_STR(errors("sm:\n  warps: 8\n  warps: 16\n"),
              "3:3: repeated key 'warps', first on line 2\n");
    CHECK_STR(errors("sm.warps: 8\nsm:\n  warps: 16\n"),
              "3:3: sm.warps is set twice, first on line 1\n");
}

TEST(all_errors_are_reported_and_right_values_set)
{
    static const char text[] = "sm:\n  warps: 99\n  ctas: 4\n  foo: 1\nl3: 1\n";
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    CHECK_EQ(config_sheet_read(s, "t", text, strlen(text), dg), ST_CONFIG);
    CHECK_EQ(diag_errors(dg), 3);
    CHECK_EQ(config_sheet_values(s)->sm.ctas, 4);
    CHECK_EQ(config_sheet_values(s)->sm.warps, 48);
    diag_free(dg);
    config_sheet_free(s);
}

static config_origin origin(const config_sheet *s, const char *path)
{
    return config_sheet_origin(s, config_param_find(path));
}

TEST(every_value_knows_its_origin)
{
    static const char text[] = "sm:\n  warps: 32   # [PPT:35] why\n  ctas: 4\n"
                               "  op.fp32: {latency: 5, interval: 2} # [T]\n";
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    config_origin o;

    CHECK_EQ(config_sheet_read(s, "my.yaml", text, strlen(text), dg), ST_OK);
    CHECK_EQ(config_sheet_set(s, "sm.ctas=5", CONFIG_FROM_SET, dg), ST_OK);
    CHECK_EQ(config_sheet_set(s, "l1.ways=5", CONFIG_FROM_AXIS, dg), ST_OK);
    o = origin(s, "sm.warps");
    CHECK_EQ(o.kind, CONFIG_FROM_FILE);
    CHECK_STR(o.file, "my.yaml");
    CHECK_EQ(o.line, 2);
    CHECK_EQ(o.column, 10);
    CHECK_EQ(o.length, 2);
    CHECK_STR(o.note, "[PPT:35] why");
    CHECK_STR(origin(s, "sm.op.fp32.latency").note, "[T]");
    CHECK_STR(origin(s, "sm.op.fp32.interval").note, "[T]");
    o = origin(s, "sm.ctas");
    CHECK_EQ(o.kind, CONFIG_FROM_SET);
    CHECK_STR(o.file, "--set sm.ctas=5");
    CHECK_EQ(o.line, 0);
    o = origin(s, "l1.ways");
    CHECK_EQ(o.kind, CONFIG_FROM_AXIS);
    CHECK_STR(o.file, "axis l1.ways=5");
    o = origin(s, "l1.sets");
    CHECK_EQ(o.kind, CONFIG_FROM_DEFAULT);
    CHECK(o.file == NULL);
    CHECK_STR(o.note, "");
    diag_free(dg);
    config_sheet_free(s);
}

static const char *set_error(const char *assignment)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    static char text[512];

    CHECK_EQ(config_sheet_set(s, assignment, CONFIG_FROM_SET, dg), ST_CONFIG);
    CHECK_EQ(diag_count(dg), 1);
    snprintf(text, sizeof text, "%s: %s", diag_get(dg, 0)->file,
             diag_get(dg, 0)->text);
    diag_free(dg);
    config_sheet_free(s);
    return text;
}

TEST(bad_assignments_are_explained)
{
    CHECK_STR(set_error("sm.warps"), "--set sm.warps: must be path=value");
    CHECK_STR(set_error("=3"), "--set =3: must be path=value");
    CHECK_STR(set_error("sm.warp=3"), "--set sm.warp=3: unknown key 'sm.warp' "
                                      "(did you mean 'sm.warps'?)");
    CHECK_STR(set_error("sm=3"), "--set sm=3: 'sm' is a section");
    CHECK_STR(set_error("sm.warps="),
              "--set sm.warps=: sm.warps needs a value");
    CHECK_STR(set_error("sm.warps=65"),
              "--set sm.warps=65: sm.warps must be 1 to 64 (warp), not 65");
}

/* ---- Files that extend others ---- */

static char folder[] = "/tmp/heddle-test-sheet-XXXXXX";

static const char *file_of(const char *name, const char *text)
{
    static char path[256];
    static bool made;
    diag *dg = diag_new();

    if (!made)
        made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (text)
        CHECK_EQ(file_write(path, text, strlen(text), dg), ST_OK);
    diag_free(dg);
    return path;
}

TEST(a_file_extends_a_preset_and_overrides_it)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    CHECK_EQ(config_sheet_load(
                 s, file_of("a.yaml", "extends: v100\nsm.ctas: 7\n"), dg),
             ST_OK);
    CHECK_EQ(config_sheet_values(s)->sm.ctas, 7);
    CHECK_EQ(config_sheet_values(s)->gpu.sms, 80);
    CHECK_STR(origin(s, "gpu.sms").file, "configs/v100.yaml");
    CHECK_STR(origin(s, "sm.ctas").file, file_of("a.yaml", NULL));
    diag_free(dg);
    config_sheet_free(s);
}

TEST(a_file_extends_a_file_beside_it)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    file_of("base.yaml", "extends: gtx480\nsm: {warps: 16, ctas: 3}\n");
    CHECK_EQ(config_sheet_load(
                 s, file_of("b.yaml", "extends: base.yaml\nsm.ctas: 7\n"), dg),
             ST_OK);
    CHECK_EQ(config_sheet_values(s)->sm.ctas, 7);
    CHECK_EQ(config_sheet_values(s)->sm.warps, 16);
    CHECK_STR(config_sheet_values(s)->gpu.name, "GTX 480");
    diag_free(dg);
    config_sheet_free(s);
}

static const char *load_error(const char *name)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    const char *text;

    CHECK(config_sheet_load(s, name, dg) != ST_OK);
    text = messages(dg);
    diag_free(dg);
    config_sheet_free(s);
    return text;
}

TEST(bad_names_are_explained_where_they_stand)
{
    CHECK_STR(load_error("v10"),
              "no preset 'v10' (did you mean 'v100'?); there are a100, gtx480, "
              "h100, h200, k20, k20-single, v100; a file has a '/' or '.' in "
              "its name\n");
    CHECK_STR(load_error(file_of("c.yaml", "extends: v10\n")),
              "1:10: no preset 'v10' (did you mean 'v100'?); there are a100, "
              "gtx480, h100, h200, k20, k20-single, v100; a file has a '/' or "
              "'.' in its name\n");
    CHECK_STR(load_error(file_of("d.yaml", "extends:\n")),
              "1:1: extends needs the name of a preset or file\n");
    CHECK_STR(load_error(file_of("e.yaml", "sm.ctas: 4\nextends: v100\n")),
              "2:1: extends must be the first key\n");
    CHECK_STR(load_error("/nonexistent/x.yaml"),
              "cannot open: No such file or directory\n");
}

TEST(files_that_extend_each_other_are_refused)
{
    char want[512];

    file_of("f.yaml", "extends: g.yaml\n");
    file_of("g.yaml", "extends: ./f.yaml\n");
    /* ./f.yaml is another spelling of f.yaml: the depth ends it. */
    CHECK(load_error(file_of("f.yaml", NULL))[0] != '\0');
    file_of("h.yaml", "extends: h.yaml\n");
    snprintf(want, sizeof want, "1:10: '%s' extends itself\n",
             file_of("h.yaml", NULL));
    CHECK_STR(load_error(file_of("h.yaml", NULL)), want);
}

TEST(errors_of_the_base_and_the_file_are_both_reported)
{
    file_of("bad.yaml", "sm.warps: 99\n");
    CHECK_STR(load_error(file_of("i.yaml", "extends: bad.yaml\nsm.ctas: 99\n")),
              "1:11: sm.warps must be 1 to 64 (warp), not 99\n"
              "2:10: sm.ctas must be 1 to 64 (cta), not 99\n");
}

TEST(temporary_files_are_removed)
{
    static const char *const names[] = {"a", "b", "c", "d",   "e",   "f",
                                        "g", "h", "i", "bad", "base"};
    char name[64];

    for (size_t i = 0; i < COUNTOF(names); i++) {
        snprintf(name, sizeof name, "%s.yaml", names[i]);
        unlink(file_of(name, NULL));
    }
    CHECK_EQ(rmdir(folder), 0);
}
