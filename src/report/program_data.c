/* The report of a program for programs: JSON and CSV. */
#include <inttypes.h>
#include <math.h>

#include "config/print.h"
#include "report/energy.h"
#include "report/failure.h"
#include "report/kernels.h"
#include "report/launch.h"
#include "report/profile.h"
#include "report/program.h"
#include "report/record.h"
#include "report/sampled.h"
#include "report/stray.h"
#include "report/timeline.h"

static void write_hash(json *j, const char *key, uint64_t hash)
{
    char text[32];

    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_text(j, key, text);
}

static void write_gpus(json *j, const report_program *p)
{
    json_open(j, "gpus", '[');
    for (size_t i = 0; i < p->gpu_count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "asked_for", p->gpus[i].name);
        json_text(j, "name", p->gpus[i].cfg->gpu.name);
        write_hash(j, "config_hash", config_hash(p->gpus[i].cfg));
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_launches(json *j, const report_program *p,
                           const report_process *o)
{
    json_open(j, "launches", '[');
    for (size_t i = 0; i < o->launch_count; i++) {
        const report_launch *l = &o->launches[i];
        record_values v;

        json_open(j, NULL, '{');
        v = record_of(l, &(figures){.slots = 0});
        record_json(j, &v, RECORD_GROUPS(RECORD_PLACE, RECORD_MODE), false);
        if (l->error)
            record_json(j, &v, RECORD_GROUPS(RECORD_ERROR), false);
        launch_json(j, &p->options, l);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_process(json *j, const report_program *p,
                          const report_process *o)
{
    json_open(j, NULL, '{');
    json_u64(j, "pid", o->pid);
    json_u64(j, "parent", o->parent);
    json_text(j, "program", o->program);
    json_text(j, "command", o->command);
    json_bool(j, "ended", o->ended);
    json_bool(j, "running", o->running);
    json_bool(j, "broken", o->broken);
    json_u64(j, "written_bytes", o->moved.written);
    json_u64(j, "read_bytes", o->moved.read);
    json_u64(j, "copied_bytes", o->moved.copied);
    json_open(j, "notes", '[');
    for (size_t i = 0; i < o->note_count; i++)
        json_text(j, NULL, o->notes[i]);
    json_close(j, '[');
    failures_json(j, o);
    if (o->has_hash)
        write_hash(j, "hash", o->hash);
    write_launches(j, p, o);
    timeline_json(j, o);
    json_close(j, '{');
}

static void write_kernels(json *j, const kernel_sums *all)
{
    json_open(j, "kernels", '[');
    for (size_t i = 0; i < all->count; i++) {
        const kernel_sum *k = &all->row[i];

        json_open(j, NULL, '{');
        json_text(j, "kernel", k->name);
        json_u64(j, "gpu", k->sum.device);
        json_u64(j, "launches", k->count);
        json_u64(j, "timed", k->timed);
        json_u64(j, "functional", k->functional);
        json_u64(j, "failed", k->failed);
        json_u64(j, "warp_insts", k->warp_insts);
        json_u64(j, "thread_insts", k->thread_insts);
        json_u64(j, "cycles", k->sum.cycles);
        json_real(j, "time_s", k->f.time_s);
        sampled_json(j, k->sum.cycles, &k->guess);
        if (k->timed)
            energy_json_sum(j, &k->f.energy);
        json_real(j, "host_s", k->host_seconds);
        json_close(j, '{');
    }
    json_close(j, '[');
}

/* Null where it is more than 64 bits hold. */
static void write_energy(json *j, const kernel_sums *all)
{
    double joules = all->energy_overflow ? NAN : energy_joules(all->energy_fj);

    if (all->energy_overflow)
        json_text(j, "energy_fj", NULL);
    else
        json_u64(j, "energy_fj", all->energy_fj);
    json_real(j, "energy_j", joules);
    json_real(j, "power_w", all->time_s > 0 ? joules / all->time_s : NAN);
    json_real(j, "edp_js", joules * all->time_s);
}

static void write_sums(json *j, const report_program *p, const kernel_sums *all)
{
    json_open(j, "total", '{');
    json_u64(j, "launches", all->launches);
    json_u64(j, "timed", all->timed);
    json_u64(j, "functional", all->functional);
    json_u64(j, "failed", all->failed);
    json_u64(j, "warp_insts", all->warp_insts);
    json_u64(j, "cycles", all->cycles);
    json_real(j, "time_s", all->time_s);
    sampled_json(j, all->cycles, &all->guess);
    write_energy(j, all);
    json_close(j, '{');
    json_open(j, "host", '{');
    json_u64(j, "threads", p->threads);
    json_real(j, "seconds", p->seconds);
    json_real(j, "kernel_s", all->host_seconds);
    json_real(j, "warp_insts_per_s",
              all->host_seconds > 0
                  ? (double)all->warp_insts / all->host_seconds
                  : NAN);
    json_real(j, "cpu_s", p->cpu_seconds);
    json_real(j, "warp_insts_per_cpu_s",
              p->cpu_seconds > 0 ? (double)all->warp_insts / p->cpu_seconds
                                 : NAN);
    json_close(j, '{');
}

void report_program_json(const report_program *p, FILE *to)
{
    json j = json_document(to);
    kernel_sums all;

    kernel_sums_make(&all, p);
    json_text(&j, "command", p->command);
    json_u64(&j, "exit_status", (uint64_t)p->exit_code);
    json_u64(&j, "signal", (uint64_t)p->signal);
    if (p->unused)
        json_text(&j, "no_opencl", p->unused);
    write_gpus(&j, p);
    write_kernels(&j, &all);
    json_open(&j, "processes", '[');
    for (size_t i = 0; i < p->process_count; i++)
        write_process(&j, p, &p->processes[i]);
    json_close(&j, '[');
    exec_strays strays = report_program_strays(p);
    stray_json(&j, &strays);
    exec_strays_fini(&strays);
    write_sums(&j, p, &all);
    json_document_end(&j);
    kernel_sums_free(&all);
}

/* ---- CSV ---- */

static void csv_profile(const report_program *p, const report_process *o,
                        csv *c)
{
    profile_kind kind = p->options.by_line ? PROFILE_LINES : PROFILE_INSTS;

    for (size_t k = 0; k < o->launch_count; k++)
        if (o->launches[k].profile)
            profile_csv(&o->launches[k], &o->pid, k, kind, c);
}

static void csv_series(const report_process *o, csv *c)
{
    for (size_t k = 0; k < o->launch_count; k++)
        energy_series_csv(&o->launches[k], &o->pid, k, c);
}

/* What stands in front of a launch. */
#define CSV_PLACE RECORD_GROUPS(RECORD_PLACE, RECORD_MODE)

static void csv_launches(const report_process *o, const launch_shape *shape,
                         csv *c)
{
    for (size_t k = 0; k < o->launch_count; k++) {
        record_values v;

        v = record_of(&o->launches[k], &(figures){.slots = 0});
        csv_u64(c, o->pid);
        csv_u64(c, k);
        record_csv(c, &v, CSV_PLACE);
        launch_csv(shape, &o->launches[k], c);
        csv_line(c);
    }
}

static void csv_all_launches(const report_program *p, csv *c)
{
    launch_shape shape = {.with = {.stall_count = 0}};

    for (size_t i = 0; i < p->process_count; i++)
        for (size_t k = 0; k < p->processes[i].launch_count; k++)
            launch_shape_add(&shape, &p->processes[i].launches[k]);
    csv_names(c, "pid,launch");
    record_csv_head(c, CSV_PLACE);
    launch_csv_head(&shape, c);
    csv_line(c);
    for (size_t i = 0; i < p->process_count; i++)
        csv_launches(&p->processes[i], &shape, c);
}

void report_program_csv(const report_program *p, FILE *to)
{
    csv c = csv_start(to);
    bool rows = p->options.by_line || p->options.by_instruction;

    if (!p->options.energy_series && !rows) {
        csv_all_launches(p, &c);
        return;
    }
    csv_names(&c, "pid");
    if (p->options.energy_series)
        energy_series_csv_head(&c);
    else
        profile_csv_head(p->options.by_line ? PROFILE_LINES : PROFILE_INSTS,
                         &c);
    for (size_t i = 0; i < p->process_count; i++)
        if (p->options.energy_series)
            csv_series(&p->processes[i], &c);
        else
            csv_profile(p, &p->processes[i], &c);
}
