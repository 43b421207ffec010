/* src/mem/gpc.h - GPCs: which SMs are neighbours, and which of them are near
 * which partition of the L2. Pure functions of the configuration. */
#ifndef MEM_GPC_H
#define MEM_GPC_H

#include "config/config.h"

/* SMs of GPC `n`, if there are enough; all of them are one where gpu.gpc.sms is
 * 0. */
unsigned mem_gpc_sms(const config *cfg, unsigned n);

/* The partition of the L2, of two, that SM `sm` is near: GPCs take turns, so
 * that larger ones are divided, too; one GPC is divided in halves. */
unsigned mem_gpc_partition(const config *cfg, unsigned sm);

#endif
