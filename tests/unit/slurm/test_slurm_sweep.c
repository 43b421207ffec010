/* tests/unit/slurm/test_slurm_sweep.c - what becomes of points whose tasks end
 * in all the ways that tasks end. The folder's states are made up here; sbatch,
 * scancel and scontrol are scripts that write down how they were called. */
#include "slurm/slurm_sweep.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "test.h"

enum { POINTS = 6 };

struct sweep_folder {
    sweep_plan plan;
    sweep_point points[POINTS];
    sweep_state states[POINTS];
    char path[80];
};

const char *sweep_folder_path(const sweep_folder *f) { return f->path; }

const sweep_plan *sweep_folder_plan(const sweep_folder *f) { return &f->plan; }

sweep_state sweep_folder_state(const sweep_folder *f, size_t point)
{
    return f->states[point];
}

const char *sweep_plan_label(const sweep_plan *p, size_t point)
{
    return p->points[point].id;
}

typedef struct place {
    sweep_folder f;
    slurm_options o;
    slurm_sweep *s;
    diag *dg;
    strbuf said;
    char *path_was;
    double now;
} place;

static void hear(void *arg, const char *line)
{
    strbuf_printf(&((place *)arg)->said, "%s\n", line);
}

static void write_text(const place *p, const char *name, const char *text)
{
    char path[160];
    diag *dg = diag_new();

    snprintf(path, sizeof path, "%s/%s", p->f.path, name);
    CHECK_EQ(file_write(path, text, strlen(text), dg), ST_OK);
    chmod(path, 0755);
    diag_free(dg);
}

static void check_text(const place *p, const char *name, const char *want)
{
    char path[160], *text;
    diag *dg = diag_new();
    size_t size;

    snprintf(path, sizeof path, "%s/%s", p->f.path, name);
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    CHECK_STR(text, want);
    free(text);
    diag_free(dg);
}

static void begin(place *p)
{
    char path[400];

    memset(p, 0, sizeof *p);
    strcpy(p->f.path, "/tmp/heddle-slurm-XXXXXX");
    CHECK(mkdtemp(p->f.path) != NULL);
    p->f.plan.points = p->f.points;
    p->f.plan.count = POINTS;
    for (int i = 0; i < POINTS; i++) /* f, e, d, ...: not in their order */
        snprintf(p->f.points[i].id, POINT_ID_SIZE, "%032x", 0xf - i);
    p->o = (slurm_options){
        .heddle = "/bin/heddle", .tasks = 2, .tries = 2, .say = hear, .arg = p};
    p->dg = diag_new();
    /* Jobs are numbered from 100 on by the lines of `calls`. */
    write_text(p, "sbatch",
               "#!/bin/sh\ncd \"${0%/*}\"\n[ -e refuse ] && "
               "{ echo 'sbatch: error: invalid partition' >&2; exit 1; }\n"
               "echo sbatch >>calls\n"
               "echo $((99 + $(grep -c sbatch calls)))\n");
    write_text(p, "scancel",
               "#!/bin/sh\necho \"scancel $1\" >>\"${0%/*}/calls\"\n");
    write_text(p, "scontrol", "#!/bin/sh\necho; echo 'MaxArraySize = 4'\n");
    p->path_was = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", p->f.path);
    setenv("PATH", path, 1);
    CHECK_EQ(slurm_sweep_open(&p->f, &p->o, p->dg, &p->s), ST_OK);
    slurm_sweep_update(p->s, NULL, 0);
}

static void end(place *p)
{
    char command[120];

    slurm_sweep_close(p->s);
    setenv("PATH", p->path_was, 1);
    free(p->path_was);
    snprintf(command, sizeof command, "rm -rf %s", p->f.path);
    CHECK_EQ(system(command), 0);
    strbuf_fini(&p->said);
    diag_free(p->dg);
}

/* Whoever watched is gone, and another comes. */
static void reopen(place *p)
{
    slurm_sweep_close(p->s);
    CHECK_EQ(slurm_sweep_open(&p->f, &p->o, p->dg, &p->s), ST_OK);
}

