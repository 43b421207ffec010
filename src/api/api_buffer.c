/* Buffers in the memory of the simulated GPU. */
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/alloc.h"

static heddle_code allocate(heddle_sim *sim, uint64_t bytes, const char *name,
                            heddle_buffer **out)
{
    if (!out || !bytes)
        return api_wrong(sim, "heddle_alloc: %s",
                         !out ? "`buffer` is NULL" : "`bytes` is 0");
    heddle_buffer *b = new0(1, sizeof *b);

    *b = (heddle_buffer){
        .sim = sim, .name = new_text(name ? name : "buffer"), .size = bytes};
    b->addr = rt_alloc(rt_device_memory(sim->device), bytes, b->name);
    if (!b->addr) {
        api_wrong(sim,
                  "no simulated memory left for %llu bytes of '%s' (the GPU "
                  "has %llu in all)",
                  (unsigned long long)bytes, b->name,
                  (unsigned long long)rt_device_config(sim->device)
                      ->gpu.global_bytes);
        free(b->name);
        free(b);
        return HEDDLE_NO_MEMORY;
    }
    b->next = sim->buffers;
    sim->buffers = b;
    *out = b;
    return HEDDLE_OK;
}

heddle_code heddle_alloc(heddle_sim *sim, uint64_t bytes, const char *name,
                         heddle_buffer **buffer)
{
    API_NO(buffer);
    API_BEGIN(sim);
    return api_end(&call, allocate(sim, bytes, name, buffer));
}

static heddle_code release(heddle_buffer *b)
{
    heddle_sim *sim = b->sim;
    heddle_buffer **at = &sim->buffers;

    if (b->module)
        return api_wrong(sim,
                         "'%s' is a variable of a module: heddle_unload frees "
                         "it",
                         b->name);
    if (b->plan)
        return api_wrong(sim,
                         "'%s' is a buffer of a launch file: "
                         "heddle_plan_close frees it",
                         b->name);
    if (sim->in_flight) {
        api_wrong(sim, "a launch is in flight: no buffer can be freed");
        return HEDDLE_BUSY;
    }
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    MUST(rt_release(rt_device_memory(sim->device), b->addr));
    free(b->name);
    free(b);
    return HEDDLE_OK;
}

heddle_code heddle_free(heddle_buffer *buffer)
{
    if (!buffer)
        return HEDDLE_OK;
    API_BEGIN(buffer->sim);
    return api_end(&call, release(buffer));
}

uint64_t heddle_buffer_size(const heddle_buffer *buffer)
{
    return buffer ? buffer->size : 0;
}

uint64_t heddle_buffer_address(const heddle_buffer *buffer)
{
    return buffer ? buffer->addr : 0;
}

/* The bytes [offset, offset + bytes) of the buffer; NULL: they are not all in
 * it, or `host` has no room. */
static uint8_t *bytes_of(heddle_buffer *b, uint64_t offset, const void *host,
                         uint64_t bytes)
{
    if (offset > b->size || bytes > b->size - offset) {
        api_wrong(b->sim,
                  "%llu bytes from %llu on are not in the %llu bytes of '%s'",
                  (unsigned long long)bytes, (unsigned long long)offset,
                  (unsigned long long)b->size, b->name);
        return NULL;
    }
    if (!host && bytes) {
        api_wrong(b->sim, "%llu bytes of '%s' and no memory of the host (NULL)",
                  (unsigned long long)bytes, b->name);
        return NULL;
    }
    uint8_t *first =
        rt_host(rt_device_memory(b->sim->device), b->addr, b->size);
    MUST(first);
    return first + offset;
}

static heddle_code copy_in(heddle_buffer *b, uint64_t offset, const void *from,
                           uint64_t bytes)
{
    uint8_t *to = bytes_of(b, offset, from, bytes);

    if (!to)
        return HEDDLE_BAD_ARGUMENT;
    if (bytes)
        memmove(to, from, (size_t)bytes);
    return HEDDLE_OK;
}

static heddle_code copy_out(heddle_buffer *b, uint64_t offset, void *to,
                            uint64_t bytes)
{
    const uint8_t *from = bytes_of(b, offset, to, bytes);

    if (!from)
        return HEDDLE_BAD_ARGUMENT;
    if (bytes)
        memmove(to, from, (size_t)bytes);
    return HEDDLE_OK;
}

heddle_code heddle_write(heddle_buffer *buffer, uint64_t offset,
                         const void *from, uint64_t bytes)
{
    API_BEGIN(buffer ? buffer->sim : NULL);
    return api_end(&call, copy_in(buffer, offset, from, bytes));
}

heddle_code heddle_read(heddle_buffer *buffer, uint64_t offset, void *to,
                        uint64_t bytes)
{
    API_BEGIN(buffer ? buffer->sim : NULL);
    return api_end(&call, copy_out(buffer, offset, to, bytes));
}

static heddle_code map(heddle_buffer *b, void **bytes)
{
    if (!bytes)
        return api_wrong(b->sim, "heddle_map: `bytes` is NULL");
    *bytes = bytes_of(b, 0, b, b->size);
    return HEDDLE_OK;
}

heddle_code heddle_map(heddle_buffer *buffer, void **bytes)
{
    API_NO(bytes);
    API_BEGIN(buffer ? buffer->sim : NULL);
    return api_end(&call, map(buffer, bytes));
}
