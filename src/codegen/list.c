/* src/codegen/list.c - a program as a listing. */
#include <string.h>

#include "codegen/codegen.h"
#include "isa/print.h"

/* Line `n` of a text without its newline; NULL if there is none. */
static const char *source_line(const char *text, uint32_t n, size_t *length)
{
    while (text && n > 1) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
        n--;
    }
    if (!text || !n)
        return NULL;
    *length = strcspn(text, "\r\n");
    return text;
}

static void list_line(const isa_kernel *k, const char *source, uint32_t line,
                      strbuf *to)
{
    size_t length;
    const char *s = source_line(source, line, &length);

    strbuf_printf(to, "        // %s:%u", k->file ? k->file : "?", line);
    if (s) {
        while (length && (*s == ' ' || *s == '\t')) {
            s++;
            length--;
        }
        strbuf_puts(to, "  ");
        strbuf_write(to, s, length);
    }
    strbuf_putc(to, '\n');
}

static void list_kernel(const isa_program *p, const isa_kernel *k,
                        const char *source, strbuf *to)
{
    uint32_t line = 0;

    strbuf_printf(to,
                  "// kernel %s: %u registers, %u bytes shared, %u bytes "
                  "local (%u spilled), %u barriers, %u instructions\n",
                  k->name, k->registers, k->shared_bytes, k->local_bytes,
                  k->spill_bytes, k->barriers, k->code_count);
    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];

        if (in->line && in->line != line)
            list_line(k, source, in->line, to);
        line = in->line ? in->line : line;
        strbuf_printf(to, "%6u  ", i);
        isa_print(in, p->arch, to, NULL, NULL);
        strbuf_putc(to, '\n');
    }
    strbuf_putc(to, '\n');
}

void cg_list(const isa_program *p, const char *source, strbuf *to)
{
    for (uint32_t i = 0; i < p->kernel_count; i++)
        list_kernel(p, &p->kernels[i], source, to);
}
