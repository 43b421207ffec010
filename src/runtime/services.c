/* src/runtime/services.c - the services of the run-time for kernels, see
 * exec/services.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "runtime/internal.h"

enum {
    SERVICE_PRINT = 1, /* any of PRINT, */
    SERVICE_HEAP = 2,
    SERVICE_PRINTF = 4, /* and printf itself */
};

uint8_t rt_services_of(const isa_kernel *k)
{
    uint8_t s = 0;

    for (uint32_t i = 0; i < k->code_count; i++) {
        if (k->code[i].op == ISA_PRINT)
            s |= k->code[i].lut == PRINT_C ? SERVICE_PRINT | SERVICE_PRINTF
                                           : SERVICE_PRINT;
        if (k->code[i].op == ISA_MALLOC || k->code[i].op == ISA_FREE)
            s |= SERVICE_HEAP;
    }
    return s;
}

/* ---- Limits ---- */

rt_limits rt_device_limits(const rt_device *d)
{
    const rt_options *o = &d->opt;

    return (rt_limits){
        .stack_bytes = o->stack_bytes ? o->stack_bytes : RT_STACK_BYTES,
        .print_bytes = o->print_bytes ? o->print_bytes : RT_PRINT_BYTES,
        .heap_bytes = o->heap_bytes ? o->heap_bytes : RT_HEAP_BYTES};
}

bool rt_device_set_limits(rt_device *d, const rt_limits *to)
{
    rt_limits is = rt_device_limits(d);

    if ((to->heap_bytes != is.heap_bytes && d->heap) ||
        (to->print_bytes != is.print_bytes && d->printed))
        return false;
    d->opt.stack_bytes = (uint32_t)to->stack_bytes;
    d->opt.print_bytes = to->print_bytes;
    d->opt.heap_bytes = to->heap_bytes;
    if (d->services)
        exec_services_print_bytes(d->services, to->print_bytes);
    return true;
}

void rt_device_end_services(rt_device *d)
{
    if (d->heap)
        rt_release(d->memory, d->heap);
    d->heap = 0;
    d->printed = false;
    exec_services_free(d->services);
    d->services = NULL;
}

/* ---- For another process ---- */

void rt_heap_put(const rt_device *d, strbuf *to)
{
    if (!d->heap)
        return;
    exec_heaps *e = exec_services_keep(d->services);
    exec_heaps_put(e, to);
    exec_heaps_free(e);
}

bool rt_heap_get(rt_device *d, const void *bytes, size_t size)
{
    if (!size || !d->heap)
        return !size && !d->heap;
    exec_heaps *e = exec_heaps_get(d->services, bytes, size);
    if (e)
        exec_services_restore(d->services, e);
    exec_heaps_free(e);
    return e != NULL;
}

/* ---- For a launch ---- */

static bool make_heap(rt_device *d, diag *dg)
{
    uint64_t bytes = bits_align_up(rt_device_limits(d).heap_bytes, 256);
    uint64_t all, base;

    all = bytes * d->cfg->gpu.sms;
    base = rt_alloc(d->memory, all, "heap of the kernels");
    if (!base) {
        diag_error(dg,
                   "no simulated memory left for the heap of malloc: %llu "
                   "bytes for each of %u SMs (--heap)",
                   (unsigned long long)bytes, d->cfg->gpu.sms);
        return false;
    }
    exec_services_heap(d->services, base, bytes);
    d->heap = base;
    return true;
}

bool rt_services_prepare(rt_device *d, uint8_t services, exec_launch *e,
                         diag *dg)
{
    if (!services)
        return true;
    if (!d->services)
        d->services =
            exec_services_new(d->cfg->gpu.sms, rt_device_limits(d).print_bytes);
    d->printed |= (services & SERVICE_PRINTF) != 0;
    if ((services & SERVICE_HEAP) && !d->heap && !make_heap(d, dg))
        return false;
    e->services = d->services;
    return true;
}

static void keep_line(rt_lines *to, const exec_line *line)
{
    GROW(to->line, to->count + 1, to->room);
    exec_line *l = &to->line[to->count++];

    *l = *line;
    l->text = new_copy(line->text, (size_t)line->length + 1, 1);
}

void rt_lines_take(rt_device *d, const char *kernel, rt_lines *to, diag *dg)
{
    uint64_t lost;
    size_t count;

    if (!d->services)
        return;
    const exec_line *line = exec_services_settle(d->services, &count, &lost);
    for (size_t i = 0; i < count; i++)
        keep_line(to, &line[i]);
    to->lost += lost;
    if (lost)
        diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "kernel '%s': %" PRIu64 " printed lines are lost, for want "
                 "of room (--print-buffer)",
                 kernel, lost);
}

void rt_lines_clear(rt_lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->line[i].text);
    l->count = 0;
    l->lost = 0;
}

void rt_lines_fini(rt_lines *l)
{
    rt_lines_clear(l);
    free(l->line);
}
