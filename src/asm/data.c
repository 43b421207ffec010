/* src/asm/data.c - bytes that a program brings along. */
#include "asm/data.h"

#include <inttypes.h>
#include <string.h>

#include "asm/expr.h"

/* Of one variable: a mistyped size must not fill the host's memory. */
enum { INITIAL_MAX = 256 << 20 };

static uint64_t data_room(const asm_parser *a)
{
    uint64_t size;

    if (a->data == &a->constants)
        return CBANK_BYTES;
    size = a->p->vars[a->var].size;
    return size < INITIAL_MAX ? size : INITIAL_MAX;
}

static bool put_data_bytes(asm_parser *a, const asm_token *at, uint64_t value,
                           unsigned bytes)
{
    uint64_t room = data_room(a);

    if (a->data == &a->initial && a->p->vars[a->var].space == SPACE_SHARED)
        return asm_fail(a, at, "shared memory has no initial value");
    if (a->data->size + bytes > room)
        return asm_fail(a, at, "more data than the %" PRIu64 " bytes there are",
                        room);
    for (unsigned i = 0; i < bytes; i++)
        strbuf_putc(a->data, (char)(value >> 8 * i & 0xff));
    a->data_given = true;
    return true;
}

bool asm_data_int(asm_parser *a, unsigned bytes)
{
    int64_t least = bytes == 8 ? INT64_MIN : -((int64_t)1 << (8 * bytes - 1));
    int64_t most = bytes == 8 ? INT64_MAX : ((int64_t)1 << 8 * bytes) - 1;

    do {
        asm_token at = a->tok;
        int64_t value;

        if (!asm_int(a, least, most, &value) ||
            !put_data_bytes(a, &at, (uint64_t)value, bytes))
            return false;
    } while (asm_accept(a, ','));
    return true;
}

bool asm_data_float(asm_parser *a, unsigned bytes)
{
    do {
        asm_token at = a->tok;
        asm_value v;
        uint64_t bits;
        uint32_t single = 0;

        if (!asm_expr(a, &v))
            return false;
        at = asm_span(a, &at);
        if (!(bytes == 4 ? asm_value_f32(a, &v, &at, &single)
                         : asm_value_f64(a, &v, &at, &bits)))
            return false;
        if (!put_data_bytes(a, &at, bytes == 4 ? single : bits, bytes))
            return false;
    } while (asm_accept(a, ','));
    return true;
}

bool asm_data_zero(asm_parser *a, unsigned unused)
{
    asm_token at = a->tok;
    int64_t count;

    (void)unused;
    if (!asm_int(a, 0, INITIAL_MAX, &count))
        return false;
    if ((uint64_t)count > data_room(a) - a->data->size)
        return asm_fail(a, &at,
                        "more data than the %" PRIu64 " bytes there are",
                        data_room(a));
    if (!put_data_bytes(a, &at, 0, 0))
        return false;
    for (int64_t i = 0; i < count; i++)
        strbuf_putc(a->data, 0);
    return true;
}

/* What a variable has no data for is zero. */
static void finish_var(asm_parser *a)
{
    isa_var *v = &a->p->vars[a->var];
    uint8_t *init;

    if (v->size > INITIAL_MAX) {
        asm_token at = a->tok;

        asm_fail(a, &at, "a variable with data has at most %d bytes",
                 INITIAL_MAX);
        return;
    }
    init = arena_alloc(a->p->mem, v->size ? v->size : 1);
    if (a->initial.size)
        memcpy(init, a->initial.text, a->initial.size);
    v->init = init;
}

void asm_data_end(asm_parser *a)
{
    if (a->data == &a->initial && a->data_given)
        finish_var(a);
    if (a->data == &a->initial)
        a->initial.size = 0;
    a->data = NULL;
    a->data_given = false;
}
