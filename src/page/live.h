/* src/page/live.h - the page of a running simulation, which asks the server
 * that it comes from for everything that it shows. */
#ifndef PAGE_LIVE_H
#define PAGE_LIVE_H

#include "base/strbuf.h"

/* For the server's header; the page has a narrower one. */
#define PAGE_LIVE_POLICY                                                       \
    "default-src 'none'; script-src 'unsafe-inline'; style-src "               \
    "'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri "   \
    "'none'; form-action 'none'"

/* Appends it; `command` stands below its title. */
void page_live(const char *command, strbuf *out);

#endif
