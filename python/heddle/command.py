"""What goes through the command `heddle`: programs, advice, comparisons, sweeps,
validation."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import _library as c
from .errors import CommandError
from .result import pandas
from .simulation import Settings, _assignments

Path_ = Union[str, "os.PathLike[str]"]


def find_command() -> str:
    """The command that goes with the library: what HEDDLE_COMMAND names; what
    stands beside the library (a build folder), or in its prefix; else
    `heddle` of the PATH."""
    named = os.environ.get("HEDDLE_COMMAND")
    if named:
        return named
    library = c.lib.path
    if library is not None:
        for folder in library.parents[:4]:
            for at in (folder / "heddle", folder / "bin" / "heddle"):
                if at.is_file() and os.access(at, os.X_OK):
                    return str(at)
    found = shutil.which("heddle")
    if found is None:
        raise CommandError("the command heddle is neither beside the library "
                           "nor in the PATH: name it in HEDDLE_COMMAND")
    return found


def _run(args: Sequence[str], program: Optional[Sequence[str]] = None,
         accept: Iterable[int] = (0,)) -> "subprocess.CompletedProcess[str]":
    """Runs the command with --format json, for a program behind -- if there is
    one. CommandError has its messages where it ends with a status that is not
    accepted."""
    if isinstance(program, (str, bytes)):
        raise TypeError(f"a program is a list of words, not {program!r}")
    command = [find_command(), *args, "--format", "json",
               *(["--", *program] if program is not None else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              encoding="utf-8", errors="replace", check=False,
                              stdin=subprocess.DEVNULL)
    except OSError as error:
        raise CommandError(f"{command[0]}: {error.strerror}") from error
    if done.returncode not in accept:
        raise CommandError(done.stderr.strip() or done.stdout.strip()
                           or f"{command[0]} ended with {done.returncode}",
                           done.returncode)
    return done


def call(*args: str, program: Optional[Sequence[str]] = None,
         accept: Iterable[int] = (0,)) -> dict[str, Any]:
    """The JSON that the command writes; where it writes none, a CommandError
    with its messages, too."""
    done = _run(args, program, accept)
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        raise CommandError(done.stderr.strip() or "it wrote no JSON",
                           done.returncode) from None


def _read(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        return dict(json.load(file))


def _sets(settings: Settings) -> list[str]:
    out = []
    for assignment in _assignments(settings):
        out += ["--set", assignment.decode()]
    return out


def _paths(paths: Union[Path_, Iterable[Path_]]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(p) for p in paths]


def _variant(name: Optional[str], settings: Settings) -> str:
    """NAME:PATH=VALUE,..., as --with has it."""
    sets = ",".join(a.decode() for a in _assignments(settings))
    return f"{name}:{sets}" if name else sets


def _variants(given: Any) -> list[tuple[Optional[str], Settings]]:
    """One without a name, or several with theirs."""
    if not given:
        return []
    if isinstance(given, Mapping) and all(isinstance(v, Mapping)
                                          for v in given.values()):
        return list(given.items())
    return [(None, given)]


class Report:
    """What the command wrote: `json`."""

    def __init__(self, read: dict[str, Any]) -> None:
        self.json = read


class Execution(Report):
    """What became of a program on a simulated GPU."""

    def __init__(self, read: dict[str, Any], status: int, output: str,
                 errors: str) -> None:
        super().__init__(read)
        #: The program's exit status; 128 and a signal's number if that ended it.
        self.status = status
        #: What it wrote to its two streams, the second with Heddle's messages.
        self.output, self.errors = output, errors

    @property
    def total(self) -> dict[str, Any]:
        """launches, cycles, time_s, energy_j, ... of all launches."""
        return dict(self.json["total"])

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """Each kernel, all its launches together: launches, cycles, ..."""
        return list(self.json["kernels"])

    @property
    def launches(self) -> list[dict[str, Any]]:
        """Those of all processes, in their order: kernel, grid, cycles, ipc,
        counters, ..."""
        return [x for p in self.json["processes"] for x in p["launches"]]

    @property
    def timeline(self) -> list[dict[str, Any]]:
        """Launches, copies, memsets and waits of all processes."""
        return [x for p in self.json["processes"] for x in p["timeline"]]

    def to_frame(self) -> Any:
        """A row for each kernel."""
        return pandas().DataFrame(self.kernels)


def execute(program: Sequence[str], *, gpu: Union[Path_, Iterable[Path_]] = "v100",
            settings: Settings = None, options: Sequence[str] = (),
            check: bool = True) -> Execution:
    """heddle exec: runs a CUDA or OpenCL program, as it is, on simulated GPUs.

    program is a command line, options are more of the command's
    (["--sample"], ["--threads", "2"]). With `check`, an exit status that is not
    0 is a CommandError, which has what it wrote as its text."""
    args = ["exec", "--quiet", *_sets(settings)]
    for g in _paths(gpu):
        args += ["--gpu", g]
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        report = os.path.join(folder, "report.json")
        done = _run([*args, *options, "--output", report], program,
                    accept=(0,) if check else range(256))
        try:
            return Execution(_read(report), done.returncode, done.stdout,
                             done.stderr)
        except (OSError, ValueError):  # nothing was run
            raise CommandError(done.stderr.strip() or "it wrote no report",
                               done.returncode) from None


class Explanation(Report):
    """What bounds a workload's kernels, and what would help."""

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """Those that took longest first: bound, occupancy, lines, ..."""
        return list(self.json["kernels"])

    @property
    def changes(self) -> list[dict[str, Any]]:
        """What was tried, best first, then what was not: rule, gain (times as
        fast), most (a share of the cycles, by the counters), line, advice."""
        return list(self.json["changes"])

    @property
    def gains(self) -> dict[str, float]:
        """Of what was tried, by its rule: times as fast."""
        return {x["rule"]: x["gain"] for x in self.changes if x["tried"]}

    def to_frame(self) -> Any:
        """A row for each change; gain is NaN where it was not tried. With
        what_if a row for each parameter."""
        if self.json.get("what_if") is not None:
            return pandas().DataFrame(self.json["what_if"])
        return pandas().DataFrame([
            {"rule": x["rule"], "change": x["change"], "kernel": x["kernel"],
             "place": (x.get("line") or {}).get("place"),
             "most": x["most"], "gain": x.get("gain"),
             "problem": x["problem"], "figure": x["figure"],
             "advice": x["advice"]} for x in self.changes])


