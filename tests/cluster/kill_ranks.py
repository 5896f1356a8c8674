#!/usr/bin/python3
"""Kills random ranks of a grid with SIGKILL, and compares the store with that of a calm run.

usage: kill_ranks.py SIEVE [--kills N] [--ranks R] [--seed S]
Ends with 77 where mpirun is missing.
"""
import argparse
import os
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

PLAN = """title = "Grid"
repeats = {repeats}
[[data]]
name = "crowd"
folder = "crowd.arff"
[[data]]
name = "filled"
folder = "crowd.arff"
noise = "fill"
levels = [4]
[[method]]
name = "mlp"
set = {{ epochs = 20, patience = 20, members = 1 }}
[[method]]
name = "mlp-noise"
set = {{ epochs = 20, patience = 20, members = 1 }}
"""
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
          "--enable-recovery"]


def query(store, text):
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=20) as database:
            return database.execute(text).fetchall()
    except sqlite3.OperationalError:  # not made yet
        return []


def measures(store):
    """The numbers of every task as bytes; a task that is done twice counts twice."""
    rows = query(store, "SELECT id, task_key, name, value FROM results JOIN measures "
                        "ON result_id = id WHERE status = 'done' ORDER BY task_key, id, name")
    return [(key, name, None if value is None else struct.pack("<d", value))
            for _, key, name, value in rows]


def count(store):
    rows = query(store, "SELECT count(*) FROM results")
    return rows[0][0] if rows else 0


def ranks_of(mark):
    """Process by rank, of the ranks whose environment has the mark; not the tasks they forked."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                variables = file.read().split(b"\0")
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if f"GRID_TEST={mark}".encode() not in variables:
            continue
        rank = [v for v in variables if v.startswith(b"OMPI_COMM_WORLD_RANK=")]
        if rank:
            found[int(entry)] = (int(rank[0].split(b"=")[1]), parent)
    return {rank: process for process, (rank, parent) in found.items() if parent not in found}


class Grid:
    def __init__(self, arguments, folder):
        self.store = os.path.join(folder, "grid.db")
        self.mark = os.path.basename(folder)
        self.words = [arguments.sieve, "experiment", "plan.toml", "--data", ".", "--quiet"]
        self.ranks, self.folder = arguments.ranks, folder
        self.environment = dict(os.environ, GRID_TEST=self.mark)

    def start(self):
        words = MPIRUN + ["-n", str(self.ranks)] + self.words + ["--store", self.store]
        return subprocess.Popen(words, cwd=self.folder, env=self.environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_for_results(self, job, more):
        """True when this many more results are there; False if the job ends before."""
        wanted = count(self.store) + more
        while job.poll() is None:
            if count(self.store) >= wanted:
                return True
            time.sleep(0.05)
        return False

    def end(self, job):
        """No rank may be left behind when rank 0 is gone."""
        job.wait(timeout=600)
        left = ranks_of(self.mark)
        if left:
            for process in left.values():
                os.kill(process, signal.SIGKILL)
            sys.exit(f"ranks left behind: {left}")


def kill_and_resume(grid, kills, chance):
    """Returns what was killed."""
    killed = []
    while len(killed) < kills:
        job, before = grid.start(), len(killed)
        while len(killed) < kills and grid.wait_for_results(job, chance.randint(1, 3)):
            time.sleep(chance.uniform(0, 0.3))
            alive = ranks_of(grid.mark)
            if not alive:
                break
            rank = chance.choice(sorted(alive))
            try:
                os.kill(alive[rank], signal.SIGKILL)
            except ProcessLookupError:
                break
            killed.append(rank)
            if rank == 0:
                break
        grid.end(job)
        if len(killed) == before:
            sys.exit(f"the grid ended after {before} kills")
    return killed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sieve", type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=200)
    arguments = parser.parse_args()
    if shutil.which("mpirun") is None:
        print("skipped: there is no mpirun (Debian: openmpi-bin)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="grid-") as folder:
        subprocess.run([arguments.sieve, "synth", "--out", "crowd.arff", "--rows",
                        str(arguments.rows)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "plan.toml"), "w", encoding="ascii") as file:
            file.write(PLAN.format(repeats=6 * arguments.kills))  # more than are done in between
        grid = Grid(arguments, folder)
        calm = os.path.join(folder, "calm.db")
        subprocess.run(grid.words + ["--store", calm], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        killed = kill_and_resume(grid, arguments.kills, random.Random(arguments.seed))
        last = grid.start()
        grid.end(last)
        if last.returncode != 0:
            sys.exit(f"the last run ended with {last.returncode}")
        if measures(grid.store) != measures(calm) or not measures(calm):
            sys.exit(f"the store differs from that of a calm run after the kills {killed}")
        print(f"{count(calm)} tasks, killed ranks {killed}: the same store, bit for bit")


main()
