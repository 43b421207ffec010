/* src/opencl/memory/image_object.h - what the files about images share. */
#ifndef OPENCL_MEMORY_IMAGE_OBJECT_H
#define OPENCL_MEMORY_IMAGE_OBJECT_H

#include "opencl/memory/memory.h"
#include "runtime/image.h"

/* ---- Formats (format.c) ---- */

/* Is it one of the specification's? CL_SUCCESS or
 * CL_INVALID_IMAGE_FORMAT_DESCRIPTOR. */
cl_int format_check(const char *function, const cl_image_format *f);
bool format_supported(const cl_image_format *f);
/* Of a texel; 0 if it is not supported. */
size_t format_bytes(const cl_image_format *f);

/* ---- Shapes (image_object.c) ---- */

/* Texels in each of the API's dimensions, layers included. */
void image_size(const struct _cl_mem *m, size_t size[3]);

/* ---- Simulated images (image_box.c) ---- */

/* Bytes of memory that such an image in tiles takes. */
uint64_t image_bytes(const rt_image_desc *r);
/* Gives the object its number; false: there are too many. */
bool image_add(cl_mem m, const rt_image_desc *r);
/* Fills a box with a colour: channels as the type has them in registers.
 * Called by the worker. */
void image_fill(const struct _cl_mem *m, const size_t origin[3],
                const size_t region[3], const uint32_t rgba[4]);

#endif
