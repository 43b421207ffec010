/* src/sm/hazard/table_rows.h - whose slots the rows of a hazard table are.
 *
 * Each warp slot of the SM has a row of the table, its home row. With
 * sm.table.group = n the rows of n warp slots lie side by side in a line; all
 * belong to one scheduler. The line is divided anew whenever one of its warps
 * starts or ends: each that runs is due its home row, and the rows of the
 * others are dealt in turn to those that run. A row changes hands as soon as it
 * is empty. Until then it stays its owner's, who puts nothing new into it. So a
 * row stores nothing but the number of its owner in the line.
 *
 * Plain data, for the files of this folder. */
#ifndef SM_HAZARD_TABLE_ROWS_H
#define SM_HAZARD_TABLE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/limits.h"

enum { TABLE_GROUP = 16 };

typedef struct table_rows {
    unsigned group;          /* rows of a line; 1: each warp has its own */
    unsigned apart;          /* warps from one of a line to the next */
    uint64_t running;        /* warps */
    uint8_t owner[SM_WARPS]; /* warp, by the one whose home row it is */
} table_rows;

void table_rows_init(table_rows *r, const config *cfg, unsigned group);

/* The i-th warp of the line of `warp`. */
static inline unsigned table_rows_warp(const table_rows *r, unsigned warp,
                                       unsigned i)
{
    return warp % r->apart + i * r->apart;
}

/* The warp that is due the home row of `home`; its owner if none of the line
 * runs. */
unsigned table_rows_due(const table_rows *r, unsigned home);

/* Rows of the line that are the warp's, a bit each; `open`: of these, those
 * that it is due. */
unsigned table_rows_of(const table_rows *r, unsigned warp, bool open);

#endif
