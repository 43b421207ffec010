/* src/pages/page_validate.h - how far the model is from devices, as a page. */
#ifndef PAGES_PAGE_VALIDATE_H
#define PAGES_PAGE_VALIDATE_H

#include "pages/page_words.h"
#include "validate/validate.h"

/* The caller frees it. */
page *page_validate(const validate *v, const page_origin *from);

#endif
