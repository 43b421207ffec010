/* src/validate/profile_unit.h - numbers and units as profilers print them. */
#ifndef VALIDATE_PROFILE_UNIT_H
#define VALIDATE_PROFILE_UNIT_H

#include <stdbool.h>

typedef enum profile_kind {
    PROFILE_CYCLES,
    PROFILE_TIME,
    PROFILE_CLOCK,
    PROFILE_PER_SM, /* cycles, a sum over all SMs */
    PROFILE_KINDS
} profile_kind;

/* Nothing was measured: "", "n/a", "nan". */
bool profile_absent(const char *text);
/* "1234.5", "1,234,567"; NAN: it is none. */
double profile_number(const char *text);
/* What the unit is in cycles, seconds or hertz: 1e-9 for "ns"; NAN: unknown. */
double profile_unit(profile_kind kind, const char *unit);
/* A clock in hertz, "1380MHz", "1.38 GHz"; NAN: it is none. */
double profile_clock(const char *text);

#endif
