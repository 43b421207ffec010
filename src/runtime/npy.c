#include "runtime/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* [NPY:format] magic, version, length of a Python literal, the literal padded
 * to 64 bytes, the data. */
static const char magic[] = "\x93NUMPY";

static const struct {
    const char *text;
    plan_type type;
} types[] = {
    {"|u1", TYPE_U8},  {"<u2", TYPE_U16}, {"<u4", TYPE_U32}, {"<u8", TYPE_U64},
    {"|i1", TYPE_S8},  {"<i2", TYPE_S16}, {"<i4", TYPE_S32}, {"<i8", TYPE_S64},
    {"<f2", TYPE_F16}, {"<f4", TYPE_F32}, {"<f8", TYPE_F64},
};

bool npy_is(const char *text, size_t size)
{
    return size >= 6 && !memcmp(text, magic, 6);
}

/* Behind `'key':` in the header, NULL if it is not there. */
static const char *field(const char *header, const char *key)
{
    char quoted[32];

    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(header, quoted);
    if (!at)
        return NULL;
    at += strlen(quoted);
    return at + strspn(at, " ");
}

static bool read_type(const char *at, plan_type *out)
{
    for (size_t i = 0; at && i < sizeof types / sizeof *types; i++)
        if (*at == '\'' && !strncmp(at + 1, types[i].text, 3) &&
            at[4] == '\'') {
            *out = types[i].type;
            return true;
        }
    return false;
}

/* (2, 3), (5,) or (). */
static bool read_shape(const char *at, uint64_t *count)
{
    if (!at || *at++ != '(')
        return false;
    *count = 1;
    for (;;) {
        at += strspn(at, " ,");
        if (*at == ')')
            return true;
        char *end;
        uint64_t n = strtoull(at, &end, 10);
        if (end == at || (n && *count > UINT64_MAX / 8 / n))
            return false;
        *count *= n;
        at = end;
    }
}

status npy_read(const char *path, const char *text, size_t size, diag *dg,
                npy *out)
{
    const char *why = NULL;
    size_t head = 10, length = 0;
    char header[1024];

    if (!npy_is(text, size) || size < 12) {
        why = "it is not an .npy file";
    } else if (text[6] == 1) {
        length = (uint8_t)text[8] | (size_t)(uint8_t)text[9] << 8;
    } else {
        head = 12;
        for (unsigned i = 0; i < 4; i++)
            length |= (size_t)(uint8_t)text[8 + i] << 8 * i;
    }
    if (!why && (length >= sizeof header || head + length > size))
        why = "its header is truncated";
    if (!why) {
        memcpy(header, text + head, length);
        header[length] = 0;
        const char *order = field(header, "fortran_order");
        if (!read_type(field(header, "descr"), &out->type))
            why = "its element type is not one of u1..u8, i1..i8, f2, f4, f8, "
                  "little-endian";
        else if (!order || strncmp(order, "False", 5))
            why = "it is in Fortran order";
        else if (!read_shape(field(header, "shape"), &out->count))
            why = "its shape cannot be read";
        else if (size - head - length <
                 out->count * plan_type_bytes(out->type))
            why = "it is truncated: there is less data than its shape says";
    }
    if (why) {
        diag_add(dg, DIAG_ERROR, path, 0, 0, 0, "%s", why);
        return ST_CONFIG;
    }
    out->data = text + head + length;
    return ST_OK;
}

void npy_write(plan_type type, uint64_t count, const void *data, strbuf *to)
{
    const char *descr = "";
    char header[160];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            descr = types[i].text;
    int n = snprintf(header, sizeof header,
                     "{'descr': '%s', 'fortran_order': False, 'shape': "
                     "(%" PRIu64 ",), }",
                     descr, count);
    unsigned padded = (10u + (unsigned)n + 1 + 63) / 64 * 64 - 10;
    memset(header + n, ' ', padded - (unsigned)n);
    header[padded - 1] = '\n';
    strbuf_write(to, magic, 6);
    strbuf_write(to, "\x01\x00", 2);
    strbuf_putc(to, (char)(padded & 255));
    strbuf_putc(to, (char)(padded >> 8));
    strbuf_write(to, header, padded);
    strbuf_write(to, data, count * plan_type_bytes(type));
}
