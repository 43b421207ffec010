/* src/sass/shape_parse.c - reading of the shapes of shape.def. */
#include <string.h>

#include "sass/parse_parts.h"
#include "sass/shape.h"

typedef struct shape_parser {
    const char **at;
    unsigned sm;
    uint64_t address;
    const sass_labels *labels;
    sass_word *w;
} shape_parser;

static bool parse_plut(shape_parser *p)
{
    int64_t v;

    if (!sass_read_number(p->at, &v) || v < 0 || v > 0xff)
        return false;
    sass_set(p->w, 64, 3, (uint64_t)v & 7);
    sass_set(p->w, 72, 5, (uint64_t)v >> 3);
    return true;
}

static bool parse_bank(shape_parser *p)
{
    return sass_read_text(p->at, "c[") &&
           sass_read_unsigned(p->at, p->w, 54, 5) &&
           sass_read_text(p->at, "]") && sass_read_text(p->at, "[");
}

static bool parse_cbank(shape_parser *p)
{
    return parse_bank(p) && sass_read_unsigned(p->at, p->w, 38, 16) &&
           sass_read_text(p->at, "]");
}

static bool parse_indexed(shape_parser *p, bool uniform)
{
    unsigned base;

    if (!parse_bank(p) || !sass_read_register(p->at, uniform, &base))
        return false;
    sass_set(p->w, 24, 8, base);
    sass_set(p->w, 38, 16, 0);
    if (sass_read_maybe(p->at, "+") && !sass_read_signed(p->at, p->w, 38, 16))
        return false;
    return sass_read_text(p->at, "]");
}

static bool parse_rcbank(shape_parser *p)
{
    const char *from = *p->at;

    sass_set(p->w, 24, 8, SASS_RZ);
    if (parse_cbank(p))
        return true;
    *p->at = from;
    return parse_indexed(p, false);
}

static bool parse_ucbank(shape_parser *p) { return parse_indexed(p, true); }

/* "+0x10", "+-0x10" or nothing. */
static bool parse_offset(shape_parser *p, unsigned bit, unsigned width)
{
    sass_set(p->w, bit, width, 0);
    return !sass_read_maybe(p->at, "+") ||
           sass_read_signed(p->at, p->w, bit, width);
}

/* In shared memory: a register, a uniform one, an offset. */
static bool parse_copied_to(shape_parser *p, bool uniform)
{
    unsigned base = SASS_RZ, ur;
    const char *from;

    if (!sass_read_text(p->at, "["))
        return false;
    from = *p->at;
    if (!sass_read_register(p->at, false, &base)) {
        if (!uniform)
            return false;
        *p->at = from;
        base = SASS_RZ;
    } else if (uniform && !sass_read_text(p->at, "+")) {
        return false;
    }
    sass_set(p->w, 16, 8, base);
    if (uniform) {
        if (!sass_read_register(p->at, true, &ur))
            return false;
        sass_set(p->w, 64, 6, ur);
    }
    return parse_offset(p, 44, 20) && sass_read_text(p->at, "]");
}

static bool parse_copied_from(shape_parser *p, bool uniform)
{
    unsigned base, ur = SASS_URZ;
    bool described = sass_read_maybe(p->at, "desc[");
    const char *from;

    if (described &&
        (!sass_read_register(p->at, true, &ur) || !sass_read_text(p->at, "]")))
        return false;
    if (!sass_read_text(p->at, "[") || !sass_read_register(p->at, false, &base))
        return false;
    sass_set(p->w, 24, 8, base);
    sass_set(p->w, 70, 1, sass_read_maybe(p->at, ".64"));
    sass_read_maybe(p->at, ".U32");
    from = *p->at;
    if (uniform && !described && sass_read_maybe(p->at, "+") &&
        !sass_read_register(p->at, true, &ur)) {
        *p->at = from;
        ur = SASS_URZ;
    }
    sass_set(p->w, 101, 1, described);
    if (uniform)
        sass_set(p->w, 64, 6, ur);
    else if (described && ((sass_get(*p->w, 64, 6) + 1) & SASS_URZ) != ur)
        return false; /* the descriptor is behind the other register */
    return parse_offset(p, 32, 12) && sass_read_text(p->at, "]");
}

static bool parse_ldgsts(shape_parser *p)
{
    bool shared = sass_get(*p->w, 9, 3) == 6;
    unsigned predicate = SASS_PT;

    if (!parse_copied_to(p, shared) || !sass_read_text(p->at, ",") ||
        !parse_copied_from(p, !shared))
        return false;
    if (sass_read_maybe(p->at, ",") &&
        !sass_read_predicate(p->at, false, true, &predicate))
        return false;
    sass_set(p->w, 87, 4, predicate);
    sass_set(p->w, 76, 1, 1);
    return true;
}

