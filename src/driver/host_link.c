#include "driver/host_link.h"

#include <stdatomic.h>

#include "session/client.h"

enum { NS_PER_SECOND = 1000000000 };

uint64_t drv_link_ns(const drv_device *d, uint64_t bytes)
{
    uint64_t rate = d->cfg->host.bandwidth;
    unsigned __int128 scaled = (unsigned __int128)bytes * NS_PER_SECOND;

    return d->cfg->host.latency_ns + (uint64_t)((scaled + rate - 1) / rate);
}

/* Charged with the next command. Part of the process's state, like drv. */
static _Atomic uint64_t created_bytes;

void drv_link_created(uint64_t bytes) { created_bytes += bytes; }

void drv_link_moved(drv_command *c, uint64_t link, uint64_t inside)
{
    /* Part of the process's state, like drv; with the machine lock. */
    static session_transfers moved;

    c->bytes += link + inside;
    if (c->engine == DRV_READS)
        moved.read_bytes += link;
    else
        moved.write_bytes += link;
    moved.write_bytes += atomic_exchange(&created_bytes, 0);
    moved.copy_bytes += inside;
    session_moved(drv.session, &moved);
}
