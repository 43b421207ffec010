/* Samplers, of which the hardware has few: textures of equal modes share
 * one. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/texture/texture.h"

typedef struct shared {
    struct shared *next;
    tex_sampler is;
    uint32_t number;
    unsigned uses;
} shared;

/* Part of the process's state; with the lock. */
static struct {
    shared *first;
} st;

static bool is_equal(const tex_sampler *a, const tex_sampler *b)
{
    return a->normalised == b->normalised && a->linear == b->linear &&
           a->mip_linear == b->mip_linear &&
           a->border_given == b->border_given &&
           !memcmp(a->address, b->address, sizeof a->address) &&
           !memcmp(a->border, b->border, sizeof a->border) &&
           a->bias == b->bias && a->low == b->low && a->high == b->high;
}

static shared *add(const tex_sampler *s)
{
    shared *p = alloc_try_zeroed(1, sizeof *p);

    if (!p)
        return NULL;
    p->is = *s;
    p->number = rt_sampling_new(drv.image, s);
    if (!p->number) {
        free(p);
        return NULL;
    }
    p->next = st.first;
    st.first = p;
    return p;
}

uint32_t sampler_take(const tex_sampler *s)
{
    shared *p = st.first;

    while (p && !is_equal(&p->is, s))
        p = p->next;
    if (!p && !(p = add(s)))
        return 0;
    p->uses++;
    return p->number;
}

void sampler_give(uint32_t number)
{
    for (shared **at = &st.first; *at; at = &(*at)->next) {
        shared *p = *at;

        if (p->number != number)
            continue;
        if (!--p->uses) {
            *at = p->next;
            rt_sampler_release(drv.image, number);
            free(p);
        }
        return;
    }
}
