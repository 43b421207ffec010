/* src/mem/gpc.c - see the header. */
#include "mem/gpc.h"

unsigned mem_gpc_sms(const config *cfg, unsigned n)
{
    unsigned sms = cfg->gpu.gpc.sms;

    if (!sms)
        return cfg->gpu.sms;
    return sms + (n < cfg->gpu.gpc.larger ? 2 : 0);
}

unsigned mem_gpc_partition(const config *cfg, unsigned sm)
{
    unsigned n = 0, first = 0;

    if (mem_gpc_sms(cfg, 0) >= cfg->gpu.sms)
        return sm * 2 / cfg->gpu.sms;
    while (sm >= first + mem_gpc_sms(cfg, n))
        first += mem_gpc_sms(cfg, n++);
    return n % 2;
}
