"""Heddle, a cycle-level GPU simulator.

    import heddle, numpy as np

    sim = heddle.Simulation("v100", {"gpu.sms": 4})
    kernel = sim.load("kernels.ptx")["saxpy"]
    x = sim.array(np.arange(1000, dtype=np.float32))
    y = sim.empty(1000)
    result = kernel.launch(4, 256, x, y, 2.0, 1000)
    print(y.array[:3], result.cycles, result.ipc)
    result.counters["sm[*].l1.global_reads"]

docs/python.md is the guide.
"""

from . import plot
from ._arguments import In, Out, Parameter
from ._library import lib as _lib
from ._memory import Buffer
from .command import (Comparison, Execution, Explanation, Sweep, Validation,
                      compare, execute, explain, find_command, sweep, validate)
from .errors import (ArgumentError, BusyError, CancelledError, CommandError,
                     ConfigError, Fault, FaultError, FileError, HangError,
                     HeddleError, LaunchError, LimitError, MismatchError,
                     NotFoundError, OutOfMemoryError, ProgramError)
from .result import Counters, Line, Result, Row, columns, figures, frame
from .simulation import (Check, Flight, Kernel, LaunchFile, Message, Module,
                         Progress, Simulation, gpus, run)

#: Of the library that is used.
__version__: str = _lib.version().decode()

__all__ = [
    "ArgumentError", "Buffer", "BusyError", "CancelledError", "Check",
    "CommandError", "Comparison", "ConfigError", "Counters", "Execution",
    "Explanation", "Fault", "FaultError", "FileError", "Flight", "HangError",
    "HeddleError", "In", "Kernel", "LaunchError", "LaunchFile", "LimitError",
    "Line", "Message", "MismatchError", "Module", "NotFoundError", "Out",
    "OutOfMemoryError", "Parameter", "ProgramError", "Progress", "Result",
    "Row", "Simulation", "Sweep", "Validation", "columns", "compare",
    "execute", "explain", "figures", "find_command", "frame", "gpus", "plot",
    "run", "sweep", "validate"]
