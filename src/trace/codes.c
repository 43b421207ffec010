#include "trace/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* Makes room for `k`. */
static bool grow(trace_codes *c, const isa_kernel *k)
{
    isa_kernel *all = &c->kernel;
    size_t count = (size_t)all->code_count + k->code_count;
    trace_code *codes = realloc(c->code, (c->count + 1) * sizeof *codes);

    if (codes)
        c->code = codes;
    isa_inst *code =
        codes ? realloc(all->code, (count + 1) * sizeof *code) : NULL;
    if (code)
        all->code = code;
    return code != NULL;
}

static bool add_name(trace_codes *c, const char *name)
{
    strbuf b = {0};

    if (c->kernel.name)
        strbuf_printf(&b, "%s + ", c->kernel.name);
    strbuf_puts(&b, name);
    free((void *)c->kernel.name);
    c->kernel.name = b.text;
    return b.text != NULL;
}

bool trace_codes_add(trace_codes *c, const isa_kernel *k, uint32_t *first)
{
    isa_kernel *all = &c->kernel;

    for (size_t i = 0; i < c->count; i++)
        if (c->code[i].kernel == k) {
            *first = c->code[i].first;
            return true;
        }
    if (!grow(c, k) || !add_name(c, k->name))
        return false;
    *first = all->code_count;
    memcpy(all->code + *first, k->code, k->code_count * sizeof *k->code);
    all->code_count += k->code_count;
    all->files = k->files;
    c->code[c->count++] = (trace_code){k, *first};
    return true;
}

void trace_codes_fini(trace_codes *c)
{
    free(c->code);
    free(c->kernel.code);
    free((void *)c->kernel.name);
    *c = (trace_codes){.count = 0};
}