static void submit(place *p)
{
    const char *script;

    CHECK_EQ(slurm_sweep_write(p->s, p->dg, &script), ST_OK);
    CHECK_EQ(slurm_sweep_submit(p->s, p->dg), ST_OK);
}

/* Two tasks of the array `number`, long enough ago. */
static status told(place *p, unsigned number, slurm_state a, slurm_state b)
{
    char name[60];
    slurm_task t[2] = {{.job = 99 + number, .task = 0, .state = a},
                       {.job = 99 + number, .task = 1, .state = b}};

    snprintf(name, sizeof name, "heddle-x-%u", number);
    for (int i = 0; i < 2; i++) {
        t[i].name = name;
        t[i].node = t[i].reason = "";
        t[i].exit_code = t[i].state == SLURM_FAILED;
    }
    slurm_sweep_update(p->s, t, 2);
    CHECK_EQ(slurm_sweep_account(p->s, p->now, p->dg), ST_OK);
    p->now += 100;
    return slurm_sweep_account(p->s, p->now, p->dg);
}

static void finish(place *p, const char *points)
{
    for (; *points; points++)
        p->f.states[*points - '0'] = SWEEP_DONE;
}

TEST(an_array_has_all_points_that_are_left)
{
    place p;

    begin(&p);
    finish(&p, "1");
    CHECK_EQ(slurm_sweep_sums(p.s).left, 5);
    submit(&p);
    check_text(&p, "slurm/array-1.job", "100\n");
    check_text(&p, "slurm/array-1.points",
               "2\n"
               "0000000000000000000000000000000f\n"
               "0000000000000000000000000000000d\n"
               "0000000000000000000000000000000c\n"
               "0000000000000000000000000000000b\n"
               "0000000000000000000000000000000a\n");
    CHECK_EQ(slurm_sweep_sums(p.s).left, 0);
    CHECK_EQ(slurm_sweep_sums(p.s).held, 5);
    end(&p);
}

TEST(an_array_is_no_larger_than_slurm_allows)
{
    place p;

    begin(&p);
    p.o.tasks = 0;
    submit(&p);
    slurm_sweep_close(p.s);
    char text[300], path[160];
    snprintf(path, sizeof path, "%s/slurm/array-1.sh", p.f.path);
    FILE *f = fopen(path, "r");
    bool found = false;
    while (fgets(text, sizeof text, f))
        found |= !strcmp(text, "#SBATCH --array=0-3\n");
    fclose(f);
    CHECK(found);
    p.s = NULL;
    end(&p);
}

/* Task 0 has points 0, 2, 4; task 1 the others. */
TEST(points_of_a_task_that_ended_are_left)
{
    place p;

    begin(&p);
    submit(&p);
    finish(&p, "01");
    told(&p, 1, SLURM_RUNNING, SLURM_NODE);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 2);
    CHECK_EQ(slurm_sweep_sums(p.s).held, 2);
    CHECK_EQ(slurm_sweep_sums(p.s).causes[SLURM_NODE], 2);
    CHECK(strstr(p.said.text, "job 100: 1 task: node failed; 2 points left"));
    submit(&p);
    check_text(&p, "slurm/array-2.points",
               "2\n"
               "0000000000000000000000000000000c\n"
               "0000000000000000000000000000000a\n");
    finish(&p, "2345");
    CHECK_EQ(slurm_sweep_sums(p.s).left, 0);
    CHECK_EQ(slurm_sweep_sums(p.s).held, 0);
    end(&p);
}

TEST(files_that_turn_up_late_are_waited_for)
{
    place p;
    slurm_task t[2] = {{100, 0, SLURM_RUNNING, 0, 0, "heddle-x-1", "", ""},
                       {100, 1, SLURM_NODE, 0, 0, "heddle-x-1", "", ""}};

    begin(&p);
    submit(&p);
    slurm_sweep_update(p.s, t, 2);
    slurm_sweep_account(p.s, 10, p.dg);
    slurm_sweep_account(p.s, 11.9, p.dg);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 0);
    slurm_sweep_account(p.s, 12, p.dg);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 3);
    end(&p);
}

