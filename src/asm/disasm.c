/* src/asm/disasm.c - the disassembler. */
#include "asm/asm.h"

#include <inttypes.h>
#include <string.h>

#include "isa/encode.h"
#include "isa/operand.h"
#include "isa/print.h"

enum { NO_LABEL = UINT32_MAX, WORDS_A_LINE = 4 };

typedef struct printer {
    const isa_program *p;
    const asm_print_options *options;
    strbuf *b;
    arena *mem;
    uint32_t *labels; /* number of the label of each instruction */
} printer;

/* ---- names ---- */

static void put_string(strbuf *b, const char *s)
{
    strbuf_putc(b, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            strbuf_putc(b, '\\');
        if ((unsigned char)*s < ' ')
            strbuf_printf(b, "\\x%02x", *s);
        else
            strbuf_putc(b, *s);
    }
    strbuf_putc(b, '"');
}

/* Quotes what would not be read as one name, or as something else. */
static void put_name(strbuf *b, const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                            "XYZ0123456789_.$");

    if (!n || name[n] || (*name >= '0' && *name <= '9') || *name == '$' ||
        !strcmp(name, "entry"))
        put_string(b, name);
    else
        strbuf_puts(b, name);
}

/* ---- data ---- */

static void put_numbers(strbuf *b, const uint8_t *data, uint64_t size)
{
    uint64_t i = 0;

    for (; size - i >= 4; i += 4) {
        uint32_t word = data[i] | data[i + 1] << 8 | data[i + 2] << 16 |
                        (uint32_t)data[i + 3] << 24;

        strbuf_puts(b, i % (4 * WORDS_A_LINE) ? ", "
                       : i                    ? "\n    .word "
                                              : "    .word ");
        strbuf_printf(b, "0x%" PRIx32, word);
    }
    if (i)
        strbuf_putc(b, '\n');
    for (; i < size; i++)
        strbuf_printf(b, "    .byte 0x%x\n", data[i]);
}

/* Zeros at the end need not be written, but all of `size` must be there. */
static void put_initial_data(strbuf *b, const uint8_t *data, uint64_t size,
                             bool exact)
{
    uint64_t used = size;

    while (used && !data[used - 1])
        used--;
    used = used + 3 - (used + 3) % 4; /* whole words look better */
    used = used < size ? used : size;
    put_numbers(b, data, used);
    if ((exact && used < size) || !used)
        strbuf_printf(b, "    .zero %" PRIu64 "\n", size - used);
}

static void put_var(strbuf *b, const isa_var *v)
{
    static const char *const spaces[] = {"global", "const", "shared", "handle"};

    strbuf_printf(b, ".var %s ", spaces[v->space]);
    put_name(b, v->name);
    strbuf_printf(b, " size=%" PRIu64 " align=%" PRIu32, v->size, v->align);
    if (v->space == SPACE_CONST || v->space == SPACE_SHARED)
        strbuf_printf(b, " offset=0x%" PRIx32, v->offset);
    strbuf_putc(b, '\n');
    if (v->init)
        put_initial_data(b, v->init, v->size, false);
}

/* The name if it is the only one of its kind, else the number. */
static void put_var_name(strbuf *b, const isa_program *p, uint32_t index)
{
    unsigned same = 0;

    for (uint32_t i = 0; i < p->var_count; i++)
        same += !strcmp(p->vars[i].name, p->vars[index].name);
    if (same == 1)
        put_name(b, p->vars[index].name);
    else
        strbuf_printf(b, "$%" PRIu32, index);
}

static void put_reloc(strbuf *b, const isa_program *p, const isa_reloc *r)
{
    if (r->var < 0) {
        strbuf_printf(b, ".symbol 0x%" PRIx32 ", ", r->offset);
    } else {
        strbuf_puts(b, ".reloc ");
        put_var_name(b, p, (uint32_t)r->var);
        strbuf_printf(b, "+0x%" PRIx32 ", ", r->offset);
    }
    if (r->target_kernel >= 0) {
        strbuf_puts(b, "entry ");
        put_name(b, p->kernels[r->target_kernel].name);
    } else {
        put_var_name(b, p, r->target);
    }
    if (r->addend)
        strbuf_printf(b, "%c0x%" PRIx64, r->addend < 0 ? '-' : '+',
                      r->addend < 0 ? -(uint64_t)r->addend
                                    : (uint64_t)r->addend);
    strbuf_putc(b, '\n');
}

/* ---- kernels ---- */

