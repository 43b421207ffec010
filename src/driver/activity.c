#include "driver/activity.h"

#include <stdio.h>

#include "driver/kernel_command.h"
#include "report/program.h"
#include "session/client.h"

static bool is_wanted(void)
{
    return drv.session && drv.setup && drv.setup->timeline;
}

/* ACTIVITY_KINDS: it is nothing that a timeline has. */
static activity_kind kind_of(const drv_command *c)
{
    static const activity_kind copies[] = {[DRV_READS] = ACTIVITY_D2H,
                                           [DRV_WRITES] = ACTIVITY_H2D,
                                           [DRV_COPIES] = ACTIVITY_D2D};

    switch (c->engine) {
    case DRV_KERNELS:
        return ACTIVITY_KERNEL;
    case DRV_READS:
    case DRV_WRITES:
    case DRV_COPIES:
        if (!c->bytes) /* such as a mapping of what need not move */
            return ACTIVITY_KINDS;
        return c->fills ? ACTIVITY_MEMSET : copies[c->engine];
    case DRV_NONE:
        return c->run && c->noticed ? ACTIVITY_HOST : ACTIVITY_KINDS;
    case DRV_ENGINES:
        break;
    }
    return ACTIVITY_KINDS;
}

static void describe_launch(const drv_launch *l, report_activity *a)
{
    a->launch = l->reported;
    a->part = l->part;
    a->flags |= l->functional ? ACTIVITY_COMPUTED : 0;
    a->flags |= l->estimated ? ACTIVITY_CHARGED : 0;
}

void activity_ended(const drv_command *c, int result)
{
    char name[32];
    report_activity a = {.launch = ACTIVITY_NONE};

    if (!is_wanted() || !c->begun)
        return;
    a.kind = kind_of(c);
    if (a.kind == ACTIVITY_KINDS)
        return;
    snprintf(name, sizeof name, "%s %u", drv.door->queue, c->queue->number);
    a.stream = name;
    a.device = c->queue->device->number;
    a.begin_ns = c->event->start_ns;
    a.end_ns = c->event->end_ns > a.begin_ns ? c->event->end_ns : a.begin_ns;
    a.bytes = c->bytes;
    a.flags = result ? ACTIVITY_FAILED : 0;
    if (a.kind == ACTIVITY_KERNEL)
        describe_launch((const drv_launch *)c, &a);
    session_activity(drv.session, &a);
}

void activity_waited(uint64_t from_ns, uint64_t to_ns)
{
    if (is_wanted())
        session_activity(drv.session,
                         &(report_activity){.kind = ACTIVITY_WAIT,
                                            .begin_ns = from_ns,
                                            .end_ns = to_ns,
                                            .launch = ACTIVITY_NONE});
}