/* Who says that all is done is believed for half a minute. */
TEST(completed_tasks_are_waited_for_longer)
{
    place p;
    slurm_task t[2] = {{100, 0, SLURM_RUNNING, 0, 0, "heddle-x-1", "", ""},
                       {100, 1, SLURM_COMPLETED, 0, 0, "heddle-x-1", "", ""}};

    begin(&p);
    submit(&p);
    slurm_sweep_update(p.s, t, 2);
    slurm_sweep_account(p.s, 10, p.dg);
    slurm_sweep_account(p.s, 39.9, p.dg);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 0);
    slurm_sweep_account(p.s, 40, p.dg);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 3);
    end(&p);
}

/* Somebody else in the folder runs one of them. */
TEST(points_that_others_run_are_waited_for)
{
    place p;

    begin(&p);
    submit(&p);
    p.f.states[3] = SWEEP_RUNNING;
    told(&p, 1, SLURM_RUNNING, SLURM_FAILED);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 0);
    p.f.states[3] = SWEEP_LEFT;
    told(&p, 1, SLURM_RUNNING, SLURM_FAILED);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 3);
    end(&p);
}

/* The first one of those that are left ran; the others did not get to it. */
TEST(a_point_that_ends_its_tasks_is_given_up)
{
    place p;

    begin(&p);
    submit(&p);
    finish(&p, "0124");
    told(&p, 1, SLURM_COMPLETED, SLURM_MEMORY); /* 3 ran, 5 is behind it */
    CHECK_EQ(slurm_sweep_sums(p.s).left, 2);
    submit(&p);
    finish(&p, "5");
    told(&p, 2, SLURM_MEMORY, SLURM_COMPLETED);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 0);
    CHECK_EQ(slurm_sweep_sums(p.s).held, 0);
    CHECK_EQ(slurm_sweep_sums(p.s).given_up, 1);
    CHECK(strstr(p.said.text,
                 "0000000000000000000000000000000c: given up after 2 tries: "
                 "out of memory"));
    reopen(&p); /* starting again is asking for it again */
    told(&p, 2, SLURM_MEMORY, SLURM_COMPLETED);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 1);
    end(&p);
}

TEST(limits_grow_with_what_did_not_fit)
{
    place p;
    char text[2000], path[160];
    FILE *f;

    begin(&p);
    p.o.memory = "3G";
    p.o.time = "1:30:00";
    submit(&p);
    finish(&p, "0");
    told(&p, 1, SLURM_TIMEOUT, SLURM_MEMORY);
    submit(&p);
    snprintf(path, sizeof path, "%s/slurm/array-2.sh", p.f.path);
    f = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    CHECK(strstr(text, "\n#SBATCH \"--mem=6144M\"\n"));
    /* That task got something done in its time. */
    CHECK(strstr(text, "\n#SBATCH \"--time=1:30:00\"\n"));
    told(&p, 2, SLURM_TIMEOUT, SLURM_RUNNING);
    submit(&p);
    snprintf(path, sizeof path, "%s/slurm/array-3.sh", p.f.path);
    f = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    CHECK(strstr(text, "\n#SBATCH \"--mem=6144M\"\n"));
    CHECK(strstr(text, "\n#SBATCH \"--time=180\"\n"));
    end(&p);
}

/* It would start minutes later; its points need not wait. */
TEST(a_requeued_task_is_cancelled_and_its_points_go_on)
{
    place p;

    begin(&p);
    submit(&p);
    told(&p, 1, SLURM_HELD, SLURM_RUNNING);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 3);
    check_text(&p, "calls", "sbatch\nscancel 100_0\n");
    end(&p);
}

TEST(cancelled_tasks_are_left_alone_until_the_next_start)
{
    place p;

    begin(&p);
    submit(&p);
    told(&p, 1, SLURM_CANCELLED, SLURM_CANCELLED);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 0);
    CHECK_EQ(slurm_sweep_sums(p.s).held, 0);
    CHECK_EQ(slurm_sweep_sums(p.s).cancelled, 6);
    reopen(&p);
    told(&p, 1, SLURM_CANCELLED, SLURM_CANCELLED);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 6);
    end(&p);
}

