/* src/mem/sector.h - masks of the sectors of a line, bit i for bytes
 * [32 i, 32 i + 32). */
#ifndef MEM_SECTOR_H
#define MEM_SECTOR_H

#include <stdint.h>

#include "mem/image.h"

_Static_assert(MEM_LINE == 4 * MEM_SECTOR, "masks have four bits");

static inline unsigned mem_sectors_count(uint8_t sectors)
{
    /* Bits set in 15, 14, ..., 0: no host instruction needed. */
    return (unsigned)(0x4332322132212110u >> (sectors & 0xf) * 4) & 0xf;
}

static inline uint16_t mem_sectors_bytes(uint8_t sectors)
{
    return (uint16_t)(mem_sectors_count(sectors) * MEM_SECTOR);
}

/* All sectors of the groups that `sectors` touches; a group is what a cache
 * fills at once: 1, 2 or 4 sectors. */
static inline uint8_t mem_sectors_widen(uint8_t sectors, unsigned group)
{
    if (group >= 4)
        return sectors ? 0xf : 0;
    if (group == 2) {
        uint8_t pairs = (sectors | sectors >> 1) & 0x5;
        return (uint8_t)(pairs | pairs << 1);
    }
    return sectors;
}

#endif
