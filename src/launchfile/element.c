#include "launchfile/element.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

static double half_get(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 31  ? (m ? NAN : INFINITY)
               : e == 0 ? ldexp(m, -24)
                        : ldexp(m + 1024, e - 25);

    return h >> 15 ? -v : v;
}

static uint16_t half_put(double v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;

    v = fabs(v);
    if (isnan(v))
        return 0x7fff;
    if (v >= 65520)
        return sign | 0x7c00;
    if (v < ldexp(1, -14))
        return sign | (uint16_t)rint(ldexp(v, 24));
    int e;
    double m = rint(ldexp(frexp(v, &e), 11)); /* 1024..2048 */
    return sign | (uint16_t)(((e + 13) << 10) + (int)m);
}

double element_get(plan_type t, const void *at)
{
    union {
        uint64_t u;
        int64_t s;
        float f;
        double d;
    } v = {0};

    memcpy(&v, at, plan_type_bytes(t));
    switch (t) {
    case TYPE_S8:
        return (int8_t)v.u;
    case TYPE_S16:
        return (int16_t)v.u;
    case TYPE_S32:
        return (int32_t)v.u;
    case TYPE_S64:
        return (double)v.s;
    case TYPE_F16:
        return half_get((uint16_t)v.u);
    case TYPE_F32:
        return v.f;
    case TYPE_F64:
        return v.d;
    case TYPE_U8:
    case TYPE_U16:
    case TYPE_U32:
    case TYPE_U64:
    case TYPE_NONE:
        return (double)v.u;
    }
    MUST(!"every value is above");
}

static uint64_t saturate_element(plan_type t, double v)
{
    unsigned bits = 8 * plan_type_bytes(t);
    bool is_signed = t >= TYPE_S8 && t <= TYPE_S64;
    double top = ldexp(1, (int)bits - is_signed);

    if (isnan(v))
        return 0;
    v = rint(v);
    if (is_signed) {
        if (v >= top)
            return ((uint64_t)1 << (bits - 1)) - 1;
        return (uint64_t)(v < -top ? INT64_MIN >> (64 - bits) : (int64_t)v);
    }
    if (v >= top)
        return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return v < 0 ? 0 : (uint64_t)v;
}

void element_put(plan_type t, void *at, double value)
{
    float f = (float)value;
    uint16_t h;
    uint64_t u;

    switch (t) {
    case TYPE_F16:
        h = half_put(value);
        memcpy(at, &h, 2);
        break;
    case TYPE_F32:
        memcpy(at, &f, 4);
        break;
    case TYPE_F64:
        memcpy(at, &value, 8);
        break;
    case TYPE_U8:
    case TYPE_U16:
    case TYPE_U32:
    case TYPE_U64:
    case TYPE_S8:
    case TYPE_S16:
    case TYPE_S32:
    case TYPE_S64:
    case TYPE_NONE:
        u = saturate_element(t, value);
        memcpy(at, &u, plan_type_bytes(t));
    }
}

/* An integer of `bits` bits: anything that fits signed or unsigned, since the
 * types of PTX parameters rarely tell which is meant. */
static bool parse_whole(const char *text, unsigned bits, uint64_t *out)
{
    char *end;

    errno = 0;
    if (*text == '-') {
        long long v = strtoll(text, &end, 0);

        if (errno || end == text || *end || v < INT64_MIN >> (64 - bits))
            return false;
        *out = (uint64_t)v;
        return true;
    }
    unsigned long long v = strtoull(text, &end, 0);
    if (errno || end == text || *end || (bits < 64 && v >> bits))
        return false;
    *out = v;
    return true;
}

/* 0f and eight, or 0d and sixteen hexadecimal digits [PTX85:constants]. */
static bool parse_bits(plan_type t, const char *text, uint64_t *out)
{
    char letter = t == TYPE_F32 ? 'f' : 'd';
    size_t digits = 2 * plan_type_bytes(t);

    if (t == TYPE_F16 || text[0] != '0' ||
        tolower((unsigned char)text[1]) != letter ||
        strlen(text) != 2 + digits ||
        strspn(text + 2, "0123456789abcdefABCDEF") != digits)
        return false;
    *out = strtoull(text + 2, NULL, 16);
    return true;
}

/* A single is read as one: by way of a double it would be rounded twice. */
static bool parse_real(plan_type t, const char *text, void *at)
{
    char *end;
    uint64_t bits;

    if (parse_bits(t, text, &bits)) {
        memcpy(at, &bits, plan_type_bytes(t));
        return true;
    }
    double v = t == TYPE_F32 ? strtof(text, &end) : strtod(text, &end);
    if (end == text || *end)
        return false;
    element_put(t, at, v);
    return !isinf(element_get(t, at)) || strpbrk(text, "iI");
}

bool element_parse(plan_type t, const char *text, void *at)
{
    uint64_t u;

    if (!*text || isspace((unsigned char)*text))
        return false;
    if (t >= TYPE_F16)
        return parse_real(t, text, at);
    if (!parse_whole(text, 8 * plan_type_bytes(t), &u))
        return false;
    memcpy(at, &u, plan_type_bytes(t));
    return true;
}
