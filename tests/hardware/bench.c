/* tests/hardware/bench.c */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "config/sheet.h"

bool bench_start(bench *b, const char *preset)
{
    rt_options opt = {.functional = true};
    config_sheet *s = config_sheet_new();

    b->dg = diag_new();
    if (!s || !b->dg)
        return false;
    if (config_sheet_load(s, preset, b->dg) == ST_OK)
        b->d = rt_device_new(config_sheet_values(s), &opt, b->dg);
    config_sheet_free(s);
    if (!b->d)
        return false;
    for (unsigned k = 0; k < 4; k++)
        b->at[k] =
            rt_alloc(rt_device_memory(b->d), HW_VECTORS * HW_SLOT, "operand");
    return b->at[3] != 0;
}

void bench_end(bench *b)
{
    rt_device_free(b->d);
    diag_free(b->dg);
}

bool bench_load(bench *b, const hw_form *f, unsigned number)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    bool good = false;

    if (!to)
        return false;
    hw_module_begin(to);
    hw_kernel_write(to, f, number);
    if (fclose(to) == 0)
        good = rt_module_load_text(b->d, f->name, text, size, b->dg, &b->m) ==
               ST_OK;
    free(text);
    if (good)
        b->kernel = rt_module_kernel(b->m, NULL, b->dg);
    return good && b->kernel;
}

bool bench_run(bench *b)
{
    rt_result r;
    rt_launch l = {.module = b->m,
                   .kernel = b->kernel,
                   .grid = {HW_VECTORS / HW_CTA, 1, 1},
                   .block = {HW_CTA, 1, 1},
                   .params = b->at};
    bool good;

    memset(b->got, 0, sizeof b->got);
    good = rt_write(rt_device_memory(b->d), b->at[0], b->got, sizeof b->got);
    for (unsigned k = 0; k < 3; k++)
        good = good && rt_write(rt_device_memory(b->d), b->at[k + 1],
                                b->in.v[k], sizeof b->in.v[k]);
    return good && rt_run(b->d, &l, b->dg, &r) == ST_OK &&
           rt_read(rt_device_memory(b->d), b->at[0], b->got, sizeof b->got);
}
