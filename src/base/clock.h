/* src/base/clock.h - the host's time that only goes on: for people and limits,
 * never for what is simulated. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <sys/resource.h>

double clock_s(void); /* seconds from some moment on */
int64_t clock_ms(void);
uint64_t clock_ns(void);
uint64_t clock_ran_ns(void); /* of that, what this thread had a core */
double clock_cpu_s(void); /* the same of all threads of the process together */
double clock_used_s(const struct rusage *use); /* user and system */

#endif
