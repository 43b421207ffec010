/* tests/reference/job.c */
#include "reference/job.h"

#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "base/rng.h"

void job_start(job *j, uint64_t seed, bool quick)
{
    rng r;

    memset(j, 0, sizeof *j);
    j->seed = seed;
    rng_init(&r, seed, "data");
    for (unsigned k = 0; k < COUNTOF(j->in); k++)
        j->in[k] = (uint32_t)(rng_u64(&r) >> rng_below(&r, 33));
    for (unsigned k = 0; k < COUNTOF(j->sums); k++)
        j->sums[k] = (uint32_t)rng_u64(&r);
    program_make(&j->p, seed,
                 quick ? 4 + rng_below(&r, 16) : 10 + rng_below(&r, 50));
    uint64_t threads = 1;
    for (unsigned k = 0; k < 3; k++) {
        j->l.grid[k] = j->p.grid[k];
        j->l.cta[k] = j->p.cta[k];
        threads *= j->p.grid[k] * j->p.cta[k];
    }
    j->l.nbuffers = 3;
    j->l.size[0] = PROGRAM_IN;
    j->l.size[1] = PROGRAM_OUT * threads;
    j->l.size[2] = sizeof j->sums;
    j->l.init[0] = j->in;
    j->l.init[2] = j->sums;
    j->l.strict = true;
    j->l.max_steps = 10000000;
}

void job_describe(const both_result *want, const both_result *got,
                  const both_launch *l, unsigned buffer, uint64_t at, char *why,
                  size_t size)
{
    uint64_t n = 0, unit = buffer == 1 ? PROGRAM_OUT : l->size[buffer];

    for (uint64_t k = 0; k < l->size[buffer]; k++)
        n += want->bytes[buffer][k] != got->bytes[buffer][k];
    snprintf(why, size,
             "buffer %u, thread %llu, byte %llu is 0x%02x, not 0x%02x; %llu "
             "bytes differ",
             buffer, (unsigned long long)(at / unit),
             (unsigned long long)(at % unit), got->bytes[buffer][at],
             want->bytes[buffer][at], (unsigned long long)n);
}
