/* src/isa/isa_doc.h - the text of docs/isa.md, made from the tables alone. */
#ifndef ISA_ISA_DOC_H
#define ISA_ISA_DOC_H

#include "base/strbuf.h"

void isa_doc(strbuf *out);

#endif
