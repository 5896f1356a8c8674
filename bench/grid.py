#!/usr/bin/python3
"""What a second rank of one core brings to a grid of experiments.

usage: grid.py <path of sieve> [rounds]

Tasks of about a second, on one rank and on two, each on a core of its own, in turns; the best of
each counts. "command" is the time of the whole command, with the start of mpirun and MPI; "grid" is
the time from the first task to the last, and "busy" the share of it in which a rank had a task.
"""
import os
import resource
import shutil
import sys
import time

from crowd_experiment import crowd, experiment

SIEVE = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 2
METHOD = """
[[method]]
name = "mlp"
set = { epochs = 60, patience = 60, members = 1 }
"""
CREW = {1: ["taskset", "-c", "0"],
        2: ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n", "2"]}


def run(ranks, store):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    told = experiment([*CREW[ranks], SIEVE], 1, store)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    grid = told["wall_seconds"]
    return wall, grid, processor, told["task_seconds"] / (grid * ranks)


if shutil.which("mpirun") is None:
    sys.exit("there is no mpirun: no figure for several ranks")
with crowd(SIEVE, rows=1000, repeats=40, methods=METHOD):
    best = {}
    print("ranks  command s  grid s  processor s  busy")
    for turn in range(ROUNDS):
        for ranks in CREW:
            wall, grid, processor, busy = run(ranks, f"{ranks}-{turn}.db")
            best[ranks] = min(best.get(ranks, (wall, grid)), (wall, grid))
            print(f"{ranks:5} {wall:10.2f} {grid:7.2f} {processor:12.2f} {busy:5.3f}")
    command, grid = (best[1][i] / best[2][i] for i in (0, 1))
    print(f"two ranks are {command:.2f} times as fast as one, from task to task {grid:.2f} times")
