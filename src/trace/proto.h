/* src/trace/proto.h - protobuf, as much of it as a trace needs: fields are
 * appended to a text, messages within messages by their length
 * [PROTOBUF:encoding]. */
#ifndef TRACE_PROTO_H
#define TRACE_PROTO_H

#include <stdint.h>

#include "base/strbuf.h"

void proto_uint(strbuf *b, unsigned field, uint64_t v);
void proto_fixed64(strbuf *b, unsigned field, uint64_t v);
void proto_double(strbuf *b, unsigned field, double v);
void proto_text(strbuf *b, unsigned field, const char *s);
/* `from` as a message, or as bytes; empties it. */
void proto_message(strbuf *b, unsigned field, strbuf *from);

#endif
