/* src/isa/doc.h - the text of docs/isa.md, made from the tables alone. */
#ifndef ISA_DOC_H
#define ISA_DOC_H

#include "base/strbuf.h"

void isa_doc(strbuf *out);

#endif