TEST(another_who_watches_finds_the_jobs)
{
    place p;
    strbuf jobs = {0};

    begin(&p);
    submit(&p);
    reopen(&p);
    told(&p, 1, SLURM_RUNNING, SLURM_WAITING);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 0);
    CHECK_EQ(slurm_sweep_sums(p.s).held, 6);
    slurm_sweep_jobs(p.s, ' ', &jobs);
    CHECK_STR(jobs.text, "100");
    strbuf_fini(&jobs);
    finish(&p, "024");
    told(&p, 1, SLURM_COMPLETED, SLURM_GONE);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 3);
    end(&p);
}

/* Killed between sbatch and writing down its answer, or before. */
TEST(a_job_whose_number_was_not_written_is_found_by_its_name)
{
    place p;
    char path[160];

    begin(&p);
    submit(&p);
    snprintf(path, sizeof path, "%s/slurm/array-1.job", p.f.path);
    unlink(path);
    reopen(&p);
    told(&p, 1, SLURM_RUNNING, SLURM_WAITING);
    CHECK_EQ(slurm_sweep_sums(p.s).held, 6);
    reopen(&p);
    told(&p, 1, SLURM_GONE, SLURM_GONE);
    CHECK_EQ(slurm_sweep_sums(p.s).left, 6);
    end(&p);
}

TEST(one_watches_at_a_time)
{
    place p;
    slurm_sweep *other;

    begin(&p);
    CHECK_EQ(slurm_sweep_open(&p.f, &p.o, p.dg, &other), ST_CONFIG);
    CHECK(strstr(diag_get(p.dg, 0)->text, "another command watches"));
    end(&p);
}

TEST(a_refusal_has_the_words_of_sbatch)
{
    place p;
    const char *script;

    begin(&p);
    write_text(&p, "refuse", "");
    CHECK_EQ(slurm_sweep_write(p.s, p.dg, &script), ST_OK);
    CHECK_EQ(slurm_sweep_submit(p.s, p.dg), ST_CONFIG);
    CHECK_STR(diag_get(p.dg, 0)->text,
              "sbatch failed: sbatch: error: invalid partition");
    CHECK_EQ(slurm_sweep_sums(p.s).left, 6); /* as before */
    end(&p);
}

TEST(without_slurm_it_says_what_is_missing)
{
    place p;
    const char *script;

    begin(&p);
    setenv("PATH", "/nowhere", 1);
    CHECK_EQ(slurm_sweep_write(p.s, p.dg, &script), ST_OK);
    CHECK(slurm_sweep_submit(p.s, p.dg) != ST_OK);
    CHECK(strstr(diag_get(p.dg, 0)->text, "cannot run sbatch"));
    end(&p);
}

TEST(what_fails_everywhere_is_not_tried_again)
{
    place p;

    begin(&p);
    submit(&p);
    write_text(&p, "slurm/logs/array-1-1.txt", "first\nno such command\n");
    CHECK_EQ(told(&p, 1, SLURM_FAILED, SLURM_FAILED), ST_PROGRAM);
    CHECK_STR(diag_get(p.dg, 0)->text,
              "all tasks of job 100 failed at once: no such command");
    end(&p);
}

TEST(a_folder_that_nodes_do_not_see_is_an_error)
{
    place p;
    slurm_task t = {100,          1,    SLURM_FAILED,     SLURM_NOT_SHARED, 0,
                    "heddle-x-1", "n7", "NonZeroExitCode"};

    begin(&p);
    submit(&p);
    slurm_sweep_update(p.s, &t, 1);
    slurm_sweep_account(p.s, 0, p.dg);
    CHECK_EQ(slurm_sweep_account(p.s, 100, p.dg), ST_IO);
    CHECK(strstr(diag_get(p.dg, 0)->text, "node n7 does not see /tmp/heddle"));
    end(&p);
}
