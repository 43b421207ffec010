/* The state of MT19937 from a seed [MT2002:init_genrand]. */
#include "curand/streams.h"

static void seed_word(uint32_t seed, uint32_t *words)
{
    words[0] = seed;
    for (uint32_t i = 1; i < RAND_MT_WORDS; i++)
        words[i] = 1812433253u * (words[i - 1] ^ words[i - 1] >> 30) + i;
}

/* Seeds of more than 32 bits are an array of two words [MT2002:init_by_array].
 */
static void seed_array(const uint32_t key[2], uint32_t *words)
{
    enum { N = RAND_MT_WORDS };
    uint32_t i = 1;

    seed_word(19650218, words);
    for (uint32_t k = 0; k < N; k++) {
        words[i] = (words[i] ^ (words[i - 1] ^ words[i - 1] >> 30) * 1664525u) +
                   key[k % 2] + k % 2;
        if (++i == N) {
            words[0] = words[N - 1];
            i = 1;
        }
    }
    for (uint32_t k = 0; k < N - 1; k++) {
        words[i] =
            (words[i] ^ (words[i - 1] ^ words[i - 1] >> 30) * 1566083941u) - i;
        if (++i == N) {
            words[0] = words[N - 1];
            i = 1;
        }
    }
    words[0] = 0x80000000u;
}

void rand_mt_seed(uint64_t seed, uint32_t words[RAND_MT_WORDS])
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};

    if (key[1])
        seed_array(key, words);
    else
        seed_word(key[0], words);
}
