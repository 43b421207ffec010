/* src/sass/shape.h - operands that occur with one or two operations: the rows
 * of shape.def. */
#ifndef SASS_SHAPE_H
#define SASS_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "sass/encoding.h"

typedef enum sass_shape_id {
#define SHAPE(name, bits) SHAPE_##name,
#include "sass/shape.def"
#undef SHAPE
    SASS_SHAPES
} sass_shape_id;

typedef struct sass_shape {
    const char *name, *bits;
    void (*print)(const sass_table *t, sass_word w, uint64_t address,
                  strbuf *out);
} sass_shape;

extern const sass_shape sass_shapes[SASS_SHAPES];

/* Kinds of textures, by their number. */
extern const char *const sass_dims[8];

unsigned sass_shape_named(const char *name, size_t length);

/* Registers as they print: R0 to R254, RZ; UR0 to UR62, URZ. */
void sass_put_register(unsigned number, bool uniform, strbuf *out);

#endif
