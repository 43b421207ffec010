/* The arguments of a launch, checked against the kernel's parameters. */
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/alloc.h"
#include "base/plural.h"

/* "parameter 2 ('n', 4 bytes)". */
static void put_parameter(const isa_param *p, uint64_t i, strbuf *out)
{
    strbuf_printf(out, "parameter %llu ", (unsigned long long)i);
    if (p->name && *p->name)
        strbuf_printf(out, "('%s', %u byte%s)", p->name, p->size,
                      word_plural(p->size));
    else
        strbuf_printf(out, "(%u byte%s)", p->size, word_plural(p->size));
}

__attribute__((format(printf, 4, 5))) static bool
refuse(heddle_sim *sim, const isa_param *p, uint64_t i, const char *fmt, ...)
{
    strbuf text = {0};
    va_list ap;

    put_parameter(p, i, &text);
    strbuf_puts(&text, ": ");
    va_start(ap, fmt);
    strbuf_vprintf(&text, fmt, ap);
    va_end(ap);
    diag_error(sim->dg, "%s", text.text);
    strbuf_fini(&text);
    return false;
}

static bool put_value(heddle_sim *sim, const isa_param *p, uint64_t i,
                      const heddle_arg *a, uint8_t *to)
{
    if (p->kind == PARAM_IMAGE || p->kind == PARAM_SAMPLER)
        return refuse(sim, p, i, "images and samplers cannot be given");
    if (a->offset)
        return refuse(sim, p, i, "a value has no offset");
    if (a->size != p->size)
        return refuse(sim, p, i, "the argument has %llu byte%s",
                      (unsigned long long)a->size, word_plural(a->size));
    memcpy(to, a->value, p->size);
    return true;
}

static bool put_buffer(heddle_sim *sim, const isa_param *p, uint64_t i,
                       const heddle_arg *a, uint8_t *to)
{
    const heddle_buffer *b = a->buffer;

    if (b->sim != sim)
        return refuse(sim, p, i, "the buffer is of another simulation");
    if (a->size)
        return refuse(sim, p, i,
                      "the argument is a buffer and has a size, "
                      "which is of values");
    if (p->size != 8 || (p->kind != PARAM_INT && p->kind != PARAM_POINTER))
        return refuse(sim, p, i,
                      "it is no pointer, but the argument is the "
                      "buffer '%s'",
                      b->name);
    if (a->offset > b->size)
        return refuse(sim, p, i, "offset %llu is not in the %llu bytes of '%s'",
                      (unsigned long long)a->offset,
                      (unsigned long long)b->size, b->name);
    uint64_t addr = b->addr + a->offset;
    memcpy(to, &addr, sizeof addr);
    return true;
}

static bool put_argument(heddle_sim *sim, const isa_param *p, uint64_t i,
                         const heddle_arg *a, uint8_t *to)
{
    if (!a->value == !a->buffer)
        return refuse(sim, p, i,
                      a->value ? "the argument is a value and a buffer"
                               : "the argument is neither a value nor a "
                                 "buffer (NULL)");
    return (a->value ? put_value : put_buffer)(sim, p, i, a, to);
}

heddle_code api_arguments(const heddle_kernel *k, const heddle_launch *l,
                          void **params)
{
    const isa_kernel *is = k->is;
    heddle_sim *sim = k->module->sim;

    if (l->arg_count != is->param_count)
        return api_wrong(sim,
                         "kernel '%s' has %u parameter%s, but %llu argument%s "
                         "given",
                         is->name, is->param_count,
                         word_plural(is->param_count),
                         (unsigned long long)l->arg_count,
                         l->arg_count == 1 ? " is" : "s are");
    if (l->arg_count && !l->args)
        return api_wrong(sim, "heddle_launch.args is NULL");
    uint8_t *out = new0(1, is->param_bytes ? is->param_bytes : 1);
    bool good = true;
    for (uint32_t i = 0; i < is->param_count; i++)
        good &= put_argument(sim, &is->params[i], i, &l->args[i],
                             out + is->params[i].offset);
    if (!good) {
        free(out);
        return HEDDLE_BAD_ARGUMENT;
    }
    *params = out;
    return HEDDLE_OK;
}
