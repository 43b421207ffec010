#include "sm/hazard/control_codes.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "sm/limits.h"

enum { BARS = 6, NO_BAR = 7 };

typedef struct codes {
    sm_hazard base;
    sm_stats *st;
    struct {
        uint64_t when; /* of the next issue, at the soonest */
        uint8_t bar[BARS];
        uint8_t zero; /* a bit each: is not up */
        uint8_t late; /* counts what comes from memory */
    } warp[SM_WARPS];
} codes;

static inline codes *codes_of(sm_hazard *h) { return (codes *)h; }

static unsigned write_bar(const sm_inst *si)
{
    return si->in->ctl >> CTL_WRITE_BAR & 7;
}

static unsigned read_bar(const sm_inst *si)
{
    return si->in->ctl >> CTL_READ_BAR & 7;
}

static sm_why codes_check(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    const codes *c = (const codes *)h;
    unsigned wait = si->in->ctl >> CTL_WAIT & 0x3f;
    unsigned up = wait & ~(unsigned)c->warp[warp].zero;

    if (up)
        return up & c->warp[warp].late ? WHY_RAW_MEM : WHY_RAW_ALU;
    return WHY_READY;
}

/* One more that scoreboard b waits for. */
static void put_up(codes *c, unsigned warp, unsigned b)
{
    MUST(b < BARS && c->warp[warp].bar[b] < UINT8_MAX);
    c->st->code_counts++;
    c->warp[warp].bar[b]++;
    c->warp[warp].zero &= (uint8_t) ~(1u << b);
}

static void codes_reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    codes *c = codes_of(h);
    unsigned b = write_bar(si);

    if (b == NO_BAR)
        return;
    put_up(c, warp, b);
    if (si->flags & INST_LATE)
        c->warp[warp].late |= (uint8_t)(1u << b);
}

static void arrive(codes *c, unsigned warp, unsigned b)
{
    if (b == NO_BAR)
        return;
    MUST(c->warp[warp].bar[b] > 0);
    if (--c->warp[warp].bar[b])
        return;
    c->warp[warp].zero |= (uint8_t)(1u << b);
    c->warp[warp].late &= (uint8_t) ~(1u << b);
}

/* Predicates count as there when guards may use them. */
static void codes_release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    if (!si->in->pwrite)
        arrive(codes_of(h), warp, write_bar(si));
}

static void codes_release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    if (si->in->pwrite)
        arrive(codes_of(h), warp, write_bar(si));
}

static void issued(sm_hazard *h, unsigned warp, const sm_inst *si,
                   uint64_t delay)
{
    unsigned b = read_bar(si);

    if (b != NO_BAR)
        put_up(codes_of(h), warp, b);
    codes_of(h)->warp[warp].when =
        *h->now + delay + (si->in->ctl >> CTL_STALL & 15);
}

static void codes_read(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    arrive(codes_of(h), warp, read_bar(si));
}

static void delayed(sm_hazard *h, unsigned warp, uint64_t delay)
{
    codes_of(h)->warp[warp].when += delay;
}

static uint64_t codes_not_before(const sm_hazard *h, unsigned warp)
{
    return ((const codes *)h)->warp[warp].when;
}

static bool codes_idle(const sm_hazard *h, unsigned warp)
{
    return ((const codes *)h)->warp[warp].zero == 0x3f;
}

static void codes_destroy(sm_hazard *h) { free(h); }

static const sm_hazard_ops ops = {
    .free = codes_destroy,
    .check = codes_check,
    .not_before = codes_not_before,
    .issued = issued,
    .read = codes_read,
    .delayed = delayed,
    .reserve = codes_reserve,
    .release = codes_release,
    .release_guard = codes_release_guard,
    .idle = codes_idle,
};

sm_hazard *sm_control_codes_new(sm_stats *st)
{
    codes *c = new0(1, sizeof *c);

    c->base.ops = &ops;
    c->st = st;
    for (unsigned w = 0; w < SM_WARPS; w++)
        c->warp[w].zero = 0x3f;
    return &c->base;
}

bool sm_control_codes_refuses(const config *cfg, const isa_kernel *kernel,
                              sm_refusal *out)
{
    *out = (sm_refusal){0};
    if (cfg->gpu.arch == CFG_ARCH_FERMI) {
        out->why = "sm.issue.hazard=codes needs the control information of "
                   "Kepler or Volta, and Fermi has none";
        return true;
    }
    for (; out->pc < kernel->code_count; out->pc++)
        if (!(kernel->code[out->pc].ctl >> CTL_HAS & 1)) {
            out->why = "it has no control information for "
                       "sm.issue.hazard=codes";
            return true;
        }
    return false;
}
