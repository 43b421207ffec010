-- The format of a results file: SQLite 3, tables and views. docs/results.md
-- describes it for users. STORE_VERSION in store.h counts its versions; a file
-- says its own in PRAGMA user_version. @record stands for the rows of
-- stats/launch_record.def that have a column.

-- One command that made runs belonging together.
CREATE TABLE study(
    study INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,   -- hexadecimal, never used twice
    kind TEXT NOT NULL,         -- run, exec, suite, compare, sweep
    name TEXT,                  -- of the mechanism, suite, plan or program
    about TEXT,                 -- one sentence
    command TEXT NOT NULL,      -- line that makes it again
    plan TEXT,                  -- of a sweep: the whole file; of a comparison:
                                -- what is compared and expected, as JSON
    created TEXT NOT NULL,      -- UTC, 2026-11-21T10:20:30Z
    places INTEGER              -- points that it has when nothing is missing
) STRICT;

-- One workload on one machine, at most once in a file.
CREATE TABLE run(
    run INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,    -- 32 hexadecimal digits: equal ids, equal
                                -- inputs, configuration and version
    workload TEXT NOT NULL,
    size TEXT,                  -- of a suite's program
    status TEXT NOT NULL,       -- pass, fail, crash, timeout, ...
    why TEXT,                   -- one sentence, if it did not pass
    exit_code INTEGER,
    signal INTEGER,
    started TEXT NOT NULL,      -- UTC
    wall_s REAL,
    cpu_s REAL,
    max_rss INTEGER,            -- bytes
    threads INTEGER,
    version TEXT NOT NULL,      -- of Heddle
    build TEXT NOT NULL,        -- compiler and kind of build
    host TEXT NOT NULL,
    command TEXT,               -- line of the program
    memory_hash TEXT,           -- of what is in memory at the end; NULL: none
    -- Sums over its launches; of those that were timed but for the first two.
    launches INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    timed INTEGER NOT NULL,
    cycles INTEGER NOT NULL,
    time_s REAL NOT NULL,       -- simulated, by the clocks of the GPUs
    warp_insts INTEGER NOT NULL,
    thread_insts INTEGER NOT NULL,
    energy_j REAL,              -- NULL: not known
    storage_bits INTEGER,       -- of the first GPU's structures
    -- NULL: all that was timed was simulated in full. Else (--sample) what is
    -- above is of the parts that were timed, and:
    sampled INTEGER,            -- launches of which cycles are charged
    estimated_cycles REAL,      -- of all launches, timed and charged
    half_interval_95 REAL       -- of that, as a part of it
) STRICT;