static bool parse_depbar(shape_parser *p)
{
    unsigned n;

    if (!sass_read_counted(p->at, "SB", 7, &n) || !sass_read_text(p->at, ",") ||
        !sass_read_unsigned(p->at, p->w, 38, 6))
        return false;
    sass_set(p->w, 44, 3, n);
    if (!sass_read_maybe(p->at, ","))
        return true;
    if (!sass_read_text(p->at, "{"))
        return false;
    do {
        if (!sass_read_counted(p->at, "", 5, &n))
            return false;
        sass_set(p->w, 32 + n, 1, 1);
    } while (sass_read_maybe(p->at, ","));
    return sass_read_text(p->at, "}");
}

static bool parse_distance(shape_parser *p, uint64_t from)
{
    uint64_t to;

    return sass_read_place(p->at, p->labels, &to) &&
           sass_set_jump(p->sm, p->w, (int64_t)(to - from));
}

/* A distance, or the label that it leads to with a register of 0. */
static bool parse_jrel(shape_parser *p)
{
    bool label = (*p->at)[strspn(*p->at, " ")] == '.';

    return parse_distance(p, label ? p->address + SASS_BYTES : 0);
}

static bool parse_jabs(shape_parser *p)
{
    uint64_t to;

    if (!sass_read_place(p->at, p->labels, &to) || to > UINT32_MAX)
        return false;
    sass_set(p->w, 32, 32, to);
    return true;
}

static bool parse_jret(shape_parser *p)
{
    return parse_distance(p,
                          sass_get(*p->w, 85, 1) ? 0 : p->address + SASS_BYTES);
}

static bool parse_jbssy(shape_parser *p)
{
    int64_t words;
    uint64_t to;

    if (!sass_read_place(p->at, p->labels, &to) || to % 4)
        return false;
    words = (int64_t)(to - p->address - SASS_BYTES) / 4;
    sass_set(p->w, 34, 30, (uint64_t)words);
    return sass_get_signed(*p->w, 34, 30) == words;
}

static bool parse_cctl(shape_parser *p)
{
    unsigned base = SASS_RZ;

    if (sass_read_maybe(p->at, "[") &&
        (!sass_read_register(p->at, false, &base) || !parse_offset(p, 32, 32) ||
         !sass_read_text(p->at, "]")))
        return false;
    sass_set(p->w, 24, 8, base);
    return true;
}

static bool parse_lepc(shape_parser *p)
{
    uint64_t to;

    if (!sass_read_place(p->at, p->labels, &to))
        return false;
    to -= p->address + SASS_BYTES;
    sass_set(p->w, 24, 8, to);
    return to < 256;
}

static bool parse_texdim(shape_parser *p)
{
    for (unsigned i = 0; i < 8; i++)
        if (sass_read_maybe(p->at, sass_dims[i])) {
            sass_set(p->w, 61, 3, i);
            return true;
        }
    return false;
}

static bool parse_suaddr(shape_parser *p)
{
    unsigned base;

    if (!sass_read_text(p->at, "[") ||
        !sass_read_register(p->at, false, &base) || !sass_read_text(p->at, "]"))
        return false;
    sass_set(p->w, 24, 8, base);
    return true;
}

static bool parse_collective(shape_parser *p)
{
    unsigned mask;

    if (!sass_read_register(p->at, false, &mask) || !sass_read_text(p->at, ","))
        return false;
    sass_set(p->w, 24, 8, mask);
    return parse_distance(p, p->address + SASS_BYTES);
}

static bool parse_uniform_place(shape_parser *p, unsigned bit,
                                const char *before)
{
    unsigned ur;

    if (!sass_read_text(p->at, before) || !sass_read_register(p->at, true, &ur))
        return false;
    sass_set(p->w, bit, 6, ur);
    return true;
}

static bool parse_usync(shape_parser *p)
{
    return parse_uniform_place(p, 24, "[") && parse_offset(p, 40, 24) &&
           sass_read_text(p->at, "]");
}

static bool parse_usrc(shape_parser *p)
{
    return parse_uniform_place(p, 24, "[") && sass_read_text(p->at, "]");
}

static bool parse_udst(shape_parser *p)
{
    return parse_uniform_place(p, 32, "[") && sass_read_text(p->at, "]");
}

static bool parse_uhint(shape_parser *p)
{
    return parse_uniform_place(p, 40, "desc[") && sass_read_text(p->at, "]");
}

bool sass_parse_shape(unsigned shape, const char **at, unsigned sm,
                      uint64_t address, const sass_labels *labels, sass_word *w)
{
    static bool (*const parsers[SASS_SHAPES])(shape_parser *) = {
#define SHAPE(name, bits) parse_##name,
#include "sass/shape.def"
#undef SHAPE
    };
    shape_parser p = {at, sm, address, labels, w};

    return parsers[shape](&p);
}
