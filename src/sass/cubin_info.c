/* src/sass/cubin_info.c - attributes: a format, a number, and two bytes, which
 * are the value or say how many follow. Those of .nv.info begin with the symbol
 * that they are for; those of .nv.info.NAME are for that function. */
#include <string.h>

#include "base/must.h"
#include "sass/cubin_parts.h"

enum { HEAD_BYTES = 4, PARAM_BYTES_LEAST = 16 };

const char *cubin_attribute_name(unsigned number)
{
    static const char *const names[256] = {
#define ATTRIBUTE(number_, name) [number_] = #name,
#include "sass/cubin_attribute.def"
#undef ATTRIBUTE
    };

    return number < COUNTOF(names) ? names[number] : NULL;
}

static uint32_t word_at(const cubin_attribute *a, unsigned word)
{
    uint32_t value = 0;

    if (4 * word + 4 <= a->size)
        memcpy(&value, a->at + 4 * word, 4);
    return value;
}

static uint32_t short_of(const cubin_attribute *a)
{
    uint16_t value;

    memcpy(&value, a->at, 2);
    return a->format == CUBIN_FORMAT_BYTE ? value & 0xff : value;
}

/* ---- Of a file, for the function that a symbol names ---- */

static bool take_of_symbol(cubin *c, const cubin_attribute *a, diag *dg)
{
    const char *section = c->sections[a->section].name;
    uint32_t symbol = word_at(a, 0), value = word_at(a, 1);
    cubin_function *f;

    if (a->number != CUBIN_A_REGCOUNT && a->number != CUBIN_A_FRAME_SIZE &&
        a->number != CUBIN_A_MIN_STACK_SIZE)
        return true;
    if (a->format != CUBIN_FORMAT_SIZED || a->size < 8)
        return cubin_damaged(c, section, "an attribute is too short", dg);
    if (symbol >= c->symbol_count)
        return cubin_damaged(c, section, "an attribute names no symbol", dg);
    if (!(f = cubin_function_of(c, c->symbols[symbol].section)))
        return true;
    if (symbol != f->symbol)
        f->inner_frames |= a->number == CUBIN_A_FRAME_SIZE && value;
    else if (a->number == CUBIN_A_REGCOUNT)
        f->registers = value;
    else if (a->number == CUBIN_A_FRAME_SIZE)
        f->frame_bytes = value;
    else
        f->stack_bytes = value;
    return true;
}

/* ---- Of a function ---- */

static void take_triple(uint32_t to[3], const cubin_attribute *a)
{
    for (unsigned i = 0; i < 3; i++)
        to[i] = word_at(a, i);
}

static void take_param(cubin_function *f, const cubin_attribute *a)
{
    uint32_t place = word_at(a, 1), number = place & 0xffff;
    uint32_t size = a->number == CUBIN_A_KPARAM_INFO ? word_at(a, 2) >> 18
                                                     : word_at(a, 2) & 0xffff;

    if (number >= f->param_count)
        f->param_count = number + 1;
    f->params[number] = (cubin_param){.offset = place >> 16, .size = size};
}

static void take_of_function(cubin_function *f, const cubin_attribute *a)
{
    switch (a->number) {
    case CUBIN_A_PARAM_CBANK:
        f->param_base = word_at(a, 1) & 0xffff;
        f->param_bytes = word_at(a, 1) >> 16;
        break;
    case CUBIN_A_KPARAM_INFO:
    case CUBIN_A_KPARAM_INFO_V2:
        take_param(f, a);
        break;
    case CUBIN_A_MAX_THREADS:
        take_triple(f->max_threads, a);
        break;
    case CUBIN_A_REQNTID:
        take_triple(f->req_threads, a);
        break;
    case CUBIN_A_CTA_PER_CLUSTER:
        take_triple(f->req_cga, a);
        break;
    case CUBIN_A_MAX_CLUSTER_RANK:
        f->max_cga = word_at(a, 0);
        break;
    case CUBIN_A_EXPLICIT_CLUSTER:
        f->explicit_cga = true;
        break;
    case CUBIN_A_NUM_BARRIERS:
        f->barriers = short_of(a);
        break;
    default: /* nothing that a launch needs */
        break;
    }
}

