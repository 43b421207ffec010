#include "trace/joint_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static void add_name(trace_joint_code *c, const char *name)
{
    strbuf b = {0};

    if (c->kernel.name)
        strbuf_printf(&b, "%s + ", c->kernel.name);
    strbuf_puts(&b, name);
    free((void *)c->kernel.name);
    c->kernel.name = b.text;
}

uint32_t trace_joint_code_add(trace_joint_code *c, const isa_kernel *k)
{
    isa_kernel *all = &c->kernel;
    uint32_t first;

    for (size_t i = 0; i < c->count; i++)
        if (c->code[i].kernel == k)
            return c->code[i].first;
    first = all->code_count;
    all->code =
        renew(all->code, (size_t)first + k->code_count + 1, sizeof *all->code);
    add_name(c, k->name);
    memcpy(all->code + first, k->code, k->code_count * sizeof *k->code);
    all->code_count += k->code_count;
    all->files = k->files;
    c->code = renew(c->code, c->count + 1, sizeof *c->code);
    c->code[c->count++] = (trace_code_part){k, first};
    return first;
}

void trace_joint_code_fini(trace_joint_code *c)
{
    free(c->code);
    free(c->kernel.code);
    free((void *)c->kernel.name);
    *c = (trace_joint_code){.count = 0};
}
