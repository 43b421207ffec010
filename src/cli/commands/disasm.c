/* heddle disasm. */
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "base/elf.h"
#include "base/file.h"
#include "base/kind.h"
#include "cli/cli.h"
#include "fatbin/fatbin.h"
#include "isa/object.h"
#include "sass/assemble.h"
#include "sass/bounds.h"
#include "sass/listing.h"

typedef struct disasm_options {
    asm_print_options print;
    const char *path, *out;
    const char *kernel; /* NULL: all */
    unsigned sm;        /* 0: all */
    bool info, bounds, source;
} disasm_options;

/* *found: it has the function that is asked for. */
static status list_cubin(const disasm_options *o, const char *data, size_t size,
                         diag *dg, strbuf *b, bool *found)
{
    arena *mem = arena_new();
    cubin *c = NULL;
    status st = cubin_read(o->path, data, size, mem, dg, &c);

    if (st == ST_OK && o->bounds) {
        sass_bounds bounds = {0};

        sass_bounds_of(&bounds, c);
        sass_bounds_put(&bounds, b);
    } else if (st == ST_OK && o->info) {
        sass_list_info(c, b);
    } else if (st == ST_OK && o->source) {
        sass_source(c, b);
    } else if (st == ST_OK) {
        *found |= sass_list(c, o->kernel, b);
    }
    arena_free(mem);
    return st;
}

static status check_found(const disasm_options *o, bool found, diag *dg)
{
    if (found || !o->kernel || o->info || o->bounds || o->source)
        return ST_OK;
    diag_add(dg, DIAG_ERROR, o->path, 0, 0, 0,
             "it has no function '%s': --info lists them", o->kernel);
    return ST_PROGRAM;
}

/* The machine code in `f`, in the order of the file; of PTX that it is there.
 */
static status list_fatbin(const disasm_options *o, const fatbin *f, diag *dg,
                          strbuf *b)
{
    size_t listed = 0;
    bool found = false;
    status st = ST_OK;

    for (size_t i = 0; i < fatbin_part_count(f) && st == ST_OK; i++) {
        fatbin_part part = fatbin_part_get(f, i);

        for (size_t k = 0; k < part.count && st == ST_OK; k++) {
            const fatbin_image *image = &part.images[k];
            bool code = image->kind == FATBIN_MACHINE_CODE;
            char *data = NULL;
            size_t size;

            if (!o->source)
                strbuf_printf(b, "// part %zu: %s for sm_%u, %zu bytes\n",
                              i + 1,
                              code                        ? "machine code"
                              : image->kind == FATBIN_PTX ? "PTX"
                                                          : "other code",
                              image->capability, image->size);
            if (!code || (o->sm && image->capability != o->sm))
                continue;
            st = fatbin_unpack(f, image, dg, &data, &size);
            if (st == ST_OK)
                st = list_cubin(o, data, size, dg, b, &found);
            listed++;
            free(data);
        }
    }
    if (st == ST_OK && o->source && listed != 1) {
        diag_add(dg, DIAG_ERROR, o->path, 0, 0, 0,
                 "--source is for one cubin, and here are %zu: choose with "
                 "--arch",
                 listed);
        return ST_PROGRAM;
    }
    return st == ST_OK ? check_found(o, found, dg) : st;
}

/* Containers, by themselves or in a program. */
static status list_containers(const disasm_options *o, const void *data,
                              size_t size, diag *dg, strbuf *b)
{
    fatbin *f;
    status st = fatbin_open(o->path, data, size, dg, &f);

    if (st != ST_OK)
        return st;
    st = list_fatbin(o, f, dg, b);
    fatbin_free(f);
    return st;
}

/* Where a program has its containers; NULL: it has none. */
static const void *find_containers(const char *data, size_t size, size_t *bytes)
{
    const elf_file f = elf_of_bytes(data, size);
    const Elf64_Shdr *s = f.head ? elf_section_named(&f, ".nv_fatbin") : NULL;

    *bytes = s ? s->sh_size : 0;
    return s ? elf_part(&f, s->sh_offset, s->sh_size) : NULL;
}

static status list_object(const disasm_options *o, const char *data,
                          size_t size, diag *dg, strbuf *b)
{
    isa_program *p = NULL;
    status st;

    if (o->kernel || o->info || o->bounds || o->source) {
        diag_add(dg, DIAG_ERROR, o->path, 0, 0, 0,
                 "--%s is for machine code of real GPUs (cubins)",
                 o->bounds   ? "bounds"
                 : o->info   ? "info"
                 : o->source ? "source"
                             : "kernel");
        return ST_PROGRAM;
    }
    st = object_read(o->path, data, size, dg, &p);
    if (st == ST_OK)
        asm_print(p, b, &o->print);
    isa_program_free(p);
    return st;
}

static status disassemble(const disasm_options *o, diag *dg, strbuf *b)
{
    const void *inside;
    bool found = false;
    char *data;
    size_t size, bytes;
    status st = file_read(o->path, dg, &data, &size);

    if (st != ST_OK)
        return st;
    if (fatbin_is(data, size)) {
        st = list_containers(o, data, size, dg, b);
    } else if ((inside = find_containers(data, size, &bytes))) {
        st = list_containers(o, inside, bytes, dg, b);
    } else if (cubin_is(data, size)) {
        st = list_cubin(o, data, size, dg, b, &found);
        if (st == ST_OK)
            st = check_found(o, found, dg);
    } else if (object_file_is(data, size)) {
        st = list_object(o, data, size, dg, b);
    } else {
        file_kind_refuse(o->path, file_kind_of(o->path, data, size),
                         "object file, as 'heddle asm' and 'heddle compile' "
                         "make them, and no cubin",
                         dg);
        st = ST_PROGRAM;
    }
    free(data);
    return st;
}

/* "sm_80" or "80". */
static unsigned read_arch(cli_args *a)
{
    const char *number = a->value + (strncmp(a->value, "sm_", 3) ? 0 : 3);
    char *end;
    unsigned long sm = strtoul(number, &end, 10);

    if (end != number && !*end && sm && sm < 1000)
        return (unsigned)sm;
    cli_usage(a->command, "--arch: '%s' is no architecture such as sm_80",
              a->value);
    a->wrong = true;
    return 0;
}

int cli_disasm(int argc, char **argv)
{
    cli_args a = cli_start("disasm", argc, argv);
    disasm_options o = {0};
    strbuf b = {0};

    while (cli_next(&a)) {
        if (cli_is(&a, "output"))
            o.out = a.value;
        else if (cli_is(&a, "kernel"))
            o.kernel = a.value;
        else if (cli_is(&a, "info"))
            o.info = true;
        else if (cli_is(&a, "arch"))
            o.sm = read_arch(&a);
        else if (cli_is(&a, "source"))
            o.source = true;
        else if (cli_is(&a, "bounds"))
            o.bounds = true;
        else if (cli_is(&a, "address"))
            o.print.address = true;
        else if (cli_is(&a, "encoding"))
            o.print.encoding = true;
    }
    o.path = cli_operand(&a, 0);
    if (a.wrong)
        return 2;
    if (!o.path || cli_operand(&a, 1))
        return cli_usage(a.command, "expected one file");
    diag *dg = diag_new();
    status st = disassemble(&o, dg, &b);
    if (st == ST_OK)
        st = cli_write_out(o.out, &b, dg);
    cli_report(dg);
    diag_free(dg);
    strbuf_fini(&b);
    return cli_finish(cli_exit_code(st));
}
