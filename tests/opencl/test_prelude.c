/* tests/opencl/test_prelude.c - which parts of the prelude a program gets. */
#include <string.h>

#include "opencl/program/prelude.h"
#include "test.h"

static bool needs(const char *source, const char *options, const char *part)
{
    const char *flags[PRELUDE_FLAGS];
    size_t n = opencl_prelude_flags(source, strlen(source), options, flags);

    CHECK(n >= 1 && n <= PRELUDE_FLAGS);
    CHECK_STR(flags[0], "-DHEDDLE_NEED_SELECTED");
    for (size_t i = 1; i < n; i++)
        if (!strcmp(flags[i] + strlen("-DHEDDLE_"), part))
            return true;
    return false;
}

TEST(a_program_gets_what_it_names)
{
    static const struct {
        const char *source, *part;
    } rows[] = {
        {"y = exp(x);", "NEED_MATH"},
        {"double y = sin(x);", "NEED_MATH"},
        {"y = convert_uchar_sat(x);", "NEED_CONVERT"},
        {"vload16(0, p)", "NEED_LOAD"},
        {"vstore_half(x, 0, p);", "NEED_STORE"},
        {"vstorea_half4_rtz(x, 0, p);", "NEED_STORE"},
        {"rotate(x, y)", "NEED_INTEGER"},
        {"wait_group_events(1, &e);", "NEED_COPY"},
        {"atom_add(p, 1);", "NEED_ATOM"},
        {"atomic_fetch_add(p, 1);", "NEED_ATOMIC"},
        {"atomic_fetch_add(p, 1);", "NEED_ATOM"},
        {"work_group_reduce_add(x)", "NEED_WORK_GROUP"},
        {"sub_group_all(x)", "NEED_SUB_GROUP"},
        {"native_sin(x)", "NEED_NATIVE"},
        {"half_sin(x)", "NEED_NATIVE"},
        {"printf(\"\")", "NEED_PRINTF"},
        {"half4 h;", "NEED_HALF"},
        {"read_only image2d_t i", "NEED_IMAGE"},
        {"sampler_t s", "SAMPLERS"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(needs(rows[i].source, NULL, rows[i].part));
        CHECK(!needs("kernel void k() {}", "-DN=4", rows[i].part));
        /* what the preprocessor makes of these nobody knows yet */
        CHECK(needs("#include \"k.cl\"", NULL, rows[i].part));
        CHECK(needs("a##b", NULL, rows[i].part));
    }
}

TEST(options_name_functions_too)
{
    CHECK(needs("y = F(x);", "-DF=exp", "NEED_MATH"));
    CHECK(needs("T y = sin(x);", "-DT=double", "NEED_MATH"));
    CHECK(!needs("float y = sin(x);", NULL, "NEED_MATH"));
    CHECK(needs("", "-include k.h", "NEED_PRINTF"));
}

TEST(the_text_is_whole)
{
    CHECK_EQ(strlen(opencl_prelude), opencl_prelude_size);
    CHECK(strstr(opencl_prelude, "heddle_native_sin"));
    CHECK(!strstr(opencl_prelude, "#include"));
}
