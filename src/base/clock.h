/* src/base/clock.h - the host's time that only goes on: for people and limits,
 * never for what is simulated. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

double clock_s(void); /* seconds from some moment on */
int64_t clock_ms(void);

#endif
