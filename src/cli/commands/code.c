/* heddle asm, compile. */
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/kind.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "codegen/codegen.h"
#include "codegen/dump.h"
#include "isa/object.h"
#include "runtime/runtime.h"
#include "sass/assemble.h"

status cli_write_out(const char *path, const strbuf *b, diag *dg)
{
    const char *text = b->text ? b->text : "";

    if (path && strcmp(path, "-") != 0)
        return file_write(path, text, b->size, dg);
    fwrite(text, 1, b->size, stdout);
    return ST_OK;
}

static bool ends_with(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);

    return n >= k && !strcmp(path + n - k, suffix);
}

static status assemble_object(const char *path, const char *text, size_t size,
                              diag *dg, strbuf *b)
{
    isa_program *p = NULL;
    status st = rt_is_assembly(path, text, size, dg)
                    ? asm_parse(path, text, size, dg, &p)
                    : ST_PROGRAM;

    if (st == ST_OK)
        object_write(p, b);
    isa_program_free(p);
    return st;
}

int cli_asm(int argc, char **argv)
{
    cli_args a = cli_start("asm", argc, argv);
    const char *out = NULL;
    strbuf b = {0};
    char *text = NULL;
    size_t size;

    while (cli_next(&a))
        if (cli_is(&a, "output"))
            out = a.value;
    const char *path = cli_operand(&a, 0);
    if (a.wrong)
        return 2;
    if (!path || cli_operand(&a, 1))
        return cli_usage(a.command, "expected one file");
    diag *dg = diag_new();
    status st = file_read(path, dg, &text, &size);
    if (st == ST_OK) {
        diag_source(dg, path, text, size);
        st = sass_is_source(text, size)
                 ? rt_assemble_sass(path, text, size, dg, &b)
                 : assemble_object(path, text, size, dg, &b);
    }
    if (st == ST_OK && out)
        st = cli_write_out(out, &b, dg);
    cli_report(dg);
    diag_free(dg);
    strbuf_fini(&b);
    free(text);
    return cli_finish(cli_exit_code(st));
}

typedef struct compile_options {
    cli_gpu gpu;
    const char *out, *path;
    bool list, keep_going;
    uint64_t max_registers;
    const char **kernels; /* NULL at the end */
    unsigned kernel_count;
    bool dumps, explains; /* passes are shown, or only named */
    cg_dump dump;
} compile_options;

static void add_kernel_option(compile_options *o, const char *name)
{
    o->kernels = renew(o->kernels, o->kernel_count + 2, sizeof *o->kernels);
    o->kernels[o->kernel_count++] = name;
    o->kernels[o->kernel_count] = NULL;
}

static void explain_passes(FILE *to)
{
    fputs("--dump takes one of these, and may be repeated:\n", to);
    for (const cg_dump_word *w = cg_dump_words; w->name; w++)
        fprintf(to, "  %-16s  %s\n", w->name, w->help);
}

static void choose_pass(compile_options *o, cli_args *a)
{
    const char *names[CG_PASSES + 8], *near;
    size_t n = 0;

    o->dumps = true;
    if (!strcmp(a->value, "list")) {
        o->explains = true;
    } else if (!cg_dump_choose(&o->dump, a->value)) {
        for (const cg_dump_word *w = cg_dump_words; w->name; w++)
            names[n++] = w->name;
        near = suggest_nearest(a->value, names, n);
        cli_usage(a->command, "--dump: no pass '%s'%s%s%s", a->value,
                  near ? " (did you mean '" : "", near ? near : "",
                  near ? "'?)" : "");
        explain_passes(stderr);
        a->wrong = true;
    }
}

static status compile_text(compile_options *o, const config *cfg, diag *dg)
{
    const rt_options how = {.max_registers = (unsigned)o->max_registers,
                            .kernels = o->kernels,
                            .partial = o->keep_going,
                            .dump = o->dumps ? &o->dump : NULL};
    isa_program *p = NULL;
    strbuf b = {0};
    char *text = NULL;
    size_t size;
    status st = file_read(o->path, dg, &text, &size);

    if (st != ST_OK)
        return st;
    st = rt_compile(cfg, &how, o->path, text, size, dg, &p);
    free(text);
    /* Also of what failed: it tells how far it came. */
    fputs(o->dump.text.text ? o->dump.text.text : "", stdout);
    if (st != ST_OK)
        return st;
    if (o->list) {
        sources *from = sources_new(p->files, p->file_count, o->path);

        cg_list(p, from, &b);
        sources_free(from);
        fputs(b.text ? b.text : "", stdout);
        strbuf_fini(&b);
    }
    if (o->out || (!o->list && !o->dumps)) {
        if (o->out && ends_with(o->out, ".hobj"))
            object_write(p, &b);
        else
            asm_print(p, &b, NULL);
        st = cli_write_out(o->out, &b, dg);
    }
    strbuf_fini(&b);
    isa_program_free(p);
    return st;
}

static void compile_end(compile_options *o)
{
    cli_gpu_free(&o->gpu);
    free(o->kernels);
    strbuf_fini(&o->dump.text);
}

int cli_compile(int argc, char **argv)
{
    cli_args a = cli_start("compile", argc, argv);
    compile_options o = {0};
    int code;

    while (cli_next(&a)) {
        if (cli_gpu_option(&o.gpu, &a))
            continue;
        if (cli_is(&a, "output"))
            o.out = a.value;
        else if (cli_is(&a, "list"))
            o.list = true;
        else if (cli_is(&a, "dump"))
            choose_pass(&o, &a);
        else if (cli_is(&a, "kernel"))
            add_kernel_option(&o, a.value);
        else if (cli_is(&a, "keep-going"))
            o.keep_going = true;
        else if (cli_is(&a, "max-registers"))
            cli_u64(&a, 255, &o.max_registers);
    }
    o.path = cli_operand(&a, 0);
    if (a.wrong || (!o.path && !o.explains) || cli_operand(&a, 1)) {
        compile_end(&o);
        return a.wrong ? 2 : cli_usage(a.command, "expected one file");
    }
    if (o.explains) {
        explain_passes(stdout);
        compile_end(&o);
        return cli_finish(0);
    }
    config_sheet *s = cli_gpu_sheet(&o.gpu, "v100", &code);
    if (s) {
        diag *dg = diag_new();

        code = cli_exit_code(compile_text(&o, config_sheet_values(s), dg));
        cli_report(dg);
        diag_free(dg);
    }
    config_sheet_free(s);
    compile_end(&o);
    return cli_finish(code);
}
