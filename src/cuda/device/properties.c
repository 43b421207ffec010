#include "cuda/device/properties.h"

#include <string.h>

#include "base/must.h"
#include "cuda/stream/window.h"
#include "isa/program.h"

/* ---- Attributes ---- */

static int64_t least(uint64_t a, uint64_t b)
{
    return (int64_t)(a < b ? a : b);
}

static int64_t bus_bytes(const config *c)
{
    return (int64_t)c->dram.channels * c->dram.bus_bytes;
}

/* Rounds of single precision in the time of one of double precision. */
static int64_t double_ratio(const config *c)
{
    unsigned single = c->sm.op.fp32.interval;
    unsigned twice = c->sm.op.fp64.interval;

    return twice > single && single ? twice / single : 1;
}

bool device_attribute(const cu_device *d, int number, int64_t *value)
{
    const config *c = d->drv->cfg;

    switch (number) {
#define ATTRIBUTE(n, is)                                                       \
    case n:                                                                    \
        *value = (int64_t)(is);                                                \
        return true;
#include "cuda/device/attributes.def"
#undef ATTRIBUTE
    default:
        return false;
    }
}

/* ---- cudaDeviceProp ---- */

enum {
    ONLY_11 = 1 << 0,
    ONLY_12 = 1 << 1,
    ONLY_13 = 1 << 2,
    OLD = ONLY_11 | ONLY_12,
    NEW = ONLY_12 | ONLY_13,
    ALL = OLD | ONLY_13,
};

typedef enum field_type {
    TYPE_char,
    TYPE_cudaUUID_t,
    TYPE_unsigned,
    TYPE_int,
    TYPE_size_t
} field_type;

typedef struct field {
    unsigned generations;
    const char *name;
    unsigned size, align; /* bytes, of one */
    unsigned count;
    int attribute; /* of the first; 0: none */
} field;

/* An array of nothing is one. */
#define FIELD_BYTES(type, count) sizeof(struct { type is count; })

static const field fields[] = {
#define FIELD(generations, type, name, count, attribute)                       \
    {(generations),                                                            \
     #name,                                                                    \
     sizeof(type),                                                             \
     _Alignof(type),                                                           \
     (unsigned)(FIELD_BYTES(type, count) / sizeof(type)),                      \
     (attribute)},
#include "cuda/device/properties.def"
#undef FIELD
};

static void put_number(uint8_t *to, unsigned size, int64_t value)
{
    int32_t narrow = value > INT32_MAX ? INT32_MAX : (int32_t)value;

    if (size == sizeof value)
        memcpy(to, &value, sizeof value);
    else
        memcpy(to, &narrow, sizeof narrow);
}

static void put_attributes(const cu_device *d, const field *f, uint8_t *to)
{
    for (unsigned i = 0; i < f->count; i++) {
        int64_t value;

        MUST(device_attribute(d, f->attribute + (int)i, &value));
        put_number(to + (size_t)i * f->size, f->size, value);
    }
}

void device_uuid(const cu_device *d, void *to)
{
    memcpy(to, "Heddle simulated", 16);
    ((uint8_t *)to)[15] = (uint8_t)d->number;
}

static void put_special(const cu_device *d, const field *f, uint8_t *to)
{
    const config *c = d->drv->cfg;

    memset(to, 0, (size_t)f->size * f->count);
    if (!strcmp(f->name, "name"))
        strncpy((char *)to, c->gpu.name, f->count - 1);
    else if (!strcmp(f->name, "uuid"))
        device_uuid(d, to);
    else if (!strcmp(f->name, "totalGlobalMem"))
        put_number(to, f->size, (int64_t)c->gpu.global_bytes);
}

static unsigned generation_bit(cu_generation g)
{
    switch (g) {
    case CUDA_11:
        return ONLY_11;
    case CUDA_12:
        return ONLY_12;
    case CUDA_13:
        return ONLY_13;
    }
    MUST(!"every value is above");
}

void device_properties(const cu_device *d, cu_generation g, void *to)
{
    size_t at = 0;

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const field *f = &fields[i];

        if (!(f->generations & generation_bit(g)))
            continue;
        at = (at + f->align - 1) / f->align * f->align;
        if (f->attribute)
            put_attributes(d, f, (uint8_t *)to + at);
        else
            put_special(d, f, (uint8_t *)to + at);
        at += (size_t)f->size * f->count;
    }
}
