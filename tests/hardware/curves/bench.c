#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* ---- Kernels ---- */

void bench_ptx_begin(bench_ptx *p, unsigned count, const char *target)
{
    p->to = open_memstream(&p->text, &p->size);
    if (!p->to) {
        fputs("curves: no memory left\n", stderr);
        exit(1);
    }
    fprintf(p->to,
            ".version 6.3\n.target %s\n.address_size 64\n"
            ".extern .shared .align 16 .b8 dynamic[];\n"
            ".visible .entry k(.param .u64 p0",
            target);
    for (unsigned i = 1; i <= count; i++)
        fprintf(p->to, ", .param .u64 p%u", i);
    fputs(")\n{\n.reg .b32 %r<100>;\n.reg .b64 %rd<100>;\n.reg .f32 %f<100>;\n"
          ".reg .f64 %fd<100>;\n.reg .b16 %h<100>;\n.reg .pred %p<100>;\n",
          p->to);
    for (unsigned i = 0; i <= count; i++)
        fprintf(p->to, "ld.param.u64 %%rd9%u, [p%u];\n", i, i);
    fputs("mov.u32 %r90, %tid.x;\nmov.u32 %r92, %ctaid.x;\n"
          "mov.u32 %r93, %ntid.x;\nmad.lo.u32 %r91, %r92, %r93, %r90;\n",
          p->to);
}

void *bench_ptx_end(bench *b, bench_ptx *p)
{
    void *module = NULL, *kernel = NULL;

    fputs("ret;\n}\n", p->to);
    if (!fclose(p->to))
        module = cu_module(&b->cu, p->text, b->curve);
    free(p->text);
    if (!module || !bench_ok(b, b->cu.function(&kernel, module, "k"),
                             "cuModuleGetFunction"))
        return NULL;
    return kernel;
}

void bench_ptx_start(bench_ptx *p)
{
    fputs("bar.sync 0;\nmov.u64 %rd80, %clock64;\n", p->to);
}

void bench_ptx_stop(bench_ptx *p, const char *keep)
{
    fprintf(p->to,
            "mov.u64 %%rd81, %%clock64;\n"
            "shr.u32 %%r94, %%r91, 5;\nmul.wide.u32 %%rd82, %%r94, 16;\n"
            "add.u64 %%rd82, %%rd82, %%rd90;\n"
            "st.global.u64 [%%rd82], %%rd80;\nst.global.u64 [%%rd82+8], "
            "%%rd81;\nsetp.ne.u32 %%p99, %s, 0x7ea1f00d;\n@%%p99 ret;\n"
            "st.global.u32 [%%rd82], %s;\n",
            keep, keep);
}

/* ---- Runs ---- */

bool bench_ok(bench *b, int status, const char *call)
{
    if (!status)
        return true;
    fprintf(stderr, "%s: %s: %s\n", b->curve, call,
            cu_error_name(&b->cu, status));
    b->failed = true;
    return false;
}

double bench_run(bench *b, void *kernel, const bench_launch *l)
{
    const cu_driver *cu = &b->cu;
    unsigned long long value[BENCH_ARGUMENTS];
    void *arguments[BENCH_ARGUMENTS], *from = NULL, *to = NULL;
    float ms = -1;

    for (unsigned i = 0; i < BENCH_ARGUMENTS; i++) {
        value[i] = l->arguments[i];
        arguments[i] = &value[i];
    }
    if (!bench_ok(b, cu->event_new(&from, 0), "cuEventCreate") ||
        !bench_ok(b, cu->event_new(&to, 0), "cuEventCreate"))
        return -1;
    if (l->shared > 48 << 10)
        bench_ok(
            b,
            cu->function_attribute(kernel, CU_FUNCTION_SHARED, (int)l->shared),
            "cuFuncSetAttribute");
    if (!bench_ok(b, cu->event_record(from, NULL), "cuEventRecord") ||
        !bench_ok(b,
                  cu->launch(kernel, l->ctas, 1, 1, l->threads, 1, 1, l->shared,
                             NULL, arguments, NULL),
                  "cuLaunchKernel") ||
        !bench_ok(b, cu->event_record(to, NULL), "cuEventRecord") ||
        !bench_ok(b, cu->event_wait(to), "cuEventSynchronize") ||
        !bench_ok(b, cu->event_ms(&ms, from, to), "cuEventElapsedTime"))
        ms = -1;
    cu->event_free(from);
    cu->event_free(to);
    return (double)ms;
}

