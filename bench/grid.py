#!/usr/bin/python3
"""What a second rank of one core brings to a grid of experiments.

usage: grid.py <path of sieve>

Tasks of about a second, on one rank and on two, each on a core of its own, in turns; the best of
each counts. The wall time is that of the whole command, with the start of mpirun and MPI.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SIEVE = os.path.abspath(sys.argv[1])
ROUNDS = 2
PLAN = """
repeats = 16
[[data]]
name = "crowd"
folder = "crowd.arff"
[[method]]
name = "mlp"
set = { epochs = 30, patience = 30, members = 1 }
"""
CREW = {1: ["taskset", "-c", "0"],
        2: ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n", "2"]}


def run(ranks, store):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(CREW[ranks] + [SIEVE, "experiment", "plan.toml", "--data", ".", "--jobs", "1",
                                  "--store", store, "--quiet"], check=True, capture_output=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if shutil.which("mpirun") is None:
    sys.exit("there is no mpirun: no figure for several ranks")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("plan.toml", "w") as plan:
        plan.write(PLAN)
    subprocess.run([SIEVE, "synth", "--out", "crowd.arff", "--rows", "1000"], check=True,
                   capture_output=True)
    best = {}
    print("ranks  wall s  processor s")
    for turn in range(ROUNDS):
        for ranks in CREW:
            wall, busy = run(ranks, f"{ranks}-{turn}.db")
            best[ranks] = min(best.get(ranks, wall), wall)
            print(f"{ranks:5} {wall:7.2f} {busy:12.2f}")
    print(f"two ranks are {best[1] / best[2]:.2f} times as fast as one")
