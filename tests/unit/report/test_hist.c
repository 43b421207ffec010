/* Histograms in reports. */
#include "report/hist.h"

#include "fake.h"

/* Of 100 loads the 10th is in the first bin, the 50th and the 90th in that of
 * 96 to 127 cycles, the 99th in the last but one. */
TEST(quantiles_of_histograms)
{
    uint64_t counts[16] = {10, 0, 0, 0, 80, [14] = 9, [15] = 1};
    const uint64_t none[4] = {0}, last[4] = {0, 0, 0, 5};
    fake *f = fake_new();

    CHECK_EQ(hist_quantile(counts, 16, 10), 0);
    CHECK_EQ(hist_quantile(counts, 16, 11), 4);
    CHECK_EQ(hist_quantile(counts, 16, 90), 4);
    CHECK_EQ(hist_quantile(counts, 16, 99), 14);
    CHECK_EQ(hist_quantile(counts, 16, 100), 15);
    CHECK_EQ(hist_quantile(none, 4, 50), 0);
    CHECK_EQ(hist_quantile(last, 4, 1), 3);

    fake_set(f, "sm[0].load_latency_0", 10);
    fake_set(f, "sm[0].load_latency_96", 80);
    fake_set(f, "sm[0].load_latency_3072", 9);
    fake_set(f, "sm[0].load_latency_4096", 1);
    char *text = fake_print(f, report_text);
    CHECK(strstr(text, "    sm.load_latency    cycle          0-31     96-127"
                       "     96-127  3072-4095  [.   @         ..]\n"));
    CHECK(!strstr(text, "sm.lanes")); /* empty */
    free(text);
    fake_free(f);
}

TEST(json_has_histograms_as_lists)
{
    fake *f = fake_new();

    fake_set(f, "sm[0].lanes_9", 7);
    fake_set(f, "sm[0].lanes_32", 5);
    char *text = fake_print(f, report_json);
    const char *all = strstr(text, "\"histograms\"");
    CHECK(all && strstr(all, "\"sm[*].lanes\""));
    CHECK(!strstr(text, "sm[*].lanes_9")); /* no counter beside them */
    free(text);
    f->run.options.per_block = true;
    text = fake_print(f, report_json);
    CHECK(strstr(text, "\"sm[0].lanes_9\": 7"));
    free(text);
    fake_free(f);
}
