/* workloads/gather/main.c - look-ups in a table of pages of 4096 bytes, as of
 * embeddings or of records: every lane of a load goes to a line of its own. By
 * default all lines are alike. With --hot some look-ups are for the directory
 * of a page, its first 256 bytes: those share two sets of a cache whose sets
 * are the line's number modulo 32. */
#include "rig.h"

RIG_SOURCE("gather/kernel.cl");

enum { PAGE = 1024, DIRECTORY = 64 }; /* words */

static unsigned place(wl *w, unsigned words, unsigned hot)
{
    if (wl_below(w, 100) >= hot)
        return wl_below(w, words);
    return wl_below(w, words / PAGE) * PAGE + wl_below(w, DIRECTORY);
}

static void gen(wl *w, unsigned n)
{
    unsigned words = wl_get(w, "table"), loads = wl_get(w, "loads");
    unsigned hot = wl_get(w, "hot");
    uint32_t *index = wl_input_u32(w, "index", (size_t)n * loads);
    float *table = wl_input_f32(w, "table", words);
    float *out = wl_expect_f32(w, "out", n, 1e-5);

    wl_require(w, words % PAGE == 0, "--table is in pages of 1024");
    for (unsigned i = 0; i < words; i++)
        table[i] = wl_uniform(w, 0, 1);
    for (size_t i = 0; i < (size_t)n * loads; i++)
        index[i] = place(w, words, hot);
    for (unsigned i = 0; i < n; i++) {
        double sum = 0;

        for (size_t k = 0; k < loads; k++)
            sum = 0.75 * sum + (double)table[index[k * n + i]];
        out[i] = (float)sum;
    }
}

static void run(rig *o)
{
    dev_kernel gather = rig_kernel(o, "gather");
    dev_memory index = rig_buffer(o, "index"), table = rig_buffer(o, "table");
    dev_memory out = rig_buffer(o, "out");

    rig_args(o, gather, "mmmuu", index, table, out, o->size,
             wl_get(o->data, "loads"));
    rig_run(o, gather, o->size, 256);
    rig_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "gather", "values looked up at random in a table", 0, "items", gen};
    static const wl_knob knobs[WL_KNOBS] = {
        {"table", "words of the table", 1 << 14, 1 << 10, 1 << 26, NULL},
        {"loads", "look-ups of each item", 16, 1, 1 << 16, NULL},
        {"hot", "percent for the directories", 0, 0, 100, NULL}};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {11520, 23040, 368640},
        .run = run,
        .knobs = knobs,
    };

    return rig_main(&program, argc, argv);
}
