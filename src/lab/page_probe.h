/* src/lab/page_probe.h - what probes found, as a page. */
#ifndef LAB_PAGE_PROBE_H
#define LAB_PAGE_PROBE_H

#include "lab/page_words.h"
#include "probe/judge/probe_text.h"

/* The caller frees it. */
page *page_probe(const probe_sheet *s, const page_origin *from);

#endif
