"""What came out of a launch."""

from __future__ import annotations

import ctypes
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional

from . import _library as c
from .errors import Fault, NotFoundError, error_of

if TYPE_CHECKING:
    from ._memory import _Handle

lib = c.lib


@dataclass(frozen=True)
class Line:
    """What one thread printed at once."""

    text: str
    time: int  #: cycle of the launch; without timing, an instruction
    cta: tuple[int, int, int]
    thread: tuple[int, int, int]
    sm: int
    assertion: bool

    @staticmethod
    def _of(line: c.Line) -> "Line":
        raw = ctypes.string_at(line.text, line.length) if line.text else b""
        return Line(raw.decode("utf-8", "replace"), line.time,
                    c.three(line.cta), c.three(line.thread), line.sm,
                    bool(line.assertion))


@dataclass(frozen=True)
class Row:
    """A line of a profile, or an instruction."""

    file: Optional[str]
    line: int  #: from 1; 0: unknown
    index: Optional[int]  #: of its first instruction; None: of none
    instructions: int
    text: Optional[str]  #: of the source, or the instruction
    values: dict[str, int]  #: by heddle.columns()

    @staticmethod
    def _of(row: c.Row, names: list[str]) -> "Row":
        return Row(c.text(row.file) if row.file else None, row.line,
                   row.index if row.index != c.NO_INSTRUCTION else None,
                   row.instructions, c.text(row.text) if row.text else None,
                   dict(zip(names, row.values[:len(names)])))


def pandas() -> Any:
    """The module; ImportError says what is missing."""
    try:
        import pandas as module
    except ImportError as error:
        raise ImportError("frames need pandas (python3-pandas)") from error
    return module


class _Owned(c.Unique):
    """A result of the library's, freed when nothing here reads it any more."""

    def __init__(self, handle: "_Handle", pointer: int) -> None:
        self.handle = handle
        self.pointer = pointer

    def __del__(self) -> None:
        self.handle.later(lib.result_free, self.pointer)


class Counters(Mapping[str, int]):
    """The counters of a launch by name, summed over the blocks of a kind:
    counters["sm[*].l1.global_reads"]. A name may have more wildcards, and with
    per_block=True name a single block: then what matches is added up.

    Empty where nothing was timed."""

    def __init__(self, of: _Owned) -> None:
        self._of = of
        count = ctypes.c_size_t()
        values = lib.result_counters(of.pointer, ctypes.byref(count))
        self._values = values[:count.value] if values else []

    def _info(self) -> list[tuple[str, str, str]]:
        return self._of.handle.counters()[:len(self._values)]

    def __getitem__(self, name: str) -> int:
        value = ctypes.c_uint64()
        code = lib.result_counter(self._of.pointer, name.encode(),
                                  ctypes.byref(value))
        if code != c.OK:
            raise error_of(code, self._of.handle.error())
        return value.value

    def __iter__(self) -> Iterator[str]:
        return (name for name, _, _ in self._info())

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def __repr__(self) -> str:
        return f"<{len(self)} counters>"

    def to_series(self) -> Any:
        """As a pandas Series, by name."""
        return pandas().Series(self._values, index=list(self), name="value",
                               dtype="uint64")

    def to_frame(self) -> Any:
        """As a pandas DataFrame by name: value, unit, help."""
        return pandas().DataFrame(
            [(value, unit, text) for value, (_, unit, text)
             in zip(self._values, self._info())],
            index=list(self), columns=["value", "unit", "help"])


