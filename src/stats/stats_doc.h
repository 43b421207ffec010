/* src/stats/stats_doc.h - the text of docs/stats.md, made from descriptors
 * alone. */
#ifndef STATS_STATS_DOC_H
#define STATS_STATS_DOC_H

#include <stddef.h>

#include "base/strbuf.h"
#include "stats/stats.h"

/* One Markdown table per block, in the order given. */
void stats_doc(strbuf *out, const stats_block *const *blocks, size_t count);

#endif
