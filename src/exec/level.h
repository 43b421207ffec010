/* src/exec/level.h - the tables of instruction bodies, one per level of the
 * host's vector instructions. */
#ifndef EXEC_LEVEL_H
#define EXEC_LEVEL_H

#include "exec/exec.h"

/* The fastest this host runs. */
const exec_ops *exec_ops_best(void);

/* Level 0, 1, ...; NULL if this build or host lacks it. */
const exec_ops *exec_ops_level(unsigned level);
const char *exec_ops_name(unsigned level); /* NULL behind the last */

#endif
