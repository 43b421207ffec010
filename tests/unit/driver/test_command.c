/* tests/unit/driver/test_command.c - queues of a door that is not OpenCL:
 * simulated times, waiting, failures, what the door is told. */
#include "door.h"

/* A device on which nothing has happened since its time and the program's were
 * the same. */
static drv_device *idle_device(unsigned number)
{
    drv_device *d = drv.devices[number];
    uint64_t most = d->now_ns;

    for (unsigned i = 0; i < DRV_ENGINES; i++)
        most = d->engine_ns[i] > most ? d->engine_ns[i] : most;
    drv_host_advance(most);
    return d;
}

TEST(a_queue_in_order_runs_one_after_the_other)
{
    drv_queue *q = queue_on(idle_device(0), true);
    uint64_t t = drv.host_ns;
    drv_event *a = timed_push(timed_new(q, DRV_READS, 100));
    drv_event *b = timed_push(timed_new(q, DRV_COPIES, 50));

    CHECK_EQ(drv_event_wait(b), DRV_COMPLETE);
    CHECK_EQ(a->end_ns, t + 100);
    CHECK_EQ(b->start_ns, t + 100);
    CHECK_EQ(b->end_ns, t + 150);
    CHECK_EQ(drv.host_ns, t + 150);
    drv_release(&a->o);
    drv_release(&b->o);
    queue_end(q);
}

TEST(a_command_waits_for_any_number_of_events)
{
    drv_device *d = idle_device(0);
    drv_queue *q[3];
    drv_event *e[3], *last;
    uint64_t t = drv.host_ns;

    for (unsigned i = 0; i < 3; i++)
        q[i] = queue_on(d, true);
    e[0] = timed_push(timed_new(q[0], DRV_READS, 30));
    e[1] = timed_push(timed_new(q[1], DRV_WRITES, 70));
    e[2] = timed_push(timed_new(q[2], DRV_COPIES, 10));
    timed *c = timed_new(q[0], DRV_COPIES, 5);
    for (unsigned i = 0; i < 3; i++)
        drv_command_wait(&c->command, e[i]);
    last = timed_push(c);
    CHECK_EQ(drv_event_wait(last), DRV_COMPLETE);
    CHECK_EQ(last->start_ns, t + 70);
    CHECK_EQ(drv.host_ns, t + 75);
    for (unsigned i = 0; i < 3; i++) {
        drv_release(&e[i]->o);
        queue_end(q[i]);
    }
    drv_release(&last->o);
}

TEST(out_of_order_only_engines_are_shared)
{
    drv_queue *q = queue_on(idle_device(0), false);
    uint64_t t = drv.host_ns;
    drv_event *a = timed_push(timed_new(q, DRV_COPIES, 100));
    drv_event *b = timed_push(timed_new(q, DRV_COPIES, 20));
    drv_event *c = timed_push(timed_new(q, DRV_READS, 5));

    drv_queue_wait(q);
    CHECK_EQ(b->start_ns, t + 100);
    CHECK_EQ(c->end_ns, t + 5);
    CHECK_EQ(drv.host_ns, t + 120);
    drv_release(&a->o);
    drv_release(&b->o);
    drv_release(&c->o);
    queue_end(q);
}

TEST(a_device_is_waited_for_with_all_its_queues)
{
    drv_device *d = idle_device(0), *other = idle_device(1);
    drv_queue *a = queue_on(d, true), *b = queue_on(d, true),
              *c = queue_on(other, true);
    uint64_t t = drv.host_ns;
    drv_event *e[3] = {timed_push(timed_new(a, DRV_READS, 40)),
                       timed_push(timed_new(b, DRV_WRITES, 90)),
                       timed_push(timed_new(c, DRV_READS, 500))};

    drv_device_wait(d);
    CHECK_EQ(e[0]->status, DRV_COMPLETE);
    CHECK_EQ(e[1]->status, DRV_COMPLETE);
    CHECK_EQ(drv.host_ns, t + 90);
    drv_device_wait(other);
    CHECK_EQ(drv.host_ns, t + 500);
    for (unsigned i = 0; i < 3; i++)
        drv_release(&e[i]->o);
    queue_end(a);
    queue_end(b);
    queue_end(c);
}

