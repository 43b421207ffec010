/* The link between host and device: how long transfers take, and their
 * bytes. */
#include "opencl/opencl.h"
#include "session/client.h"

enum { NS_PER_SECOND = 1000000000 };

uint64_t host_link_ns(const struct _cl_device_id *d, uint64_t bytes)
{
    uint64_t rate = d->cfg->host.bandwidth;
    unsigned __int128 scaled = (unsigned __int128)bytes * NS_PER_SECOND;

    return d->cfg->host.latency_ns + (uint64_t)((scaled + rate - 1) / rate);
}

void host_link_moved(uint64_t read, uint64_t write, uint64_t copy)
{
    /* Part of the process's state, like ocl_state; with the memory lock. */
    static session_transfers moved;

    moved.read_bytes += read;
    moved.write_bytes += write;
    moved.copy_bytes += copy;
    session_moved(state_get()->session, &moved);
}
