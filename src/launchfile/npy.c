#include "launchfile/npy.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

/* [NPY:format] magic, version, length of a Python literal, the literal padded
 * to 64 bytes, the data. */
static const char magic[] = "\x93NUMPY";

enum { HEADER_ROOM = 1024 }; /* numpy writes 118 bytes for most arrays */

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
static const char *npy_field(const char *header, const char *key)
{
    char quoted[32];

    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(header, quoted);
    if (!at)
        return NULL;
    at += strlen(quoted);
    return at + strspn(at, " ");
}

/* NULL, or what is wrong. One byte has no order; numpy writes '|', others '<'
 * or '>'. */
static const char *read_npy_type(const char *at, plan_type *out)
{
    if (!at || strnlen(at, 5) < 5 || at[0] != '\'' || !strchr("<>|=", at[1]) ||
        at[4] != '\'')
        return "its elements are no plain numbers";
    for (size_t i = 0; i < COUNTOF(types); i++) {
        if (strncmp(at + 2, types[i].text + 1, 2) != 0)
            continue;
        *out = types[i].type;
        return at[1] == '>' && at[3] != '1' ? "it is big-endian" : NULL;
    }
    return "its element type is not one of u1 to u8, i1 to i8, f2, f4, f8";
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
        if (!isdigit((unsigned char)*at))
            return false;
        char *end;
        uint64_t n = strtoull(at, &end, 10);
        if (n && *count > UINT64_MAX / 8 / n)
            return false;
        *count *= n;
        at = end;
    }
}

/* The header's text, NUL-terminated, and where the data begin. NULL, or what
 * is wrong. */
static const char *read_header(const char *text, size_t size,
                               char header[HEADER_ROOM], size_t *data)
{
    size_t length = 0, bytes, head;

    if (!npy_is(text, size))
        return "it is no .npy file";
    if (size > 6 && (text[6] < 1 || text[6] > 3))
        return "it is an .npy file of an unknown version";
    bytes = size > 6 && text[6] == 1 ? 2 : 4; /* of the length */
    head = 8 + bytes;
    if (size < head)
        return "its header is truncated";
    for (size_t i = 0; i < bytes; i++)
        length |= (size_t)(uint8_t)text[8 + i] << 8 * i;
    if (length > size - head)
        return "its header is truncated";
    if (length >= HEADER_ROOM)
        return "its header is too long for an array of plain numbers";
    memcpy(header, text + head, length);
    header[length] = 0;
    *data = head + length;
    return NULL;
}

status npy_read(const char *path, const char *text, size_t size, diag *dg,
                npy *out)
{
    char header[HEADER_ROOM];
    size_t data = 0;
    const char *why = read_header(text, size, header, &data);

    if (!why)
        why = read_npy_type(npy_field(header, "descr"), &out->type);
    if (!why) {
        const char *order = npy_field(header, "fortran_order");

        if (!read_shape(npy_field(header, "shape"), &out->count))
            why = "its shape cannot be read";
        else if (!order || strncmp(order, "False", 5) != 0)
            why = "it is in Fortran order; numpy.ascontiguousarray helps";
        else if ((size - data) / plan_type_bytes(out->type) < out->count)
            why = "it is truncated: there is less data than its shape says";
    }
    if (why) {
        diag_add(dg, DIAG_ERROR, path, 0, 0, 0, "%s", why);
        return ST_CONFIG;
    }
    out->data = text + data;
    return ST_OK;
}

void npy_write(plan_type type, uint64_t count, const void *data, strbuf *to)
{
    const char *descr = "";
    char header[160];

    for (size_t i = 0; i < COUNTOF(types); i++)
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
