#include "report/windows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "gpu/makespan.h"
#include "text/word.h"

enum { LONGEST = 5 }; /* nodes that the text names */

static const char *const part_names[WINDOW_PARTS] = {
    [WINDOW_DISPATCH] = "dispatch",   [WINDOW_COMMIT] = "commit",
    [WINDOW_TRANSLATE] = "translate", [WINDOW_UP] = "up",
    [WINDOW_DOWN] = "down",           [WINDOW_GATHER] = "gather"};

static double seconds(uint64_t ns) { return (double)ns * 1e-9; }

static double share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static double speedup(const window_sums *s, window_order order, unsigned i)
{
    return share(window_predicted_ns(s, WINDOW_AS_TAKEN, 0),
                 window_predicted_ns(s, order, i));
}

static void node_name(const window_sums *s, unsigned n, char to[32])
{
    if (n < s->clusters)
        snprintf(to, 32, "cluster %u", n);
    else
        snprintf(to, 32, "partition %u", n - s->clusters);
}

/* The numbers of the nodes, those first that were the longest most often; the
 * caller frees them. */
static unsigned *longest_nodes(const window_sums *s)
{
    unsigned *order = new_array(s->nodes, sizeof *order);
    uint64_t *key = new_array(s->nodes, sizeof *key);

    for (unsigned i = 0; i < s->nodes; i++)
        key[i] = s->node[i].longest;
    makespan_longest_first(key, s->nodes, order);
    free(key);
    return order;
}

/* ---- Text ---- */

static void print_shares(const window_sums *s, FILE *to)
{
    uint64_t all = window_predicted_ns(s, WINDOW_AS_TAKEN, 0);

    fprintf(to,
            "\nwindows: %s of %" PRIu64 " cycles, %s each; %.1f nodes in one, "
            "the longest %s of it\n",
            word_grouped(s->windows).s, s->cycles / s->windows,
            word_duration(seconds(all) / (double)s->windows).s,
            (double)s->runs / (double)s->windows,
            word_percent(share(s->longest_ns, all)).s);
    fprintf(to, "  nodes %s", word_percent(share(s->nodes_ns, all)).s);
    for (unsigned i = 0; i < WINDOW_PARTS; i++)
        fprintf(to, ", %s %s", part_names[i],
                word_percent(share(s->part_ns[i], all)).s);
    fprintf(to, "\n  two threads begin and end together in %s%s\n",
            word_duration(seconds(s->meet_ns)).s,
            s->meet_assumed ? ", a guess: they never had a core each" : "");
}

static void print_longest(const window_sums *s, FILE *to)
{
    unsigned *order = longest_nodes(s);
    char name[32];

    fputs("  mostly the longest:", to);
    for (unsigned i = 0; i < LONGEST && i < s->nodes; i++) {
        const struct window_node *n = &s->node[order[i]];

        if (!n->longest)
            break;
        node_name(s, order[i], name);
        fprintf(to, "%s %s in %s", i ? "," : "", name,
                word_percent(share(n->longest, s->windows)).s);
    }
    fputc('\n', to);
    free(order);
}

void windows_text(const window_sums *s, FILE *to)
{
    if (!s || !s->windows)
        return;
    print_shares(s, to);
    print_longest(s, to);
    fprintf(to, "\n  %7s %12s %9s %10s   %s\n", "threads", "predicted",
            "speed-up", "efficiency",
            "longest node first: as the last time, as if known");
    for (unsigned i = 0; i < WINDOW_COUNTS; i++) {
        double x = speedup(s, WINDOW_AS_TAKEN, i);

        fprintf(
            to, "  %7u %12s %9.2f %10s   %.2f, %.2f\n", window_threads[i],
            word_duration(seconds(window_predicted_ns(s, WINDOW_AS_TAKEN, i)))
                .s,
            x, word_percent(x / window_threads[i]).s,
            speedup(s, WINDOW_LONGEST_LAST_TIME, i),
            speedup(s, WINDOW_LONGEST, i));
    }
}

/* ---- JSON ---- */

static void write_predictions(json *j, const window_sums *s)
{
    json_open(j, "predicted", '[');
    for (unsigned i = 0; i < WINDOW_COUNTS; i++) {
        double x = speedup(s, WINDOW_AS_TAKEN, i);

        json_open(j, NULL, '{');
        json_u64(j, "threads", window_threads[i]);
        json_real(j, "s", seconds(window_predicted_ns(s, WINDOW_AS_TAKEN, i)));
        json_real(j, "nodes_s", seconds(s->span_ns[WINDOW_AS_TAKEN][i]));
        json_real(j, "shared_s", seconds(s->side_ns[i]));
        json_real(j, "meet_s",
                  seconds(s->meetings * window_meet_ns(s, window_threads[i])));
        json_real(j, "speedup", x);
        json_real(j, "efficiency", x / window_threads[i]);
        json_real(j, "speedup_longest_last_time",
                  speedup(s, WINDOW_LONGEST_LAST_TIME, i));
        json_real(j, "speedup_longest", speedup(s, WINDOW_LONGEST, i));
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_nodes(json *j, const window_sums *s)
{
    unsigned *order = longest_nodes(s);
    char name[32];

    json_open(j, "nodes", '[');
    for (unsigned i = 0; i < s->nodes; i++) {
        const struct window_node *n = &s->node[order[i]];

        node_name(s, order[i], name);
        json_open(j, NULL, '{');
        json_text(j, "name", name);
        json_real(j, "s", seconds(n->ns));
        json_u64(j, "runs", n->runs);
        json_u64(j, "longest", n->longest);
        json_close(j, '{');
    }
    json_close(j, '[');
    free(order);
}

void windows_json(json *j, const window_sums *s)
{
    if (!s)
        return;
    json_open(j, "windows", '{');
    json_u64(j, "count", s->windows);
    json_u64(j, "cycles", s->cycles);
    json_u64(j, "runs", s->runs);
    json_real(j, "nodes_s", seconds(s->nodes_ns));
    json_real(j, "longest_s", seconds(s->longest_ns));
    json_u64(j, "meetings", s->meetings);
    json_real(j, "serial_s", seconds(s->serial_ns));
    json_open(j, "parts_s", '{');
    for (unsigned i = 0; i < WINDOW_PARTS; i++)
        json_real(j, part_names[i], seconds(s->part_ns[i]));
    json_close(j, '{');
    json_real(j, "meet_s", seconds(s->meet_ns));
    json_bool(j, "meet_assumed", s->meet_assumed);
    write_predictions(j, s);
    write_nodes(j, s);
    json_close(j, '{');
}
