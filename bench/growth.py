#!/usr/bin/python3
"""How the cost of training and of predicting grows with rows, features and labels.

usage: growth.py <sieve> [--svg FILE] [--rounds N]

Along each axis one size doubles and the others stay. PML-GAN trains one epoch with one hidden layer;
the model predicts the rows it was trained on. What counts is processor time on one thread, less that
of a set of 64 rows of the same shape, so that the start of the program is left out: the least of
several rounds. The exponent is the slope of the line through the logarithms.

With MPI, ranks are one more axis, from one to one a core: there the elapsed time counts, of training
on batches of 512 rows that are cut into as many parts for any number of ranks.
"""
import argparse
import os
import shutil
import subprocess
import tempfile

from costs import exponent, run
from growth_plot import write_plot

FEW = 64  # rows
USUAL = {"rows": 25600, "features": 100, "labels": 15}
AXES = {
    "rows": [12800, 25600, 51200, 102400, 204800],
    "features": [50, 100, 200, 400, 800],
    "labels": [20, 40, 80, 160, 320],
}
ONE_EPOCH = ["--method", "pml-gan"]
for setting in ("members=1", "depth=1", "share=0.5", "noise-share=0.85", "epochs=1"):
    ONE_EPOCH += ["--set", setting]


END = ["--threads", "1", "--force", "--quiet"]


def make_set(sieve, folder, shape):
    data = os.path.join(folder, "set.sieve")
    run([sieve, "synth", "--out", data, "--force",
         *(word for name, size in shape.items() for word in ("--" + name, str(size)))])
    return data


def costs_of(sieve, folder, shape, rounds):
    """Seconds of the processor to train, and to predict."""
    data = make_set(sieve, folder, shape)
    model, out = (os.path.join(folder, name) for name in ("m.model", "out.csv"))
    train = [sieve, "train", data, "--out", model, *ONE_EPOCH, *END]
    predict = [sieve, "predict", model, data, "--out", out, *END]
    return [min(run(command).processor for _ in range(rounds)) for command in (train, predict)]


def measure(sieve, folder, axis, rounds):
    """For each size along the axis: the cost of training, and of predicting."""
    points = []
    for size in AXES[axis]:
        shape = USUAL | {axis: size}
        whole = costs_of(sieve, folder, shape, rounds)
        start = costs_of(sieve, folder, shape | {"rows": FEW}, rounds)
        points.append([a - b for a, b in zip(whole, start)])
        print(f"{axis:8} | {size:7,} | {points[-1][0]:9.3f} s | {points[-1][1]:9.3f} s", flush=True)
    return points


def has_mpi(sieve):
    told = subprocess.run([sieve, "help", "train"], capture_output=True, text=True, check=True)
    return shutil.which("mpirun") is not None and "mpirun" in told.stdout


def measure_ranks(sieve, folder, sizes, rounds):
    """For each number of ranks: the seconds that pass while they train."""
    settings = ["--set", "batch=512", "--set", f"parts={sizes[-1]}"]
    elapsed = {rows: [] for rows in (USUAL["rows"], FEW)}
    for rows, times in elapsed.items():
        data = make_set(sieve, folder, USUAL | {"rows": rows})
        for ranks in sizes:
            command = ["mpirun", "--allow-run-as-root", "-n", str(ranks), sieve, "train", data,
                       "--out", os.path.join(folder, "m.model"), *ONE_EPOCH, *settings, *END]
            times.append(min(run(command).elapsed for _ in range(rounds)))
    return [a - b for a, b in zip(*elapsed.values())]


def print_ranks(sieve, folder, rounds):
    if not has_mpi(sieve):
        print("ranks    | this build has no MPI")
        return
    sizes = [1]
    while 2 * sizes[-1] <= (os.cpu_count() or 1):
        sizes.append(2 * sizes[-1])
    times = measure_ranks(sieve, folder, sizes, rounds)
    for ranks, seconds in zip(sizes, times):
        print(f"ranks    | {ranks:7} | {seconds:9.3f} s | elapsed, {times[0] / seconds:.2f}x of one")
    if len(sizes) > 1:
        print(f"ranks    | exponent train {exponent(sizes, times):.2f} (-1 is perfect)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sieve")
    parser.add_argument("--svg", help="draw the plot here")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    print(f"{'axis':8} | {'size':>7} | {'train':>11} | {'predict':>11}")
    panels = []
    with tempfile.TemporaryDirectory() as folder:
        for axis, sizes in AXES.items():
            points = measure(options.sieve, folder, axis, options.rounds)
            lines = {verb: [point[i] for point in points] for i, verb in
                     enumerate(("train", "predict"))}
            panels.append((axis, sizes, lines))
            print(f"{axis:8} | exponent (of the last doubling): "
                  + ", ".join(f"{verb} {exponent(sizes, costs):.2f}"
                              f" ({exponent(sizes[-2:], costs[-2:]):.2f})"
                              for verb, costs in lines.items()))
        print_ranks(options.sieve, folder, options.rounds)
    if options.svg:
        write_plot(options.svg, panels)


main()
