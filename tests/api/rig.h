/* tests/api/rig.h - programs and shortcuts for tests of the library. */
#ifndef API_RIG_H
#define API_RIG_H

#include <heddle/heddle.h>

#include "test.h"

/* Fails with the text of the error. */
#define OK(sim, call)                                                          \
    do {                                                                       \
        heddle_code code_ = (call);                                            \
        if (code_ != HEDDLE_OK)                                                \
            TEST_FAIL("%s: %s: %s", #call, heddle_code_text(code_),            \
                      heddle_error(sim));                                      \
    } while (0)

/* The text of the error has `part` in it. */
#define CHECK_ERROR(sim, part)                                                 \
    do {                                                                       \
        const char *is_ = heddle_error(sim);                                   \
        if (!strstr(is_, part))                                                \
            TEST_FAIL("the error is \"%s\", without \"%s\"", is_, part);       \
    } while (0)

/* saxpy: y[i] += a * x[i] for i < n.
 * stray: thread 37 stores 8 bytes beyond the 4 n bytes of y.
 * forever: adds 1 to y[0] until the end of time.
 * spin: waits for y[0] to become other than 0.
 * say: each thread prints its number, "thread 3\n".
 * odd: stores to an address that is no multiple of 4. */
static const char rig_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 4 .u32 scale[4] = {1, 2, 3, 4};\n"
    ".global .align 1 .b8 words[11] = {116, 104, 114, 101, 97, 100, 32, 37, "
    "100, 10, 0};\n"
    ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a,\n"
    "    .param .u32 n)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<4>; .reg .pred %p;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [n];\n"
    "setp.ge.u32 %p, %r4, %r5; @%p bra OUT;\n"
    "ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.f32 %f1, [a];\n"
    "mul.wide.u32 %d3, %r4, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;\n"
    "ld.global.f32 %f2, [%d4]; ld.global.f32 %f3, [%d5];\n"
    "fma.rn.f32 %f3, %f1, %f2, %f3; st.global.f32 [%d5], %f3;\n"
    "OUT: ret;\n}\n"
    ".visible .entry stray(.param .u64 y, .param .u32 n)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p;\n"
    "mov.u32 %r3, %tid.x; setp.ne.u32 %p, %r3, 37; @%p bra OUT;\n"
    "ld.param.u64 %d1, [y]; ld.param.u32 %r5, [n];\n"
    "mul.wide.u32 %d3, %r5, 4; add.u64 %d4, %d1, %d3;\n"
    "st.global.u32 [%d4+8], %r3;\n"
    "OUT: ret;\n}\n"
    ".visible .entry forever(.param .u64 y)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [y];\n"
    "AGAIN: atom.global.add.u32 %r1, [%d1], 1; bra AGAIN;\n}\n"
    ".visible .entry spin(.param .u64 y)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "ld.param.u64 %d1, [y];\n"
    "AGAIN: ld.volatile.global.u32 %r1, [%d1]; setp.eq.u32 %p, %r1, 0;\n"
    "@%p bra AGAIN; ret;\n}\n"
    ".visible .entry say()\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<8>; .local .align 8 .b8 args[8];\n"
    ".param .b64 pf; .param .b64 pa; .param .b32 pr;\n"
    "mov.u32 %r1, %tid.x; st.local.u32 [args], %r1;\n"
    "mov.u64 %d1, args; cvta.local.u64 %d2, %d1; mov.u64 %d3, words;\n"
    "cvta.global.u64 %d4, %d3; st.param.b64 [pf], %d4;\n"
    "st.param.b64 [pa], %d2; call (pr), vprintf, (pf, pa); ret;\n}\n"
    ".visible .entry odd(.param .u64 y)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [y]; mov.u32 %r1, 5; st.global.u32 [%d1+2], %r1; "
    "ret;\n}\n";

static const char *const rig_small[] = {"gpu.sms=2"};

/* A V100 of two SMs. */
static inline heddle_sim *rig_open(void)
{
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_sim *sim;

    how.settings = rig_small;
    how.setting_count = 1;
    OK(sim, heddle_open(&how, &sim));
    return sim;
}

static inline heddle_kernel *rig_kernel(heddle_sim *sim, const char *name)
{
    heddle_module *m;
    heddle_kernel *k;

    OK(sim, heddle_load(sim, "rig.ptx", rig_ptx, sizeof rig_ptx - 1, &m));
    OK(sim, heddle_kernel_find(m, name, &k));
    return k;
}

enum { RIG_N = 1000, RIG_CTAS = 8, RIG_BLOCK = 128 };

/* Buffers of saxpy, with x[i] = i and y[i] = 2 i, and its launch. */
typedef struct rig_saxpy {
    heddle_sim *sim;
    heddle_kernel *kernel;
    heddle_buffer *x, *y;
    float a;
    uint32_t n;
    heddle_arg args[4];
    heddle_launch launch;
} rig_saxpy;

static inline void rig_saxpy_fill(rig_saxpy *r)
{
    float *x, *y;

    OK(r->sim, heddle_map(r->x, (void **)&x));
    OK(r->sim, heddle_map(r->y, (void **)&y));
    for (unsigned i = 0; i < RIG_N; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i);
    }
}

static inline void rig_saxpy_init(rig_saxpy *r, heddle_sim *sim)
{
    *r = (rig_saxpy){.sim = sim, .a = 3, .n = RIG_N};
    r->kernel = rig_kernel(sim, "saxpy");
    OK(sim, heddle_alloc(sim, 4 * RIG_N, "x", &r->x));
    OK(sim, heddle_alloc(sim, 4 * RIG_N, "y", &r->y));
    rig_saxpy_fill(r);
    const heddle_arg args[4] = {HEDDLE_BUFFER(r->x), HEDDLE_BUFFER(r->y),
                                HEDDLE_VALUE(r->a), HEDDLE_VALUE(r->n)};
    memcpy(r->args, args, sizeof args);
    r->launch = (heddle_launch)HEDDLE_LAUNCH_INIT;
    r->launch.args = r->args;
    r->launch.arg_count = 4;
    r->launch.grid[0] = RIG_CTAS;
    r->launch.block[0] = RIG_BLOCK;
}

/* After one launch: 2 i + 3 i. */
static inline void rig_saxpy_check(rig_saxpy *r)
{
    float y[RIG_N];

    OK(r->sim, heddle_read(r->y, 0, y, sizeof y));
    for (unsigned i = 0; i < RIG_N; i++)
        if (y[i] != (float)(5 * i))
            TEST_FAIL("y[%u] is %g", i, (double)y[i]);
}

/* The launch of a kernel that takes a buffer. */
static inline heddle_launch rig_launch(const heddle_arg *args, uint64_t count,
                                       uint32_t threads)
{
    heddle_launch l = HEDDLE_LAUNCH_INIT;

    l.args = args;
    l.arg_count = count;
    l.grid[0] = 1;
    l.block[0] = threads;
    return l;
}

#endif
