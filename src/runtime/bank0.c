/* src/runtime/bank0.c - one table of values for all layouts. */
#include "runtime/bank0.h"

#include <math.h>
#include <string.h>

#include "exec/cga.h"
#include "isa/program.h"

typedef enum launch_value {
#define LAUNCH_VALUE(id, bytes, own, sm70, sm90) V_##id,
#include "runtime/bank0.def"
#undef LAUNCH_VALUE
    LAUNCH_VALUES
} launch_value;

enum { NONE = 0xffff };

static const struct {
    uint16_t bytes, at[ISA_BANK0S];
} places[LAUNCH_VALUES] = {
#define LAUNCH_VALUE(id, bytes, own, sm70, sm90)                               \
    [V_##id] = {bytes, {own, sm70, sm90}},
#include "runtime/bank0.def"
#undef LAUNCH_VALUE
};

/* Rounded up where it is not exact, so that products with indices of CTAs,
 * rounded down, are quotients. */
static uint32_t inverse(uint32_t n)
{
    float f = 1.0f / (float)n;
    uint32_t bits;

    if ((double)f * n < 1)
        f = nextafterf(f, 1);
    memcpy(&bits, &f, 4);
    return bits;
}

static void put_cga(uint64_t v[LAUNCH_VALUES], const exec_launch *e)
{
    for (unsigned i = 0; i < 3; i++) {
        uint32_t of = e->cga[0] ? e->cga[i] : 1;

        v[V_CGA_X + i] = of;
        v[V_CGA_INVERSE_X + i] = inverse(of);
        v[V_NCGA_X + i] = e->grid[i] / of;
    }
    v[V_CGA_CTAS] = exec_cga_size(e);
    v[V_CGA_EXPLICIT] = e->cga[0] != 0;
}

/* %envreg0 to 3: the offset of the grid and its dimensions of OpenCL; 1 and 2
 * of CUDA: where the barrier of a cooperative launch is. 6 to 8: threads. */
static void put_environment(uint64_t v[LAUNCH_VALUES], const rt_banks *b,
                            const rt_launch *l)
{
    for (unsigned i = 0; i < 3; i++) {
        v[V_ENVREG0 + i] = l->offset[i];
        v[V_ENVREG6 + i] =
            l->threads[i] ? l->threads[i] : l->grid[i] * l->block[i];
    }
    if (l->cooperative) {
        v[V_ENVREG1] = b->workspace >> 32;
        v[V_ENVREG2] = b->workspace;
    }
    v[V_ENVREG3] = l->work_dim;
}

void rt_bank0_fill(uint8_t *bank, const rt_banks *b, const rt_device *d,
                   const exec_launch *e, const rt_launch *l)
{
    const isa_kernel *k = l->kernel;
    unsigned base = isa_kernel_param_base(k, e->arch);
    uint64_t v[LAUNCH_VALUES] = {0};

    for (unsigned i = 0; i < 3; i++) {
        v[V_NTID_X + i] = l->block[i];
        v[V_NCTAID_X + i] = l->grid[i];
    }
    v[V_SHARED_BYTES] = l->shared_bytes;
    v[V_SHARED_TOTAL] = e->shared_bytes;
    v[V_SHARED_WINDOW] = MEM_SHARED_WINDOW;
    v[V_SHARED_RESERVED] = v[V_RESERVED_END] = d->cfg->sm.shared_reserved;
    v[V_LOCAL_WINDOW] = MEM_LOCAL_WINDOW;
    v[V_STACK_BYTES] = exec_local_bytes(e);
    v[V_STACK_TOP] = exec_local_bytes(e) & ~15u;
    v[V_PARAM_WINDOW] = MEM_PARAM_WINDOW;
    v[V_FIRST_PARAM] = MEM_PARAM_WINDOW + base;
    v[V_CONST_WINDOW] = l->module->user_copy;
    v[V_GRIDID] = e->grid_id;
    v[V_NSMID] = e->sms;
    put_environment(v, b, l);
    put_cga(v, e);
    memset(bank, 0, base);
    for (unsigned i = 0; i < LAUNCH_VALUES; i++)
        if (places[i].at[k->bank0] != NONE)
            memcpy(bank + places[i].at[k->bank0], &v[i], places[i].bytes);
}
