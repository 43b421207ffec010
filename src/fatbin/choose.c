/* src/fatbin/choose.c - which image a device runs. */
#include <stdbool.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "fatbin/fatbin.h"

/* Made for this device, or for one before it. */
static bool suits(const fatbin_image *image, unsigned capability)
{
    switch (image->variant) {
    case 'a':
        return image->capability == capability;
    case 'f':
        return image->capability / 10 == capability / 10 &&
               image->capability <= capability;
    default:
        return image->capability <= capability;
    }
}

/* Of two for the same capability that which says more about the device. */
static bool is_later(const fatbin_image *a, const fatbin_image *b)
{
    return a->capability != b->capability ? a->capability > b->capability
                                          : a->variant && !b->variant;
}

/* Of machine code no later generation takes that of another. */
static bool suits_kind(const fatbin_image *image, fatbin_kind kind,
                       unsigned capability)
{
    return image->kind == kind && suits(image, capability) &&
           (kind == FATBIN_PTX || image->capability / 10 == capability / 10);
}

static const fatbin_image *latest_suitable(fatbin_part p, fatbin_kind kind,
                                           unsigned capability)
{
    const fatbin_image *best = NULL;

    for (size_t i = 0; i < p.count; i++) {
        const fatbin_image *one = &p.images[i];

        if (suits_kind(one, kind, capability) && (!best || is_later(one, best)))
            best = one;
    }
    return best;
}

/* Of those for all devices from some capability on. */
static const fatbin_image *earliest(fatbin_part p)
{
    const fatbin_image *best = NULL;

    for (size_t i = 0; i < p.count; i++) {
        const fatbin_image *one = &p.images[i];

        if (one->kind == FATBIN_PTX && !one->variant &&
            (!best || one->capability < best->capability))
            best = one;
    }
    return best;
}

/* "PTX for sm_90a, machine code for sm_80, sm_86". */
static void put_images(strbuf *b, fatbin_part p)
{
    static const char *const names[] = {
        [FATBIN_PTX] = "PTX",
        [FATBIN_MACHINE_CODE] = "machine code",
        [FATBIN_OTHER] = "code of other kinds",
    };

    for (size_t kind = 0; kind < COUNTOF(names); kind++) {
        bool any = false;

        for (size_t i = 0; i < p.count; i++) {
            const fatbin_image *one = &p.images[i];

            if (one->kind != kind)
                continue;
            if (any)
                strbuf_puts(b, ", ");
            else
                strbuf_printf(b, "%s%s for ", b->size ? "; " : "", names[kind]);
            strbuf_printf(b, "sm_%u", one->capability);
            if (one->variant)
                strbuf_putc(b, one->variant);
            any = true;
        }
    }
}

static status refuse(const fatbin *f, fatbin_part p, unsigned capability,
                     diag *dg)
{
    strbuf b = {0};

    put_images(&b, p);
    diag_error(dg,
               "%s: it has no PTX that a GPU of capability %u.%u could run, "
               "only %s; compile it with -gencode "
               "arch=compute_75,code=compute_75 or with -arch=sm_75%s",
               fatbin_name(f), capability / 10, capability % 10, b.text,
               latest_suitable(p, FATBIN_MACHINE_CODE, capability)
                   ? ", or run its machine code: heddle exec --code auto"
                   : "");
    strbuf_fini(&b);
    return ST_PROGRAM;
}

status fatbin_choose(const fatbin *f, size_t part, unsigned capability,
                     diag *dg, const fatbin_image **out)
{
    fatbin_part p = fatbin_part_get(f, part);
    const fatbin_image *best = latest_suitable(p, FATBIN_PTX, capability);

    if (!best && (best = earliest(p)) != NULL)
        diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "%s: its PTX is for capability %u.%u and later, the GPU has "
                 "%u.%u: a driver would refuse it, Heddle runs it",
                 fatbin_name(f), best->capability / 10, best->capability % 10,
                 capability / 10, capability % 10);
    if (!best && p.count)
        return refuse(f, p, capability, dg);
    *out = best;
    return ST_OK;
}

status fatbin_choose_machine_code(const fatbin *f, size_t part,
                                  unsigned capability, diag *dg,
                                  const fatbin_image **out)
{
    fatbin_part p = fatbin_part_get(f, part);
    const fatbin_image *best =
        latest_suitable(p, FATBIN_MACHINE_CODE, capability);
    strbuf b = {0};

    if (best || !p.count) {
        *out = best;
        return ST_OK;
    }
    put_images(&b, p);
    diag_error(dg,
               "%s: it has no machine code that a GPU of capability %u.%u "
               "could run, only %s; compile it with -arch=sm_%u, or run its "
               "PTX: heddle exec --code ptx",
               fatbin_name(f), capability / 10, capability % 10, b.text,
               capability);
    strbuf_fini(&b);
    return ST_PROGRAM;
}