double bench_cycles(bench *b, void *kernel, const bench_launch *l)
{
    size_t warps = (l->threads + WARP - 1) / WARP, n = warps * l->ctas;
    uint64_t *at = calloc(n, 16);
    double most = 0;

    if (!at || bench_run(b, kernel, l) < 0 ||
        !bench_ok(b, b->cu.to_host(at, b->out, n * 16), "cuMemcpyDtoH")) {
        free(at);
        return 0;
    }
    for (size_t cta = 0; cta < l->ctas; cta++) {
        const uint64_t *w = at + cta * warps * 2;
        uint64_t first = w[0], last = w[1];

        for (size_t i = 1; i < warps; i++) {
            first = w[2 * i] < first ? w[2 * i] : first;
            last = w[2 * i + 1] > last ? w[2 * i + 1] : last;
        }
        most = (double)(last - first) > most ? (double)(last - first) : most;
    }
    free(at);
    return most;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_middle(double *all, unsigned n)
{
    qsort(all, n, sizeof *all, by_size);
    return all[n / 2];
}

double bench_median(bench *b, void *kernel, const bench_launch *l,
                    double (*time)(bench *, void *, const bench_launch *))
{
    double all[BENCH_REPEATS];

    for (unsigned i = 0; i < b->repeat; i++)
        all[i] = time(b, kernel, l);
    return bench_middle(all, b->repeat);
}

cu_pointer bench_alloc(bench *b, size_t bytes)
{
    cu_pointer at = 0;

    return bench_ok(b, b->cu.alloc(&at, bytes), "cuMemAlloc") ? at : 0;
}

void bench_free(bench *b, cu_pointer at)
{
    if (at)
        bench_ok(b, b->cu.free(at), "cuMemFree");
}

/* ---- Points ---- */

void bench_point(bench *b, const char *line, double x, double value)
{
    if (!(value > 0)) {
        fprintf(stderr, "%s: no value at %s %g\n", b->curve, line, x);
        b->failed = true;
        return;
    }
    fprintf(b->to, "%s,%s,%.6g,%.6g\n", b->curve, line, x, value);
    fflush(b->to);
}

bool bench_ask_for(bench *b, const char *path)
{
    FILE *f = fopen(path, "r");
    char text[256];

    if (!f) {
        fprintf(stderr, "curves: cannot read %s\n", path);
        return false;
    }
    while (fgets(text, sizeof text, f)) {
        bench_ask *to = &b->asked[b->asked_count];

        if (b->asked_count == BENCH_ASKED)
            break;
        *to = (bench_ask){0};
        if (sscanf(text, "%15[^,#],%31[^,],%lf,", to->curve, to->line,
                   &to->x) == 3 ||
            sscanf(text, "%15[^,#],,%lf,", to->curve, &to->x) == 2)
            b->asked_count++;
    }
    fclose(f);
    if (!b->asked_count)
        fprintf(stderr, "curves: %s has no lines curve,line,x\n", path);
    return b->asked_count != 0;
}

/* As bench_point prints it. */
static bool same_x(double a, double b)
{
    char one[32], other[32];

    snprintf(one, sizeof one, "%.6g", a);
    snprintf(other, sizeof other, "%.6g", b);
    return !strcmp(one, other);
}

bool bench_wants(const bench *b, const char *line, double x)
{
    for (unsigned i = 0; i < b->asked_count; i++)
        if (!strcmp(b->asked[i].curve, b->curve) &&
            !strcmp(b->asked[i].line, line) && same_x(b->asked[i].x, x))
            return true;
    return !b->asked_count;
}

bench_xs bench_xs_of(bench *b, bench_xs usual, bench_xs few)
{
    unsigned n = 0;

    if (!b->asked_count)
        return b->level == QUICK ? few : usual;
    for (unsigned i = 0; i < b->asked_count; i++)
        if (!strcmp(b->asked[i].curve, b->curve))
            b->xs[n++] = b->asked[i].x;
    return (bench_xs){b->xs, n};
}
