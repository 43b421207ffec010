/* src/runtime/children.c - kernels that kernels launch, and copies that they
 * make in streams. What a grid launched begins when the grid has ended, one
 * after the other in the order in which they were launched, each followed by
 * what it launched itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "mem/touched.h"
#include "runtime/internal.h"

static const isa_kernel *kernel_of_handle(const isa_program *p, uint64_t handle)
{
    for (uint32_t i = 0; i < p->kernel_count; i++) {
        const isa_kernel *k = &p->kernels[i];

        if (exec_kernel_handle(k->symbol ? k->symbol : k->name) == handle)
            return k;
    }
    return NULL;
}

static void warn_of_child(const rt_launch *parent, const char *kernel,
                          const char *why, diag *dg)
{
    diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
             "kernel '%s' cannot launch %s%s%s: %s", parent->kernel->name,
             kernel ? "kernel '" : "a kernel", kernel ? kernel : "",
             kernel ? "'" : "", why);
}

static rt_child *new_copy_child(const exec_child *c, const rt_launch *parent)
{
    rt_child *is = new0(1, sizeof *is);

    is->is = *c;
    is->launch.kernel = parent->kernel;
    return is;
}

/* NULL: it cannot be one. */
static rt_child *new_kernel_child(rt_device *d, const exec_child *c,
                                  const rt_launch *parent, diag *dg)
{
    const isa_kernel *k = kernel_of_handle(parent->module->program, c->kernel);

    if (!k) {
        warn_of_child(parent, NULL, "its address is that of none", dg);
        return NULL;
    }
    if (k->param_bytes > CHILD_PARAM_BYTES) {
        warn_of_child(parent, k->name,
                      "its parameters have more than 4096 "
                      "bytes",
                      dg);
        return NULL;
    }
    rt_child *is = new0(1, sizeof *is + k->param_bytes);
    is->is = *c;
    is->launch = *parent;
    is->launch.kernel = k;
    for (unsigned i = 0; i < 3; i++) {
        is->launch.grid[i] = c->grid[i];
        is->launch.block[i] = c->block[i];
        is->launch.threads[i] = is->launch.offset[i] = 0;
    }
    is->launch.shared_bytes = c->shared_bytes;
    is->launch.cooperative = false;
    is->launch.params = is->params;
    if (parent->profile)
        is->launch.profile =
            new0((size_t)k->code_count + 1, sizeof *parent->profile);
    MUST(rt_read(d->memory, c->buffer, is->params, k->param_bytes));
    return is;
}

/* Those of one kind of stream, in order; returns where the next would go. */
static rt_child **put_children(rt_device *d, const exec_child *c, size_t n,
                               bool tail, const rt_launch *parent,
                               rt_child **to, diag *dg)
{
    for (size_t i = 0; i < n; i++) {
        if ((c[i].stream == CHILD_STREAM_TAIL) != tail)
            continue;
        *to = c[i].kind == CHILD_KERNEL ? new_kernel_child(d, &c[i], parent, dg)
                                        : new_copy_child(&c[i], parent);
        if (*to)
            to = &(*to)->next;
    }
    return to;
}

void rt_children_take(rt_device *d, const exec_launch *by,
                      const rt_launch *parent, rt_child **queue, diag *dg)
{
    rt_child *behind = *queue;
    size_t n;

    if (!by->services)
        return;
    exec_child *c = exec_services_children(d->services, by, &n);
    rt_child **to = put_children(d, c, n, false, parent, queue, dg);
    to = put_children(d, c, n, true, parent, to, dg);
    *to = behind;
    for (size_t i = 0; i < n; i++)
        if (c[i].buffer)
            exec_services_drop(d->services, c[i].buffer);
    free(c);
}

/* Copies and fills are made at once. */
static void copy_child(rt_device *d, const rt_child *c, diag *dg)
{
    const exec_child *is = &c->is;
    bool fill = is->kind == CHILD_FILL;

    if (!is->bytes)
        return;
    uint8_t *to = rt_host(d->memory, is->to, is->bytes);
    const uint8_t *from = fill ? to : rt_host(d->memory, is->from, is->bytes);
    if (!to || !from)
        diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "kernel '%s' %s %" PRIu64 " bytes %s 0x%" PRIx64
                 ", which are in no allocation: they are left as they are",
                 c->launch.kernel->name, fill ? "fills" : "copies", is->bytes,
                 to ? "from" : "to", to ? is->from : is->to);
    else if (fill)
        memset(to, (uint8_t)is->from, is->bytes);
    else
        memmove(to, from, is->bytes);
    if (to && from && mem_image_tracked(d->memory->image))
        mem_touch(mem_image_tracked(d->memory->image), is->to, is->bytes);
}

static bool prepare_child(rt_device *d, const rt_child *c, rt_banks *b,
                          exec_launch *e, diag *dg)
{
    diag *why = diag_new();
    rt_result known;
    status st = rt_prepare(d, &c->launch, b, e, why, &known);

    if (st != ST_OK)
        diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "kernel '%s' was launched by a kernel in vain: %s",
                 c->launch.kernel->name, diag_get(why, 0)->text);
    diag_free(why);
    return st == ST_OK;
}

rt_child *rt_children_next(rt_device *d, rt_child **queue, rt_banks *b,
                           exec_launch *e, diag *dg)
{
    while (*queue) {
        rt_child *c = *queue;

        *queue = c->next;
        if (c->is.kind != CHILD_KERNEL)
            copy_child(d, c, dg);
        else if (prepare_child(d, c, b, e, dg))
            return c;
        rt_child_free(c);
    }
    return NULL;
}

void rt_child_free(rt_child *c)
{
    if (!c)
        return;
    free(c->launch.profile);
    free(c);
}

void rt_children_drop(rt_child **queue)
{
    while (*queue) {
        rt_child *c = *queue;

        *queue = c->next;
        rt_child_free(c);
    }
}

void rt_children_forget(rt_device *d)
{
    size_t none;

    if (d->services)
        free(exec_services_children(d->services, NULL, &none));
}
