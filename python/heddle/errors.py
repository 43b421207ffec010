"""What can go wrong, as exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from . import _library as c

if TYPE_CHECKING:
    from .result import Result


class HeddleError(Exception):
    """An error of Heddle's. `code` is the library's (0 of the command's)."""

    def __init__(self, text: str, code: int = 0) -> None:
        super().__init__(text)
        self.code = code


class ArgumentError(HeddleError, ValueError):
    """A call is wrong: a launch, a number of arguments, a size."""


class ConfigError(HeddleError, ValueError):
    """No such GPU, parameter or value."""


class ProgramError(HeddleError):
    """A program is not accepted: its messages name lines."""


class FileError(HeddleError, OSError):
    """A file cannot be read."""


class NotFoundError(HeddleError, KeyError):
    """No kernel, counter, figure or variable has that name."""

    __str__ = Exception.__str__  # KeyError's is in quotes


class BusyError(HeddleError):
    """A launch is in flight, or another thread uses the simulation."""


class OutOfMemoryError(HeddleError, MemoryError):
    """The simulated GPU's memory, or the host's, is used up."""


class MismatchError(HeddleError):
    """Memory is not as a launch file expects."""


class CommandError(HeddleError):
    """The command `heddle` is not there, or failed. `status` is what it ended
    with."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


class LaunchError(HeddleError):
    """A launch did not end well. `result` has what came until there."""

    def __init__(self, text: str, code: int,
                 result: Optional["Result"]) -> None:
        super().__init__(text, code)
        self.result = result


class HangError(LaunchError):
    """The kernel can never end."""


class LimitError(LaunchError):
    """`max_cycles` were over."""


class CancelledError(LaunchError):
    """The launch was cancelled."""


@dataclass(frozen=True)
class Fault:
    """What a kernel did that is illegal, and where."""

    kind: str  #: "bounds", "misaligned", "trap", ...
    what: str  #: "access outside every allocation"
    text: str  #: all of it, for people
    address: int
    bytes: int  #: of the access
    write: bool
    thread: tuple[int, int, int]  #: its place in the CTA
    cta: tuple[int, int, int]
    warp: int
    lane: int
    pc: int  #: number of the instruction
    file: Optional[str]
    line: int  #: of the file, from 1; 0: unknown


class FaultError(LaunchError):
    """A kernel did something illegal; the members of `fault` are its own,
    too."""

    def __init__(self, fault: Fault, result: "Result") -> None:
        super().__init__(fault.text, c.FAULT, result)
        self.fault = fault
        self.kind = fault.kind
        self.address = fault.address
        self.thread = fault.thread
        self.cta = fault.cta
        self.lane = fault.lane
        self.file = fault.file
        self.line = fault.line


_CLASSES: dict[int, type[HeddleError]] = {
    c.BAD_ARGUMENT: ArgumentError, c.BAD_CONFIG: ConfigError,
    c.BAD_PROGRAM: ProgramError, c.BAD_FILE: FileError,
    c.NOT_FOUND: NotFoundError, c.BUSY: BusyError,
    c.NO_MEMORY: OutOfMemoryError, c.MISMATCH: MismatchError}


def error_of(code: int, text: str) -> HeddleError:
    """The exception of a code that no launch ended with."""
    return _CLASSES.get(code, HeddleError)(
        text or c.text(c.lib.code_text(code)), code)
