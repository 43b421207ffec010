/* The link between host and device: how long transfers take, and their
 * bytes. */
#include <stdatomic.h>

#include "opencl/opencl.h"
#include "session/client.h"

enum { NS_PER_SECOND = 1000000000 };

uint64_t host_link_ns(const struct _cl_device_id *d, uint64_t bytes)
{
    uint64_t rate = d->cfg->host.bandwidth;
    unsigned __int128 scaled = (unsigned __int128)bytes * NS_PER_SECOND;

    return d->cfg->host.latency_ns + (uint64_t)((scaled + rate - 1) / rate);
}

static bool is_read(cl_command_type type)
{
    return type == CL_COMMAND_READ_BUFFER ||
           type == CL_COMMAND_READ_BUFFER_RECT ||
           type == CL_COMMAND_READ_IMAGE || type == CL_COMMAND_MAP_BUFFER ||
           type == CL_COMMAND_MAP_IMAGE || type == CL_COMMAND_SVM_MAP;
}

/* Charged with the next command. Part of the process's state, like
 * ocl_state. */
static _Atomic uint64_t created_bytes;

void host_link_created(uint64_t bytes) { created_bytes += bytes; }

void host_link_moved(cl_command_type type, uint64_t link, uint64_t inside)
{
    /* Part of the process's state, like ocl_state; with the machine lock. */
    static session_transfers moved;

    if (is_read(type))
        moved.read_bytes += link;
    else
        moved.write_bytes += link;
    moved.write_bytes += atomic_exchange(&created_bytes, 0);
    moved.copy_bytes += inside;
    session_moved(state_get()->session, &moved);
}
