/* tests/unit/study/test_formula.c - figures that users write. */
#include "study/formula.h"

#include <math.h>

#include "test.h"

static double value(const char *text, const double *values)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    formula *f;
    double v = -1e9;

    if (formula_parse(text, mem, dg, &f) == ST_OK)
        v = formula_value(f, values);
    diag_free(dg);
    arena_free(mem);
    return v;
}

static bool refused(const char *text, const char *why)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    formula *f;
    bool good = formula_parse(text, mem, dg, &f) == ST_USAGE &&
                diag_errors(dg) == 1 && strstr(diag_get(dg, 0)->text, why);

    diag_free(dg);
    arena_free(mem);
    return good;
}

TEST(products_before_sums_and_from_the_left)
{
    CHECK(value("1 + 2 * 3", NULL) == 7);
    CHECK(value("(1+2)*3", NULL) == 9);
    CHECK(value("8/4/2", NULL) == 1);
    CHECK(value("8-4-2", NULL) == 2);
    CHECK(value("1e3*.5", NULL) == 500);
    CHECK(value(" ( ( 2 ) ) ", NULL) == 2);
}

TEST(brackets_belong_to_names)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    formula *f;

    CHECK_EQ(formula_parse("sm[*].issued / sm[*].slots + sm[*].issued*2", mem,
                           dg, &f),
             ST_OK);
    CHECK_EQ(formula_count(f), 2);
    CHECK_STR(formula_name(f, 0), "sm[*].issued");
    CHECK_STR(formula_name(f, 1), "sm[*].slots");
    CHECK(formula_value(f, (double[]){3, 4}) == 6.75);
    diag_free(dg);
    arena_free(mem);
}

TEST(names_of_names)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    formula *f;

    CHECK_EQ(formula_parse("2*mean(sm[*].l1.x)-a", mem, dg, &f), ST_OK);
    CHECK_EQ(formula_count(f), 2);
    CHECK_STR(formula_name(f, 0), "mean(sm[*].l1.x)");
    CHECK(formula_value(f, (double[]){3, 4}) == 2);
    diag_free(dg);
    arena_free(mem);
    CHECK(refused("mean(a", "not understood"));
    CHECK(refused("mean(a + b)", "not understood"));
    CHECK(refused("mean()", "not understood"));
}

TEST(nothing_over_nothing_is_not_known)
{
    CHECK(isnan(value("a/b", (double[]){1, 0})));
    CHECK(isnan(value("a+b", (double[]){1, NAN})));
}

TEST(what_is_wrong_is_shown)
{
    CHECK(refused("", "missing"));
    CHECK(refused("a +", "missing"));
    CHECK(refused("a b", "at 'b'"));
    CHECK(refused("(a", "')'"));
    CHECK(refused("a)", "at ')'"));
    CHECK(refused("*", "missing"));
    CHECK(refused(".", "missing"));
}

TEST(no_input_is_too_deep_or_too_long)
{
    char deep[200], wide[2000] = "a";

    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    CHECK(refused(deep, "parentheses"));
    for (unsigned i = 0; i < 400; i++)
        strcat(wide, "+a");
    CHECK(refused(wide, "too long"));
}
