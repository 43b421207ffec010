/* src/validate/hardware.h - launches of a program on a real device, from a
 * profiler, beside its launches here: matched by kernel and order, as rows. */
#ifndef VALIDATE_HARDWARE_H
#define VALIDATE_HARDWARE_H

#include "report/program.h"
#include "validate/profile_csv.h"
#include "validate/validate.h"

/* Launches here, in the arena of the caller. */
typedef struct hardware_launch {
    kernel_label kernel;
    uint32_t grid[3], block[3];
    bool timed;
    uint64_t cycles;
    bool taken; /* it has a counterpart */
} hardware_launch;

typedef struct hardware {
    arena *mem;
    const profile *theirs;
    hardware_launch *ours;
    size_t count, room;
    const char *gpu;
    unsigned sms;    /* that the simulated GPU has, and the device should */
    double clock_hz; /* of the device, NAN: it is not told */
    bool by_kernel;  /* a row for all launches of a kernel */
} hardware;

/* Adds the launches of a program, in order; those that were in flight together
 * one by one. */
void hardware_add(hardware *h, const report_program *p);

/* Turns durations into cycles; ST_USAGE: no clock is known, one error is in
 * `dg`. To be called before anything is simulated. */
status hardware_check(const hardware *h, diag *dg);

/* Makes rows and notes of `v`: a row for each launch that both have, one for
 * each kernel that ours lacks. */
void hardware_match(hardware *h, validate *v);

#endif
