"""How work is done, in the words of scikit-learn: random_state and n_jobs."""
from __future__ import annotations

import math
import os
import pathlib
import warnings
from functools import lru_cache
from typing import Any, Union

from . import _library as lib

DEPRECATED = "deprecated"  # the value of a parameter that has another name by now
RandomState = Union[int, None, Any]


def _unset(earlier: Any) -> bool:
    return isinstance(earlier, str) and earlier == DEPRECATED


def _earlier(name: str, now: str) -> None:
    warnings.warn(f"'{name}' is called '{now}' now; the earlier name goes with 0.4",
                  FutureWarning, stacklevel=4)


def seed_of(random_state: RandomState, earlier: Any = DEPRECATED) -> int:
    """The seed: a whole number as it is, one drawn from a generator, or, for None, one drawn from
    the generator of NumPy that everything shares."""
    if not _unset(earlier):
        _earlier("seed", "random_state")
        return lib.whole_number(earlier, "seed", lib.LARGEST_SEED)
    if random_state is None:
        import numpy as np
        random_state = np.random.mtrand._rand
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2 ** 31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2 ** 31 - 1))
    return lib.whole_number(random_state, "random_state", lib.LARGEST_SEED)


def threads_of(n_jobs: Any, earlier: Any = DEPRECATED) -> int:
    """How many threads work: None is OMP_NUM_THREADS, or else as many as this process may use; -1 is
    all that it may use, -2 all but one."""
    if not _unset(earlier):
        _earlier("threads", "n_jobs")
        return lib.whole_number(earlier, "threads", lib.MOST_THREADS)
    if n_jobs is None:
        wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
        return min(int(wanted), lib.MOST_THREADS) if wanted.isdigit() and int(wanted) else \
            available_cores()
    if hasattr(n_jobs, "__index__") and n_jobs < 0:
        return max(1, available_cores() + 1 + int(n_jobs))
    number = lib.whole_number(n_jobs, "n_jobs", lib.MOST_THREADS)
    if number == 0:
        raise lib.UsageError("n_jobs cannot be 0", "give a number of threads, or -1 for all cores")
    return number


def available_cores() -> int:
    """The cores that this process may use: by its affinity, and by the quota of its containers."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(cores, lib.MOST_THREADS, _quota(os.getpid()))))


@lru_cache(maxsize=1)
def _quota(_process: int) -> float:
    return quota()


def quota(root: str = "/") -> float:
    """Cores' worth of time that the control groups of this process allow; infinite for no limit."""
    top = pathlib.Path(root)
    try:
        lines = (top / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        return math.inf
    least = math.inf
    for line in lines:
        number, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        folder = top / "sys/fs/cgroup" if number == "0" else top / "sys/fs/cgroup" / controllers
        if number == "0" or "cpu" in controllers.split(","):
            least = min(least, *(_quota_of(one) for one in _folders(folder, path)))
    return least


def _folders(mounted: pathlib.Path, path: str) -> list[pathlib.Path]:
    """The group and those around it; a container may see its own group as the outermost one."""
    parts = [part for part in path.split("/") if part]
    return [mounted.joinpath(*parts[:count]) for count in range(len(parts) + 1)]


def _quota_of(folder: pathlib.Path) -> float:
    def words(name: str) -> list[str]:
        try:
            return (folder / name).read_text(encoding="utf-8").split()
        except (OSError, UnicodeError):
            return []
    limit = words("cpu.max") or words("cpu.cfs_quota_us") + words("cpu.cfs_period_us")
    try:
        allowed, period = float(limit[0]), float(limit[1])
    except (IndexError, ValueError):  # no limit: "max 100000"
        return math.inf
    return allowed / period if allowed > 0 and period > 0 else math.inf
