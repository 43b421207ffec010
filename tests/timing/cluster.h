/* tests/timing/cluster.h - whole machines whose SMs share front ends: runs a
 * kernel and gives what it left in memory, its counters and what issued. */
#ifndef TIMING_CLUSTER_H
#define TIMING_CLUSTER_H

#include "timing/rig.h"

#include "mem/event_log.h"
#include "runtime/image.h"

/* R0 thread, R1 CTA, R4 address of a word for each of 64 per CTA, R2 its
 * number. */
#define CLUSTER_START                                                          \
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nMOV R2, 0x40\n"                     \
    "IMAD R2, R1, R2, R0\nMOV R3, 0x4\n"                                       \
    "IMAD.WIDE.U32 R4, R2, R3, c[0x0][0x140]\n"

static const rt_options cluster_serial = {.threads = 1};

enum { CLUSTER_BYTES = 1 << 19, CLUSTER_SMS = 16, CLUSTER_TEXELS = 1024 };

/* A warp of one SM issued, or executed what another SM issued for it. */
typedef struct cluster_issue {
    uint64_t cycle;
    uint32_t pc;
    uint8_t warp;
} cluster_issue;

typedef struct cluster_tape { /* of an SM */
    cluster_issue *issue;
    size_t count, room;
} cluster_tape;

struct cluster_run;

typedef struct cluster_job {
    const char *head; /* directives */
    const char *text; /* the body */
    unsigned ctas, threads, shared;
    unsigned all;        /* threads of the grid, 0: ctas of `threads` each */
    uint64_t max_cycles; /* 0: plenty */
    uint32_t fill;       /* word i of the first buffer is fill * i */
    bool texels;         /* there is an image */
    /* Called every `sample_cycles` cycles. NULL: nobody is. */
    void (*sample)(void *arg, const struct cluster_run *c, const rt_sample *s);
    void *sample_arg;
    uint64_t sample_cycles;
} cluster_job;

typedef struct cluster_run {
    const cluster_job *job; /* while it runs */
    rig *r;
    rt_module *m;
    uint64_t params[3];
    status st;
    uint64_t cycles, memory, hash;
    uint32_t data[CLUSTER_BYTES / 4]; /* of the first buffer */
    bool taped;
    cluster_tape tape[CLUSTER_SMS];
} cluster_run;

static inline bool cluster_take(void *arg, const trace_event *e, size_t n)
{
    cluster_run *c = arg;

    for (size_t i = 0; i < n; i++) {
        cluster_tape *t = &c->tape[e[i].sm];

        if (e[i].kind != TRACE_ISSUE)
            continue;
        if (t->count == t->room) {
            t->room = 2 * t->room + 256;
            t->issue = realloc(t->issue, t->room * sizeof *t->issue);
            CHECK(t->issue != NULL);
        }
        t->issue[t->count++] = (cluster_issue){
            .cycle = e[i].cycle, .pc = e[i].a, .warp = e[i].warp};
    }
    return true;
}

static inline void cluster_sample(void *arg, const rt_sample *s)
{
    const cluster_run *c = arg;

    if (c->job->sample)
        c->job->sample(c->job->sample_arg, c, s);
}

/* Launches `j`, whose kernel is there, once more. */
static inline void cluster_again(cluster_run *c, const cluster_job *j)
{
    rig *r = c->r;
    gpu_trace trace = {.filter = {.last_sm = CLUSTER_SMS - 1,
                                  .warps = UINT64_MAX,
                                  .to = UINT64_MAX},
                       .take = cluster_take,
                       .arg = c};
    rt_launch l = {.module = c->m,
                   .kernel = rt_module_kernel(c->m, NULL, r->dg),
                   .grid = {j->ctas, 1, 1},
                   .block = {j->threads, 1, 1},
                   .threads = {j->all, j->all ? 1 : 0, j->all ? 1 : 0},
                   .shared_bytes = j->shared,
                   .params = c->params,
                   .counters = true,
                   .sample_cycles = j->sample_cycles,
                   .sample = cluster_sample,
                   .sample_arg = c,
                   .trace = c->taped ? &trace : NULL,
                   .max_cycles = j->max_cycles ? j->max_cycles : 3000000};

    CHECK(l.kernel != NULL);
    c->job = j;
    c->st = rt_run(r->d, &l, r->dg, &r->last);
    c->cycles = r->last.cycles;
    c->hash = rt_hash(r->d) ^ c->cycles << 1;
    c->memory = 0;
    for (unsigned b = 0; b < 2; b++) {
        CHECK(rt_read(rt_device_memory(r->d), c->params[1 - b], c->data,
                      sizeof c->data));
        for (unsigned i = 0; i < COUNTOF(c->data); i++)
            c->memory = (c->memory ^ c->data[i]) * 0x100000001b3u;
    }
}

