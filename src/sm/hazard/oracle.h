/* src/sm/hazard/oracle.h - does any instruction issue before its registers are
 * ready? A plain note of what is pending, which shares nothing with the
 * policies of sm/hazard/hazard.h: it finds out when one of them is wrong. Kept
 * in test builds and where sm.issue.oracle asks for it. */
#ifndef SM_HAZARD_ORACLE_H
#define SM_HAZARD_ORACLE_H

#include "config/config.h"
#include "sm/decode.h"

typedef struct sm_oracle sm_oracle;

/* NULL: not wanted, as for a policy that promises nothing; or memory ran out,
 * then *ok is false. */
sm_oracle *sm_oracle_new(const config *cfg);
void sm_oracle_free(sm_oracle *o); /* NULL is fine */

/* May `si` of warp `w` issue in cycle `now`: is nothing pending that it reads
 * or writes? With control codes, or counted results, a pending one may be
 * overwritten by one that comes after it. */
bool sm_oracle_allows(const sm_oracle *o, unsigned w, const sm_inst *si,
                      uint64_t now);
/* Its results are pending. Not `writes`: all its lanes are predicated off, so
 * that it overtakes no reader. */
void sm_oracle_pend(sm_oracle *o, unsigned w, const sm_inst *si, bool writes,
                    uint64_t now);
/* It has its operands in cycle `when`, though registers are read and written as
 * it issues: until then no younger instruction may write them. */
void sm_oracle_read(sm_oracle *o, unsigned w, const sm_inst *si, uint64_t when);
/* Some registers of them are visible, and with the last the predicates, but to
 * guards. False: an older instruction has yet to read one of them. */
bool sm_oracle_write(sm_oracle *o, unsigned w, const sm_inst *si,
                     unsigned first, unsigned count, uint64_t now);
/* And to guards. */
void sm_oracle_guard(sm_oracle *o, unsigned w, const sm_inst *si);
/* True if just the registers that have a bit in `reg` are pending. */
bool sm_oracle_awaits(const sm_oracle *o, unsigned w, const uint64_t reg[4]);

#endif
