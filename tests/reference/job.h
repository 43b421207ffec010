/* tests/reference/job.h - one random program with its launch and its data: the
 * same for a seed, whoever runs it. */
#ifndef REFERENCE_JOB_H
#define REFERENCE_JOB_H

#include "reference/both.h"
#include "reference/program.h"

typedef struct job {
    uint64_t seed;
    program p;
    both_launch l; /* borrows from this */
    uint32_t in[PROGRAM_IN / 4], sums[PROGRAM_SUMS];
} job;

/* `quick`: a small one. program_fini frees what j->p has. */
void job_start(job *j, uint64_t seed, bool quick);

/* Where the memory of its buffers differs, for messages. */
void job_describe(const both_result *want, const both_result *got,
                  const both_launch *l, unsigned buffer, uint64_t at, char *why,
                  size_t size);

#endif
