"""Pictures of results, with matplotlib."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Union

from .result import Result

Results = Union[Result, Iterable[Result], Mapping[str, Result]]


def _axes(ax: Optional[Any]) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib (python3-matplotlib)"
                          ) from error
    return pyplot.subplots()[1]


def _named(results: Results) -> dict[str, Result]:
    """Results by the names that they are shown with."""
    if isinstance(results, Result):
        return {results.kernel: results}
    if isinstance(results, Mapping):
        return dict(results)
    out: dict[str, Result] = {}
    for r in results:
        name, n = r.kernel, 2
        while name in out:
            name, n = f"{r.kernel} {n}", n + 1
        out[name] = r
    return out


def slots(results: Results, ax: Optional[Any] = None,
          least: float = 0.01) -> Any:
    """Stacked bars: where the issue slots of each launch went. What takes less
    than `least` in all of them is "other". Returns the axes."""
    named = _named(results)
    shares = {name: r.slots for name, r in named.items()}
    missing = [name for name, s in shares.items() if not s]
    if missing:
        raise ValueError(f"nothing was timed of {', '.join(missing)}")
    reasons = [x for x in next(iter(shares.values()), {})
               if x == "issued" or any(s[x] >= least for s in shares.values())]
    axes = _axes(ax)
    bottom = [0.0] * len(shares)
    for i, reason in enumerate([*reasons, "other"]):
        height = [100 * (s[reason] if reason != "other" else
                         1 - sum(s[x] for x in reasons))
                  for s in shares.values()]
        if reason == "other" and max(height, default=0) < 1e-6:
            continue
        axes.bar(list(shares), height, bottom=bottom, label=reason,
                 color=f"C{i % 10}", hatch="" if i < 10 else "//")
        bottom = [b + h for b, h in zip(bottom, height)]
    axes.set_ylabel("issue slots, %")
    axes.set_ylim(0, 100)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small")
    return axes


def roofline(results: Results, ax: Optional[Any] = None,
             level: str = "dram") -> Any:
    """An instruction roofline: warp instructions per second over those per
    byte that moved at a level (dram, l2, l1, shared), a point for each launch,
    below what the GPU issues and moves at most. Returns the axes."""
    named = _named(results)
    axes = _axes(ax)
    roofs = set()
    most = 0.0
    points = []
    for name, r in named.items():
        launch = r.json["launches"][0]
        if "memory" not in launch:
            raise ValueError(f"nothing was timed of {name}")
        if level not in launch["memory"]:
            raise ValueError(f"no level '{level}'; there are "
                             f"{', '.join(launch['memory'])}")
        moved = launch["memory"][level]
        if not moved["bytes"]:
            raise ValueError(f"{name} moved nothing at {level}")
        clock = launch["cycles"] / launch["time_s"]
        roofs.add((launch["ipc_peak"] * clock, moved["peak_bytes_per_s"]))
        x = launch["warp_insts"] / moved["bytes"]
        points.append((name, x, launch["warp_insts"] / launch["time_s"]))
        most = max(most, x)
    for peak, bandwidth in sorted(roofs):
        ridge = peak / bandwidth
        left = min([ridge, *(x for _, x, _ in points)]) / 10
        right = 10 * max(ridge, most)
        axes.plot([left, ridge, right], [left * bandwidth, peak, peak],
                  color="black", linewidth=1)
    for name, x, y in points:
        axes.plot([x], [y], "o", label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"warp instructions per byte of {level}")
    axes.set_ylabel("warp instructions per second")
    axes.legend(fontsize="small")
    return axes