-- The place of a run in a study. A run may be in several.
CREATE TABLE point(
    study INTEGER NOT NULL REFERENCES study ON DELETE CASCADE,
    number INTEGER NOT NULL,    -- in the order of the study, from 0
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    label TEXT,                 -- of the side of a comparison
    PRIMARY KEY(study, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX point_run ON point(run);

-- What is varied: "side", "l1.sets", "workload", ...
CREATE TABLE factor(
    study INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY(study, number, name),
    FOREIGN KEY(study, number) REFERENCES point ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE device(
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    device INTEGER NOT NULL,    -- from 0
    gpu TEXT NOT NULL,          -- as it was asked for
    config INTEGER NOT NULL REFERENCES configuration,
    PRIMARY KEY(run, device)
) STRICT, WITHOUT ROWID;

-- Configurations: every parameter, where its value comes from.
CREATE TABLE parameter(
    parameter INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,  -- sm.rf.banks
    unit TEXT,
    help TEXT
) STRICT;
CREATE TABLE configuration(
    config INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE   -- of values and origins
) STRICT;
CREATE TABLE origin(
    origin INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE   -- "default", "v100.yaml:12:3", "--set ..."
) STRICT;
CREATE TABLE config(
    config INTEGER NOT NULL REFERENCES configuration ON DELETE CASCADE,
    parameter INTEGER NOT NULL REFERENCES parameter,
    value TEXT NOT NULL,        -- as a file would say it
    origin INTEGER NOT NULL REFERENCES origin,
    PRIMARY KEY(config, parameter)
) STRICT, WITHOUT ROWID;

-- The first launches of a run and those that failed, 1000 unless told
-- otherwise; `kernel` sums up all.
CREATE TABLE launch(
    launch INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    process INTEGER NOT NULL,   -- pid; 0: Heddle's own
    seq INTEGER NOT NULL,       -- in the process, from 0
    @record
    UNIQUE(run, process, seq)
) STRICT;

-- The launches of a kernel on a device, summed: the timed ones but for the
-- first three numbers, or all if none was timed.
CREATE TABLE kernel(
    kernel INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    device INTEGER NOT NULL,
    name TEXT NOT NULL,
    launches INTEGER NOT NULL,
    timed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    cycles INTEGER NOT NULL,
    time_s REAL NOT NULL,
    warp_insts INTEGER NOT NULL,
    thread_insts INTEGER NOT NULL,
    energy_j REAL,
    sampled INTEGER,            -- as those of run
    estimated_cycles REAL,
    half_interval_95 REAL,
    UNIQUE(run, device, name)
) STRICT;

-- Counters: sm[*].l1.load_hits, summed over the blocks of a kind, and
-- joules: energy.l1. What is 0 has no row; 2^63-1 stands for that and more.
CREATE TABLE name(
    name INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    unit TEXT,
    kind TEXT NOT NULL,         -- counter, energy, histogram
    help TEXT
) STRICT;
CREATE TABLE stat(              -- of the first launches of a run, 32
    launch INTEGER NOT NULL REFERENCES launch ON DELETE CASCADE,
    name INTEGER NOT NULL REFERENCES name,
    value ANY NOT NULL,         -- counters INTEGER, joules REAL
    PRIMARY KEY(launch, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE kernel_stat(       -- of all
    kernel INTEGER NOT NULL REFERENCES kernel ON DELETE CASCADE,
    name INTEGER NOT NULL REFERENCES name,
    value ANY NOT NULL,
    PRIMARY KEY(kernel, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE series(
    launch INTEGER NOT NULL REFERENCES launch ON DELETE CASCADE,
    name INTEGER NOT NULL REFERENCES name,
    cycle INTEGER NOT NULL,     -- of the launch: end of the step
    value ANY NOT NULL,         -- of the step
    PRIMARY KEY(launch, name, cycle)
) STRICT, WITHOUT ROWID;
CREATE TABLE hist(
    kernel INTEGER NOT NULL REFERENCES kernel ON DELETE CASCADE,
    name INTEGER NOT NULL REFERENCES name,
    lo INTEGER NOT NULL,        -- of the bin, inclusive
    hi INTEGER,                 -- exclusive; NULL: no end
    n INTEGER NOT NULL,
    PRIMARY KEY(kernel, name, lo)
) STRICT, WITHOUT ROWID;

-- Texts and other files of a run: "stdout", "waterfall"; "tail", the last lines
-- that a program wrote that failed; "timeline", what happened when in simulated
-- time (report/timeline.h); "outside", a line for each place where its
-- kernels were outside of what was allocated.
CREATE TABLE artifact(
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    kind TEXT NOT NULL,
    bytes INTEGER NOT NULL,     -- before it was cut
    content BLOB NOT NULL,
    PRIMARY KEY(run, kind)
) STRICT;

-- ---- Views: what people ask for ----

CREATE VIEW run_config AS
    SELECT d.run, d.device, d.gpu, p.path, c.value, p.unit, o.text AS origin
    FROM device d JOIN config c USING(config) JOIN parameter p USING(parameter)
        JOIN origin o USING(origin);
CREATE VIEW run_stat AS
    SELECT k.run, n.path, n.unit, sum(s.value) AS value
    FROM kernel k JOIN kernel_stat s USING(kernel)
        JOIN name n ON n.name = s.name
    GROUP BY k.run, n.path;
CREATE VIEW run_kernel_stat AS
    SELECT k.run, k.device, k.name AS kernel, n.path, n.unit, s.value
    FROM kernel k JOIN kernel_stat s USING(kernel)
        JOIN name n ON n.name = s.name;
CREATE VIEW launch_stat AS
    SELECT l.run, l.process, l.seq, l.kernel, n.path, n.unit, s.value
    FROM launch l JOIN stat s USING(launch) JOIN name n USING(name);
CREATE VIEW result AS
    SELECT s.study, s.kind, s.name, p.number, p.label, r.*,
        CAST(r.warp_insts AS REAL) / nullif(r.cycles, 0) AS ipc,
        r.energy_j * r.time_s AS edp
    FROM point p JOIN study s USING(study) JOIN run r USING(run);
