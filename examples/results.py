#!/usr/bin/env python3
"""examples/results.py - results files of Heddle as pandas tables.

Load it from a notebook, or run it to see what is in a file:

    python3 examples/results.py r.db
"""

import sqlite3
import sys
from contextlib import closing

import pandas as pd


def ask(path, sql, params=()):
    """Any query as a table. The file is only read."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA query_only = 1")
        return pd.read_sql_query(sql, db, params=params)


def load_runs(path):
    """One row for each place of each study: what was run, what it took, and a
    column for each factor that was varied ("side", "l1.sets", ...)."""
    runs = ask(path, "SELECT * FROM result")
    factors = ask(path, "SELECT study, number, name, value FROM factor")
    if factors.empty:
        return runs
    wide = factors.pivot(index=["study", "number"], columns="name",
                         values="value")
    wide = wide.apply(lambda c: pd.to_numeric(c, errors="coerce")
                      if pd.to_numeric(c, errors="coerce").notna().all() else c)
    return runs.join(wide, on=["study", "number"], rsuffix=" factor")


def load_kernels(path):
    """One row for each kernel of each run."""
    return ask(path, """
        SELECT r.id, r.workload, r.status, k.device, k.name AS kernel,
            k.launches, k.timed, k.cycles, k.time_s, k.warp_insts, k.energy_j
        FROM kernel k JOIN run r USING(run)""")


def load_counters(path, *patterns):
    """Counters of kernels, a column each: load_counters("r.db", "sm[*].slots",
    "sm[*].stall_*"). A star stands for anything, [*] for itself."""
    glob = [p.replace("[*]", "[[]*[]]") for p in patterns] or ["*"]
    long = ask(path, """
        SELECT r.id, r.workload, s.kernel, s.path, s.value
        FROM run_kernel_stat s JOIN run r USING(run)
        WHERE """ + " OR ".join(["s.path GLOB ?"] * len(glob)), glob)
    # What is 0 has no row.
    return long.pivot_table(index=["id", "workload", "kernel"],
                            columns="path", values="value", aggfunc="sum",
                            fill_value=0)


def load_config(path):
    """The configurations of all runs, a column for each parameter."""
    long = ask(path, "SELECT run, device, path, value FROM run_config")
    return long.pivot(index=["run", "device"], columns="path", values="value")


def speedup(runs, base):
    """Cycles of side `base` over those of the others, by workload."""
    cycles = runs[runs.status == "pass"].pivot_table(
        index="workload", columns="label", values="cycles")
    return cycles.rdiv(cycles[base], axis=0)


def main():
    pd.set_option("display.width", 100)
    path = sys.argv[1]
    runs = load_runs(path)
    print(runs[["workload", "label", "status", "cycles", "ipc", "energy_j"]]
          .to_string())
    print(load_counters(path, "sm[*].slots", "sm[*].issued").to_string())


if __name__ == "__main__":
    main()
