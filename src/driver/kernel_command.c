#include "driver/kernel_command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "driver/worker.h"
#include "report/program.h"

/* What kernels printed and the program has not seen yet: it sees it when it
 * waits, so that its own output is never in between by chance. */
typedef struct printed {
    struct printed *next;
    uint64_t end_ns; /* of the launch */
    size_t size;
    char text[];
} printed;

/* Part of the process's state, like drv; with its lock. */
static struct {
    printed *first; /* what ended first comes first */
} st;

/* ---- What a launch prints ---- */

/* The texts of printf, put together; assertions go to stderr at once. */
void launch_printed(drv_launch *l, const exec_line *lines, size_t count)
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

static void launch_fini(drv_command *c)
{
    drv_launch *l = (drv_launch *)c;
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

drv_launch *drv_launch_new(drv_queue *q, drv_event *e)
{
    drv_launch *l = drv_command_new(sizeof *l, q, e, NULL);

    if (!l)
        return NULL;
    l->command.engine = DRV_KERNELS;
    l->reported = ACTIVITY_NONE;
    l->part = UINT_MAX;
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

    for (const drv_command *c = NULL; (c = worker_not_begun(c));) {
        if (c->engine != DRV_KERNELS)
            continue;
        if (!n++)
            name = ((const drv_launch *)c)->code->name;
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
        strbuf_printf(to, " for %s", drv.door->unset);
    else
        strbuf_printf(
            to,
            ": the program ended without waiting for %s (%s); a device may run "
            "%s, or not",
            n == 1 ? "it" : "them", drv.door->waiting, n == 1 ? "it" : "them");
    return true;
}
