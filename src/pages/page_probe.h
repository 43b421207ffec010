/* src/pages/page_probe.h - what probes found, as a page. */
#ifndef PAGES_PAGE_PROBE_H
#define PAGES_PAGE_PROBE_H

#include "pages/page_words.h"
#include "probe/judge/probe_text.h"

/* The caller frees it. */
page *page_probe(const probe_sheet *s, const page_origin *from);

#endif