def explain(workload: Optional[Path_] = None, *,
            program: Optional[Sequence[str]] = None, gpu: Path_ = "v100",
            settings: Settings = None, changes: Iterable[str] = (),
            tries: Optional[int] = None, what_if: bool = False, jobs: int = 1,
            options: Sequence[str] = ()) -> Explanation:
    """heddle explain: what bounds each kernel, and what a change gains.

    workload is a launch file or PTX (with options for its launch); program is a
    command line in its place. changes names what is tried (["banks",
    "coalescing"], ["all"]); else the `tries` most promising are, two. what_if
    tries every parameter of the machine instead."""
    args = ["explain", "--quiet", "-j", str(jobs), "--gpu", os.fspath(gpu),
            *_sets(settings)]
    names = [changes] if isinstance(changes, str) else list(changes)
    if names:
        args += ["--try", ",".join(names)]
    if tries is not None:
        args += ["--tries", str(tries)]
    if what_if:
        args.append("--what-if")
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        report = os.path.join(folder, "report.json")
        _run([*args, *options, "--output", report,
              *([os.fspath(workload)] if workload is not None else [])],
             program)
        return Explanation(_read(report))


class Comparison(Report):
    """Of a base and its variants, on workloads."""

    @property
    def summaries(self) -> list[dict[str, Any]]:
        """A row for each GPU and variant: geometric_mean, energy_ratio, ..."""
        return [{"gpu": x["gpu"], **s} for x in self.json["comparisons"]
                for s in x["summaries"]]

    @property
    def speedups(self) -> dict[str, float]:
        """The geometric mean of each variant, by its name; of several GPUs
        that of the last."""
        return {s["side"]: s["geometric_mean"] for s in self.summaries}

    def to_frame(self) -> Any:
        """A row for each GPU, workload and variant."""
        rows = []
        for x in self.json["comparisons"]:
            for w in x["workloads"]:
                base = w["runs"][0]
                for run, v in zip(w["runs"][1:], w["variants"]):
                    rows.append({
                        "gpu": x["gpu"], "workload": w["name"],
                        "variant": v["side"], "verdict": run["verdict"],
                        "base_cycles": base["cycles"],
                        "cycles": run["cycles"], "speedup": v["speedup"],
                        "energy_ratio": v["energy_ratio"],
                        "edp_ratio": v["edp_ratio"],
                        "why": v["left_out"] or v["difference"]})
        return pandas().DataFrame(rows)


