/* src/opencl/ptx_text.h - what the driver must know of PTX before it is
 * compiled. */
#ifndef OPENCL_PTX_TEXT_H
#define OPENCL_PTX_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Does PTX begin here? Comments may stand before it. */
bool ptx_text_is(const char *text, size_t size);

/* Are there functions that are declared and have no body, and that no device
 * has either? A line for each is added to `log`. */
bool ptx_text_undefined(const char *text, strbuf *log);

#endif
