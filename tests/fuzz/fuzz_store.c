/* tests/fuzz/fuzz_store.c - damaged results files: an input says which bytes of
 * a good one are changed, four bytes of place and one of value each. What is
 * read of it must end in rows or in a message, and leave the file that it is
 * merged into whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "fuzz.h"
#include "store/store.h"

static const char good_rows[] =
    "INSERT INTO study VALUES(1, 'u', 'sweep', 'n', NULL, 'heddle', NULL,"
    " '2026-11-21T10:20:30Z', 2);"
    "INSERT INTO run(run, id, workload, status, started, version, build, host,"
    " launches, failed, timed, cycles, time_s, warp_insts, thread_insts)"
    " VALUES(1, 'a', 'w', 'pass', '', '', '', '', 1, 0, 1, 9, 1e-6, 8, 99),"
    " (2, 'b', 'w', 'fail', '', '', '', '', 0, 0, 0, 0, 0, 0, 0);"
    "INSERT INTO point VALUES(1, 0, 1, 'x'), (1, 1, 2, 'y');"
    "INSERT INTO factor VALUES(1, 0, 'f', '1'), (1, 1, 'f', '2');"
    "INSERT INTO configuration VALUES(1, 'h');"
    "INSERT INTO parameter VALUES(1, 'l1.ways', NULL, '');"
    "INSERT INTO origin VALUES(1, 'default');"
    "INSERT INTO config VALUES(1, 1, '4', 1);"
    "INSERT INTO device VALUES(1, 0, 'v100', 1), (2, 0, 'v100', 1);"
    "INSERT INTO name VALUES(1, 'sm[*].slots', 'slot', 'counter', '');"
    "INSERT INTO launch(launch, run, process, seq, device, kernel, status,"
    " functional) VALUES(1, 1, 0, 0, 0, 'k', 'ok', 0);"
    "INSERT INTO kernel VALUES(1, 1, 0, 'k', 1, 1, 0, 9, 1e-6, 8, 99, NULL,"
    " NULL, NULL, NULL);"
    "INSERT INTO stat VALUES(1, 1, 7);"
    "INSERT INTO kernel_stat VALUES(1, 1, 7);"
    "INSERT INTO series VALUES(1, 1, 5, 0.5);"
    "INSERT INTO hist VALUES(1, 1, 0, NULL, 3);"
    "INSERT INTO artifact VALUES(1, 'stdout', 1, x'78')";

static struct {
    char folder[64], hurt[96], to[96];
    char *bytes, *copy;
    size_t size;
} state;

static void clean(void)
{
    unlink(state.hurt);
    unlink(state.to);
    rmdir(state.folder);
}

static void make_good(diag *dg)
{
    store *s = NULL;
    FILE *f;

    snprintf(state.folder, sizeof state.folder, "%s/heddle-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    MUST(mkdtemp(state.folder) != NULL);
    snprintf(state.hurt, sizeof state.hurt, "%s/hurt", state.folder);
    snprintf(state.to, sizeof state.to, "%s/to", state.folder);
    atexit(clean);
    MUST(store_create(state.hurt, dg, &s) == ST_OK);
    MUST(store_do(s, good_rows, dg) == ST_OK);
    store_close(s);
    f = fopen(state.hurt, "rb");
    MUST(f && fseek(f, 0, SEEK_END) == 0);
    state.size = (size_t)ftell(f);
    rewind(f);
    state.bytes = malloc(state.size);
    state.copy = malloc(state.size);
    MUST(state.bytes && state.copy);
    MUST(fread(state.bytes, 1, state.size, f) == state.size);
    fclose(f);
}

static void hurt(const uint8_t *data, size_t size)
{
    FILE *f = fopen(state.hurt, "wb");

    memcpy(state.copy, state.bytes, state.size);
    for (; size >= 5; data += 5, size -= 5) {
        uint32_t at;

        memcpy(&at, data, sizeof at);
        state.copy[at % state.size] = (char)data[4];
    }
    MUST(f && fwrite(state.copy, 1, state.size, f) == state.size);
    MUST(fclose(f) == 0);
}

static void read_all(store *s, diag *dg)
{
    store_query *q = store_select(s, dg,
                                  "SELECT * FROM result LEFT JOIN run_config"
                                  " USING(run) LEFT JOIN run_stat USING(run)",
                                  "");

    while (q && store_next(q, dg))
        for (int i = 0; i < store_columns(q); i++)
            (void)store_text(q, i);
    store_done(q);
}

static void check_whole(store *s, diag *dg)
{
    store_query *q =
        store_select(s, dg, "SELECT * FROM pragma_integrity_check", "");

    MUST(q && store_next(q, dg) && !strcmp(store_text(q, 0), "ok"));
    store_done(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag *dg = diag_new();
    store *s = NULL;
    status st;

    MUST(dg != NULL);
    if (!state.bytes)
        make_good(dg);
    hurt(data, size);
    st = store_open(state.hurt, dg, &s);
    MUST(st == ST_OK || diag_errors(dg) == 1);
    if (st == ST_OK)
        read_all(s, dg);
    store_close(s);
    s = NULL;
    diag_clear(dg);
    unlink(state.to);
    MUST(store_create_private(state.to, dg, &s) == ST_OK);
    st = store_merge(s, state.hurt, dg);
    MUST(st == ST_OK || diag_errors(dg) > 0);
    check_whole(s, dg);
    store_close(s);
    diag_free(dg);
    return 0;
}
