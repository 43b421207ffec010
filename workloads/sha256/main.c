/* workloads/sha256/main.c - SHA-256 of messages of four bytes, one per item:
 * 32-bit integer arithmetic with all values in registers. */
#include "rig.h"

RIG_SOURCE("sha256/kernel.cl");

enum { WORDS = 8, ROUNDS = 64 };

/* The first 32 bits of the fractional part of the n-th root of p. */
static uint32_t fraction(unsigned p, unsigned n)
{
    unsigned __int128 low = 0, high = (unsigned __int128)32 << 32;

    while (high - low > 1) { /* the largest x with (x / 2^32)^n <= p */
        unsigned __int128 x = (low + high) / 2,
                          power = n == 2 ? x * x : x * x * x;

        if (power <= (unsigned __int128)p << 32 * n)
            low = x;
        else
            high = x;
    }
    return (uint32_t)low;
}

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* The constants of the rounds, then those of the beginning: FIPS 180-4. */
static void constants(uint32_t k[ROUNDS + WORDS])
{
    for (unsigned i = 0, p = 2; i < ROUNDS; p++) {
        unsigned d = 2;

        while (p % d)
            d++;
        if (d < p)
            continue;
        if (i < WORDS)
            k[ROUNDS + i] = fraction(p, 2);
        k[i++] = fraction(p, 3);
    }
}

static void hash(const uint32_t k[ROUNDS + WORDS], uint32_t message,
                 uint32_t out[WORDS])
{
    uint32_t w[ROUNDS] = {message, 0x80000000u, [15] = 32}, s[WORDS];

    for (unsigned i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    for (unsigned i = 0; i < WORDS; i++)
        s[i] = k[ROUNDS + i];
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t e = s[4], a = s[0];
        uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                      ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

        for (unsigned j = WORDS - 1; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (unsigned i = 0; i < WORDS; i++)
        out[i] = s[i] + k[ROUNDS + i];
}

static void gen(wl *w, unsigned n)
{
    uint32_t *k = wl_input_u32(w, "k", ROUNDS + WORDS);
    uint32_t *message = wl_input_u32(w, "message", n);
    uint32_t *digest = wl_expect_u32(w, "digest", (size_t)n * WORDS);

    constants(k);
    for (unsigned i = 0; i < n; i++) {
        uint32_t s[WORDS];

        hash(k, message[i] = wl_random(w), s);
        for (unsigned j = 0; j < WORDS; j++)
            digest[(size_t)j * n + i] = s[j];
    }
}

static void run(rig *o)
{
    dev_kernel hash_all = rig_kernel(o, "sha256");
    dev_memory k = rig_buffer(o, "k"), message = rig_buffer(o, "message");
    dev_memory digest = rig_buffer(o, "digest");

    rig_args(o, hash_all, "mmmu", k, message, digest, o->size);
    rig_run(o, hash_all, o->size, 64);
    rig_check(o, "digest", digest);
}

int main(int argc, char **argv)
{
    static const workload problem = {"sha256", "SHA-256 of short messages", 0,
                                     "messages", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {2048, 16384, 262144},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
