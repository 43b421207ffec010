/* src/opencl/absent.h - what is called in place of functions that exist only
 * on other systems, and prototypes that no header has. */
#ifndef OPENCL_ABSENT_H
#define OPENCL_ABSENT_H

#include "opencl/opencl.h"

cl_int absent_elsewhere(void);

#endif
