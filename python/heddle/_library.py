"""libheddle by ctypes: include/heddle/heddle.h as Python sees it.

ctypes and not cffi: in ABI mode cffi would parse the same declarations at every
import and needs a package that Debian does not install by default; nothing here
is called often enough for its faster calls to matter.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int,
                    c_size_t, c_uint32, c_uint64, c_void_p)
from pathlib import Path
from typing import Any, Iterator, Optional

ABI = 1
NAME = f"libheddle.so.{ABI}"

OK, BAD_ARGUMENT, BAD_CONFIG, BAD_PROGRAM, BAD_FILE = range(5)
NOT_FOUND, BUSY, FAULT, HANG, LIMIT, CANCELLED = range(5, 11)
NO_MEMORY, INTERNAL, LOST, MISMATCH = range(11, 15)

FUNCTIONAL, LENIENT, CHECK_ASYNC, NO_SKIP, PER_BLOCK = 1, 2, 4, 8, 16
PROFILE, SAMPLE = 32, 64
ROWS = {"line": 0, "instruction": 1}
NO_INSTRUCTION = (1 << 32) - 1
TO_THE_END = (1 << 64) - 1

PARAM_BYTES, PARAM_INT, PARAM_FLOAT, PARAM_POINTER = range(4)

#: By heddle_fault_kind; a later library may have more.
FAULT_KINDS = (
    "none", "bounds", "freed", "misaligned", "trap", "shared_bounds",
    "local_bounds", "code", "const_bounds", "barrier", "space", "stack", "call",
    "texture", "assert", "free", "hazard", "descriptor", "registers",
    "deadlock", "bulk", "cluster")

Three = c_uint32 * 3


class Options(Structure):
    _fields_ = [
        ("size", c_uint64), ("gpu", c_char_p), ("settings", POINTER(c_char_p)),
        ("setting_count", c_uint64), ("heap_bytes", c_uint64),
        ("print_bytes", c_uint64), ("threads", c_uint32), ("warm", c_uint32),
        ("max_registers", c_uint32), ("stack_bytes", c_uint32),
        ("flags", c_uint32), ("reserved", c_uint32)]


class Message(Structure):
    _fields_ = [("level", c_int), ("line", c_uint32), ("column", c_uint32),
                ("file", c_char_p), ("text", c_char_p)]


class Line(Structure):
    _fields_ = [("text", c_void_p), ("length", c_uint64), ("time", c_uint64),
                ("cta", Three), ("thread", Three), ("sm", c_uint32),
                ("assertion", c_uint32)]


class Progress(Structure):
    _fields_ = [("cycles", c_uint64), ("ctas_done", c_uint64),
                ("ctas", c_uint64), ("warp_insts", c_uint64),
                ("running", c_uint32), ("reserved", c_uint32)]


class BeginInfo(Structure):
    _fields_ = [("kernel", c_char_p), ("grid", Three), ("block", Three),
                ("functional", c_uint32), ("reserved", c_uint32)]


ON_MESSAGE = CFUNCTYPE(None, c_void_p, POINTER(Message))
ON_BEGIN = CFUNCTYPE(None, c_void_p, POINTER(BeginInfo))
ON_LINE = CFUNCTYPE(None, c_void_p, POINTER(Line))
ON_END = CFUNCTYPE(None, c_void_p, c_void_p)
ON_PROGRESS = CFUNCTYPE(c_int, c_void_p, POINTER(Progress))


class Callbacks(Structure):
    _fields_ = [("size", c_uint64), ("arg", c_void_p), ("message", ON_MESSAGE),
                ("begin", ON_BEGIN), ("line", ON_LINE), ("end", ON_END),
                ("progress", ON_PROGRESS)]


class KernelInfo(Structure):
    _fields_ = [("name", c_char_p), ("registers", c_uint32),
                ("shared_bytes", c_uint32), ("local_bytes", c_uint32),
                ("spill_bytes", c_uint32), ("max_threads", c_uint32),
                ("param_count", c_uint32), ("reserved", c_uint64 * 4)]


class ParamInfo(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int), ("size", c_uint32),
                ("align", c_uint32)]


class Arg(Structure):
    _fields_ = [("value", c_void_p), ("size", c_uint64), ("buffer", c_void_p),
                ("offset", c_uint64)]


class Launch(Structure):
    _fields_ = [("size", c_uint64), ("args", POINTER(Arg)),
                ("arg_count", c_uint64), ("max_cycles", c_uint64),
                ("grid", Three), ("block", Three), ("cluster", Three),
                ("shared_bytes", c_uint32), ("flags", c_uint32),
                ("reserved", c_uint32)]


class PlanOptions(Structure):
    _fields_ = [("size", c_uint64), ("max_cycles", c_uint64),
                ("flags", c_uint32), ("reserved", c_uint32)]


class PlanBufferInfo(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("count", c_uint64),
                ("buffer", c_void_p)]


class Check(Structure):
    _fields_ = [("buffer", c_char_p), ("file", c_char_p), ("count", c_uint64),
                ("differ", c_uint64), ("tolerance", c_double),
                ("worst", c_double)]


class Row(Structure):
    _fields_ = [("file", c_char_p), ("text", c_char_p), ("line", c_uint32),
                ("index", c_uint32), ("instructions", c_uint32),
                ("reserved", c_uint32), ("values", POINTER(c_uint64))]


class Info(Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("help", c_char_p)]


class Fault(Structure):
    _fields_ = [("kind", c_int), ("lane", c_uint32), ("warp", c_uint32),
                ("cta", Three), ("thread", Three), ("pc", c_uint32),
                ("line", c_uint32), ("address", c_uint64), ("bytes", c_uint32),
                ("write", c_uint32), ("file", c_char_p), ("what", c_char_p),
                ("text", c_char_p), ("reserved", c_uint64 * 4)]


# The structures by their names in C, which the tests compare with the header.
STRUCTURES = {
    "heddle_options": Options, "heddle_message": Message, "heddle_line": Line,
    "heddle_progress": Progress, "heddle_begin_info": BeginInfo,
    "heddle_callbacks": Callbacks, "heddle_kernel_info": KernelInfo,
    "heddle_param_info": ParamInfo, "heddle_arg": Arg, "heddle_launch": Launch,
    "heddle_info": Info, "heddle_fault": Fault,
    "heddle_plan_options": PlanOptions,
    "heddle_plan_buffer_info": PlanBufferInfo, "heddle_check": Check,
    "heddle_row": Row}

_OUT = POINTER(c_void_p)
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "version_number": (c_uint32, []),
    "code_text": (c_char_p, [c_int]),
    "open": (c_int, [POINTER(Options), _OUT]),
    "close": (None, [c_void_p]),
    "error": (c_char_p, [c_void_p]),
    "config": (c_char_p, [c_void_p]),
    "gpu_count": (c_size_t, []),
    "gpu_name": (c_char_p, [c_size_t]),
    "set_callbacks": (c_int, [c_void_p, POINTER(Callbacks)]),
    "load": (c_int, [c_void_p, c_char_p, c_char_p, c_uint64, _OUT]),
    "kernel_count": (c_size_t, [c_void_p]),
    "kernel_at": (c_void_p, [c_void_p, c_size_t]),
    "kernel_find": (c_int, [c_void_p, c_char_p, _OUT]),
    "kernel_describe": (c_int, [c_void_p, POINTER(KernelInfo)]),
    "kernel_param": (c_int, [c_void_p, c_size_t, POINTER(ParamInfo)]),
    "alloc": (c_int, [c_void_p, c_uint64, c_char_p, _OUT]),
    "free": (c_int, [c_void_p]),
    "buffer_size": (c_uint64, [c_void_p]),
    "buffer_address": (c_uint64, [c_void_p]),
    "map": (c_int, [c_void_p, _OUT]),
    "variable": (c_int, [c_void_p, c_char_p, _OUT]),
    "run": (c_int, [c_void_p, POINTER(Launch), _OUT]),
    "begin": (c_int, [c_void_p, POINTER(Launch)]),
    "advance": (c_int, [c_void_p, c_uint64, POINTER(Progress), _OUT]),
    "look": (c_int, [c_void_p, _OUT]),
    "cancel": (None, [c_void_p]),
    "plan_open": (c_int, [c_void_p, c_char_p, _OUT]),
    "plan_close": (c_int, [c_void_p]),
    "plan_buffer_count": (c_size_t, [c_void_p]),
    "plan_buffer_at": (c_int, [c_void_p, c_size_t, POINTER(PlanBufferInfo)]),
    "plan_module": (c_void_p, [c_void_p]),
    "plan_run": (c_int, [c_void_p, POINTER(PlanOptions), _OUT]),
    "plan_check_count": (c_size_t, [c_void_p]),
    "plan_check": (c_int, [c_void_p, c_size_t, POINTER(Check)]),
    "result_next": (c_void_p, [c_void_p]),
    "result_free": (None, [c_void_p]),
    "result_code": (c_int, [c_void_p]),
    "result_error": (c_char_p, [c_void_p]),
    "result_kernel": (c_char_p, [c_void_p]),
    "result_cycles": (c_uint64, [c_void_p]),
    "figure_count": (c_size_t, []),
    "figure_info": (c_int, [c_size_t, POINTER(Info)]),
    "result_figure": (c_int, [c_void_p, c_char_p, POINTER(c_double)]),
    "counter_count": (c_size_t, [c_void_p]),
    "counter_info": (c_int, [c_void_p, c_size_t, POINTER(Info)]),
    "result_counters": (POINTER(c_uint64), [c_void_p, POINTER(c_size_t)]),
    "result_counter": (c_int, [c_void_p, c_char_p, POINTER(c_uint64)]),
    "total": (c_int, [c_void_p, c_char_p, POINTER(c_uint64)]),
    "column_count": (c_size_t, []),
    "column_info": (c_int, [c_size_t, POINTER(Info)]),
    "result_row_count": (c_size_t, [c_void_p, c_int]),
    "result_row": (c_int, [c_void_p, c_int, c_size_t, POINTER(Row)]),
    "result_fault": (c_int, [c_void_p, POINTER(Fault)]),
    "result_line_count": (c_size_t, [c_void_p, POINTER(c_uint64)]),
    "result_line": (c_int, [c_void_p, c_size_t, POINTER(Line)]),
    "result_json": (c_char_p, [c_void_p]),
    "hash": (c_int, [c_void_p, POINTER(c_uint64)]),
}


def _places() -> Iterator[str]:
    """Where the library may be, the likeliest first."""
    named = os.environ.get("HEDDLE_LIBRARY")
    if named:
        yield named
        return
    root = Path(__file__).resolve().parent.parent.parent
    if (root / "include/heddle/heddle.h").exists():  # the source tree
        for build in ("release", "dev", "check-release", "check-gcc"):
            if (root / "build" / build / NAME).exists():
                yield str(root / "build" / build / NAME)
    yield NAME  # as the loader finds it
    for prefix in ("/usr/local", str(Path.home() / ".local")):
        for folder in sorted(Path(prefix).glob("lib*")):
            for at in (folder / NAME, *sorted(folder.glob(f"*/{NAME}"))):
                if at.exists():
                    yield str(at)


def _load() -> ctypes.CDLL:
    why = []
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            why.append(str(error))
    raise ImportError(
        f"heddle: {NAME} is not found ({'; '.join(why)}): install it (cmake "
        "--install build/release --component library), or name it in "
        "HEDDLE_LIBRARY")


class Library:
    """The functions without their prefix: lib.open is heddle_open."""

    def __init__(self) -> None:
        self._dll = _load()
        for name, (result, args) in _FUNCTIONS.items():
            function = getattr(self._dll, f"heddle_{name}")
            function.restype = result
            function.argtypes = args
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # for type checkers
        raise AttributeError(name)

    @property
    def path(self) -> Optional[Path]:
        """The file that was loaded; None where that cannot be told."""
        try:
            with open("/proc/self/maps", encoding="utf-8") as maps:
                for line in maps:
                    at = line.rstrip().split(maxsplit=5)[-1]
                    if Path(at).name.startswith("libheddle.so."):
                        return Path(at)
        except OSError:
            pass
        return None


lib = Library()


class Unique:
    """Of the library's memory: one that is freed once, and in this process."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__.lstrip('_')} of Heddle cannot "
                        "be copied or pickled: it is memory of a simulation")


def three(sizes: Any) -> tuple[int, int, int]:
    return sizes[0], sizes[1], sizes[2]


def text(value: Optional[bytes]) -> str:
    """A text of the library's, whatever bytes a program put into it."""
    return (value or b"").decode("utf-8", "replace")
