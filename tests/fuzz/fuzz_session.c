/* tests/fuzz/fuzz_session.c - what a program sends to heddle exec: taken in as
 * far as it is understood, and then reported in every form. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "report/program.h"
#include "session/record.h"
#include "session/setup.h"

enum { GPUS = 2 };

/* The reports of what `r` has understood. */
static void report(record *r, const config *const *cfg)
{
    static void (*const write[])(const report_program *, FILE *) = {
        report_program_text, report_program_json, report_program_csv};
    report_process o = record_report(r, false, true);
    report_gpu gpus[GPUS] = {{"one", cfg[0]}, {"two", cfg[1]}};
    report_program p = {.command = "fuzz",
                        .gpus = gpus,
                        .gpu_count = GPUS,
                        .processes = &o,
                        .process_count = 1,
                        .threads = 1,
                        .detailed = SIZE_MAX,
                        .options = {.by_line = true}};

    for (unsigned i = 0; i < COUNTOF(write) * 2; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *to = open_memstream(&text, &size);

        MUST(to != NULL);
        p.options.by_line = i % 2;
        p.options.per_block = i % 2;
        write[i / 2](&p, to);
        fclose(to);
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    config values;
    const config *cfg[GPUS] = {&values, &values};
    record *r = record_new(cfg, GPUS, 2);
    size_t used;
    uint8_t kind;
    wire w;

    MUST(r != NULL);
    config_defaults(&values);
    while (wire_next(data, size, &kind, &w, &used) == WIRE_WHOLE) {
        wire again = w;

        data += used;
        size -= used;
        if (kind == MSG_SETUP)
            session_setup_free(session_setup_get(&again));
        else if (!record_take(r, kind, &w))
            break;
    }
    report(r, cfg);
    record_free(r);
    return 0;
}
