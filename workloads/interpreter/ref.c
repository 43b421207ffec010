/* workloads/interpreter/ref.c - what the byte code computes, written in C: the
 * sum of mixed remainders over a number of rounds that depends on the input.
 * Inputs that are multiples of 7 never finish and hit the limit; multiples of
 * 11 meet an unknown instruction. */
#include "tool/workload.h"

enum { HALT, PUSH, COPY, DROP, ADD, SUB, MUL, REM, MIX, JNZ, JMP, STORE };
enum { LIMIT = 400 };

#define OP(op, arg) ((op) | (uint32_t)(arg) << 8)

/* The stack of the main loop: input, rounds left, sum. */
static const uint32_t code[] = {
    OP(COPY, 0),    OP(PUSH, 7),  OP(REM, 0),
    OP(JNZ, 5), /* 0: input % 7? */
    OP(JMP, 4), /* 4: for ever */
    OP(COPY, 0),    OP(PUSH, 11), OP(REM, 0),
    OP(JNZ, 10),                               /* 5: input % 11? */
    OP(200, 0),                                /* 9: unknown */
    OP(COPY, 0),    OP(PUSH, 17), OP(REM, 0),  /* 10: rounds */
    OP(PUSH, 1),    OP(ADD, 0),   OP(PUSH, 0), /* 13: + 1; sum = 0 */
    OP(COPY, 2),    OP(COPY, 2),  OP(MUL, 0),
    OP(MIX, 0),                               /* 16: mix(in * left) */
    OP(PUSH, 1001), OP(REM, 0),   OP(ADD, 0), /* 20: sum += % 1001 */
    OP(COPY, 1),    OP(PUSH, 1),  OP(SUB, 0), /* 23: left - 1 */
    OP(STORE, 2),   OP(JNZ, 16),              /* 26: until 0 */
    OP(HALT, 0),                              /* 28 */
};

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x * 0x846ca68bu;
}

static uint32_t result(uint32_t in)
{
    uint32_t sum = 0;

    if (in % 7 == 0)
        return 0xdead0000u + LIMIT;
    if (in % 11 == 0)
        return 0xdead0000u + 8; /* steps before the unknown one */
    for (uint32_t left = in % 17 + 1; left; left--)
        sum += mix(in * left) % 1001;
    return sum;
}

static void gen(wl *w, unsigned n)
{
    size_t words = sizeof code / sizeof *code;
    uint32_t *to = wl_input_u32(w, "code", words);
    uint32_t *in = wl_input_u32(w, "input", n);
    uint32_t *out = wl_expect_u32(w, "output", n);

    for (size_t i = 0; i < words; i++)
        to[i] = code[i];
    for (unsigned i = 0; i < n; i++) {
        in[i] = wl_random(w);
        out[i] = result(in[i]);
    }
    wl_launch(w, "interpret", DIM1((n + 127) / 128), DIM1(128),
              "code, input, output, %u, %u", n, LIMIT);
}

const workload wl_interpreter = {"interpreter", "byte code, divergent switch",
                                 4096, "inputs", gen};