/* A buffer of words as an image. */
static inline uint32_t cluster_texels(rig *r)
{
    rt_image_desc desc = {.name = "texels",
                          .kind = TEX_BUFFER,
                          .order = TEX_R,
                          .type = TEX_U32,
                          .size = {CLUSTER_TEXELS}};
    uint32_t data[CLUSTER_TEXELS], origin[3] = {0},
                                   region[3] = {CLUSTER_TEXELS, 1, 1};
    uint32_t n = rt_image_new(rt_device_memory(r->d), &desc, r->dg);

    for (uint32_t i = 0; i < CLUSTER_TEXELS; i++)
        data[i] = i * 0x85ebca6b;
    CHECK(n);
    CHECK(rt_image_write(rt_device_memory(r->d), n, 0, origin, region, data, 0,
                         0));
    return n;
}

/* Runs `j` on a new machine. Its parameters are two buffers of zeros, and an
 * image. */
static inline cluster_run *cluster_run_on(const char *name,
                                          const char *const *sets,
                                          const cluster_job *j,
                                          const rt_options *opt, bool taped)
{
    cluster_run *c = calloc(1, sizeof *c);
    strbuf b = {0};

    CHECK(c != NULL);
    c->taped = taped;
    rig *r = c->r = rig_new(name, sets);
    rt_device_free(r->d);
    r->d = rt_device_new(r->cfg, opt, r->dg);
    CHECK(r->d != NULL);
    for (unsigned i = 0; i < 2; i++)
        c->params[i] = rt_alloc(rt_device_memory(r->d), CLUSTER_BYTES, "words");
    for (unsigned i = 0; j->fill && i < COUNTOF(c->data); i++)
        c->data[i] = i * j->fill;
    for (unsigned i = 0; i < 2; i++) {
        CHECK(rt_write(rt_device_memory(r->d), c->params[i], c->data,
                       sizeof c->data));
        memset(c->data, 0, sizeof c->data);
    }
    if (j->texels)
        c->params[2] = cluster_texels(r);
    if (j->text[0] == '.') /* PTX */
        strbuf_puts(&b, j->text);
    else
        strbuf_printf(&b,
                      ".arch %s\n.kernel k\n.param pointer p\n"
                      ".param pointer q\n%s%s\n%s\n.end\n",
                      r->arch, j->texels ? ".param pointer i\n" : "",
                      j->head ? j->head : "", j->text);
    rig_must(r,
             rt_module_load_text(r->d, "test", b.text, b.size, r->dg, &c->m));
    strbuf_fini(&b);
    cluster_again(c, j);
    return c;
}

/* The same, of a job that has to end well. */
static inline cluster_run *cluster_run_well(const char *name,
                                            const char *const *sets,
                                            const cluster_job *j,
                                            const rt_options *opt, bool taped)
{
    cluster_run *c = cluster_run_on(name, sets, j, opt, taped);

    if (c->st != ST_OK)
        diag_print(c->r->dg, stderr, false);
    CHECK_EQ(c->st, ST_OK);
    return c;
}

/* Of four SMs in clusters of `size` that do not part for slip: assignments,
 * `more` (may be NULL) behind them, until the next call. */
static inline const char *const *cluster_sets(unsigned size,
                                              const char *const *more)
{
    static const char *sets[RIG_SETS];
    static char text[32];
    unsigned n = 0;

    sets[n++] = "gpu.sms=4";
    sets[n++] = "gpu.cluster.slip=0";
    snprintf(text, sizeof text, "gpu.cluster.size=%u", size);
    sets[n++] = text;
    for (; more && *more; more++) {
        CHECK(n + 1 < RIG_SETS);
        sets[n++] = *more;
    }
    sets[n] = NULL;
    return sets;
}

static inline void cluster_free(cluster_run *c)
{
    for (unsigned i = 0; i < CLUSTER_SMS; i++)
        free(c->tape[i].issue);
    rig_free(c->r);
    free(c);
}

static inline uint64_t cluster_count(const cluster_run *c, const char *pattern)
{
    return rig_count(c->r, pattern);
}

static inline uint64_t cluster_parted(const cluster_run *c)
{
    return cluster_count(c, "sm[*].parted_*");
}

/* Of one SM. */
static inline uint64_t cluster_of(const cluster_run *c, unsigned sm,
                                  const char *id)
{
    char name[64];

    snprintf(name, sizeof name, "sm[%u].%s", sm, id);
    return rig_count(c->r, name);
}

#endif