/* How many parameters a section can describe. */
static uint64_t params_most(const cubin_section *s)
{
    return s->size / PARAM_BYTES_LEAST;
}

static bool check_param(const cubin *c, const cubin_attribute *a, diag *dg)
{
    const cubin_section *s = &c->sections[a->section];

    if (a->number != CUBIN_A_KPARAM_INFO && a->number != CUBIN_A_KPARAM_INFO_V2)
        return true;
    if (a->size < 12)
        return cubin_damaged(c, s->name, "a parameter is too short", dg);
    if ((word_at(a, 1) & 0xffff) >= params_most(s))
        return cubin_damaged(c, s->name, "a parameter has an impossible number",
                             dg);
    return true;
}

/* ---- Sections ---- */

/* The attribute at `at`; its bytes in all, 0 after an error. */
static uint64_t read_attribute(cubin *c, uint32_t section, uint64_t at,
                               cubin_attribute *out, diag *dg)
{
    const cubin_section *s = &c->sections[section];
    uint16_t half;

    if (s->size - at < HEAD_BYTES) {
        cubin_damaged(c, s->name, "it ends inside of an attribute", dg);
        return 0;
    }
    *out = (cubin_attribute){.section = section,
                             .format = s->bytes[at],
                             .number = s->bytes[at + 1],
                             .size = 2,
                             .at = s->bytes + at + 2};
    memcpy(&half, s->bytes + at + 2, 2);
    if (out->format == CUBIN_FORMAT_SIZED) {
        out->size = half;
        out->at += 2;
        if (half > s->size - at - HEAD_BYTES) {
            cubin_damaged(c, s->name, "an attribute ends outside of it", dg);
            return 0;
        }
        return HEAD_BYTES + (uint64_t)half;
    }
    if (out->format < CUBIN_FORMAT_NONE || out->format > CUBIN_FORMAT_SIZED) {
        cubin_damaged(c, s->name, "an attribute has an unknown format", dg);
        return 0;
    }
    return HEAD_BYTES;
}

static bool is_info(const cubin_section *s)
{
    return s->bytes && !strncmp(s->name, ".nv.info", 8) &&
           (!s->name[8] || s->name[8] == '.');
}

static bool read_section(cubin *c, uint32_t section, diag *dg)
{
    const cubin_section *s = &c->sections[section];
    cubin_function *f = s->name[8] ? cubin_function_of(c, s->info) : NULL;
    uint64_t bytes = 0;
    uint32_t first = c->attribute_count;

    if (f && f->params)
        return cubin_damaged(c, s->name, "its function has another such", dg);
    if (f)
        f->params = ARENA_ARRAY(c->mem, cubin_param, params_most(s) + 1);
    for (uint64_t at = 0; at < s->size; at += bytes) {
        cubin_attribute *a = &c->attributes[c->attribute_count];

        if (!(bytes = read_attribute(c, section, at, a, dg)))
            return false;
        c->attribute_count++;
        if (!s->name[8] && !take_of_symbol(c, a, dg))
            return false;
        if (f && !check_param(c, a, dg))
            return false;
        if (f)
            take_of_function(f, a);
    }
    if (f) {
        f->first_attribute = first;
        f->attribute_count = c->attribute_count - first;
    }
    return true;
}

bool cubin_read_info(cubin *c, diag *dg)
{
    uint64_t most = 0;

    for (uint32_t i = 1; i < c->section_count; i++)
        most += is_info(&c->sections[i]) ? c->sections[i].size / HEAD_BYTES : 0;
    c->attributes = ARENA_ARRAY(c->mem, cubin_attribute, most + 1);
    for (uint32_t i = 1; i < c->section_count; i++)
        if (is_info(&c->sections[i]) && !read_section(c, i, dg))
            return false;
    return true;
}
