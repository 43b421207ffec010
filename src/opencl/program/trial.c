/* src/opencl/program/trial.c - can the compiler compile? See heddle/driver.h.
 */
#include <stdio.h>
#include <string.h>

#include "heddle/driver.h"
#include "opencl/program/compile.h"
#include "opencl/program/toolchain.h"

/* Of libclc, so that a libclc of another version is noticed. */
static const char kernel[] =
    "kernel void k(global float *x) { *x = sin(*x) + get_global_id(0); }";

/* Without the newlines at its end. */
static int put_reason(char *why, size_t size, const char *before,
                      const char *log)
{
    size_t n = strlen(log);

    while (n && log[n - 1] == '\n')
        n--;
    snprintf(why, size, "%s%.*s", before, (int)n, log);
    return 1;
}

__attribute__((visibility("default"))) int heddle_try_compiler(char *why,
                                                               size_t size)
{
    const compile_job job = {.to = COMPILE_PTX, .source = kernel};
    strbuf head = {0};
    compile_result r;
    toolchain t;
    int bad = 0;

    *why = '\0';
    if (!toolchain_find(&t, &head)) {
        bad = put_reason(why, size, "", head.text);
        strbuf_fini(&head);
        return bad;
    }
    strbuf_printf(&head, "%s with %s cannot compile an OpenCL C kernel:\n",
                  t.clang, t.libclc);
    if (compile_run(&job, &r) != CL_SUCCESS)
        bad = put_reason(why, size, head.text, r.log);
    else if (!strstr(r.out, ".entry k("))
        bad = put_reason(why, size, head.text, "what it wrote is no PTX");
    compile_result_fini(&r);
    strbuf_fini(&head);
    toolchain_fini(&t);
    return bad;
}