static void put_header(strbuf *b, const isa_kernel *k)
{
    static const char *const kinds[] = {"bytes",   "int",   "float",
                                        "pointer", "image", "sampler"};

    strbuf_puts(b, ".kernel ");
    put_name(b, k->name);
    strbuf_putc(b, '\n');
    strbuf_printf(b, ".registers %" PRIu32 "\n.shared %" PRIu32 "\n",
                  k->registers, k->shared_bytes);
    if (k->shared_reserved)
        strbuf_printf(b, ".sharedreserved %" PRIu32 "\n", k->shared_reserved);
    if (k->launch_registers)
        strbuf_printf(b, ".launchregisters %" PRIu32 "\n", k->launch_registers);
    if (k->local_bytes)
        strbuf_printf(b, ".local %" PRIu32 "\n", k->local_bytes);
    if (k->open_stack)
        strbuf_printf(b, ".open_stack %" PRIu32 "\n", k->open_stack);
    if (k->spill_bytes)
        strbuf_printf(b, ".spill %" PRIu32 "\n", k->spill_bytes);
    if (k->barriers)
        strbuf_printf(b, ".barriers %" PRIu32 "\n", k->barriers);
    if (k->max_threads)
        strbuf_printf(b, ".maxthreads %" PRIu32 "\n", k->max_threads);
    if (k->req_threads[0] || k->req_threads[1] || k->req_threads[2])
        strbuf_printf(b, ".reqthreads %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n",
                      k->req_threads[0], k->req_threads[1], k->req_threads[2]);
    if (k->req_cga[0])
        strbuf_printf(b, ".reqcluster %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n",
                      k->req_cga[0], k->req_cga[1], k->req_cga[2]);
    if (k->max_cga)
        strbuf_printf(b, ".maxclusterrank %" PRIu32 "\n", k->max_cga);
    if (k->explicit_cga)
        strbuf_puts(b, ".explicitcluster 1\n");
    if (k->bank0)
        strbuf_printf(b, ".bank0 %" PRIu32 "\n", k->bank0);
    if (k->param_base)
        strbuf_printf(b, ".parambase %" PRIu32 "\n", k->param_base);
    strbuf_printf(b, ".params %" PRIu32 "\n", k->param_bytes);
    for (uint32_t i = 0; i < k->param_count; i++) {
        const isa_param *x = &k->params[i];

        strbuf_printf(b, ".param %s ", kinds[x->kind]);
        put_name(b, x->name);
        strbuf_printf(
            b, " size=%" PRIu32 " align=%" PRIu32 " offset=0x%" PRIx32 "\n",
            x->size, x->align, x->offset);
    }
    if (k->constant_bytes) {
        strbuf_puts(b, ".constant\n");
        put_initial_data(b, k->constants, k->constant_bytes, true);
    }
}

static void find_labels(printer *x, const isa_kernel *k)
{
    uint32_t next = 0;

    x->labels = ARENA_ARRAY(x->mem, uint32_t, k->code_count);
    for (uint32_t i = 0; i < k->code_count; i++)
        x->labels[i] = NO_LABEL;
    for (uint32_t i = 0; i < k->code_count; i++)
        if (isa_has_target((isa_op)k->code[i].op))
            x->labels[k->code[i].val[0]] = 0;
    for (uint32_t i = 0; i < k->code_count; i++)
        if (x->labels[i] != NO_LABEL)
            x->labels[i] = next++;
}

static void put_label(void *arg, uint32_t target, strbuf *b)
{
    const printer *x = arg;

    strbuf_printf(b, "L_%" PRIu32, x->labels[target]);
}

/* Where the code comes from, if that differs from *last. */
static void put_source_line(const printer *x, const isa_kernel *k,
                            const isa_inst *in, isa_inst *last)
{
    const char *file = isa_kernel_file(k, in), *s;
    size_t length;

    if (in->line == last->line && (!in->line || in->file == last->file))
        return;
    if (in->file != last->file && in->line) {
        strbuf_puts(x->b, "    .file ");
        put_string(x->b, file ? file : "");
        strbuf_putc(x->b, '\n');
        last->file = in->file;
    }
    last->line = in->line;
    strbuf_printf(x->b, "    .line %" PRIu32 "\n", in->line);
    s = in->file ? sources_line(x->options->sources, in->file - 1u, in->line,
                                &length)
                 : NULL;
    if (s) {
        strbuf_puts(x->b, "    // ");
        strbuf_write(x->b, s, length);
        strbuf_putc(x->b, '\n');
    }
}

static void put_encoding(strbuf *b, const isa_inst *in)
{
    uint8_t bytes[ISA_CODE_BYTES];

    isa_encode(in, bytes);
    strbuf_puts(b, " /* ");
    for (unsigned i = 0; i < ISA_CODE_BYTES; i++)
        strbuf_printf(b, "%02x", bytes[i]);
    strbuf_puts(b, " */");
}

static void put_instructions(printer *x, const isa_kernel *k)
{
    isa_inst last = {.line = 0};

    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];

        if (x->labels[i] != NO_LABEL)
            strbuf_printf(x->b, "L_%" PRIu32 ":\n", x->labels[i]);
        put_source_line(x, k, in, &last);
        strbuf_puts(x->b, "    ");
        if (x->options->address)
            strbuf_printf(x->b, "/*%04" PRIx64 "*/ ",
                          isa_address(x->p->arch, i));
        isa_print(in, x->p->arch, x->b, put_label, x);
        strbuf_putc(x->b, ';');
        if (x->options->encoding)
            put_encoding(x->b, in);
        strbuf_putc(x->b, '\n');
    }
}

void asm_print_kernel(const isa_program *p, const isa_kernel *k, strbuf *b,
                      const asm_print_options *options)
{
    static const asm_print_options none;
    printer x = {.p = p, .b = b, .options = options ? options : &none};

    x.mem = arena_new();
    find_labels(&x, k);
    put_header(b, k);
    put_instructions(&x, k);
    strbuf_puts(b, ".end\n");
    arena_free(x.mem);
}

void asm_print(const isa_program *p, strbuf *b,
               const asm_print_options *options)
{
    strbuf_printf(b, ".arch %s\n", isa_arch_names[p->arch]);
    if (p->user_const_bytes)
        strbuf_printf(b, ".const %" PRIu32 "\n", p->user_const_bytes);
    if (p->symbol_const_bytes)
        strbuf_printf(b, ".symbols %" PRIu32 "\n", p->symbol_const_bytes);
    for (uint32_t i = 0; i < p->file_count; i++) {
        strbuf_puts(b, ".file ");
        put_string(b, p->files[i]);
        strbuf_putc(b, '\n');
    }
    for (uint32_t i = 0; i < p->var_count; i++)
        put_var(b, &p->vars[i]);
    for (uint32_t i = 0; i < p->reloc_count; i++)
        put_reloc(b, p, &p->relocs[i]);
    for (uint32_t i = 0; i < p->kernel_count; i++) {
        strbuf_putc(b, '\n');
        asm_print_kernel(p, &p->kernels[i], b, options);
    }
}
