#include "page/live.h"

#include "page/asset.h"
#include "page/impl.h"
#include "page/page.h"

void page_live(const char *command, strbuf *out)
{
    page *p = page_new("heddle watch", command);

    p->is_live = true;
    strbuf_write(&p->body, page_assets[PAGE_LIVE_HTML].text,
                 page_assets[PAGE_LIVE_HTML].size);
    page_finish(p, out);
    page_free(p);
}
