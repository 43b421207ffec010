/* src/cost/cost_doc.h - the text of docs/cost.md, made from the tables alone.
 */
#ifndef COST_COST_DOC_H
#define COST_COST_DOC_H

#include "base/strbuf.h"

void cost_doc(strbuf *out);

#endif
