/* workloads/search/main.c - how often a word of eight letters occurs in a text
 * of four letters, and where: bytes, and loops that mostly end early. */
#include "opencl.h"

#include <string.h>

OCL_SOURCE("search/kernel.cl");

enum { WORD = 8 };

static void gen(wl *w, unsigned n)
{
    wl_require(w, n % 32 == 0, "must be a multiple of 32");
    uint8_t *text = (uint8_t *)wl_input_u32(w, "text", n / 4);
    uint8_t *word = (uint8_t *)wl_input_u32(w, "word", WORD / 4);
    uint32_t *found = wl_expect_u32(w, "found", n / 32);

    for (unsigned i = 0; i < WORD; i++)
        word[i] = (uint8_t)(wl_below(w, 4) + 'a');
    for (unsigned i = 0; i < n; i++)
        text[i] = (uint8_t)(wl_below(w, 4) + 'a');
    for (unsigned i = 0; i + WORD < n; i += 100) /* a few for sure */
        memcpy(text + i, word, WORD - i % 3);
    for (unsigned i = 0; i + WORD <= n; i++)
        found[i / 32] |= (uint32_t)!memcmp(text + i, word, WORD) << i % 32;
}

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel search = ocl_kernel(o, "search");
    cl_mem text = ocl_buffer(o, "text"), word = ocl_buffer(o, "word");
    cl_mem found = ocl_buffer(o, "found");

    ocl_args(o, search, "mmmuu", text, word, found, n, (cl_uint)WORD);
    ocl_run(o, search, n, 128);
    ocl_check(o, "found", found);
}

int main(int argc, char **argv)
{
    static const workload problem = {"search", "places of a word in a text", 0,
                                     "letters", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {16384, 262144, 4194304},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
