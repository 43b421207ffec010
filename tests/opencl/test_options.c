/* tests/opencl/test_options.c - options of programs and what clang gets. */
#include "opencl/program/options.h"

#include "test.h"

/* The words for clang with a | behind each; "!" and the complaint if the
 * options are wrong. */
static const char *read(const char *text, options_of call)
{
    static char out[512];
    ocl_options o;
    strbuf why = {0};

    out[0] = 0;
    if (!options_read(text, call, &o, &why)) {
        snprintf(out, sizeof out, "!%s", why.text);
    } else {
        for (size_t i = 0; i < o.count; i++) {
            strcat(out, o.args[i]);
            strcat(out, "|");
        }
        CHECK(!o.args || !o.args[o.count]);
        options_fini(&o);
    }
    strbuf_fini(&why);
    return out;
}

TEST(none_at_all)
{
    CHECK_STR(read(NULL, OPTIONS_BUILD), "");
    CHECK_STR(read(" \t\n", OPTIONS_BUILD), "");
}

TEST(values_stand_in_the_same_word_or_the_next)
{
    CHECK_STR(read("-DA=1 -D B -I inc -Idir", OPTIONS_BUILD),
              "-DA=1|-D|B|-I|inc|-Idir|");
    CHECK_STR(read("-include a.h", OPTIONS_COMPILE), "-include|a.h|");
    CHECK_STR(read("-D", OPTIONS_BUILD), "!option '-D' lacks its value\n");
}

TEST(quotes_and_backslashes)
{
    CHECK_STR(read("-DS=\"a b\" '-DT=c d' -DU=\\\"x\\\"", OPTIONS_BUILD),
              "-DS=a b|-DT=c d|-DU=\"x\"|");
    CHECK_STR(read("-I \"my folder\"", OPTIONS_BUILD), "-I|my folder|");
}

TEST(options_of_opencl_and_of_other_drivers)
{
    CHECK_STR(read("-cl-fast-relaxed-math -w -cl-nv-verbose -cl-std=CL2.0 "
                   "-cl-uniform-work-group-size -x clc -g -save-temps=a",
                   OPTIONS_BUILD),
              "-cl-fast-relaxed-math|-w|-cl-std=CL2.0|");
    CHECK_STR(read("-cl-opt-disable", OPTIONS_BUILD), "-O1|");
    CHECK_STR(read("-O0 -O3", OPTIONS_BUILD), "-O1|-O3|");
}

TEST(flags_that_are_not_for_clang)
{
    ocl_options o;
    strbuf why = {0};

    CHECK(options_read("-cl-kernel-arg-info", OPTIONS_BUILD, &o, &why));
    CHECK(o.arg_info && !o.library && !o.count);
    options_fini(&o);
    CHECK(options_read("-create-library -enable-link-options", OPTIONS_LINK, &o,
                       &why));
    CHECK(o.library && !o.count);
    options_fini(&o);
}

TEST(unknown_ones_and_those_of_another_call)
{
    CHECK_STR(read("-cl-mad-enabled", OPTIONS_BUILD),
              "!option '-cl-mad-enabled' is unknown; there is "
              "-cl-mad-enable\n");
    CHECK_STR(read("-create-library", OPTIONS_BUILD),
              "!option '-create-library' is not for this call\n");
    CHECK_STR(read("-DX", OPTIONS_LINK),
              "!option '-DX' is not for this call\n");
    CHECK(read("file.cl", OPTIONS_BUILD)[0] == '!');
    CHECK(read("-Xclang -load", OPTIONS_BUILD)[0] == '!');
}
