/* workloads/search/main.c - how often a word of eight letters occurs in a text
 * of four letters, and where: bytes, and loops that mostly end early. */
#include "rig.h"

#include <string.h>

RIG_SOURCE("search/kernel.cl");

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

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel search = rig_kernel(o, "search");
    dev_memory text = rig_buffer(o, "text"), word = rig_buffer(o, "word");
    dev_memory found = rig_buffer(o, "found");

    rig_args(o, search, "mmmuu", text, word, found, n, (unsigned)WORD);
    rig_run(o, search, n, 128);
    rig_check(o, "found", found);
}

int main(int argc, char **argv)
{
    static const workload problem = {"search", "places of a word in a text", 0,
                                     "letters", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {16384, 262144, 4194304},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
