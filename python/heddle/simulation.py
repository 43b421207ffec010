"""Simulated GPUs: programs, memory, launches."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Union

import numpy as np

from . import _library as c
from ._arguments import Arguments, Parameter, three
from ._memory import Buffer, Size, _Allocation, _Handle
from .errors import (CancelledError, FaultError, HangError, LaunchError,
                     LimitError, error_of)
from .result import Line, Result

lib = c.lib

Settings = Union[Mapping[str, object], Iterable[str], None]
Program = Union[str, bytes, "os.PathLike[str]"]


@dataclass(frozen=True)
class Message:
    """About a program, a configuration or a launch."""

    level: str  #: "note", "warning" or "error"
    text: str
    file: Optional[str]
    line: int  #: from 1; 0: unknown
    column: int


@dataclass(frozen=True)
class Progress:
    """How far a launch is."""

    cycles: int
    ctas_done: int
    ctas: int
    warp_insts: int
    running: bool

    @staticmethod
    def _of(p: c.Progress) -> "Progress":
        return Progress(p.cycles, p.ctas_done, p.ctas, p.warp_insts,
                        bool(p.running))


def _flags(functional: bool, per_block: bool, profile: bool,
           sample: bool) -> int:
    return ((c.FUNCTIONAL if functional else 0)
            | (c.PER_BLOCK if per_block else 0)
            | (c.PROFILE if profile else 0) | (c.SAMPLE if sample else 0))


class Kernel(c.Unique):
    """A kernel of a module."""

    def __init__(self, module: "Module", pointer: int) -> None:
        info, p = c.KernelInfo(), c.ParamInfo()
        lib.kernel_describe(pointer, ctypes.byref(info))
        self._module = module
        self._pointer = pointer
        self.name: str = c.text(info.name)
        self.registers: int = info.registers
        self.shared_bytes: int = info.shared_bytes
        self.local_bytes: int = info.local_bytes
        self.parameters: list[Parameter] = []
        for i in range(info.param_count):
            lib.kernel_param(pointer, i, ctypes.byref(p))
            self.parameters.append(Parameter(c.text(p.name), p.kind, p.size))

    def launch(self, grid: Size, block: Size, *args: Any, shared: int = 0,
               cluster: Optional[Size] = None, functional: bool = False,
               per_block: bool = False, profile: bool = False,
               sample: bool = False, max_cycles: int = 0,
               check: bool = True) -> Result:
        """Runs it to its end.

        grid and block are numbers, or up to three. Arguments are numbers,
        bytes for structures, buffers, and arrays: those of the simulation's
        memory (sim.array, Buffer.array) as they are, others are copied there
        and back (In and Out say that one of the copies is not needed).
        Without `check` a launch that fails is a result with its status, not
        an exception. per_block keeps the counters of single blocks, profile
        counts by line and instruction (Result.rows), and sample times parts of
        a long launch only (docs/sampling.md)."""
        flight = self.start(grid, block, *args, shared=shared, cluster=cluster,
                            functional=functional, per_block=per_block,
                            profile=profile, sample=sample,
                            max_cycles=max_cycles)
        return flight.finish(check=check)

    def start(self, grid: Size, block: Size, *args: Any, shared: int = 0,
              cluster: Optional[Size] = None, functional: bool = False,
              per_block: bool = False, profile: bool = False,
              sample: bool = False, max_cycles: int = 0) -> "Flight":
        """Begins a launch, to be advanced in steps."""
        sim = self._module._sim
        handle = sim._open()
        handle.tidy()
        given = Arguments(sim, self, args)
        if not 0 <= shared < 1 << 32 or not 0 <= max_cycles < 1 << 64:
            raise ValueError("shared and max_cycles are not negative, and fit "
                             "32 and 64 bits")
        launch = c.Launch(
            size=ctypes.sizeof(c.Launch), args=given.table,
            arg_count=len(args), max_cycles=max_cycles,
            grid=c.Three(*three(grid, "grid")),
            block=c.Three(*three(block, "block")), shared_bytes=shared,
            flags=_flags(functional, per_block, profile, sample))
        if cluster is not None:
            launch.cluster = c.Three(*three(cluster, "cluster"))
        code = sim._begin(self._pointer, launch)
        flight = Flight(sim, self, given)
        if code == c.OK:
            sim._flight = weakref.ref(flight)
        if code == c.OK and sim._raised is not None:
            flight.finish()  # on_begin has cancelled it, and its error comes
        sim._check(code)
        return flight

    def __repr__(self) -> str:
        names = ", ".join(p.name for p in self.parameters)
        return f"<Kernel {self.name}({names})>"


_ENDS: dict[int, type[LaunchError]] = {
    c.HANG: HangError, c.LIMIT: LimitError, c.CANCELLED: CancelledError}


def _raise_end(code: int, result: Result) -> None:
    """The launch ended like that."""
    if result.fault is not None:
        raise FaultError(result.fault, result)
    raise _ENDS.get(code, LaunchError)(
        result.error or c.text(lib.code_text(code)), code, result)


class Flight(c.Unique):
    """A launch in flight. One may be of a simulation."""

    def __init__(self, sim: "Simulation", kernel: Kernel,
                 args: Arguments) -> None:
        self._sim = sim
        self._handle = sim._open()
        self._args: Optional[Arguments] = args
        self.kernel = kernel
        self.result: Optional[Result] = None

    def _advance(self, cycles: int) -> tuple[int, c.Progress]:
        if self.result is not None:
            raise ValueError("the launch has ended")
        p, out = c.Progress(), ctypes.c_void_p()
        try:
            code = self._sim._call(lambda: lib.advance(
                self._handle.sim, cycles, ctypes.byref(p), ctypes.byref(out)))
        finally:  # what a callback raised, or Ctrl-C, ends the launch, too
            if out.value:
                self.result = Result(self._handle, out.value)
                if self._args is not None:
                    self._args.copy_back()
                self._args = None
        if self.result is None and code != c.OK:
            raise error_of(code, self._handle.error())
        return code, p

    def _raise(self, code: int) -> None:
        if code != c.OK and self.result is not None:
            _raise_end(code, self.result)

    def advance(self, cycles: int) -> Progress:
        """So many cycles on, rounded up to windows of the machine."""
        if cycles < 0:
            raise ValueError("cycles are not negative")
        code, p = self._advance(min(cycles, c.TO_THE_END - 1))
        self._raise(code)
        return Progress._of(p)

    def look(self) -> Result:
        """What has come until now, with its counters."""
        out = ctypes.c_void_p()
        self._handle.check(lib.look(self._handle.sim, ctypes.byref(out)))
        assert out.value
        return Result(self._handle, out.value)

    def finish(self, check: bool = True) -> Result:
        """To the end."""
        if self.result is None:
            code, _ = self._advance(c.TO_THE_END)
            if check:
                self._raise(code)
        assert self.result is not None
        return self.result

    def cancel(self) -> None:
        """The launch ends soon, with CancelledError. Any thread may call."""
        lib.cancel(self._handle.sim)


class Module(c.Unique):
    """A program that was loaded. Its kernels by name: module["saxpy"]."""

    def __init__(self, sim: "Simulation", pointer: int,
                 owner: Optional[object] = None) -> None:
        self._sim = sim
        self._handle = sim._open()
        self._pointer = pointer
        self._owner = owner  # which unloads it: it lives as long
        self._kernels: dict[str, Kernel] = {}

    @property
    def kernels(self) -> list[Kernel]:
        """In the order of the program."""
        return [Kernel(self, lib.kernel_at(self._pointer, i))
                for i in range(lib.kernel_count(self._pointer))]

    def kernel(self, name: Optional[str] = None) -> Kernel:
        """By its name; without one the only one. NotFoundError names those
        that there are."""
        out = ctypes.c_void_p()
        self._sim._check(lib.kernel_find(
            self._pointer, name.encode() if name is not None else None,
            ctypes.byref(out)))
        assert out.value
        return Kernel(self, out.value)

    def __getitem__(self, name: str) -> Kernel:
        return self.kernel(name)

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self.kernels)

    def variable(self, name: str, dtype: Any = np.uint8) -> Buffer:
        """A variable in global or constant memory."""
        out = ctypes.c_void_p()
        self._sim._check(lib.variable(self._pointer, name.encode(),
                                      ctypes.byref(out)))
        assert out.value
        return Buffer(self._sim._adopt(out.value, False, self), dtype)

    def __repr__(self) -> str:
        return f"<Module: {', '.join(k.name for k in self.kernels)}>"


@dataclass(frozen=True)
class Check:
    """A buffer that was compared with a file."""

    buffer: str
    file: str
    count: int  #: elements
    differ: int  #: of them, by more than the tolerance
    tolerance: float
    worst: float  #: the largest difference


#: What NumPy calls the types of launch files.
_TYPES = {"u": "uint", "s": "int", "f": "float"}


class LaunchFile(c.Unique):
    """What a launch file describes (docs/launch.md), or a trace of Accel-Sim:
    a program, buffers that are made and filled, launches."""

    def __init__(self, sim: "Simulation", pointer: int, path: str) -> None:
        self._sim = sim
        self._handle = sim._open()
        self._pointer = pointer
        self.path = path
        module = lib.plan_module(pointer)
        #: None: it is a trace.
        self.module: Optional[Module] = (
            Module(sim, module, self) if module else None)
        #: By their names, images not among them.
        self.buffers: dict[str, Buffer] = {}
        info = c.PlanBufferInfo()
        for i in range(lib.plan_buffer_count(pointer)):
            lib.plan_buffer_at(pointer, i, ctypes.byref(info))
            kind = c.text(info.type)
            self.buffers[c.text(info.name)] = Buffer(
                sim._adopt(info.buffer, False, self),
                np.dtype(_TYPES[kind[0]] + kind[1:]))

    def run(self, *, functional: bool = False, per_block: bool = False,
            profile: bool = False, sample: bool = False, max_cycles: int = 0,
            check: bool = True) -> list[Result]:
        """Its launches, in order, then what it expects and dumps. Launches of
        several streams that were in flight together are one result, whose
        json tells of each. Without `check` neither a launch that fails, the
        last result then, nor what is not as expected (checks) is an exception.
        Called again it goes on with what is in memory by then."""
        if not 0 <= max_cycles < 1 << 64:
            raise ValueError("max_cycles is not negative, and fits 64 bits")
        self._handle.tidy()
        options = c.PlanOptions(
            size=ctypes.sizeof(c.PlanOptions), max_cycles=max_cycles,
            flags=_flags(functional, per_block, profile, sample))
        first, results = ctypes.c_void_p(), []
        code = self._sim._call(lambda: lib.plan_run(
            self._pointer, ctypes.byref(options), ctypes.byref(first)))
        at = first.value
        while at:
            results.append(Result(self._handle, at))
            at = lib.result_next(at)
        ended = results and results[-1].status != c.text(lib.code_text(c.OK))
        if code != c.OK and not ended and (check or code != c.MISMATCH):
            raise error_of(code, self._handle.error())
        if check and ended:
            _raise_end(code, results[-1])
        return results

    @property
    def checks(self) -> list[Check]:
        """What the last run compared."""
        out = []
        check = c.Check()
        for i in range(lib.plan_check_count(self._pointer)):
            lib.plan_check(self._pointer, i, ctypes.byref(check))
            out.append(Check(c.text(check.buffer), c.text(check.file),
                             check.count, check.differ, check.tolerance,
                             check.worst))
        return out

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self._handle.later(lib.plan_close, self._pointer)

    def __repr__(self) -> str:
        return f"<LaunchFile {self.path}>"


def _assignments(settings: Settings) -> list[bytes]:
    if settings is None:
        return []
    if isinstance(settings, str):
        raise TypeError("settings are a dict, or a list of PATH=VALUE")
    if not isinstance(settings, Mapping):
        return [str(s).encode() for s in settings]

    def word(value: object) -> object:
        return str(value).lower() if isinstance(value, bool) else value

    return [f"{k}={word(v)}".encode() for k, v in settings.items()]


class Simulation(c.Unique):
    """A simulated GPU with its memory.

    gpu is a preset ("v100", "h100", heddle.gpus() lists them) or a YAML file,
    settings are parameters of it: {"gpu.sms": 4, "l1.ways": 8}. functional
    computes results only. The on_... functions are called while a launch runs,
    on_line(Line) for what kernels print, on_message(Message) for warnings and
    errors, on_begin(kernel, grid, block), on_end(kernel, status),
    on_progress(Progress), whose True cancels the launch; they must not use the
    simulation. Any number of simulations can be used, in as many threads, but
    each by one thread at a time."""

    def __init__(self, gpu: Union[str, "os.PathLike[str]"] = "v100",
                 settings: Settings = None, *, functional: bool = False,
                 threads: int = 1, lenient: bool = False,
                 check_async: bool = False, warm: int = 0,
                 max_registers: int = 0, stack_bytes: int = 0,
                 heap_bytes: int = 0, print_bytes: int = 0,
                 on_line: Optional[Callable[[Line], object]] = None,
                 on_message: Optional[Callable[[Message], object]] = None,
                 on_begin: Optional[Callable[..., object]] = None,
                 on_end: Optional[Callable[[str, str], object]] = None,
                 on_progress: Optional[Callable[[Progress], object]] = None
                 ) -> None:
        self._handle: Optional[_Handle] = None
        handle = _Handle()
        words = _assignments(settings)
        for name, value in (("threads", threads), ("warm", warm),
                            ("max_registers", max_registers),
                            ("stack_bytes", stack_bytes)):
            if not 0 <= value < 1 << 32:
                raise ValueError(f"{name} is {value}")
        for name, value in (("heap_bytes", heap_bytes),
                            ("print_bytes", print_bytes)):
            if not 0 <= value < 1 << 64:
                raise ValueError(f"{name} is {value}")
        options = c.Options(
            size=ctypes.sizeof(c.Options), gpu=os.fspath(gpu).encode(),
            settings=(ctypes.c_char_p * max(1, len(words)))(*words),
            setting_count=len(words), heap_bytes=heap_bytes,
            print_bytes=print_bytes, threads=threads, warm=warm,
            max_registers=max_registers, stack_bytes=stack_bytes,
            flags=(c.FUNCTIONAL if functional else 0)
            | (c.LENIENT if lenient else 0)
            | (c.CHECK_ASYNC if check_async else 0))
        out = ctypes.c_void_p()
        code = lib.open(ctypes.byref(options), ctypes.byref(out))
        handle.sim = out.value
        handle.check(code)
        self._handle = handle
        self._raised: Optional[BaseException] = None
        self._flight: Optional["weakref.ref[Flight]"] = None
        self._listen(on_line, on_message, on_begin, on_end, on_progress)

    # ---- Callbacks ----

    def _guarded(self, call: Callable[..., object], *args: Any) -> int:
        """What is raised in a callback cancels the launch, and is raised again
        when the library has returned."""
        try:
            return 1 if call(*args) else 0
        except BaseException as error:  # pylint: disable=broad-except
            if self._raised is None:
                self._raised = error
            lib.cancel(self._open().sim)
            return 1

    def _listen(self, on_line: Any, on_message: Any, on_begin: Any,
                on_end: Any, on_progress: Any) -> None:
        calls = c.Callbacks(size=ctypes.sizeof(c.Callbacks))
        levels = ("note", "warning", "error")
        # Without it, the library's addresses of these would keep it for ever.
        weak = weakref.ref(self)

        def guarded(*call: Any) -> int:
            sim = weak()
            return sim._guarded(*call) if sim is not None else 1

        def message(_: Any, m: Any) -> None:
            m = m.contents
            guarded(on_message, Message(
                levels[m.level], c.text(m.text),
                c.text(m.file) if m.file else None, m.line, m.column))

        def begin(_: Any, b: Any) -> None:
            b = b.contents
            guarded(on_begin, c.text(b.kernel), c.three(b.grid),
                    c.three(b.block))

        def line(_: Any, x: Any) -> None:
            guarded(on_line, Line._of(x.contents))

        def end(_: Any, r: Any) -> None:
            guarded(on_end, c.text(lib.result_kernel(r)),
                    c.text(lib.code_text(lib.result_code(r))))

        def progress(_: Any, p: Any) -> int:
            if not on_progress:
                return 0
            return guarded(on_progress, Progress._of(p.contents))

        if on_message:
            calls.message = c.ON_MESSAGE(message)
        if on_begin:
            calls.begin = c.ON_BEGIN(begin)
        if on_line:
            calls.line = c.ON_LINE(line)
        if on_end:
            calls.end = c.ON_END(end)
        calls.progress = c.ON_PROGRESS(progress)  # also lets Ctrl-C in
        self._calls = calls  # the library has their addresses
        self._check(lib.set_callbacks(self._open().sim, ctypes.byref(calls)))

    def _check(self, code: int) -> None:
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        self._open().check(code)

    def _call(self, call: Callable[[], Any]) -> int:
        """What may take long: Ctrl-C cancels it. Python's handler of SIGINT
        runs in the main thread where that runs Python: in `progress`, where
        nothing may be raised. So it is called when the library has returned."""
        handle = self._open()
        caught: list[tuple[int, Any]] = []
        before: Any = None

        def note(number: int, frame: Any) -> None:
            caught.append((number, frame))
            lib.cancel(handle.sim)

        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
        if callable(before):
            signal.signal(signal.SIGINT, note)
        try:
            code = int(call())
        finally:
            if callable(before):
                signal.signal(signal.SIGINT, before)
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        if caught:
            before(*caught[0])
        return code

    def _begin(self, kernel: int, launch: c.Launch) -> int:
        """heddle_begin. A launch in flight that nobody can advance any more
        (its Flight is gone, or was interrupted) is dropped before."""
        handle = self._open()
        code = int(lib.begin(kernel, ctypes.byref(launch)))
        if code == c.BUSY and (self._flight is None
                               or self._flight() is None):
            lib.cancel(handle.sim)
            out = ctypes.c_void_p()
            lib.advance(handle.sim, c.TO_THE_END, None, ctypes.byref(out))
            if out.value:
                lib.result_free(out.value)
            code = int(lib.begin(kernel, ctypes.byref(launch)))
        return code

    # ---- What it has ----

    def _open(self) -> _Handle:
        if self._handle is None:
            raise ValueError("the simulation is closed")
        return self._handle

    def load(self, program: Program, name: Optional[str] = None) -> Module:
        """A program: a path (a text without a line end, or a Path), a text of
        PTX or assembly, or bytes: a cubin or a fat binary, too. `name` names
        a text in messages."""
        handle = self._open()
        handle.tidy()
        if isinstance(program, bytes):
            raw, label = program, name or "memory"
        elif isinstance(program, str) and "\n" in program:
            raw, label = program.encode(), name or "memory"
        else:
            raw, label = Path(program).read_bytes(), os.fspath(program)
        out = ctypes.c_void_p()
        self._check(lib.load(handle.sim, label.encode(), raw, len(raw),
                             ctypes.byref(out)))
        assert out.value
        return Module(self, out.value)

    def open_file(self, path: Union[str, "os.PathLike[str]"]) -> LaunchFile:
        """A launch file, or a trace of Accel-Sim: its program is loaded, and
        its buffers are filled. Its GPU is not looked at."""
        handle = self._open()
        handle.tidy()
        out = ctypes.c_void_p()
        self._check(lib.plan_open(handle.sim, os.fspath(path).encode(),
                                  ctypes.byref(out)))
        assert out.value
        return LaunchFile(self, out.value, os.fspath(path))

    def empty(self, shape: Size, dtype: Any = np.float32,
              name: Optional[str] = None) -> Buffer:
        """Memory of the GPU for an array, all zeros."""
        handle = self._open()
        handle.tidy()
        kind = np.dtype(dtype)
        if kind.hasobject:
            raise TypeError(f"an array of {kind} is no memory that a GPU has")
        parts = [shape] if isinstance(shape, (int, np.integer)) else shape
        size = kind.itemsize
        for n in parts:
            if n < 0:
                raise ValueError(f"shape {shape} is negative")
            size *= int(n)
        if not 0 < size < 1 << 64:
            raise ValueError(f"an array of {size} bytes")
        out = ctypes.c_void_p()
        self._check(lib.alloc(handle.sim, size,
                              name.encode() if name else None,
                              ctypes.byref(out)))
        assert out.value
        return Buffer(self._adopt(out.value, True), kind, shape)

    def array(self, values: Any, dtype: Any = None,
              name: Optional[str] = None) -> Buffer:
        """The values, in memory of the GPU."""
        source = np.asarray(values, dtype)
        buffer = self.empty(source.shape or (1,), source.dtype, name)
        buffer.array[...] = source
        return buffer

    def _adopt(self, pointer: int, owned: bool,
               module: Union[Module, LaunchFile, None] = None
               ) -> _Allocation:
        return _Allocation(self._open(), pointer, owned, module)

    def _find(self, array: np.ndarray[Any, np.dtype[Any]]
              ) -> Optional[tuple[_Allocation, int]]:
        """The allocation that the array is a view of, and where in it."""
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, memoryview):
            base = base.obj
        allocation = getattr(base, "_allocation", None)
        if not isinstance(allocation, _Allocation):
            return None
        return allocation, array.ctypes.data - allocation.host

    def total(self, counter: str) -> int:
        """A counter over all timed launches so far."""
        value = ctypes.c_uint64()
        self._check(lib.total(self._open().sim, counter.encode(),
                              ctypes.byref(value)))
        return value.value

    @property
    def config(self) -> str:
        """Every parameter in effect, as YAML."""
        return c.text(lib.config(self._open().sim))

    @property
    def hash(self) -> int:
        """Of all counters and memory, as `heddle run --hash` prints it."""
        value = ctypes.c_uint64()
        self._check(lib.hash(self._open().sim, ctypes.byref(value)))
        return value.value

    def cancel(self) -> None:
        """The launch in flight ends soon. Any thread may call."""
        lib.cancel(self._open().sim)

    def close(self) -> None:
        """Gives its memory back, as soon as no array, buffer or result of it
        is used any more."""
        self._handle = None

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def gpus() -> list[str]:
    """The names of the presets."""
    return [c.text(lib.gpu_name(i)) for i in range(lib.gpu_count())]


def run(program: Program, kernel: Optional[str], grid: Size, block: Size,
        *args: Any, gpu: Union[str, "os.PathLike[str]"] = "v100",
        settings: Settings = None, functional: bool = False, threads: int = 1,
        shared: int = 0, check: bool = True) -> Result:
    """One launch on a GPU of its own: arrays are copied there and back."""
    sim = Simulation(gpu, settings, functional=functional, threads=threads)
    return sim.load(program).kernel(kernel).launch(grid, block, *args,
                                                   shared=shared, check=check)
