/* How well sampled figures agree with those of a run in full. */
#include "report/sampled.h"

#include <math.h>

#include "base/child.h"
#include "fake.h"

/* One process on one GPU: of kernel `k` launches of so many cycles, of which
 * those with an estimate are computed only, and one of `other`. */
typedef struct one {
    fake *f;
    isa_kernel other;
    report_launch launch[3];
    report_gpu gpu;
    report_process process;
    report_program program;
} one;

static void one_init(one *o, fake *f, uint64_t cycles, uint64_t estimated)
{
    *o = (one){.f = f, .other = {.name = "other"}};
    for (unsigned i = 0; i < 3; i++)
        o->launch[i] = f->launch;
    o->launch[0].cycles = 1000;
    o->launch[1].cycles = cycles;
    if (estimated) {
        o->launch[1].functional = true;
        o->launch[1].totals = o->launch[1].counters = NULL;
        o->launch[1].estimated = estimated;
        o->launch[1].estimated_error = 50;
    }
    o->launch[2].kernel = &o->other;
    o->launch[2].cycles = 500;
    o->gpu = (report_gpu){"fast", &f->cfg};
    o->process = (report_process){.launches = o->launch, .launch_count = 3};
    o->program = (report_program){.gpus = &o->gpu,
                                  .gpu_count = 1,
                                  .processes = &o->process,
                                  .process_count = 1};
}

TEST(errors_and_intervals_are_of_all_cycles)
{
    fake *f = fake_new();
    one full, part;
    sampled_check c;

    one_init(&full, f, 1000, 0);
    one_init(&part, f, 0, 1040);
    sampled_check_make(&full.program, &part.program, &c);
    CHECK_EQ(c.count, 3);
    const sampled_row *k = &c.row[0], *other = &c.row[1], *all = &c.row[2];
    CHECK_STR(k->kernel, f->launch.kernel->name);
    CHECK_EQ(k->cycles, 2000);
    CHECK_EQ(k->timed, 1000);
    CHECK_EQ(k->in_full, 1);
    CHECK(fabs(k->estimate - 2040) < 1e-9);
    CHECK(fabs(sampled_error(k) - 0.02) < 1e-9);
    CHECK(fabs(k->half - 100.0 / 2040) < 1e-9); /* two deviations of 50 */
    CHECK_STR(other->kernel, "other");
    CHECK(sampled_error(other) == 0);
    CHECK(!all->kernel);
    CHECK_EQ(all->cycles, 2500);
    CHECK(fabs(sampled_error(all) - 40.0 / 2500) < 1e-9);
    CHECK(fabs(c.mean - 0.01) < 1e-9); /* of 2 % and none */
    CHECK(fabs(c.most - 0.02) < 1e-9);
    CHECK_EQ(c.within, 2);
    sampled_check_free(&c);
    fake_free(f);
}

TEST(what_is_outside_of_its_interval_is_not_within)
{
    fake *f = fake_new();
    one full, part;
    sampled_check c;

    one_init(&full, f, 1000, 0);
    one_init(&part, f, 0, 1200);
    sampled_check_make(&full.program, &part.program, &c);
    CHECK_EQ(c.within, 1);
    CHECK(fabs(c.most - 0.1) < 1e-9);
    sampled_check_free(&c);
    fake_free(f);
}

TEST(launches_that_are_not_the_same_are_not_compared)
{
    fake *f = fake_new();
    one full, part;
    sampled_check c;

    one_init(&full, f, 1000, 0);
    one_init(&part, f, 0, 1040);
    part.process.launch_count = 2; /* `other` is missing */
    sampled_check_make(&full.program, &part.program, &c);
    CHECK(!c.row[0].missing);
    CHECK(c.row[1].missing);
    CHECK(isnan(sampled_error(&c.row[1])));
    CHECK(c.row[2].missing);
    CHECK(fabs(c.mean - 0.02) < 1e-9); /* of what is compared */
    sampled_check_free(&c);
    fake_free(f);
}
