#include <string.h>

#include "base/must.h"
#include "probe/harness.h"

enum {
    FERMI = 1 << PROBE_FERMI,
    KEPLER = 1 << PROBE_KEPLER,
    VOLTA = 1 << PROBE_VOLTA,
    ALL = FERMI | KEPLER | VOLTA
};

/* In an order in which all come behind what they need. */
const probe_kind probe_table[] = {
    {"overhead", "P0: what a clock read costs", probe_run_overhead, NULL, ALL,
     false},
    {"latency", "P2: cycles from an instruction to its dependent, by class",
     probe_run_latency, "overhead", ALL, false},
    {"throughput", "P1: lanes of a multiprocessor in a cycle, by class",
     probe_run_throughput, "overhead", ALL, false},
    {"tensor", "matrix operations of a warp by type; only if named",
     probe_run_tensor, "overhead", VOLTA, true},
    {"loads", "latency of loads from L1, L2 and memory", probe_run_loads, NULL,
     ALL, false},
    {"caches", "size, line, sector, ways and replacement of L1 and L2",
     probe_run_caches, "loads", ALL, false},
    {"local", "local memory", probe_run_local, "loads", ALL, false},
    {"read_only", "read-only loads", probe_run_read_only, NULL, ALL, false},
    {"constant", "constants by a register", probe_run_constant, NULL, ALL,
     false},
    {"shared", "shared memory: latency, banks, conflicts, widths, atomics",
     probe_run_shared, NULL, ALL, false},
    {"barrier", "barriers by the number of warps", probe_run_barrier, NULL, ALL,
     false},
    {"branch", "branches, taken and diverged", probe_run_branch, NULL, ALL,
     false},
    {"atomic", "atomics of global memory", probe_run_atomic, NULL, ALL, false},
    {"icache", "P14: instruction caches by the length of a loop",
     probe_run_icache, NULL, ALL, false},
    {"codes", "P5: throughput and latency by control code", probe_run_codes,
     "icache", KEPLER, false},
    {"pairs", "P6: distance of independent instructions by control code",
     probe_run_pairs, NULL, KEPLER, false},
    {"shared_units", "P13: schedulers that share a unit",
     probe_run_shared_units, "icache pairs", KEPLER, false},
    {"banks", "P3: register banks, by all pairs of 63 registers",
     probe_run_banks, "icache shared_units", ALL, false},
    {"all_banks", "P3 over all pairs of 255 registers; only if named",
     probe_run_all_banks, "icache shared_units", KEPLER | VOLTA, true},
    {"patterns", "P7 to P12, P15: orders of single and dual issue",
     probe_run_patterns, "pairs shared_units banks", KEPLER, false},
    {"control", "stall counts, yield, scoreboards, reuse", probe_run_control,
     "overhead", VOLTA, false},
    {"limits", "what fits a multiprocessor and a CTA", probe_run_limits, NULL,
     ALL, false},
    {"bandwidth", "bytes from memory and L2 by the width of loads",
     probe_run_stream, "limits caches", ALL, false},
    {NULL, NULL, NULL, NULL, 0, false},
};

enum { KINDS = sizeof probe_table / sizeof *probe_table - 1 };

const probe_kind *probe_find(const char *name)
{
    for (const probe_kind *k = probe_table; k->name; k++)
        if (!strcmp(k->name, name))
            return k;
    return NULL;
}

bool probe_fits(const probe_kind *k, probe_family family)
{
    return k->families >> family & 1;
}

/* Is `name` one of the words of `list`? */
static bool lists(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = list; at && (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

status probe_suite(const probe_options *o, probe_found *found, diag *dg)
{
    probe_run r = {.machine = o->machine, .found = found, .dg = dg};
    bool wanted[KINDS];
    status st = ST_OK;

    memcpy(wanted, o->wanted, sizeof wanted);
    for (size_t i = KINDS; i-- > 0;)
        for (size_t j = 0; wanted[i] && j < i; j++)
            if (lists(probe_table[i].needs, probe_table[j].name))
                wanted[j] = true;
    for (size_t i = 0; i < KINDS && st == ST_OK; i++) {
        const probe_kind *k = &probe_table[i];

        if (!wanted[i] || !probe_fits(k, o->machine->family))
            continue;
        if (o->begins)
            o->begins(o->arg, k);
        r.kind = k;
        st = k->run(&r);
        if (st == ST_USAGE) { /* not what stops the others */
            diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                     "probe '%s' is not complete: it needs a launch that the "
                     "device refuses",
                     k->name);
            st = ST_OK;
        }
    }
    return st;
}
