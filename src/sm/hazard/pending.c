/* src/sm/hazard/pending.c - see pending.h. */
#include "sm/hazard/pending.h"

sm_why pending_why(const pending_row *p, pending_preds preds, const sm_inst *si)
{
    for (unsigned i = 0; i < 4; i++)
        if (p->word[i].late & si->touch[i])
            return WHY_RAW_MEM;
    for (unsigned i = 0; i < si->reads; i++)
        if (p->word[si->read[i] / 64].reg >> (si->read[i] % 64) & 1)
            return WHY_RAW_ALU;
    if ((preds.pred & si->in->pread) || (preds.guard & si->guard))
        return WHY_RAW_PRED;
    for (unsigned i = 0; i < 4; i++)
        if (p->word[i].reg & si->touch[i])
            return WHY_WAW;
    return WHY_READY;
}
