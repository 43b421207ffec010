#include "opencl/object_form.h"

#include <string.h>

static const char object_head[] = "heddle object 1\n";
static const char library_head[] = "heddle library1\n";

enum { HEAD_BYTES = sizeof object_head - 1 };

_Static_assert(sizeof object_head == sizeof library_head, "heads of one size");

void object_form_write(const object_form *o, strbuf *to)
{
    strbuf_write(to, o->library ? library_head : object_head, HEAD_BYTES);
    strbuf_write(to, o->bitcode, o->size);
}

bool object_form_read(const void *data, size_t size, object_form *o)
{
    const char *p = data;
    bool library = size >= HEAD_BYTES && !memcmp(p, library_head, HEAD_BYTES);

    if (library ||
        (size >= HEAD_BYTES && !memcmp(p, object_head, HEAD_BYTES))) {
        p += HEAD_BYTES;
        size -= HEAD_BYTES;
    }
    *o = (object_form){.library = library, .bitcode = p, .size = size};
    return size >= 4 && !memcmp(p, "BC\xc0\xde", 4);
}
