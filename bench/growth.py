#!/usr/bin/python3
"""How the cost of training and of predicting grows with rows, features and labels.

usage: growth.py <sieve> [--svg FILE] [--rounds N]

Along each axis one size doubles and the others stay. PML-GAN trains one epoch with one hidden layer;
the model predicts the rows it was trained on. What counts is processor time on one thread, less that
of a set of 64 rows of the same shape, so that the start of the program is left out: the least of
several rounds. The exponent is the slope of the line through the logarithms.
"""
import argparse
import os
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


def costs_of(sieve, folder, shape, rounds):
    """Seconds of the processor to train, and to predict."""
    data, model, out = (os.path.join(folder, name) for name in ("set.sieve", "m.model", "out.csv"))
    run([sieve, "synth", "--out", data, "--force",
         *(word for name, size in shape.items() for word in ("--" + name, str(size)))])
    end = ["--threads", "1", "--force", "--quiet"]
    train = [sieve, "train", data, "--out", model, *ONE_EPOCH, *end]
    predict = [sieve, "predict", model, data, "--out", out, *end]
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
            print(f"{axis:8} | exponent "
                  + ", ".join(f"{verb} {exponent(sizes, costs):.2f}"
                              for verb, costs in lines.items()))
    if options.svg:
        write_plot(options.svg, panels)


main()
