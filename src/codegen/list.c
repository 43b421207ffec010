/* src/codegen/list.c - a program as a listing. */
#include "codegen/codegen.h"
#include "isa/print.h"

static void list_line(const isa_kernel *k, const isa_inst *in,
                      const sources *from, strbuf *to)
{
    const char *file = isa_kernel_file(k, in), *s = NULL;
    size_t length;

    strbuf_printf(to, "        // %s:%u", file ? file : "?", in->line);
    if (file)
        s = sources_line(from, in->file - 1u, in->line, &length);
    if (s) {
        strbuf_puts(to, "  ");
        strbuf_write(to, s, length);
    }
    strbuf_putc(to, '\n');
}

static void list_kernel(const isa_program *p, const isa_kernel *k,
                        const sources *from, strbuf *to)
{
    isa_inst last = {.line = 0};

    strbuf_printf(to,
                  "// kernel %s: %u registers, %u bytes shared, %u bytes "
                  "local (%u spilled), %u barriers, %u instructions\n",
                  k->name, k->registers, k->shared_bytes, k->local_bytes,
                  k->spill_bytes, k->barriers, k->code_count);
    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];

        if (in->line && (in->line != last.line || in->file != last.file)) {
            list_line(k, in, from, to);
            last = *in;
        }
        strbuf_printf(to, "%6u  ", i);
        isa_print(in, p->arch, to, NULL, NULL);
        strbuf_putc(to, '\n');
    }
    strbuf_putc(to, '\n');
}

void cg_list(const isa_program *p, const sources *from, strbuf *to)
{
    for (uint32_t i = 0; i < p->kernel_count; i++)
        list_kernel(p, &p->kernels[i], from, to);
}
