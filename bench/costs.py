"""What the benchmarks of whole commands share: a command's cost, and how costs grow."""
import math
import os
import subprocess
import time
from typing import NamedTuple


class Cost(NamedTuple):
    processor: float  # seconds, user and system, all threads
    elapsed: float    # seconds
    resident: float   # MB, the most at any time


def run(command, feed=()):
    """The cost of a command that reads the pieces of `feed`."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    with process.stdin as given:
        for piece in feed:
            given.write(piece)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - start,
                usage.ru_maxrss * 1024 / 1e6)


def exponent(sizes, costs):
    """The slope of the line through the logarithms, by least squares."""
    x, y = [math.log(s) for s in sizes], [math.log(c) for c in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            / sum((a - mean_x) ** 2 for a in x))
