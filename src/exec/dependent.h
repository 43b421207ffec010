/* src/exec/dependent.h - programmatic dependent launches
 * [PTX85:griddepcontrol]: a grid may begin while the one before it in its
 * stream runs, once each CTA of that has let it go (PREEXIT) or ended, and
 * waits with ACQBULK until that has ended. Both reach who runs the warp as
 * arrivals at a barrier with one of these numbers. */
#ifndef EXEC_DEPENDENT_H
#define EXEC_DEPENDENT_H

enum { EXEC_PREEXIT = 18, EXEC_ACQBULK = 19 }; /* exec_bar.number */

#endif
