/* tests/cuda/test_kernel_name.c - what people call kernels. The names on the
 * left are made by the rules of the C++ ABI. */
#include "cuda/module/kernel_name.h"

#include "test.h"

static void is(const char *mangled, const char *want, const char *whole)
{
    char *name = kernel_name(mangled, false);
    char *full = kernel_name(mangled, true);

    CHECK_STR(name, want);
    CHECK_STR(full, whole);
    free(name);
    free(full);
}

TEST(names_of_c_stay)
{
    is("vecadd", "vecadd", "vecadd");
    is("_Znot_mangled", "_Znot_mangled", "_Znot_mangled");
    is("", "", "");
}

TEST(names_lose_parameters_and_result)
{
    is("_Z3addPKfS0_Pfi", "add",
       "add(float const*, float const*, float*, int)");
    is("_Z4scanIiLi256EEvPT_", "scan<int, 256>", "scan<int, 256>(int*)");
    is("_ZN2ns4workEv", "ns::work", "ns::work()");
    is("_ZN12_GLOBAL__N_14workEi", "(anonymous namespace)::work",
       "(anonymous namespace)::work(int)");
    is("_Z5applyIPFiiEEvT_", "apply<int (*)(int)>",
       "apply<int (*)(int)>(int (*)(int))");
}
