/* src/cuda/driver_api/driver_context.h - contexts. All contexts of a device
 * share its memory, streams and modules: they are names for the device, of
 * which a thread has a stack. */
#ifndef CUDA_DRIVER_API_DRIVER_CONTEXT_H
#define CUDA_DRIVER_API_DRIVER_CONTEXT_H

#include "cuda/door.h"
#include "cuda/driver_api/driver_functions.h"

/* Has this thread a current context? */
bool context_is_current(void);
/* The current context, NULL: none. With the lock. */
CUcontext context_current(void);
/* The primary context of the device, NULL: no memory. With the lock. */
CUcontext context_primary(cu_device *d);
/* Its device; NULL: it is no context, reported. With the lock. */
cu_device *context_device(CUcontext handle);

#endif
