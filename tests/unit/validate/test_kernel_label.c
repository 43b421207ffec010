/* tests/unit/validate/test_kernel_label.c - one kernel by all the names that
 * profilers have for it. */
#include "validate/kernel_label.h"

#include "test.h"

static const char *base(arena *mem, const char *name)
{
    return kernel_label_of(name, mem).base;
}

TEST(the_name_without_the_rest)
{
    arena *mem = arena_new();

    CHECK_STR(base(mem, "scan"), "scan");
    CHECK_STR(base(mem, "scan(float *, int)"), "scan");
    CHECK_STR(base(mem, "void scan<float, (int)256>(float *, void (*)(int))"),
              "scan");
    CHECK_STR(base(mem, "void a::b<int>::scan<c::d<e>>(x)"), "scan");
    CHECK_STR(base(mem, "(anonymous namespace)::scan(int)"), "scan");
    CHECK_STR(base(mem, "void n::(anonymous namespace)::scan<int>(int)"),
              "scan");
    CHECK_STR(base(mem, "scan(float*, int) [112]"), "scan");
    CHECK_STR(base(mem, "scan [112]"), "scan");
    CHECK_STR(base(mem, "_Z4scanPfi"), "scan");
    CHECK_STR(base(mem, "_Z4scanIfLi256EEvPT_"), "scan");
    CHECK_STR(base(mem, "_ZN1a1b4scanIiEEvPT_"), "scan");
    CHECK_STR(base(mem, "_ZL4scanPf"), "scan");
    CHECK_STR(base(mem, "_ZN12_GLOBAL__N_14scanEi"), "scan");
    CHECK_STR(base(mem, "_Z999scan"), "_Z999scan");
    CHECK_STR(base(mem, "_Zebra"), "_Zebra");
    CHECK_STR(base(mem, ""), "");
    arena_free(mem);
}

static bool equal(arena *mem, const char *a, const char *b)
{
    const kernel_label x = kernel_label_of(a, mem), y = kernel_label_of(b, mem);

    return kernel_label_equal(&x, &y) && kernel_label_equal(&y, &x);
}

TEST(arguments_of_templates_in_every_form)
{
    arena *mem = arena_new();

    CHECK(
        equal(mem, "void scan<float, (int)256>(float *)", "scan<float, 256>"));
    CHECK(equal(mem, "scan<(bool)1, (unsigned int)7>", "scan<true, 7u>"));
    CHECK(equal(mem, "scan<a::b<int> >", "scan<a::b<int>>"));
    CHECK(!equal(mem, "scan<float, (int)256>", "scan<float, 128>"));
    CHECK(!equal(mem, "scan<float>", "scan<double>"));
    /* What is not told is not compared. */
    CHECK(equal(mem, "_Z4scanIfLi256EEvPT_", "scan<float, 128>"));
    CHECK(equal(mem, "scan", "scan<float>"));
    CHECK(!equal(mem, "scan", "scan2"));
    arena_free(mem);
}
