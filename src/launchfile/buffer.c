#include "launchfile/buffer.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "launchfile/element.h"

bool buffer_init_find(const char *name, plan_init *out)
{
    static const char *const names[] = {
        [INIT_ZERO] = "zero",
        [INIT_IOTA] = "iota",
        [INIT_CONSTANT] = "constant",
        [INIT_UNIFORM] = "uniform",
    };

    for (size_t i = 0; i < COUNTOF(names); i++)
        if (!strcmp(names[i], name)) {
            *out = (plan_init)i;
            return true;
        }
    return false;
}

bool buffer_name_good(const char *name)
{
    return (isalpha((unsigned char)*name) || *name == '_') &&
           !strchr(name, '=');
}

static bool parse_real(const char *text, double *out)
{
    char *end;

    if (isspace((unsigned char)*text))
        return false;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

static bool parse_u64(const char *text, uint64_t *out)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return !errno && !*end;
}

const char *buffer_set(plan_buffer *b, const char *key, const char *text)
{
    if (!strcmp(key, "seed")) {
        b->given |= GAVE_SEED;
        return parse_u64(text, &b->seed)
                   ? NULL
                   : "the seed is no whole number from 0 to 2^64 - 1";
    }
    if (!strcmp(key, "min")) {
        b->given |= GAVE_MIN;
        return parse_real(text, &b->min) ? NULL : "min is no number";
    }
    if (!strcmp(key, "max")) {
        b->given |= GAVE_MAX;
        return parse_real(text, &b->max) ? NULL : "max is no number";
    }
    if (!strcmp(key, "value")) {
        b->given |= GAVE_VALUE;
        b->value = text;
        return NULL;
    }
    return "generators know seed, min, max and value";
}

/* Integers: both limits must be values of the type, or saturation would make
 * the ends likelier than the rest. */
static bool in_type(plan_type t, double v)
{
    uint64_t bits = 0;

    element_put(t, &bits, v);
    return element_get(t, &bits) == v;
}

static const char *check_range(plan_buffer *b)
{
    bool real = b->type >= TYPE_F16;

    if (!(b->given & GAVE_MIN))
        b->min = 0;
    if (!(b->given & GAVE_MAX))
        b->max = real ? 1 : 100;
    if (b->min > b->max)
        return "min is larger than max (by default 1, for integers 100)";
    if (!real && (!in_type(b->type, b->min) || !in_type(b->type, b->max)))
        return "min or max is no value of that type";
    return NULL;
}

const char *buffer_check(plan_buffer *b)
{
    unsigned useful = b->init == INIT_CONSTANT ? GAVE_VALUE
                      : b->init == INIT_UNIFORM
                          ? GAVE_SEED | GAVE_MIN | GAVE_MAX
                          : 0;

    if (b->given & ~useful)
        return b->init == INIT_FILE ? "a file has no seed, min, max, value"
               : b->init == INIT_CONSTANT ? "constant knows only value"
               : b->init == INIT_UNIFORM  ? "uniform knows seed, min and max"
                                          : "zero and iota have no options";
    if (b->init == INIT_CONSTANT && !b->value)
        return "constant needs a value";
    if (b->type == TYPE_NONE)
        return NULL;
    if (b->init == INIT_CONSTANT && !element_parse(b->type, b->value, &b->bits))
        return "the value is not of that type";
    return b->init == INIT_UNIFORM ? check_range(b) : NULL;
}

rng buffer_rng(const plan_buffer *b)
{
    rng r;

    rng_init(&r, b->seed, "buffer");
    return r;
}

/* One of min, min + 1 ... max; the rounding of large ones must not pass it. */
static double random_whole(const plan_buffer *b, rng *r)
{
    double v = floor(b->min + rng_unit(r) * (b->max - b->min + 1));

    return v > b->max ? b->max : v;
}

void buffer_fill(const plan_buffer *b, rng *r, uint64_t first, uint64_t count,
                 void *to)
{
    unsigned size = plan_type_bytes(b->type);
    bool real = b->type >= TYPE_F16;
    uint8_t *at = to;

    for (uint64_t i = first; i < first + count; i++, at += size) {
        if (b->init == INIT_CONSTANT)
            memcpy(at, &b->bits, size);
        else if (b->init == INIT_IOTA && real)
            element_put(b->type, at, (double)i);
        else if (b->init == INIT_IOTA)
            memcpy(at, &i, size); /* wraps */
        else if (b->init == INIT_UNIFORM && real)
            element_put(b->type, at, b->min + rng_unit(r) * (b->max - b->min));
        else if (b->init == INIT_UNIFORM)
            element_put(b->type, at, random_whole(b, r));
        else
            memset(at, 0, size);
    }
}
