"""Arguments of launches, as the library takes them."""

from __future__ import annotations

import ctypes
import operator
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from . import _library as c
from ._memory import Buffer, Size, _Allocation

if TYPE_CHECKING:
    from .simulation import Kernel, Simulation


class _Passed:
    def __init__(self, array: np.ndarray[Any, np.dtype[Any]]) -> None:
        self.array = array


class In(_Passed):
    """An array that a kernel only reads: it is not copied back."""


class Out(_Passed):
    """An array that a kernel only writes, all of it: it is not copied in."""


def three(size: Size, what: str) -> tuple[int, int, int]:
    try:
        parts = ([int(size)] if isinstance(size, (int, np.integer))
                 else [operator.index(n) for n in size])
    except TypeError:
        raise TypeError(f"{what} is a number, or up to three") from None
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"{what} has one to three sizes, not {len(parts)}")
    if any(not 0 < n < 1 << 32 for n in parts):
        raise ValueError(f"{what} {size} is not of positive numbers")
    parts += [1] * (3 - len(parts))
    return parts[0], parts[1], parts[2]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    name: str
    kind: int
    size: int

    @property
    def is_pointer(self) -> bool:
        return self.size == 8 and self.kind in (c.PARAM_INT, c.PARAM_POINTER)


_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def _pack(p: Parameter, place: str, value: Any) -> bytes:
    """A number, or the bytes of a structure, as the parameter has them."""
    if isinstance(value, (bytes, bytearray, np.void)):
        raw = bytes(value) if not isinstance(value, np.void) else value.tobytes()
        if len(raw) != p.size:
            raise TypeError(f"{place} has {p.size} bytes, but {len(raw)} are "
                            "given")
        return raw
    if isinstance(value, (np.number, np.bool_)):
        if value.dtype.itemsize != p.size:
            raise TypeError(f"{place} has {p.size} bytes, but {value.dtype} has "
                            f"{value.dtype.itemsize}")
        if p.kind == c.PARAM_FLOAT and not isinstance(value, np.floating):
            raise TypeError(f"{place} is a floating-point number, but the "
                            f"argument is {value.dtype}")
        return value.tobytes()
    if p.kind == c.PARAM_FLOAT and isinstance(value, (int, float)):
        return struct.pack(_FLOATS[p.size], float(value))
    if isinstance(value, int):
        bits = 8 * p.size
        if p.size not in (1, 2, 4, 8):
            raise TypeError(f"{place} is a structure of {p.size} bytes: give "
                            "bytes, or a NumPy record")
        if not -(1 << (bits - 1)) <= value < 1 << bits:
            raise OverflowError(f"{place}: {value} does not fit {bits} bits")
        return (value % (1 << bits)).to_bytes(p.size, "little")
    if isinstance(value, float):
        raise TypeError(f"{place} is no floating-point number: give an int, or "
                        f"np.float{8 * p.size}({value}) for its bits")
    raise TypeError(f"{place}: {type(value).__name__} is no argument: give a "
                    "number, an array or a Buffer")


@dataclass
class _Copy:
    """Of an array, in the GPU's memory while a launch runs."""

    place: str  # of the argument
    array: np.ndarray[Any, np.dtype[Any]]
    buffer: Buffer
    back: bool = False  # at the end


def _same(a: np.ndarray[Any, np.dtype[Any]],
          b: np.ndarray[Any, np.dtype[Any]]) -> bool:
    return (a.ctypes.data == b.ctypes.data and a.nbytes == b.nbytes
            and a.dtype == b.dtype and a.shape == b.shape)


class Arguments:
    """Arguments as the library takes them, and what is to be copied back."""

    def __init__(self, sim: "Simulation", kernel: "Kernel",
                 values: Sequence[Any]) -> None:
        if len(values) != len(kernel.parameters):
            count = len(kernel.parameters)
            raise TypeError(
                f"kernel '{kernel.name}' has {count} parameter"
                f"{'' if count == 1 else 's'} "
                f"({', '.join(p.name for p in kernel.parameters)}), but "
                f"{len(values)} argument{' is' if len(values) == 1 else 's are'} "
                "given")
        self._sim = sim
        self._keep: list[Any] = []
        self._copies: list[_Copy] = []
        self.table = (c.Arg * max(1, len(values)))()
        for i, (p, value) in enumerate(zip(kernel.parameters, values)):
            self._put(self.table[i], p, f"argument {i} ('{p.name}')", value)

    def _put(self, to: c.Arg, p: Parameter, place: str, value: Any) -> None:
        if isinstance(value, (Buffer, np.ndarray, _Passed)):
            if not p.is_pointer:
                raise TypeError(f"{place} of {p.size} bytes is no pointer, but "
                                "an array is given")
            self._put_array(to, place, value)
            return
        raw = ctypes.create_string_buffer(_pack(p, place, value), p.size)
        self._keep.append(raw)
        to.value = ctypes.addressof(raw)
        to.size = p.size

    def _put_array(self, to: c.Arg, place: str, value: Any) -> None:
        how = type(value) if isinstance(value, _Passed) else None
        array = value.array if not isinstance(value, np.ndarray) else value
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{place}: {type(array).__name__} is no array")
        if array.dtype.hasobject:
            raise TypeError(f"{place}: an array of {array.dtype} is no memory "
                            "that a GPU has")
        if not array.flags.c_contiguous:
            raise ValueError(f"{place}: the array is not contiguous (strides "
                             f"{array.strides}): give "
                             "np.ascontiguousarray(...)")
        if array.nbytes == 0:
            raise ValueError(f"{place}: the array is empty")
        found = self._sim._find(array)
        if found is None:
            found = self._copy_in(place, array, how), 0
        allocation, offset = found
        if allocation.handle is not self._sim._handle:
            raise ValueError(f"{place}: the buffer is of another simulation")
        self._keep.append(allocation)
        to.buffer = allocation.pointer
        to.offset = offset

    def _copy_in(self, place: str, array: np.ndarray[Any, np.dtype[Any]],
                 how: Optional[type]) -> _Allocation:
        if how is Out and not array.flags.writeable:
            raise ValueError(f"{place}: the array is read-only")
        writes = how is not In and array.flags.writeable
        copy = self._copy_of(place, array, writes)
        if how is not Out:
            copy.buffer.array[...] = array
        copy.back = copy.back or writes
        assert copy.buffer._allocation is not None
        return copy.buffer._allocation

    def _copy_of(self, place: str, array: np.ndarray[Any, np.dtype[Any]],
                 writes: bool) -> "_Copy":
        """The copy of that array that there is already, or a new one: given
        twice an array is the same memory twice, as on a GPU."""
        for known in self._copies:
            if _same(known.array, array):
                return known
            if ((writes or known.back)
                    and np.may_share_memory(known.array, array)):
                raise ValueError(
                    f"{place}: the array overlaps that of {known.place}, and "
                    "both would be copied back: put them into memory of the "
                    "simulation (sim.array), or say heddle.In of what is only "
                    "read")
        copy = _Copy(place, array,
                     self._sim.empty(array.shape, array.dtype, place))
        self._copies.append(copy)
        return copy

    def copy_back(self) -> None:
        for copy in self._copies:
            if copy.back:
                copy.array[...] = copy.buffer.array
