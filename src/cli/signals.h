/* src/cli/signals.h - signals that end a command: SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT. The first is recorded, and the command polls it; another one ends
 * the process at once. What comes within a quarter of a second of the first is
 * no other: timeout(1) sends its signal to the process and then to the group
 * that it is in, and a terminal's reaches programs that pass it on. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>

/* From here on signals are noted, but for those that were ignored. `usual`
 * gets the set of those, which programs that this one runs must get back;
 * NULL: it runs none. */
void signals_catch(sigset_t *usual);

/* The signal that was noted, 0: none. */
const volatile sig_atomic_t *signals_stop(void);

#endif
