#include "exec/outside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "exec/fault.h"

typedef struct place_list {
    exec_outside_place *place;
    size_t count, room;
} place_list;

struct exec_outside {
    uint32_t sms;
    pthread_mutex_t lock; /* without timing threads share the first list */
    bool any; /* of the lists has something: most launches have nothing */
    place_list sm[];
};

exec_outside *exec_outside_new(uint32_t sms)
{
    exec_outside *o = new0(1, sizeof *o + sms * sizeof o->sm[0]);

    o->sms = sms;
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

void exec_outside_free(exec_outside *o)
{
    for (uint32_t i = 0; o && i < o->sms; i++)
        free(o->sm[i].place);
    if (o)
        pthread_mutex_destroy(&o->lock);
    free(o);
}

void exec_outside_clear(exec_outside *o)
{
    for (uint32_t i = 0; o->any && i < o->sms; i++)
        o->sm[i].count = 0;
    o->any = false;
}

static exec_outside_place *outside_place(place_list *l, uint32_t pc)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->place[i].first.pc == pc)
            return &l->place[i];
    GROW(l->place, l->count + 1, l->room);
    exec_outside_place *p = &l->place[l->count++];
    *p = (exec_outside_place){.count = 0};
    return p;
}

static bool is_before(const exec_outside_place *a, const exec_outside_place *b)
{
    if (a->cta != b->cta)
        return a->cta < b->cta;
    return a->first.warp != b->first.warp ? a->first.warp < b->first.warp
                                          : a->first.lane < b->first.lane;
}

static void merge_place(place_list *l, const exec_outside_place *is)
{
    exec_outside_place *p = outside_place(l, is->first.pc);
    uint64_t count = p->count + is->count;
    uint64_t reach = p->reach > is->reach ? p->reach : is->reach;

    if (!p->count || is_before(is, p))
        *p = *is;
    p->count = count;
    p->reach = reach;
}

void exec_outside_add(const exec_warp *w, const exec_fault *f)
{
    exec_outside *o = w->cta->launch->outside;
    exec_outside_place one = {
        .first = *f, .cta = w->cta->number, .count = 1, .reach = f->reach};

    MUST(w->cta->sm < o->sms);
    pthread_mutex_lock(&o->lock);
    merge_place(&o->sm[w->cta->sm], &one);
    pthread_mutex_unlock(&o->lock);
    __atomic_store_n(&o->any, true, __ATOMIC_RELAXED); /* by any thread */
}

bool exec_outside_global(const exec_warp *w, exec_mem *m,
                         const mem_image *image, unsigned lane,
                         exec_fault *fault)
{
    const exec_launch *l = w->cta->launch;
    uint64_t addr = m->addr[lane], at = addr;
    int64_t distance;
    const mem_range *r = mem_nearest(image, addr, &distance);

    *fault = exec_fault_of(
        w, m,
        r && !distance && !r->live && !r->reserved ? FAULT_FREED : FAULT_BOUNDS,
        lane);
    fault->reach = r ? mem_reach(r, addr, m->size) : 0;
    if (!l->outside || !mem_beside(image, &at, l->page_bytes))
        return false;
    exec_outside_add(w, fault);
    m->addr[lane] = at;
    return true;
}

static int by_pc(const void *a, const void *b)
{
    uint32_t x = ((const exec_outside_place *)a)->first.pc;
    uint32_t y = ((const exec_outside_place *)b)->first.pc;

    return (x > y) - (x < y);
}

exec_outside_place *exec_outside_take(exec_outside *o, size_t *count)
{
    place_list all = {.place = NULL};

    for (uint32_t i = 0; o->any && i < o->sms; i++) {
        place_list *l = &o->sm[i];

        for (size_t k = 0; k < l->count; k++)
            merge_place(&all, &l->place[k]);
    }
    exec_outside_clear(o);
    *count = all.count;
    if (all.count)
        qsort(all.place, all.count, sizeof *all.place, by_pc);
    return all.place;
}
