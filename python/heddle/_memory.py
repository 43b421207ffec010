"""Memory of simulated GPUs, as NumPy has it."""

from __future__ import annotations

import ctypes
from collections import deque
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _library as c
from .errors import error_of

lib = c.lib

Size = Union[int, Sequence[int]]


class _Handle(c.Unique):
    """The library's simulation, which lives as long as anything of it does:
    views of its memory stay good after Simulation.close()."""

    def __init__(self) -> None:
        self.sim: Optional[int] = None
        self._known: list[tuple[str, str, str]] = []
        self._later: deque[tuple[Callable[[int], Any], int]] = deque()

    def error(self) -> str:
        return c.text(lib.error(self.sim))

    def check(self, code: int) -> None:
        if code != c.OK:
            raise error_of(code, self.error())

    def later(self, free: Callable[[int], Any], what: int) -> None:
        """Frees it when the simulation is used next: the garbage collector may
        call from any thread, and in the middle of a launch."""
        self._later.append((free, what))

    def tidy(self) -> None:
        while self._later:
            try:
                free, what = self._later.popleft()
            except IndexError:
                return
            if free(what) == c.BUSY:  # while a launch is in flight
                self._later.append((free, what))
                return

    def counters(self) -> list[tuple[str, str, str]]:
        """Name, unit and meaning of each; none before a timed launch."""
        if not self._known:
            info = c.Info()
            for i in range(lib.counter_count(self.sim)):
                lib.counter_info(self.sim, i, ctypes.byref(info))
                self._known.append((c.text(info.name), c.text(info.unit),
                                    c.text(info.help)))
        return self._known

    def __del__(self) -> None:
        if self.sim:
            lib.close(self.sim)


class _Allocation(c.Unique):
    """A buffer of the library's, freed when neither Buffer nor array has it."""

    def __init__(self, handle: _Handle, pointer: int, owned: bool,
                 module: Optional[object] = None) -> None:
        self.handle = handle
        self.pointer = pointer
        self.owned = owned
        self.module = module  # whose variable it is
        self.size: int = lib.buffer_size(pointer)
        host = ctypes.c_void_p()
        handle.check(lib.map(pointer, ctypes.byref(host)))
        self.host = host.value or 0

    def view(self) -> Any:
        """Its bytes, which keep it."""
        at: Any = (ctypes.c_uint8 * self.size).from_address(self.host)
        at._allocation = self
        return at

    def __del__(self) -> None:
        if getattr(self, "owned", False):
            self.handle.later(lib.free, self.pointer)


class Buffer(c.Unique):
    """Memory of the simulated GPU. `array` is a NumPy view of it: no copies."""

    def __init__(self, allocation: _Allocation, dtype: Any = np.uint8,
                 shape: Optional[Size] = None) -> None:
        self._allocation: Optional[_Allocation] = allocation
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        flat: np.ndarray[Any, np.dtype[Any]] = np.frombuffer(
            allocation.view(), dtype=np.uint8)
        whole = allocation.size // self.dtype.itemsize * self.dtype.itemsize
        self._array: Optional[np.ndarray[Any, np.dtype[Any]]] = (
            flat[:whole].view(self.dtype))
        if shape is not None:
            self._array = self._array.reshape(shape)

    def _live(self) -> _Allocation:
        if self._allocation is None:
            raise ValueError("the buffer was freed")
        return self._allocation

    @property
    def array(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The memory itself, of the buffer's dtype and shape."""
        self._live()
        assert self._array is not None
        return self._array

    @property
    def nbytes(self) -> int:
        return self._live().size

    @property
    def address(self) -> int:
        """What kernels get as a pointer to it."""
        return int(lib.buffer_address(self._live().pointer))

    def free(self) -> None:
        """Gives the memory back as soon as no array of it is left."""
        self._allocation = None
        self._array = None

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None
                  ) -> np.ndarray[Any, np.dtype[Any]]:
        if copy:
            return np.array(self.array, dtype)
        if copy is False and dtype is not None and dtype != self.dtype:
            raise ValueError(f"{self.dtype} as {np.dtype(dtype)} is a copy")
        return np.asarray(self.array, dtype)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: Any) -> Any:
        return self.array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.array[index] = value

    def __repr__(self) -> str:
        if self._allocation is None:
            return "<Buffer, freed>"
        return (f"<Buffer of {self.nbytes} bytes at {self.address:#x}: "
                f"{self.dtype}{list(self.array.shape)}>")
