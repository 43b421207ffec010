/* tests/unit/driver/test_kernel_command.c - kernels in queues of a door: what
 * they compute, the door's error for each fault, and what is told of those that
 * never ran; what a forked child has of it. */
#include "driver/kernel_command.h"

#include <sys/wait.h>
#include <unistd.h>

#include "door.h"
#include "driver/room.h"

static const char text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry put(.param .u64 to, .param .u32 what)\n"
    "{\n"
    "    .reg .b32 %r;\n"
    "    .reg .b64 %d;\n"
    "    ld.param.u64 %d, [to];\n"
    "    ld.param.u32 %r, [what];\n"
    "    st.global.u32 [%d], %r;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry stop(.param .u64 to, .param .u32 what)\n"
    "{\n"
    "    trap;\n"
    "}\n";

/* Of the first device; loaded once, and its own until the end. */
static rt_module *module(void)
{
    static rt_module *m;
    diag *dg = diag_new();

    if (!m && rt_module_load_text(drv.devices[0]->rt, "test.ptx", text,
                                  sizeof text - 1, dg, &m) != ST_OK)
        diag_print(dg, stderr, false);
    diag_free(dg);
    CHECK(m);
    return m;
}

/* Of one thread, not enqueued yet. */
static drv_launch *launch_of(drv_queue *q, const char *name, uint64_t to,
                             uint32_t what)
{
    drv_launch *l = drv_launch_new(q, event_on(q));
    diag *dg = diag_new();

    CHECK(l);
    l->module = (drv_module){1, "module 1", NULL, NULL, module()};
    l->code = rt_module_kernel(l->module.module, name, dg);
    diag_free(dg);
    CHECK(l->code);
    for (unsigned i = 0; i < 3; i++)
        l->grid[i] = l->block[i] = l->threads[i] = 1;
    uint8_t *params = l->params = calloc(1, l->code->param_bytes + 1);
    CHECK(params);
    memcpy(params, &to, 8);
    memcpy(params + 8, &what, 4);
    return l;
}

static drv_event *push(drv_launch *l)
{
    drv_event *e = l->command.event;

    CHECK(drv_command_enqueue(&l->command));
    return e;
}

static uint64_t take_word(void)
{
    uint64_t addr;

    CHECK_EQ(drv_room_take(drv.devices, 1, 256, 256, "word", &addr),
             DRV_ROOM_TAKEN);
    return addr;
}

TEST(kernels_of_a_queue_run_in_order)
{
    drv_queue *q = queue_on(drv.devices[0], true);
    uint64_t at = take_word();
    drv_event *a = push(launch_of(q, "put", at, 3));
    drv_event *b = push(launch_of(q, "put", at, 5));
    uint32_t is;

    CHECK_EQ(drv_event_wait(b), DRV_COMPLETE);
    CHECK(a->end_ns > a->start_ns);
    CHECK(b->start_ns >= a->end_ns);
    memcpy(&is, drv_room_host(at), 4);
    CHECK_EQ(is, 5);
    drv_release(&a->o);
    drv_release(&b->o);
    queue_end(q);
    drv_room_give(drv.devices, 1, at, 256);
}

TEST(the_door_names_each_fault)
{
    drv_queue *q = queue_on(drv.devices[0], true);
    drv_event *stray = push(launch_of(q, "put", 2, 0));

    CHECK_EQ(drv_event_wait(stray), FAILED - (int)FAULT_MISALIGNED);
    drv_event *trap = push(launch_of(q, "stop", 0, 0));
    CHECK_EQ(drv_event_wait(trap), FAILED - (int)FAULT_TRAP);
    drv_launch *large = launch_of(q, "put", 0, 0);
    large->block[0] = 1 << 20;
    drv_event *unfit = push(large);
    CHECK_EQ(drv_event_wait(unfit), FAILED);
    drv_release(&stray->o);
    drv_release(&trap->o);
    drv_release(&unfit->o);
    queue_end(q);
}

TEST(kernels_that_never_ran_are_told_in_the_words_of_the_door)
{
    drv_queue *q = queue_on(drv.devices[0], true);
    drv_event *user = event_on(NULL);
    uint64_t at = take_word();
    drv_launch *held = launch_of(q, "put", at, 1);
    strbuf said = {0};

    CHECK(!launch_not_begun(&said));
    drv_command_wait(&held->command, user);
    drv_event *e = push(held);
    CHECK(launch_not_begun(&said));
    CHECK_STR(said.text, "kernel 'put' was enqueued and never ran: it waits "
                         "for a flag");
    drv_event_set(user, DRV_COMPLETE);
    said.size = 0;
    CHECK(launch_not_begun(&said));
    CHECK_STR(said.text,
              "kernel 'put' was enqueued and never ran: the program ended "
              "without waiting for it (a nap); a device may run it, or not");
    strbuf_fini(&said);
    drv_release(&user->o);
    CHECK_EQ(drv_event_wait(e), DRV_COMPLETE);
    drv_release(&e->o);
    queue_end(q);
    drv_room_give(drv.devices, 1, at, 256);
}

TEST(what_a_child_inherits_in_queues_is_lost)
{
    drv_queue *q = queue_on(drv.devices[0], true);
    drv_event *user = event_on(NULL);
    uint64_t at = take_word();
    drv_launch *held = launch_of(q, "put", at, 9);
    int code;

    drv_command_wait(&held->command, user);
    drv_event *e = push(held);
    drv_unlock(); /* which a fork takes */
    pid_t child = fork();
    if (!child)
        _exit(e->status == LOST && !q->first ? 0 : 1);
    drv_lock();
    CHECK(child > 0);
    CHECK_EQ(waitpid(child, &code, 0), child);
    CHECK(WIFEXITED(code));
    CHECK_EQ(WEXITSTATUS(code), 0);
    drv_event_set(user, DRV_COMPLETE);
    CHECK_EQ(drv_event_wait(e), DRV_COMPLETE);
    drv_release(&user->o);
    drv_release(&e->o);
    queue_end(q);
    drv_room_give(drv.devices, 1, at, 256);
}

TEST(nothing_is_left_of_launches)
{
    CHECK_EQ(drv_count(QUEUE), 0);
    CHECK_EQ(drv_count(EVENT), 0);
}
