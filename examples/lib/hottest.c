/* hottest.c - runs a launch file, and prints the lines of the source in which
 * most issue slots went, used or empty, and what most of the empty ones waited
 * for; --json behind them: the report of `heddle run`.
 *
 *     cc hottest.c $(pkg-config --cflags --libs heddle) &&
 *         ./a.out launch.yaml [GPU [--json]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/heddle.h>

enum { MOST = 5 };

static size_t slots; /* its column */

static int fail(heddle_sim *sim, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, heddle_error(sim));
    heddle_close(sim);
    return 1;
}

static size_t find_column(const char *name)
{
    heddle_info info;
    size_t i = 0;

    while (!heddle_column_info(i, &info) && strcmp(info.name, name))
        i++;
    return i;
}

static int by_slots(const void *a, const void *b)
{
    uint64_t x = ((const heddle_row *)a)->values[slots];
    uint64_t y = ((const heddle_row *)b)->values[slots];

    return x < y ? 1 : x > y ? -1 : 0;
}

/* "raw_mem": why most of its empty slots were. */
static const char *reason(const heddle_row *row)
{
    const char *most = "nothing";
    uint64_t most_slots = 0;
    heddle_info info;

    for (size_t i = 0; !heddle_column_info(i, &info); i++)
        if (!strncmp(info.name, "stall_", 6) && row->values[i] > most_slots) {
            most = info.name + 6;
            most_slots = row->values[i];
        }
    return most;
}

static void print_hottest(const heddle_result *r)
{
    size_t count = heddle_result_row_count(r, HEDDLE_BY_LINE);
    heddle_row *rows = calloc(count + 1, sizeof *rows);
    uint64_t all = 0;

    for (size_t i = 0; rows && i < count; i++) {
        heddle_result_row(r, HEDDLE_BY_LINE, i, &rows[i]);
        all += rows[i].values[slots];
    }
    printf("%s: %llu cycles\n", heddle_result_kernel(r),
           (unsigned long long)heddle_result_cycles(r));
    /* The last is no line. */
    if (rows && count)
        qsort(rows, count - 1, sizeof *rows, by_slots);
    for (size_t i = 0; rows && i + 1 < count && i < MOST; i++)
        printf("%5.1f %%  %s:%u  %s  (%s)\n",
               100.0 * (double)rows[i].values[slots] / (double)all,
               rows[i].file ? rows[i].file : "?", (unsigned)rows[i].line,
               rows[i].text ? rows[i].text : "?", reason(&rows[i]));
    free(rows);
}

int main(int argc, char **argv)
{
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_plan_options launches = HEDDLE_PLAN_OPTIONS_INIT;
    heddle_result *r;
    heddle_plan *plan;
    heddle_sim *sim;

    how.gpu = argc > 2 ? argv[2] : "v100";
    launches.flags = HEDDLE_PROFILE;
    slots = find_column("slots");
    if (heddle_open(&how, &sim) ||
        heddle_plan_open(sim, argc > 1 ? argv[1] : "launch.yaml", &plan) ||
        heddle_plan_run(plan, &launches, &r))
        return fail(sim, "it did not run");
    if (argc > 3 && !strcmp(argv[3], "--json"))
        fputs(heddle_json(sim), stdout);
    else
        for (; r; r = heddle_result_next(r))
            print_hottest(r);
    heddle_close(sim);
    return 0;
}
