/* src/exec/async.h - --check-async: does each access to shared memory, and to
 * the registers of warp groups, have the fence or wait that it needs beside
 * copies in the background, bulk copies and tensor cores? No device tells.
 *
 * What happened before what is known by clocks of vectors: for each warp of a
 * CTA what it knows of the others, of copies, of groups and of mbarriers that
 * are over. Barriers, arrivals, waits and fences hand it on; so what is found
 * does not depend on the moment in which something happens. Each word of shared
 * memory has its last writer, and who reads it in the background.
 *
 * A CTA owns its part (exec_cta.async), a launch its findings; warps that are
 * checked execute through a table of bodies of its own (exec/level.h), so this
 * costs nothing where it is off. */
#ifndef EXEC_ASYNC_H
#define EXEC_ASYNC_H

#include <stdint.h>

#include "exec/exec.h"
#include "exec/tma.h"

typedef struct exec_findings exec_findings;

typedef enum exec_async_what {
    ASYNC_COPY,     /* uses what a copy of the warp itself still writes */
    ASYNC_COPY_OF,  /* or one of another warp */
    ASYNC_BULK,     /* or a bulk copy */
    ASYNC_PROXY,    /* read behind the back of the generic proxy */
    ASYNC_ORDER,    /* the same, without a barrier either */
    ASYNC_TENSOR,   /* overwrites what a tensor core still reads */
    ASYNC_STORE,    /* or a bulk store */
    ASYNC_REGISTER, /* uses a register of a product under way */
    ASYNC_UNFENCED, /* a product uses a register that was just written */
    ASYNC_MBARRIER, /* an mbarrier was just initialised */
    ASYNC_PEER,     /* another CTA that may not have begun */
} exec_async_what;

/* Accesses by one instruction that lack the same. */
typedef struct exec_finding {
    exec_async_what what;
    uint32_t pc, other; /* instructions: that, and what it conflicts with */
    uint64_t count;
    uint64_t cta; /* the first: number of the CTA, */
    uint32_t id[3], warp;
    uint32_t at; /* offset in shared memory, or register */
    uint32_t by; /* the other warp */
    bool write;
} exec_finding;

exec_findings *exec_findings_new(uint32_t sms);
void exec_findings_free(exec_findings *f); /* NULL is fine */
void exec_findings_clear(exec_findings *f);
/* What was found since the last call, in order of instructions; *count of them.
 * The caller frees it; NULL: nothing. */
exec_finding *exec_findings_take(exec_findings *f, size_t *count);
/* A sentence about it, malloced. */
char *exec_finding_text(const exec_finding *f, const exec_launch *l);

/* ---- for exec ---- */

/* A warp starts whose launch is checked. */
void exec_async_start(exec_warp *w);
void exec_async_free(exec_cta *c);

/* A tensor core reads `bytes` at offset `at` for the instruction of `w`. */
void exec_async_tile(const exec_warp *w, uint32_t at, uint32_t bytes);
/* A bulk copy of `w`, as it is about to start. */
void exec_async_bulk(const exec_warp *w, const exec_tma *t);
/* As exec_arrivals_note. */
/* Warp `w` has looked at the mbarrier at `at`. */
void exec_async_look(const exec_warp *w, uint32_t at);
void exec_async_arrival(exec_cta *c, uint32_t at, bool over, uint64_t by,
                        uint32_t rank, unsigned warp);

#endif
