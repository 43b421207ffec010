/* src/lab/page_run_waterfall.c - windows of warps and cycles that runs kept. */
#include "lab/page_run.h"

void page_run_waterfalls(page *p, const page_study *y)
{
    (void)p;
    (void)y;
}
