/* src/exec/sem/soft.h - correctly rounded results in integer arithmetic, for
 * any format and rounding direction. Used where the host has no such operation:
 * directed rounding, and formats narrower than its own. Pure functions. */
#ifndef EXEC_SEM_SOFT_H
#define EXEC_SEM_SOFT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

typedef enum soft_format {
    SOFT_F16,
    SOFT_BF16,
    SOFT_F32,
    SOFT_F64,
} soft_format;

/* Bits of (-1)^sign * m * 2^exp in format `f`, rounded as `rnd` says. A bit
 * below all others of m may stand for "something below" (sticky). */
uint64_t soft_round(bool sign, int exp, unsigned __int128 m, soft_format f,
                    enum isa_rnd rnd);

/* Bits of a * b + c, rounded once. NaNs are not canonical. */
uint64_t soft_fma(double a, double b, double c, soft_format f,
                  enum isa_rnd rnd);
uint64_t soft_add(double a, double b, soft_format f, enum isa_rnd rnd);
uint64_t soft_mul(double a, double b, soft_format f, enum isa_rnd rnd);
uint64_t soft_convert(double a, soft_format f, enum isa_rnd rnd);

#endif
