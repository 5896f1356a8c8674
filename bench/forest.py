#!/usr/bin/python3
"""Forests of ours beside scikit-learn's, at equal trees, smallest leaf and features per split.

usage: forest.py <forest_bench> [--rounds N] [--quick] [--large]

One thread each, every fit in a process of its own, in turns; the least processor time counts.
Memory is the most that fit and prediction took beside the data. Average precision is
that of labels nobody saw. --large fits 1,000,000 x 100 x 15 too (ours alone).
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

# rows, rows predicted, features, labels, trees, smallest leaf, bootstrap
RACES = ((2000, 20000, 100, 15, 100, 3, True), (2000, 20000, 100, 15, 100, 3, False),
         (2000, 20000, 300, 6, 100, 3, True), (20000, 20000, 100, 15, 100, 5, True))
# Ours alone: rows and trees doubled, one after the other.
GROWTH = ((5000, 40), (10000, 40), (20000, 40), (40000, 40), (80000, 40), (20000, 80),
          (20000, 160))


def make_data(folder, rows, tested, features, labels):
    """Labels by the nearest of a few prototypes each, and three tenths of the rest as noise."""
    random = np.random.default_rng(1)
    def some(count):
        x = random.standard_normal((count, features), dtype=np.float32)
        hidden = np.tanh(x @ weights) @ mixing
        return x, hidden > np.quantile(hidden, .7, axis=0)
    weights = random.standard_normal((features, 20), dtype=np.float32) * (
        random.random((features, 20)) < .1).astype(np.float32)
    mixing = random.standard_normal((20, labels), dtype=np.float32)
    x, truth = some(rows)
    x.tofile(os.path.join(folder, "x"))
    (truth | (random.random(truth.shape) < .3)).astype(np.uint8).tofile(os.path.join(folder, "y"))
    x, truth = some(tested)
    x.tofile(os.path.join(folder, "x-test"))
    return truth


def average_precision(scores, truth):
    order = np.argsort(-scores, axis=1, kind="stable")
    right = np.take_along_axis(truth, order, axis=1)
    precision = np.cumsum(right, axis=1) / np.arange(1, right.shape[1] + 1)
    count = right.sum(axis=1)
    return ((precision * right).sum(axis=1)[count > 0] / count[count > 0]).mean()


def scikit_learn(kind, folder, rows, tested, features, labels, trees, leaf, bootstrap):
    """What the child process does: prints as forest_bench does."""
    from sklearn import ensemble
    x = np.fromfile(os.path.join(folder, "x"), np.float32).reshape(rows, features)
    y = np.fromfile(os.path.join(folder, "y"), np.uint8).reshape(rows, labels)
    test = np.fromfile(os.path.join(folder, "x-test"), np.float32).reshape(tested, features)
    def memory(which):
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(which)) / 1024
    before = memory("VmRSS")
    start = time.process_time()
    model = getattr(ensemble, kind)(trees, min_samples_leaf=leaf, max_features="sqrt", n_jobs=1,
                                    bootstrap=bootstrap, random_state=1).fit(x, y)
    fitted = time.process_time()
    if kind.endswith("Classifier"):
        scores = np.stack([p[:, 1] for p in model.predict_proba(test)], axis=1)
    else:
        scores = model.predict(test)
    predicted = time.process_time()
    scores.astype(np.float32).tofile(os.path.join(folder, "scores"))
    print(fitted - start, predicted - fitted, memory("VmHWM") - before)


class Runner:
    """The least times of a program's runs, its most memory, and how well it ranks."""
    def __init__(self, command, folder, truth):
        self.command, self.folder, self.truth = command, folder, truth
        self.fit = self.predict = float("inf")
        self.peak = 0

    def run(self):
        process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        told = process.stdout.read().split()
        if process.wait() != 0:
            raise SystemExit(f"{' '.join(self.command)} failed")
        self.fit = min(self.fit, float(told[0]))
        self.predict = min(self.predict, float(told[1]))
        self.peak = max(self.peak, float(told[2]))
        return self

    def precision(self):
        scores = np.fromfile(os.path.join(self.folder, "scores"), np.float32)
        return average_precision(scores.reshape(self.truth.shape), self.truth)


