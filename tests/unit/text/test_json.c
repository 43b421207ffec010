#include "text/json.h"

#include <math.h>

#include "test.h"

static char *text;
static size_t size;

static json begin(void)
{
    FILE *f = open_memstream(&text, &size);

    CHECK(f);
    return json_start(f);
}

static void same(json *j, const char *want)
{
    json_end(j);
    fclose(j->to);
    CHECK_STR(text, want);
    free(text);
}

TEST(objects_and_lists_nest)
{
    json j = begin();

    json_open(&j, NULL, '{');
    json_u64(&j, "a", 1);
    json_open(&j, "b", '[');
    json_u64(&j, NULL, 2);
    json_bool(&j, NULL, true);
    json_close(&j, '[');
    json_open(&j, "c", '{');
    json_close(&j, '{');
    json_open(&j, "d", '[');
    json_close(&j, '[');
    json_close(&j, '{');
    same(&j, "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    true\n  ],\n"
             "  \"c\": {},\n  \"d\": []\n}\n");
}

TEST(an_object_in_memory_is_one_line)
{
    json_memory m;
    json *j = json_memory_begin(&m);

    json_u64(j, "a", 1);
    json_open(j, "b", '[');
    json_u64(j, NULL, 2);
    json_close(j, '[');
    text = json_memory_end(&m);
    CHECK_STR(text, "{\"a\": 1, \"b\": [2]}");
    free(text);
    json_memory_begin(&m);
    CHECK_STR(text = json_memory_end(&m), "{}");
    free(text);
}

TEST(thousandths_are_exact)
{
    static const struct {
        uint64_t value;
        const char *want;
    } t[] = {{0, "0\n"},          {1, "0.001\n"},
             {20, "0.02\n"},      {300, "0.3\n"},
             {4000, "4\n"},       {5060, "5.06\n"},
             {70008, "70.008\n"}, {UINT64_MAX, "18446744073709551.615\n"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        json j = begin();

        json_thousandths(&j, NULL, t[i].value);
        same(&j, t[i].want);
    }
}

static void text_is(const char *value, const char *want)
{
    json j = begin();

    json_text(&j, NULL, value);
    same(&j, want);
}

TEST(texts_are_escaped)
{
    text_is("plain", "\"plain\"\n");
    text_is(NULL, "null\n");
    text_is("", "\"\"\n");
    text_is("a\"b\\c", "\"a\\\"b\\\\c\"\n");
    text_is("\n\t\x01\x1f", "\"\\u000a\\u0009\\u0001\\u001f\"\n");
    text_is("\x7f", "\"\x7f\"\n");
}

/* The file names of a host are bytes, JSON is UTF-8. */
TEST(what_is_no_utf8_is_replaced)
{
    text_is("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
            "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"\n");
    text_is("\xff", "\"\\ufffd\"\n");
    text_is("a\xc3", "\"a\\ufffd\"\n");
    text_is("\xc3(", "\"\\ufffd(\"\n");
    text_is("\xc0\xaf", "\"\\ufffd\\ufffd\"\n");            /* overlong */
    text_is("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n"); /* surrogate */
    text_is("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n");
    text_is("\xe2\x82", "\"\\ufffd\\ufffd\"\n");
}

static void real_is(double value, const char *want)
{
    json j = begin();

    json_real(&j, NULL, value);
    same(&j, want);
}

TEST(numbers_keep_their_digits)
{
    json j = begin();

    json_u64(&j, NULL, UINT64_MAX);
    same(&j, "18446744073709551615\n");
    real_is(0.1, "0.1\n");
    real_is(1.0 / 3, "0.3333333333333333\n");
    real_is(1e300, "1e+300\n");
    real_is(-0.0, "-0\n");
    real_is(NAN, "null\n");
    real_is(INFINITY, "null\n");
}

TEST(reals_come_back_as_they_were)
{
    uint64_t seed = 1;

    for (unsigned i = 0; i < 10000; i++) {
        double v, back;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(&v, &seed, 8);
        if (!isfinite(v))
            continue;
        json j = begin();
        json_real(&j, NULL, v);
        fclose(j.to);
        back = strtod(text, NULL);
        CHECK(back == v);
        free(text);
    }
}