TEST(asking_runs_what_can_run_and_waits_for_no_user_event)
{
    drv_queue *q = queue_on(idle_device(0), true);
    drv_event *user = event_on(NULL);
    drv_event *a = timed_push(timed_new(q, DRV_READS, 10));
    timed *held = timed_new(q, DRV_READS, 10);

    drv_command_wait(&held->command, user);
    drv_event *b = timed_push(held);
    CHECK_EQ(drv_event_query(a), DRV_COMPLETE);
    CHECK_EQ(drv_event_query(b), DRV_QUEUED);
    CHECK_EQ(drv_event_query(user), DRV_SUBMITTED);
    CHECK(!drv_queue_try(q));
    drv_event_set(user, DRV_COMPLETE);
    CHECK(drv_queue_try(q));
    CHECK_EQ(b->status, DRV_COMPLETE);
    CHECK_EQ(b->start_ns, user->end_ns);
    drv_release(&user->o);
    drv_release(&a->o);
    drv_release(&b->o);
    queue_end(q);
}

TEST(what_waits_for_a_failed_command_fails_in_vain)
{
    drv_queue *q = queue_on(idle_device(0), true),
              *other = queue_on(drv.devices[0], true);
    timed *bad = timed_new(q, DRV_READS, 10),
          *after = timed_new(other, DRV_READS, 10);

    bad->result = -3;
    drv_command_wait(&after->command, bad->command.event);
    drv_event *a = timed_push(bad), *b = timed_push(after);
    CHECK_EQ(drv_event_wait(b), IN_VAIN);
    CHECK_EQ(drv_event_wait(a), -3);
    CHECK(q->fault);
    CHECK(!other->fault);
    drv_release(&a->o);
    drv_release(&b->o);
    queue_end(q);
    queue_end(other);
}

TEST(the_door_hears_of_every_state)
{
    drv_queue *q = queue_on(idle_device(0), true);

    door_saw.count = 0;
    drv_event *e = timed_push(timed_new(q, DRV_READS, 10));
    CHECK_EQ(e->status, DRV_QUEUED);
    drv_event_wait(e);
    CHECK_EQ(door_saw.count, 3);
    CHECK_EQ(door_saw.entered[0], DRV_SUBMITTED);
    CHECK_EQ(door_saw.entered[1], DRV_RUNNING);
    CHECK_EQ(door_saw.entered[2], DRV_COMPLETE);
    drv_release(&e->o);
    queue_end(q);
}

/* ---- The program's code ---- */

typedef struct called {
    drv_command command;
    bool *done;
} called;

/* Takes the lock, as a call of the API from the program's function would. */
static int called_run(drv_command *c)
{
    drv_call_begin();
    drv_lock();
    *((called *)c)->done = true;
    drv_unlock();
    drv_call_end();
    return 0;
}

TEST(a_function_of_the_program_may_call_the_api)
{
    drv_queue *q = queue_on(idle_device(0), true);
    bool done = false;
    called *c = drv_command_new(sizeof *c, q, drv_event_new(q), called_run);

    CHECK(c);
    c->done = &done;
    c->command.noticed = true;
    drv_event *e = c->command.event;
    CHECK(drv_command_enqueue(&c->command));
    CHECK_EQ(drv_event_wait(e), DRV_COMPLETE);
    CHECK(done);
    drv_release(&e->o);
    queue_end(q);
    CHECK_EQ(drv_count(0), 0);
}

TEST(nothing_is_left)
{
    CHECK_EQ(drv_count(QUEUE), 0);
    CHECK_EQ(drv_count(EVENT), 0);
    CHECK_EQ(drv_count(0), 0);
}
