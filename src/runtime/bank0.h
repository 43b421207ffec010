/* src/runtime/bank0.h - constant bank 0 of a launch: its values, where the
 * kernel's code looks for them. Owns nothing. */
#ifndef RUNTIME_BANK0_H
#define RUNTIME_BANK0_H

#include "runtime/internal.h"

/* Writes all that stands before the parameters. */
void rt_bank0_fill(uint8_t *bank, const rt_banks *b, const rt_device *d,
                   const exec_launch *e, const rt_launch *l);

#endif
