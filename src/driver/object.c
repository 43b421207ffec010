#include "driver/object.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/must.h"

/* Handle -> its object. Part of the process's state, like drv; only with its
 * lock. */
static map *living;
static unsigned counts[DRV_KINDS];

void *drv_object_new(unsigned kind, size_t size, size_t at,
                     void (*destroy)(void *handle))
{
    MUST(kind < DRV_KINDS);
    char *handle = alloc_try_zeroed(1, size);

    if (kind && !living)
        living = map_new();
    if (!handle || (kind && !living)) {
        free(handle);
        return NULL;
    }
    drv_object *o = (drv_object *)(void *)(handle + at);
    *o = (drv_object){
        .handle = handle, .destroy = destroy, .kind = kind, .refs = 1};
    if (kind)
        map_put(living, (uintptr_t)handle, (uintptr_t)o);
    counts[kind]++;
    return handle;
}

drv_object *drv_find(const void *handle, unsigned kind)
{
    uint64_t found;

    if (!handle || !living || !map_get(living, (uintptr_t)handle, &found))
        return NULL;
    drv_object *o = (drv_object *)(uintptr_t)found;
    return o->kind == kind ? o : NULL;
}

drv_object *drv_find_held(const void *handle, unsigned kind)
{
    drv_object *o = drv_find(handle, kind);

    return o && o->refs ? o : NULL;
}

unsigned drv_count(unsigned kind) { return counts[kind]; }

static void end_if_unused(drv_object *o)
{
    if (o->refs || o->uses || !o->destroy)
        return;
    if (o->kind)
        map_del(living, (uintptr_t)o->handle);
    counts[o->kind]--;
    o->destroy(o->handle);
}

void drv_use(drv_object *o)
{
    if (o)
        o->uses++;
}

void drv_drop(drv_object *o)
{
    if (!o)
        return;
    MUST(o->uses > 0);
    o->uses--;
    end_if_unused(o);
}

void drv_release(drv_object *o)
{
    MUST(o->refs > 0);
    o->refs--;
    end_if_unused(o);
}
