#include "opencl/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    printed *p = size ? realloc(l->printed, sizeof *p + had + size) : NULL;
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
