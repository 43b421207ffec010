/* src/page/asset.h - files that pages carry, embedded by cmake/page.cmake. */
#ifndef PAGE_ASSET_H
#define PAGE_ASSET_H

#include <stddef.h>

enum {
    PAGE_CSS,
    PAGE_JS,
    PAGE_PLOT_CSS,
    PAGE_PLOT_JS,
    PAGE_FALLS_JS,
    PAGE_CODE_JS,
    PAGE_LIVE_HTML,
    PAGE_LIVE_CSS,
    PAGE_LIVE_JS,
    PAGE_TIMELINE_JS,
    PAGE_ASSETS
};

typedef struct page_asset {
    const char *text; /* NUL-terminated */
    size_t size;
    unsigned char sha256[32];
} page_asset;

extern const page_asset page_assets[PAGE_ASSETS];

#endif
