/* tests/hardware/number.h - exact arithmetic on binary floating point, for the
 * reference: numbers are integers times powers of two, rounded once. Shares
 * nothing with what it checks. */
#ifndef HARDWARE_NUMBER_H
#define HARDWARE_NUMBER_H

#include "form.h"

typedef unsigned __int128 hw_u128;

typedef enum hw_kind { HW_ZERO, HW_FINITE, HW_INF, HW_NOT } hw_kind;

/* (-1)^minus * m * 2^e; finite ones have bit 124 of m set, the lowest bit
 * stands for anything that was shifted out. */
typedef struct hw_number {
    hw_kind kind;
    bool minus;
    hw_u128 m;
    int e;
} hw_number;

/* A packed type means its lower half. ftz: subnormals are zeros. */
hw_number hw_unpack(hw_type t, uint64_t bits, bool ftz);
/* NaN becomes 0x7fffffff, 0x7fff or the quiet one of double precision. */
uint64_t hw_pack(hw_type t, hw_number v, hw_round round, bool ftz, bool sat);
hw_number hw_from_int(bool minus, uint64_t magnitude);
hw_number hw_from_double(long double v);

hw_number hw_add(hw_number a, hw_number b, hw_round round);
hw_number hw_mul(hw_number a, hw_number b);
hw_number hw_div(hw_number a, hw_number b);
hw_number hw_sqrt(hw_number a);
hw_number hw_neg(hw_number a);
/* -1, 0, 1; neither is a NaN. */
int hw_order(hw_number a, hw_number b);
/* To an integer-valued number. */
hw_number hw_integral(hw_number a, hw_round round);
/* The integer, limited to `bits` bits. */
uint64_t hw_to_int(hw_number a, hw_round round, bool is_signed, unsigned bits);

#endif