def compare(workloads: Union[Path_, Iterable[Path_]] = (), *,
            variants: Union[Settings, Mapping[str, Settings]] = None,
            against: Settings = None, mechanism: Optional[str] = None,
            program: Optional[Sequence[str]] = None,
            gpu: Union[Path_, Iterable[Path_]] = "v100",
            settings: Settings = None, jobs: int = 1,
            options: Sequence[str] = ()) -> Comparison:
    """heddle compare: how much a change of the machine gains.

    workloads are suites with names of their programs, launch files or PTX;
    program is a command line in their place. variants is one dict of
    parameters, or several by name: {"wide": {"l1.ways": 8}, ...}; mechanism
    names one of `heddle list mechanisms` instead. against is the base, options
    are more of the command's."""
    args = ["compare", "--quiet", "-j", str(jobs)]
    for g in _paths(gpu):
        args += ["--gpu", g]
    args += _sets(settings)
    for name, values in _variants(variants):
        args += ["--with", _variant(name, values)]
    if against:
        args += ["--against", _variant(None, against)]
    args += [*options, *([mechanism] if mechanism else []), *_paths(workloads)]
    return Comparison(call(*args, program=program))


class Sweep(Report):
    """What came out of a sweep (`heddle sweep table`), in `folder`."""

    def __init__(self, read: dict[str, Any], folder: Path) -> None:
        super().__init__(read)
        self.folder = folder

    def to_frame(self) -> Any:
        """A row for each configuration and workload, with a column for each
        axis; numbers are numbers."""
        pd = pandas()
        rows = []
        for x in self.json["configurations"]:
            for w in x["workloads"]:
                rows.append({"configuration": x["number"], **x["factors"], **w,
                             "bits": x["bits"]})
        table = pd.DataFrame(rows)
        for axis in self.json["axes"]:
            if all(isinstance(v, (int, float)) for v in axis["values"]):
                table[axis["name"]] = pd.to_numeric(table[axis["name"]])
        return table


def sweep(plan: Union[Path_, Mapping[str, Any]], folder: Optional[Path_] = None,
          *, jobs: int = 1, base: Settings = None,
          options: Sequence[str] = ()) -> Sweep:
    """heddle sweep: runs the points of a plan that are missing.

    plan is a file (docs/sweep.md), or the same as a dict, whose paths are those
    of the working directory; then `folder` must be given, where results are
    kept. Points that fail are rows with their status. base is what
    configurations are compared with."""
    if isinstance(plan, Mapping):
        if folder is None:
            raise TypeError("a plan that is a dict needs a folder")
        with tempfile.NamedTemporaryFile(
                "w", suffix=".yaml", prefix=".heddle-", dir=os.getcwd(),
                encoding="utf-8") as file:
            json.dump(plan, file)  # JSON is YAML
            file.flush()
            return _run_sweep(file.name, Path(folder), jobs, base, options)
    at = Path(folder) if folder is not None else Path(
        os.fspath(plan)).with_suffix(".sweep")
    return _run_sweep(os.fspath(plan), at, jobs, base, options)


def _run_sweep(plan: str, folder: Path, jobs: int, base: Settings,
               options: Sequence[str]) -> Sweep:
    call("sweep", plan, "--quiet", "-o", str(folder), "-j", str(jobs), *options,
         accept=(0, 1))
    how = ["--base", _variant(None, base)] if base else []
    return Sweep(call("sweep", "table", str(folder), *how), folder)


class Validation(Report):
    """Simulated beside measured."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """name, device, ours, error (a share), ..."""
        return list(self.json["rows"])

    @property
    def scores(self) -> dict[str, dict[str, Any]]:
        """By name: "all rows", classes, ...: mape, median, ..."""
        return {s["name"]: s for s in self.json["scores"]}

    def to_frame(self) -> Any:
        return pandas().DataFrame(self.rows)


def validate(truth: Union[Path_, Iterable[Path_]] = (), *,
             gpu: Optional[Path_] = None, settings: Settings = None,
             programs: Optional[Path_] = None, inputs: Optional[Path_] = None,
             rows: Iterable[str] = (), jobs: int = 1,
             options: Sequence[str] = ()) -> Validation:
    """heddle validate: how far the simulator is from devices that were
    measured. truth names files of rows, or folders of them; without it, it is
    what comes with Heddle. Rows without a value have a reason ("why")."""
    args = ["validate", "--quiet", "-j", str(jobs), *_sets(settings)]
    for name, value in (("--gpu", gpu), ("--programs", programs),
                        ("--inputs", inputs)):
        if value is not None:
            args += [name, os.fspath(value)]
    for row in rows:
        args += ["--row", row]
    return Validation(call(*args, *options, *_paths(truth), accept=(0, 1)))
