/* tests/unit/store/thing.h - a folder for the files of a test, and a program
 * that never ran to put into them. Included once by each test program. */
#ifndef STORE_THING_H
#define STORE_THING_H

#include <unistd.h>

#include "base/must.h"
#include "store/store.h"
#include "unit/report/fake.h"

/* ---- A folder for the files of a test ---- */

static char folder[64];

/* In memory if that can be: waiting for a disk takes most of the time. */
__attribute__((constructor)) static void make_folder(void)
{
    bool memory = access("/dev/shm", W_OK | X_OK) == 0;

    snprintf(folder, sizeof folder, "%s/heddle-store-XXXXXX",
             memory ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
        abort();
}

__attribute__((destructor)) static void remove_folder(void)
{
    char command[96];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        perror(command);
}

/* Four names at a time. */
static inline const char *in_folder(const char *name)
{
    static char path[4][128];
    static unsigned at;

    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", folder, name);
    return path[at];
}

/* ---- A program that never ran ---- */

typedef struct thing {
    fake *fake;
    diag *dg;
    config_sheet *sheet;
    const config_sheet *sheets[1];
    report_gpu gpu;
    report_launch launches[3];
    report_process process;
    report_program program;
    store_run run;
} thing;

static inline thing *thing_new(void)
{
    thing *t = calloc(1, sizeof *t);

    CHECK(t);
    t->fake = fake_new();
    t->dg = diag_new();
    t->sheet = config_sheet_new();
    CHECK(t->dg && t->sheet);
    CHECK_EQ(config_sheet_load(t->sheet, "v100", t->dg), ST_OK);
    CHECK_EQ(config_sheet_set(t->sheet, "l1.ways=2", CONFIG_FROM_SET, t->dg),
             ST_OK);
    fake_set(t->fake, "sm[0].issued", 500);
    fake_set(t->fake, "sm[0].slots", 2000);
    t->sheets[0] = t->sheet;
    t->gpu = (report_gpu){"v100", config_sheet_values(t->sheet)};
    for (unsigned i = 0; i < 3; i++) {
        t->launches[i] = t->fake->launch;
        t->launches[i].cfg = t->gpu.cfg;
    }
    t->process = (report_process){.pid = 7,
                                  .launches = t->launches,
                                  .launch_count = 2,
                                  .memory_hash = 0x1234,
                                  .has_hash = true};
    t->program = (report_program){.gpus = &t->gpu,
                                  .gpu_count = 1,
                                  .processes = &t->process,
                                  .process_count = 1,
                                  .threads = 2};
    t->run = (store_run){.id = "00112233445566778899aabbccddeeff",
                         .workload = "saxpy",
                         .size = "small",
                         .status = "pass",
                         .started = 1.5,
                         .wall_s = 0.25,
                         .build = "gcc",
                         .command = "./saxpy 100",
                         .sheets = t->sheets,
                         .program = &t->program,
                         .launch_stats = 1};
    return t;
}

static inline void thing_free(thing *t)
{
    fake_free(t->fake);
    config_sheet_free(t->sheet);
    diag_free(t->dg);
    free(t);
}

static inline store *create(const char *name, diag *dg)
{
    store *s = NULL;

    unlink(in_folder(name));
    CHECK_EQ(store_create(in_folder(name), dg, &s), ST_OK);
    CHECK(s);
    return s;
}

/* The first column of the first row; the caller frees it. NULL: none. */
static inline char *ask(store *s, diag *dg, const char *sql)
{
    store_query *q = store_select(s, dg, sql, "");
    char *out = NULL;

    CHECK(q);
    if (store_next(q, dg) && !store_null(q, 0))
        out = strdup(store_text(q, 0));
    store_done(q);
    return out;
}

#define CHECK_ASK(s, dg, sql, want)                                            \
    do {                                                                       \
        char *is_ = ask(s, dg, sql);                                           \
        if (!is_ || strcmp(is_, want) != 0)                                    \
            TEST_FAIL("%s is %s, not %s", sql, is_ ? is_ : "null", want);      \
        free(is_);                                                             \
    } while (0)

static inline const char *first_error(const diag *dg)
{
    return diag_count(dg) ? diag_get(dg, 0)->text : "";
}

#endif
