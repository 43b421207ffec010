/* src/exec/spins.h - what the lanes of a machine spin on, for reports: a place
 * for each instruction and address. Owns its texts. */
#ifndef EXEC_SPINS_H
#define EXEC_SPINS_H

#include "base/strbuf.h"
#include "exec/spin.h"
#include "exec/writers.h"

enum { SPINS_REPORTED = 8 }; /* places; those with the most lanes */

typedef struct exec_site {
    char *kernel; /* its name; all texts are malloced */
    char *file;   /* of the source; NULL: unknown */
    uint32_t line, pc;
    bool nothing; /* a loop that reads nothing: no address */
    bool shared;  /* of the CTA `cta`, and `addr` an offset in it */
    bool atomic;
    bool polls; /* it may end by itself: counts, or looks at a clock */
    uint32_t size;
    uint64_t cta, addr, value;
    uint64_t lanes, warps, ctas;
    char *where;  /* "byte 4 of buffer 'flags'" */
    char *writer; /* a sentence on the last writer: which thread, and where it
                     is now */
} exec_site;

typedef struct exec_spins {
    exec_site *is; /* most lanes first */
    size_t count;
    uint64_t more;          /* lanes that spin at places that are left out */
    uint64_t warps;         /* that spin */
    uint64_t waiting;       /* warps that wait at a barrier of their CTA */
    uint64_t starved;       /* that executed nothing while they were watched */
    uint64_t live;          /* warps that are there */
    uint64_t ctas, started; /* of the launches, and how many have begun */
    uint64_t from, to;      /* cycles in which they were watched; without
                               timing: warp instructions */
    uint64_t since;         /* when the first place was seen first */
    bool timed;
    bool endless; /* it can be shown that they never stop */
    char *waits;  /* who waits at barriers, see exec/waits.h; NULL: nobody, or
                     it was not asked */
} exec_spins;

void exec_spins_fini(exec_spins *s);
/* `to` is empty. */
void exec_spins_copy(exec_spins *to, const exec_spins *from);

/* The first line of `waits` is about an mbarrier. */
bool exec_spins_at_mbarrier(const exec_spins *s);
/* A few words about the first place: "k:12 on lock+0, 64 lanes"; "" of none. */
void exec_spins_short(const exec_spins *s, char *text, unsigned size);
/* All of it: lines, each with an end. */
void exec_spins_text(const exec_spins *s, strbuf *to);

/* ---- for observers ---- */

typedef struct exec_gather exec_gather;

/* A machine whose warps are observed. `find` looks up the last writer of an
 * address, NULL: unknown; *may false: nothing was written there. `warp` finds a
 * warp of a resident CTA, NULL: the CTA has ended. */
typedef struct exec_machine {
    void *self;
    const exec_launch *(*launch)(void *self, unsigned launch);
    const exec_writer *(*find)(void *self, uint64_t addr, unsigned size,
                               bool shared, uint64_t cta, bool *may);
    const exec_warp *(*warp)(void *self, const exec_writer *by);
    const mem_image *image;
    bool timed; /* by cycles */
} exec_machine;

exec_gather *exec_gather_new(const exec_machine *m);
/* Warp `w` of launch `launch`, which was watched by `s`; `waits`: it is at a
 * barrier of its CTA. */
void exec_gather_warp(exec_gather *g, exec_spin *s, const exec_warp *w,
                      unsigned launch, bool waits);
/* Nothing has happened since `from` in any warp, and all that are not at a
 * barrier go round in circles. */
bool exec_gather_still(const exec_gather *g, uint64_t from);
/* Some warp has done nothing else but was not seen for long enough. */
bool exec_gather_slow(const exec_gather *g, uint64_t from);
bool exec_gather_circles(const exec_gather *g); /* some do */
/* Frees it. */
exec_spins exec_gather_end(exec_gather *g);

#endif
