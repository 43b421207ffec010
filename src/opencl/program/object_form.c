#include "opencl/program/object_form.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The number grows when what follows changes. */
static const char object_head[] = "heddle object 2\n";
static const char library_head[] = "heddle library2\n";

enum { HEAD_BYTES = sizeof object_head - 1 };

_Static_assert(sizeof object_head == sizeof library_head, "heads of one size");

/* Behind the head: one line of traits, then the lines of kernel_infos_write. */
#define TRAITS "// heddle-unit\t%d %d %d\n"

static const char magic[] = "BC\xc0\xde";

void object_form_write(const object_form *o, strbuf *to)
{
    strbuf_write(to, o->library ? library_head : object_head, HEAD_BYTES);
    strbuf_printf(to, TRAITS, o->traits.quick_divide, o->traits.relaxed,
                  o->arg_info);
    if (o->infos)
        kernel_infos_write(o->infos, to);
    strbuf_write(to, o->bitcode, o->size);
}

/* The text between the head and the bitcode. */
static bool read_facts(const char *from, size_t size, object_form *o)
{
    char *text = new_text_n(from, size);
    int quick, relaxed, told;
    bool good = text && sscanf(text, TRAITS, &quick, &relaxed, &told) == 3;

    if (good) {
        o->traits = (compile_traits){quick, relaxed};
        o->arg_info = told;
        o->infos = kernel_infos_of_ptx(strchr(text, '\n') + 1);
    }
    free(text);
    return good;
}

bool object_form_read(const void *data, size_t size, object_form *o)
{
    const char *p = data, *code;
    bool library = size >= HEAD_BYTES && !memcmp(p, library_head, HEAD_BYTES);

    *o = (object_form){.library = library};
    if (!library && (size < HEAD_BYTES || memcmp(p, object_head, HEAD_BYTES))) {
        o->bitcode = p;
        o->size = size;
        return size >= 4 && !memcmp(p, magic, 4);
    }
    p += HEAD_BYTES;
    size -= HEAD_BYTES;
    code = memmem(p, size, magic, 4);
    if (!code || !read_facts(p, (size_t)(code - p), o))
        return false;
    o->bitcode = code;
    o->size = size - (size_t)(code - p);
    return true;
}