def ours(program, folder, shape, trees, leaf, per_split, bootstrap, splits):
    return [program, folder, *map(str, shape), f"trees={trees}", f"leaf={leaf}",
            f"features={per_split}", f"bootstrap={str(bootstrap).lower()}", f"splits={splits}"]


def race(program, rounds, shape, trees, leaf, bootstrap):
    rows, tested, features, labels = shape
    per_split = int(features ** .5)
    with tempfile.TemporaryDirectory() as folder:
        truth = make_data(folder, *shape)
        def theirs(kind):
            return [sys.executable, __file__, "--child", kind, folder,
                    *map(str, (*shape, trees, leaf, int(bootstrap)))]
        kinds = (("ExtraTreesRegressor", "extra"), ("ExtraTreesClassifier", "extra"),
                 ("RandomForestRegressor", "best"))
        racers = {name: Runner(theirs(name), folder, truth) for name, _ in kinds}
        for splits in ("extra", "best"):
            racers[splits] = Runner(ours(program, folder, shape, trees, leaf, per_split, bootstrap,
                                         splits), folder, truth)
        for _ in range(rounds):
            for racer in racers.values():
                racer.run()
                racer.ranked = racer.precision()
    print(f"{rows} x {features} x {labels}, {tested} rows predicted, {trees} trees, leaf {leaf},"
          f" {per_split} features per split, bootstrap {bootstrap}")
    for name, splits in kinds:
        a, b = racers[splits], racers[name]
        print(f"  {splits:5} | fit {a.fit:7.3f} s | predict {a.predict:7.3f} s |"
              f" {a.peak:5.0f} MB | AP {a.ranked:.4f} || {name:21} | fit {b.fit:7.3f} s"
              f" ({b.fit / a.fit:.1f}x) | predict {b.predict:7.3f} s ({b.predict / a.predict:.1f}x)"
              f" | {b.peak:5.0f} MB | AP {b.ranked:.4f}", flush=True)


def growth(program, rounds, sizes, features=100, labels=15):
    print(f"growth, {features} features, {labels} labels, leaf 5: per row, tree and log2(rows)")
    for rows, trees in sizes:
        shape = (rows, 1000, features, labels)
        with tempfile.TemporaryDirectory() as folder:
            truth = make_data(folder, *shape)
            runner = Runner(ours(program, folder, shape, trees, 5, 10, True, "extra"), folder, truth)
            for _ in range(rounds):
                runner.run()
        each = runner.fit / rows / trees / np.log2(rows) * 1e9
        print(f"  {rows:8} rows, {trees:4} trees | fit {runner.fit:8.2f} s | {each:6.1f} ns |"
              f" {runner.peak:6.0f} MB beside the data", flush=True)


def large(program):
    shape = (1_000_000, 1000, 100, 15)
    with tempfile.TemporaryDirectory() as folder:
        truth = make_data(folder, *shape)
        def run(*options):
            return Runner([program, folder, *map(str, shape), *options], folder, truth).run()
        few, more = (run(f"trees={trees}", "leaf=150").fit for trees in (2, 10))
        print(f"1000000 x 100 x 15, leaf 150 | 2 trees {few:.2f} s | 10 trees {more:.2f} s |"
              f" {(more - few) / 8:.3f} s for each further tree", flush=True)
        whole = run()
    print(f"1000000 x 100 x 15, default options | fit {whole.fit:.0f} s |"
          f" {whole.peak:.0f} MB beside the data (400 MB)")


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        kind, folder, *numbers = sys.argv[2:]
        *numbers, bootstrap = map(int, numbers)
        return scikit_learn(kind, folder, *numbers, bool(bootstrap))
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="the first race alone")
    parser.add_argument("--large", action="store_true", help="a million rows, too")
    args = parser.parse_args()
    for *shape, trees, leaf, bootstrap in RACES[:1 if args.quick else None]:
        race(args.program, args.rounds, tuple(shape), trees, leaf, bootstrap)
    if not args.quick:
        growth(args.program, args.rounds, GROWTH)
    if args.large:
        large(args.program)
    return None


main()
