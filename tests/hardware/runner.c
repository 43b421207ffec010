/* tests/hardware/runner.c - runs every form on a real GPU through the CUDA
 * driver, found at run time, so that building needs no toolkit.
 *   runner FORMS.txt [RESULTS.bin]
 * FORMS.txt gets one line a form: hash of the results with NaNs made alike,
 * then how they compare with the reference. RESULTS.bin gets all results, in
 * the width of their type. Both begin with device and driver. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

typedef int cu_result;
typedef unsigned long long cu_pointer;

typedef struct driver {
    cu_result (*init)(unsigned);
    cu_result (*version)(int *);
    cu_result (*device_get)(int *, int);
    cu_result (*device_name)(char *, int, int);
    cu_result (*device_attribute)(int *, int, int);
    cu_result (*context_retain)(void **, int);
    cu_result (*context_set)(void *);
    cu_result (*module_load)(void **, const void *, unsigned, int *, void **);
    cu_result (*module_unload)(void *);
    cu_result (*function)(void **, void *, const char *);
    cu_result (*alloc)(cu_pointer *, size_t);
    cu_result (*to_device)(cu_pointer, const void *, size_t);
    cu_result (*to_host)(void *, cu_pointer, size_t);
    cu_result (*launch)(void *, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, void *, void **, void **);
    cu_result (*synchronize)(void);
} driver;

typedef struct board {
    driver cu;
    cu_pointer at[4]; /* result and operands */
    hw_input in;
    uint64_t want[HW_VECTORS], got[HW_VECTORS];
} board;

enum { MAJOR = 75, MINOR = 76, LOG = 5, LOG_SIZE = 6 }; /* of the driver API */

static bool load_driver(driver *cu)
{
    const struct {
        void *to;
        const char *name;
    } rows[] = {
        {&cu->init, "cuInit"},
        {&cu->version, "cuDriverGetVersion"},
        {&cu->device_get, "cuDeviceGet"},
        {&cu->device_name, "cuDeviceGetName"},
        {&cu->device_attribute, "cuDeviceGetAttribute"},
        {&cu->context_retain, "cuDevicePrimaryCtxRetain"},
        {&cu->context_set, "cuCtxSetCurrent"},
        {&cu->module_load, "cuModuleLoadDataEx"},
        {&cu->module_unload, "cuModuleUnload"},
        {&cu->function, "cuModuleGetFunction"},
        {&cu->alloc, "cuMemAlloc_v2"},
        {&cu->to_device, "cuMemcpyHtoD_v2"},
        {&cu->to_host, "cuMemcpyDtoH_v2"},
        {&cu->launch, "cuLaunchKernel"},
        {&cu->synchronize, "cuCtxSynchronize"},
    };
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);

    for (unsigned k = 0; lib && k < sizeof rows / sizeof rows[0]; k++) {
        void *f = dlsym(lib, rows[k].name);
        if (!f)
            return false;
        memcpy(rows[k].to, &f, sizeof f);
    }
    return lib != NULL;
}

static bool start(board *b, FILE *to)
{
    const driver *cu = &b->cu;
    int device = 0, version = 0, major = 0, minor = 0;
    void *context = NULL;
    char name[100] = "";

    if (!load_driver(&b->cu) || cu->init(0) || cu->version(&version) ||
        cu->device_get(&device, 0) || cu->device_name(name, 100, device) ||
        cu->device_attribute(&major, MAJOR, device) ||
        cu->device_attribute(&minor, MINOR, device) ||
        cu->context_retain(&context, device) || cu->context_set(context))
        return false;
    fprintf(to, "# %s, compute capability %d.%d, CUDA driver API %d\n", name,
            major, minor, version);
    for (unsigned k = 0; k < 4; k++)
        if (cu->alloc(&b->at[k], HW_VECTORS * HW_SLOT))
            return false;
    return true;
}

/* Each form is a module of its own: one that is refused hides no other. */
static bool load(board *b, const hw_form *f, unsigned number, void **module)
{
    char *text = NULL, log[2048] = "";
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    int options[] = {LOG, LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};

    if (!to)
        return false;
    hw_module_begin(to);
    hw_kernel_write(to, f, number);
    bool good = fclose(to) == 0 &&
                b->cu.module_load(module, text, 2, options, values) == 0;
    if (!good)
        fprintf(stderr, "%s: %s\n", f->name, log);
    free(text);
    return good;
}

static bool run(board *b, const hw_form *f, unsigned number)
{
    const driver *cu = &b->cu;
    void *module = NULL, *kernel = NULL;
    void *params[] = {&b->at[0], &b->at[1], &b->at[2], &b->at[3]};
    char name[32];

    if (!load(b, f, number, &module))
        return false;
    snprintf(name, sizeof name, "form%u", number);
    memset(b->got, 0, sizeof b->got);
    bool good = !cu->function(&kernel, module, name) &&
                !cu->to_device(b->at[0], b->got, sizeof b->got);
    for (unsigned k = 0; k < 3; k++)
        good =
            good && !cu->to_device(b->at[k + 1], b->in.v[k], sizeof b->in.v[k]);
    good = good &&
           !cu->launch(kernel, HW_VECTORS / HW_CTA, 1, 1, HW_CTA, 1, 1, 0, NULL,
                       params, NULL) &&
           !cu->synchronize() && !cu->to_host(b->got, b->at[0], sizeof b->got);
    cu->module_unload(module);
    return good;
}

static void report(board *b, const hw_form *f, FILE *table, FILE *all)
{
    unsigned bytes = hw_bits(f->d) / 8;

    hw_reference(f, &b->in, b->want);
    hw_verdict v = hw_judge(f, &b->in, b->got, b->want);
    fprintf(table, "%016llx %u %u %u %u %g %s\n",
            (unsigned long long)hw_hash(f, b->got), v.equal, v.payload, v.close,
            v.wrong, v.ulp, f->name);
    if (v.wrong)
        fprintf(stderr, "%s: 0x%llx 0x%llx 0x%llx gives 0x%llx, not 0x%llx\n",
                f->name, (unsigned long long)b->in.v[0][v.first],
                (unsigned long long)b->in.v[1][v.first],
                (unsigned long long)b->in.v[2][v.first],
                (unsigned long long)b->got[v.first],
                (unsigned long long)b->want[v.first]);
    for (unsigned i = 0; all && i < HW_VECTORS; i++)
        fwrite(&b->got[i], bytes, 1, all);
}

int main(int argc, char **argv)
{
    hw_list l;
    board *b = calloc(1, sizeof *b);
    FILE *table = argc > 1 ? fopen(argv[1], "w") : NULL;
    FILE *all = argc > 2 ? fopen(argv[2], "wb") : NULL;

    hw_list_init(&l);
    if (!b || l.failed || !table || (argc > 2 && !all)) {
        fputs("usage: runner FORMS.txt [RESULTS.bin]\n", stderr);
        return 2;
    }
    if (!start(b, table)) {
        fputs("no CUDA device\n", stderr);
        return 77;
    }
    for (unsigned k = 0; k < l.count; k++) {
        const hw_form *f = &l.form[k];
        if (f->newer)
            continue;
        hw_input_fill(f, &b->in);
        if (run(b, f, k))
            report(b, f, table, all);
        else
            fprintf(table, "- 0 0 0 0 0 %s\n", f->name);
    }
    int bad = ferror(table) || (all && ferror(all));
    bad |= fclose(table) || (all && fclose(all));
    hw_list_free(&l);
    free(b);
    return bad;
}