class Result:
    """A launch that has ended, or a look at one in flight. Its figures are
    members, too: result.ipc, result.occupancy (heddle.figures() lists them).
    They are NaN where there are none, as without timing."""

    def __init__(self, handle: "_Handle", pointer: int) -> None:
        self._of = _Owned(handle, pointer)
        self._as_parameter_ = pointer
        self.kernel: str = c.text(lib.result_kernel(pointer))
        self.error: str = c.text(lib.result_error(pointer))
        self.counters = Counters(self._of)
        self.fault: Optional[Fault] = self._fault()

    def _fault(self) -> Optional[Fault]:
        f = c.Fault()
        if lib.result_fault(self._as_parameter_, ctypes.byref(f)) != c.OK:
            return None
        kind = (c.FAULT_KINDS[f.kind] if f.kind < len(c.FAULT_KINDS)
                else f"kind {f.kind}")
        return Fault(kind, c.text(f.what), c.text(f.text),
                     f.address, f.bytes, bool(f.write), c.three(f.thread),
                     c.three(f.cta), f.warp, f.lane, f.pc,
                     c.text(f.file) if f.file else None, f.line)

    @property
    def status(self) -> str:
        """ok, fault, hang, limit or cancelled."""
        return c.text(lib.code_text(lib.result_code(self._as_parameter_)))

    @property
    def cycles(self) -> int:
        """Of the core clock; 0 where nothing was timed."""
        return int(lib.result_cycles(self._as_parameter_))

    def figure(self, name: str) -> float:
        value = ctypes.c_double()
        code = lib.result_figure(self._as_parameter_, name.encode(),
                                 ctypes.byref(value))
        if code != c.OK:
            raise error_of(code, self._of.handle.error())
        return value.value

    def __getattr__(self, name: str) -> float:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.figure(name)
        except NotFoundError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *figures()]

    @property
    def figures(self) -> dict[str, float]:
        """All of them."""
        return {name: self.figure(name) for name in figures()}

    @property
    def lines(self) -> list[Line]:
        """What the kernel printed, in order of time."""
        out = []
        for i in range(lib.result_line_count(self._as_parameter_, None)):
            line = c.Line()
            lib.result_line(self._as_parameter_, i, ctypes.byref(line))
            out.append(Line._of(line))
        return out

    @property
    def output(self) -> str:
        """The printed lines as one text."""
        return "".join(line.text for line in self.lines)

    @property
    def lines_lost(self) -> int:
        """Printed lines for which there was no room."""
        lost = ctypes.c_uint64()
        lib.result_line_count(self._as_parameter_, ctypes.byref(lost))
        return lost.value

    @property
    def json_text(self) -> str:
        """What `heddle run --format json` writes of that launch."""
        return c.text(lib.result_json(self._as_parameter_))

    @property
    def json(self) -> dict[str, Any]:
        """The same, read."""
        return dict(json.loads(self.json_text))

    @property
    def slots(self) -> dict[str, float]:
        """The share of the issue slots that went to each thing: "issued", and
        what kept a scheduler from issuing. They add up to 1; empty where
        nothing was timed."""
        found = self.json["launches"][0].get("issue_slots")
        if not found or not found["total"]:
            return {}
        return {name: n / found["total"] for name, n in found.items()
                if name != "total"}

    def rows(self, by: str = "line") -> list[Row]:
        """Where a launch with profile=True spent its time: a row for each
        line of the source, or, by "instruction", for each of those, and a last
        one for what belongs to none. Empty without profile=True."""
        if by not in c.ROWS:
            raise ValueError(f"rows are by 'line' or 'instruction', not {by!r}")
        names = list(columns())
        out = []
        for i in range(lib.result_row_count(self._as_parameter_, c.ROWS[by])):
            row = c.Row()
            lib.result_row(self._as_parameter_, c.ROWS[by], i,
                           ctypes.byref(row))
            out.append(Row._of(row, names))
        return out

    def profile(self, by: str = "line") -> Any:
        """The same as a pandas DataFrame: file, line, index, instructions,
        text, and a column for each of heddle.columns()."""
        rows = self.rows(by)
        return pandas().DataFrame(
            [(r.file, r.line, r.index, r.instructions, r.text,
              *r.values.values()) for r in rows],
            columns=["file", "line", "index", "instructions", "text",
                     *columns()])

    def to_frame(self) -> Any:
        """One row: kernel, status, and every figure."""
        return frame([self])

    def __repr__(self) -> str:
        ipc = self.figure("ipc")
        timed = "" if math.isnan(ipc) else f", IPC {ipc:.3f}"
        return (f"<Result of {self.kernel}: {self.status}, "
                f"{self.cycles} cycles{timed}>")


def figures() -> dict[str, str]:
    """The names of figures, each with its meaning and unit."""
    out = {}
    info = c.Info()
    for i in range(lib.figure_count()):
        lib.figure_info(i, ctypes.byref(info))
        unit = c.text(info.unit)
        out[c.text(info.name)] = c.text(info.help) + (f" [{unit}]" if unit
                                                      else "")
    return out


def columns() -> dict[str, str]:
    """The names of what profiles count, each with its meaning and unit."""
    out = {}
    info = c.Info()
    for i in range(lib.column_count()):
        lib.column_info(i, ctypes.byref(info))
        out[c.text(info.name)] = f"{c.text(info.help)} [{c.text(info.unit)}]"
    return out


def frame(results: Iterable[Result]) -> Any:
    """Results as a pandas DataFrame, a row each."""
    return pandas().DataFrame(
        [dict([("kernel", r.kernel), ("status", r.status),
               *r.figures.items()]) for r in results])
