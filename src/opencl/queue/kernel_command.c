#include "opencl/queue/kernel_command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "opencl/queue/worker.h"

/* What kernels printed and the program has not seen yet: it sees it when it
 * waits, so that its own output is never in between by chance. */
typedef struct printed {
    struct printed *next;
    uint64_t end_ns; /* of the launch */
    size_t size;
    char text[];
} printed;

/* Part of the process's state, like ocl_state; with its lock. */
static struct {
    printed *first; /* what ended first comes first */
} st;

/* ---- What a launch prints ---- */

/* The texts of printf, put together; assertions go to stderr at once. */
void launch_printed(ocl_launch *l, const exec_line *lines, size_t count)
{
    size_t size = 0, had = l->printed ? l->printed->size : 0;

    for (size_t i = 0; i < count; i++) {
        if (lines[i].assertion)
            fwrite(lines[i].text, 1, lines[i].length, stderr);
        else
            size += lines[i].length;
    }
    printed *p =
        size ? alloc_try_renew(l->printed, sizeof *p + had + size, 1) : NULL;
    if (!p)
        return;
    l->printed = p;
    *p = (printed){.size = had};
    for (size_t i = 0; i < count; i++) {
        if (lines[i].assertion)
            continue;
        memcpy(p->text + p->size, lines[i].text, lines[i].length);
        p->size += lines[i].length;
    }
}

void launch_show(uint64_t until_ns)
{
    printed *p = st.first;

    if (!p || p->end_ns > until_ns)
        return;
    for (; (p = st.first) && p->end_ns <= until_ns; free(p)) {
        st.first = p->next;
        fwrite(p->text, 1, p->size, stdout);
    }
    fflush(stdout);
}

void launch_forget(void)
{
    for (printed *p; (p = st.first); free(p))
        st.first = p->next;
}

/* ---- The command ---- */

static void launch_fini(ocl_command *c)
{
    ocl_launch *l = (ocl_launch *)c;
    printed *p = l->printed, **at = &st.first;

    free(l->params);
    free(l->run.profile);
    if (!p)
        return;
    p->end_ns = c->event->end_ns;
    while (*at && (*at)->end_ns <= p->end_ns)
        at = &(*at)->next;
    p->next = *at;
    *at = p;
}

ocl_launch *launch_new(cl_command_queue q, cl_command_type type)
{
    ocl_launch *l = command_new(sizeof *l, q, type, NULL);

    if (!l)
        return NULL;
    l->command.engine = OCL_KERNELS;
    l->command.fini = launch_fini;
    return l;
}

/* ---- At the program's end ---- */

static void put_unrun_kernels(strbuf *to, uint64_t n, const char *name)
{
    if (n == 1)
        strbuf_printf(to, "kernel '%s' was enqueued and never ran", name);
    else
        strbuf_printf(to,
                      "%llu kernels, the first of them '%s', were enqueued and "
                      "never ran",
                      (unsigned long long)n, name);
}

bool launch_not_begun(strbuf *to)
{
    const char *name = NULL;
    uint64_t n = 0, blocked = 0;

    for (const ocl_command *c = NULL; (c = worker_not_begun(c));) {
        if (c->engine != OCL_KERNELS)
            continue;
        if (!n++)
            name = ((const ocl_launch *)c)->code->name;
        blocked += c->blocked;
    }
    if (!n)
        return false;
    put_unrun_kernels(to, n, name);
    if (blocked == n)
        strbuf_printf(to, ": %s", n == 1 ? "it waits" : "they wait");
    else if (blocked)
        strbuf_printf(to, ": %llu of them wait", (unsigned long long)blocked);
    if (blocked)
        strbuf_puts(to, " for a user event that was not set "
                        "(clSetUserEventStatus)");
    else
        strbuf_printf(
            to,
            ": the program ended without waiting for %s (clFinish, or "
            "a blocking read; clFlush alone does not wait); a device "
            "may run %s, or not",
            n == 1 ? "it" : "them", n == 1 ? "it" : "them");
    return true;
}
