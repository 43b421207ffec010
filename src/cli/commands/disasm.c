/* heddle disasm. */
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "base/file.h"
#include "base/kind.h"
#include "cli/cli.h"
#include "isa/object.h"
#include "sass/assemble.h"
#include "sass/bounds.h"
#include "sass/listing.h"

typedef struct disasm_options {
    asm_print_options print;
    const char *path, *out;
    const char *kernel; /* NULL: all */
    bool info, bounds, source;
} disasm_options;

static status list_cubin(const disasm_options *o, const char *data, size_t size,
                         diag *dg, strbuf *b)
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
    } else if (st == ST_OK && !sass_list(c, o->kernel, b)) {
        diag_add(dg, DIAG_ERROR, o->path, 0, 0, 0,
                 "it has no function '%s': --info lists them", o->kernel);
        st = ST_PROGRAM;
    }
    arena_free(mem);
    return st;
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
    char *data;
    size_t size;
    status st = file_read(o->path, dg, &data, &size);

    if (st != ST_OK)
        return st;
    if (cubin_is(data, size)) {
        st = list_cubin(o, data, size, dg, b);
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
