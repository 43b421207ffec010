/* workloads/needleman/main.c - the table of Needleman and Wunsch for two
 * strings of four letters: tiles of 16 x 16 along diagonals, one launch for
 * each diagonal, so first more and more groups, then fewer and fewer. */
#include "rig.h"

RIG_SOURCE("needleman/kernel.cl");

enum { TILE = 16, GAP = 3, SAME = 5, OTHER = -2 };

static int larger(int a, int b) { return a > b ? a : b; }

static void gen(wl *w, unsigned n)
{
    size_t side = (size_t)n + 1;

    wl_require(w, n % TILE == 0, "must be a multiple of 16");
    uint32_t *a = wl_input_u32(w, "a", n), *b = wl_input_u32(w, "b", n);
    uint32_t *first = wl_input_u32(w, "score", side * side);
    int32_t *score = (int32_t *)wl_expect_u32(w, "score", side * side);

    for (unsigned i = 0; i < n; i++) {
        a[i] = wl_below(w, 4);
        b[i] = wl_below(w, 4);
    }
    for (size_t i = 0; i < side; i++) {
        score[i] = score[i * side] = -(int)i * GAP;
        first[i] = first[i * side] = (uint32_t)score[i];
    }
    for (size_t y = 1; y < side; y++)
        for (size_t x = 1; x < side; x++) {
            const int32_t *at = &score[y * side + x];
            int pair =
                at[-(long)side - 1] + (a[y - 1] == b[x - 1] ? SAME : OTHER);

            score[y * side + x] =
                larger(pair, larger(at[-1], at[-(long)side]) - GAP);
        }
}

static void run(rig *o)
{
    unsigned n = o->size, tiles = n / TILE;
    dev_kernel align = rig_kernel(o, "align");
    dev_memory a = rig_buffer(o, "a"), b = rig_buffer(o, "b");
    dev_memory score = rig_buffer(o, "score");

    for (unsigned d = 0; d < 2 * tiles - 1; d++) {
        unsigned first = d < tiles ? 0 : d - tiles + 1;
        unsigned groups = d < tiles ? d + 1 : 2 * tiles - 1 - d;

        rig_args(o, align, "mmmuuu", a, b, score, n, d, first);
        rig_run(o, align, groups * TILE, TILE);
    }
    rig_check(o, "score", score);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "needleman", "two strings aligned, by diagonals of tiles", 0, "letters",
        gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {128, 512, 2048},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
