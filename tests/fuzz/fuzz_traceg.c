/* tests/fuzz/fuzz_traceg.c - traces of Accel-Sim, plain and compressed: what is
 * taken for one is handed to warps to its end. The bytes are taken for a
 * container as well. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "replay/tracez.h"
#include "replay/warps.h"

enum {
    CTAS = 4, /* of which so many are run */
    MOST = 1 << 20,
};

/* One warp to its end. */
static void run_warp(exec_warp *w)
{
    static exec_mem mem;
    exec_bar bar;
    exec_fault fault;
    exec_result what;

    exec_warp_start(w);
    do
        what = exec_step(w, &mem, &bar, &fault);
    while (what != EXEC_EXIT && what != EXEC_FAULT);
}

static void run_cta(const exec_launch *l, uint64_t number, uint32_t (*reg)[32])
{
    exec_cta c = {.launch = l, .number = number};
    exec_warp w = {.cta = &c, .reg = reg};

    for (uint64_t left = exec_cta_start(&c); left; left &= left - 1) {
        w.index = bits_ctz64(left);
        run_warp(&w);
    }
    exec_cta_end(&c);
}

static void run_kernel(kernel_trace *k)
{
    replay_warps *r = replay_warps_new(k, ARCH_VOLTA);
    isa_program *p = replay_warps_program(r);
    uint32_t(*reg)[32] = new0(256, sizeof *reg);
    uint32_t threads = k->block[0] * k->block[1] * k->block[2];
    exec_launch l = {.kernel = &p->kernels[0],
                     .arch = ARCH_VOLTA,
                     .threads = threads,
                     .warps = (threads + ISA_WARP - 1) / ISA_WARP,
                     .front = replay_warps_front(r)};

    for (unsigned i = 0; i < 3; i++) {
        l.grid[i] = k->grid[i];
        l.block[i] = k->block[i];
    }
    for (uint64_t i = 0; i < k->cta_count && i < CTAS; i++)
        run_cta(&l, i, reg);
    free(reg);
    isa_program_free(p);
    replay_warps_free(r);
}

static void read_container(const uint8_t *data, size_t size)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
    const char *why = NULL;
    tracez *z = file ? tracez_new(file, &why) : NULL;
    strbuf text = {0};

    while (z && text.size < MOST && tracez_more(z, &text, &why)) {
    }
    strbuf_fini(&text);
    tracez_free(z);
    if (file)
        fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag *dg = diag_new();
    replay_input *in;
    kernel_trace *k;

    if (replay_input_bytes("fuzz.traceg", data, size, dg, &in) == ST_OK &&
        kernel_trace_take(in, &(kernel_trace_how){NULL, NULL}, dg, &k) ==
            ST_OK) {
        run_kernel(k);
        kernel_trace_free(k);
    }
    diag_free(dg);
    read_container(data, size);
    return 0;
}
