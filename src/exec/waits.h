/* src/exec/waits.h - what the warps of a machine that goes on no more wait for:
 * a line for each barrier or mbarrier, with what it still needs and who has not
 * come. Borrows all it is given until exec_waits_end. */
#ifndef EXEC_WAITS_H
#define EXEC_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "exec/spin.h"

enum { EXEC_CTA_WARPS = 64, EXEC_CTA_BARRIERS = 16, WAITS_REPORTED = 8 };

typedef struct exec_waits exec_waits;

/* A resident CTA; warps by their number in it. */
typedef struct exec_waits_cta {
    const exec_cta *cta;
    unsigned launch;
    const exec_warp *warp[EXEC_CTA_WARPS]; /* NULL: it has ended */
    const exec_bar *bar[EXEC_CTA_WARPS];   /* where it waited last */
    const exec_spin *spin[EXEC_CTA_WARPS]; /* NULL: nobody observes it */
    uint64_t blocked;     /* at a barrier of the CTA or of the cluster */
    uint64_t cga_arrived; /* at that of the cluster */
    uint32_t come[EXEC_CTA_BARRIERS]; /* threads at each of the CTA's, */
    uint32_t need[EXEC_CTA_BARRIERS]; /* of so many; 0: of all that live */
} exec_waits_cta;

exec_waits *exec_waits_new(void);
/* Each CTA that is on the machine, in any order; the place is copied. */
void exec_waits_add(exec_waits *ws, const exec_waits_cta *c);
/* Frees it. Lines without their ends but the last's, those with the most warps
 * first, malloced; NULL: nobody waits. */
char *exec_waits_end(exec_waits *ws);

#endif
