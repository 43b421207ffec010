/* src/launchfile/plan_image.h - images and samplers of a plan on a device.
 * Borrows everything. */
#ifndef LAUNCHFILE_PLAN_IMAGE_H
#define LAUNCHFILE_PLAN_IMAGE_H

#include "launchfile/plan.h"

/* What the kernel gets for an image, a sampler or both. */
uint64_t plan_handle(const plan_arg *a);

/* Makes the image of `b`, with these texels, x fastest. ST_OK or ST_CONFIG. */
status plan_image_allocate(plan_buffer *b, rt_device *d, const void *texels,
                           diag *dg);
void plan_image_read(const plan_buffer *b, rt_device *d, void *texels);
status plan_samplers_allocate(plan *p, rt_device *d, diag *dg);

#endif
