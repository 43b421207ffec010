/* Objects of the program that graphs keep alive. */
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cuda/stream/node.h"

typedef struct cu_user_object {
    drv_object o;
    void *at;
    cudaHostFn_t destroy;
    uint64_t count; /* references, of graphs, too; */
    uint64_t own;   /* of these the program's */
} cu_user_object;

static void user_object_destroy(void *handle) { free(handle); }

static cu_user_object *user_object_get(cudaUserObject_t handle)
{
    if (drv_find_held(handle, CU_USER_OBJECT))
        return handle;
    cu_fail(cudaErrorInvalidValue, "%p is no user object, or has ended",
            (void *)handle);
    return NULL;
}

/* The program's function is called from a thread without locks. */
static void drop(cu_user_object *u, uint64_t count)
{
    u->count -= count;
    if (u->count)
        return;
    drv_call_soon(u->destroy, u->at);
    drv_release(&u->o);
}

/* The program has so many references less. */
static cudaError_t take_own(cu_user_object *u, unsigned count)
{
    if (count > u->own)
        return cu_fail(cudaErrorInvalidValue,
                       "the program has %llu references to the object, not %u",
                       (unsigned long long)u->own, count);
    u->own -= count;
    return cudaSuccess;
}

/* ---- In graphs ---- */

static cu_held **find_held(cu_graph *g, const cu_user_object *u)
{
    cu_held **at = &g->held;

    while (*at && (*at)->object != u)
        at = &(*at)->next;
    return at;
}

static void hold(cu_graph *g, cu_user_object *u, unsigned count)
{
    cu_held **at = find_held(g, u);

    if (!*at) {
        *at = new0(1, sizeof **at);
        (*at)->object = u;
    }
    (*at)->count += count;
}

void held_use(const cu_graph *from, cu_graph *to)
{
    for (const cu_held *h = from->held; h; h = h->next) {
        h->object->count++;
        hold(to, h->object, 1);
    }
}

void held_drop(cu_graph *g)
{
    for (cu_held *h = g->held, *next; h; h = next) {
        next = h->next;
        drop(h->object, h->count);
        free(h);
    }
    g->held = NULL;
}

/* ---- The API ---- */

EXPORT cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *at,
                                        cudaHostFn_t destroy, unsigned count,
                                        unsigned flags)
{
    CUDA_CALL();

    if (!out || !destroy || !count || flags != cudaUserObjectNoDestructorSync)
        return cu_fail(cudaErrorInvalidValue,
                       "a user object has a destructor, references, and "
                       "cudaUserObjectNoDestructorSync as its flags");
    cu_user_object *u =
        drv_object_new(CU_USER_OBJECT, sizeof *u, offsetof(cu_user_object, o),
                       user_object_destroy);
    if (!u)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for an object");
    u->at = at;
    u->destroy = destroy;
    u->count = u->own = count;
    *out = u;
    return cudaSuccess;
}

EXPORT cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count)
{
    CUDA_CALL();
    cu_user_object *u = user_object_get(object);

    if (!u || !count)
        return cudaErrorInvalidValue;
    u->count += count;
    u->own += count;
    return cudaSuccess;
}

EXPORT cudaError_t cudaUserObjectRelease(cudaUserObject_t object,
                                         unsigned count)
{
    CUDA_CALL();
    cu_user_object *u = user_object_get(object);

    if (!u || !count)
        return cudaErrorInvalidValue;
    cudaError_t code = take_own(u, count);
    if (code == cudaSuccess)
        drop(u, count);
    return code;
}

EXPORT cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                             cudaUserObject_t object,
                                             unsigned count, unsigned flags)
{
    CUDA_CALL();
    cudaError_t code;
    cu_graph *g = cu_graph_get(graph, &code);
    cu_user_object *u = g ? user_object_get(object) : NULL;

    if (!u || !count || flags & ~(unsigned)cudaGraphUserObjectMove)
        return cu_fail(cudaErrorInvalidValue,
                       "a graph takes 1 or more references, flags 0 or 1");
    if (!(flags & cudaGraphUserObjectMove))
        u->count += count;
    else if ((code = take_own(u, count)) != cudaSuccess)
        return code;
    hold(g, u, count);
    return cudaSuccess;
}

EXPORT cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
                                              cudaUserObject_t object,
                                              unsigned count)
{
    CUDA_CALL();
    cudaError_t code;
    cu_graph *g = cu_graph_get(graph, &code);
    cu_user_object *u = g ? user_object_get(object) : NULL;
    cu_held **at = u ? find_held(g, u) : NULL;

    if (!at || !*at || (*at)->count < count)
        return cu_fail(cudaErrorInvalidValue,
                       "the graph has not that many references to it");
    (*at)->count -= count;
    if (!(*at)->count) {
        cu_held *ended = *at;

        *at = ended->next;
        free(ended);
    }
    drop(u, count);
    return cudaSuccess;
}
