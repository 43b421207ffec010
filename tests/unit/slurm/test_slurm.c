/* tests/unit/slurm/test_slurm.c - rows, limits and scripts as Slurm has them.
 */
#include "slurm/slurm.h"

#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "test.h"

/* Rows that squeue of Slurm 22.05.8 printed. */
TEST(rows_are_read)
{
    static const struct {
        const char *row;
        unsigned task;
        slurm_state state;
        int exit_code, signal;
    } cases[] = {
        {"1|5|COMPLETED|None|0|n2|0|heddle-ab-1|", 5, SLURM_COMPLETED, 0, 0},
        {"1|0|FAILED|NonZeroExitCode|0|n1|18432|heddle-ab-1|", 0, SLURM_FAILED,
         72, 0},
        {"1|1|FAILED|JobLaunchFailure|0|n2|9|heddle-ab-1|", 1, SLURM_FAILED, 0,
         9},
        {"1|4|RUNNING|None|0|n1|0|heddle-ab-1|", 4, SLURM_RUNNING, 0, 0},
        {"1|2|PENDING|Resources|0||0|heddle-ab-1|", 2, SLURM_WAITING, 0, 0},
        /* --begin of the user's, and a requeued one */
        {"1|4|PENDING|BeginTime|0||0|heddle-ab-1|", 4, SLURM_WAITING, 0, 0},
        {"1|4|PENDING|BeginTime|1||0|heddle-ab-1|", 4, SLURM_HELD, 0, 0},
        {"1|4|CANCELLED|BeginTime|1||0|heddle-ab-1|", 4, SLURM_CANCELLED, 0, 0},
        {"1|4|OUT_OF_MEMORY|x|0||0:125|heddle-ab-1|", 4, SLURM_MEMORY, 0, 125},
        {"1|4|NEWSTATE|x|0||7:0|heddle-ab-1|", 4, SLURM_WAITING, 7, 0},
        {"1|N/A|TIMEOUT|x|0||0|heddle-ab-1|", 0, SLURM_TIMEOUT, 0, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char row[100];
        slurm_task t;

        strcpy(row, cases[i].row);
        CHECK(slurm_read_row(row, &t));
        CHECK_EQ(t.job, 1);
        CHECK_EQ(t.task, cases[i].task);
        CHECK_EQ(t.state, cases[i].state);
        CHECK_EQ(t.exit_code, cases[i].exit_code);
        CHECK_EQ(t.signal, cases[i].signal);
        CHECK_STR(t.name, "heddle-ab-1");
    }
}

TEST(other_lines_are_no_rows)
{
    static const char *const lines[] = {
        "", "slurm_load_jobs error: Unable to contact slurm controller",
        "|5|COMPLETED|None|0|n2|0|a|", "1|5|COMPLETED|None|0|n2|0|a"};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char row[100];
        slurm_task t;

        strcpy(row, lines[i]);
        CHECK(!slurm_read_row(row, &t));
    }
}

/* Slurm has minutes, minutes:seconds, hours:minutes:seconds, days-hours,
 * days-hours:minutes, days-hours:minutes:seconds. */
TEST(limits_are_read)
{
    CHECK_EQ(slurm_minutes("90"), 90);
    CHECK_EQ(slurm_minutes("10:00"), 10);
    CHECK_EQ(slurm_minutes("10:01"), 11);
    CHECK_EQ(slurm_minutes("1:30:00"), 90);
    CHECK_EQ(slurm_minutes("2-12"), 60 * 60);
    CHECK_EQ(slurm_minutes("1-0:30"), 24 * 60 + 30);
    CHECK_EQ(slurm_minutes("1-1:0:1"), 25 * 60 + 1);
    CHECK_EQ(slurm_minutes("soon"), 0);
    CHECK_EQ(slurm_minutes("1h"), 0);
    CHECK_EQ(slurm_minutes("1-"), 0);
    CHECK_EQ(slurm_megabytes("4000"), 4000);
    CHECK_EQ(slurm_megabytes("4000M"), 4000);
    CHECK_EQ(slurm_megabytes("4G"), 4096);
    CHECK_EQ(slurm_megabytes("4GB"), 4096);
    CHECK_EQ(slurm_megabytes("1500k"), 2);
    CHECK_EQ(slurm_megabytes("1T"), 1 << 20);
    CHECK_EQ(slurm_megabytes("4X"), 0);
    CHECK_EQ(slurm_megabytes("much"), 0);
}

/* The script is run, with what slurmd would set. */
static void run_script(const char *token, int code, const char *said)
{
    const char *const options[] = {"--qos=low", "--exclude=\"n1,n2\""};
    char dir[] = "/tmp/heddle-slurm-XXXXXX", file[80], path[80], line[400];
    const char *command[] = {"/bin/echo", "part", "{task}/5", file, NULL};
    slurm_script s = {.name = "heddle-ab-1",
                      .about = "What it is.",
                      .tasks = 5,
                      .log = "/a b/%%/%a.txt",
                      .partition = "main",
                      .memory = "4G",
                      .options = options,
                      .option_count = 2,
                      .after = "12:13",
                      .token_file = file,
                      .token = "abc",
                      .command = command};
    diag *dg = diag_new();
    strbuf text = {0};
    FILE *p;

    CHECK(mkdtemp(dir) != NULL);
    snprintf(file, sizeof file, "%s/a b", dir);
    snprintf(path, sizeof path, "%s/s.sh", dir);
    slurm_script_print(&s, &text);
    CHECK(strstr(text.text, "\n#SBATCH \"--job-name=heddle-ab-1\"\n"));
    CHECK(strstr(text.text, "\n#SBATCH --array=0-4\n"));
    CHECK(strstr(text.text, "\n#SBATCH \"--output=/a b/%%/%a.txt\"\n"));
    CHECK(strstr(text.text, "\n#SBATCH \"--partition=main\"\n"));
    CHECK(strstr(text.text, "\n#SBATCH \"--mem=4G\"\n"));
    CHECK(!strstr(text.text, "--time"));
    CHECK(strstr(text.text, "\n#SBATCH --dependency=afterany:12:13\n"));
    CHECK(strstr(text.text, "\n#SBATCH --exclude=\"n1,n2\"\n"));
    if (token)
        CHECK_EQ(file_write(file, token, strlen(token), dg), ST_OK);
    CHECK_EQ(file_write(path, text.text, text.size, dg), ST_OK);
    snprintf(line, sizeof line, "SLURM_ARRAY_TASK_ID=3 sh %s 2>&1", path);
    p = popen(line, "r");
    while (fgets(line, sizeof line, p) && !strstr(line, said))
        ;
    CHECK(strstr(line, said));
    CHECK_EQ(pclose(p) >> 8, code);
    snprintf(line, sizeof line, "rm -rf %s", dir);
    CHECK_EQ(system(line), 0);
    strbuf_fini(&text);
    diag_free(dg);
}

TEST(a_script_runs_its_command)
{
    run_script("abc", 0, "part 3/5 /tmp/heddle-slurm");
}

TEST(a_script_does_not_run_in_another_folder)
{
    run_script("abd", SLURM_NOT_SHARED, "does not see");
    run_script(NULL, SLURM_NOT_SHARED, "does not see");
}

TEST(paths_that_scripts_cannot_have)
{
    CHECK(slurm_path_good("/a b/$x/%a;*"));
    CHECK(!slurm_path_good("/a'b"));
    CHECK(!slurm_path_good("/a\"b"));
    CHECK(!slurm_path_good("/a\\b"));
    CHECK(!slurm_path_good("/a\nb"));
}
