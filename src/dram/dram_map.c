/* src/dram/dram_map.c - address bits to row, bank, column.
 *
 *   row_column_bank:  row | column | bank | byte of the line
 *   row_bank_column:  row | bank | column | byte of the line
 *
 * Neighbouring banks are in different groups (dram_bank.group = bank modulo
 * groups), so a stream under row_column_bank goes round the groups line by
 * line and never pays t_ccd_l. With bank_xor the low bits of the row are mixed
 * into the bank, so that rows of one bank column do not collide. */
#include "base/bits.h"
#include "dram/dram.h"
#include "mem/image.h"

dram_place dram_map(const config *cfg, uint64_t local)
{
    uint64_t line = local / MEM_LINE;
    uint32_t banks = cfg->dram.banks;
    uint32_t columns = cfg->dram.row_bytes / MEM_LINE;
    unsigned bank_bits = bits_ctz32(banks), column_bits = bits_ctz32(columns);
    dram_place p;

    if (cfg->dram.mapping == CFG_DRAM_MAP_ROW_COL_BANK) {
        p.bank = (uint32_t)line & (banks - 1);
        p.column = (uint32_t)(line >> bank_bits) & (columns - 1);
    } else {
        p.column = (uint32_t)line & (columns - 1);
        p.bank = (uint32_t)(line >> column_bits) & (banks - 1);
    }
    p.row = (uint32_t)(line >> (bank_bits + column_bits));
    if (cfg->dram.bank_xor)
        p.bank ^= p.row & (banks - 1);
    return p;
}
