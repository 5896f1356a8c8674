#!/usr/bin/python3
"""Reading speed and memory beside the usual tools, in one table.

usage: reading.py <folder of reading_bench>

Real data sets are used where LABELSIEVE_DATA names their folder; else files made here. Ours and the
peer take turns, and the best time of each counts; all files are in the page cache by then.
"""
import glob
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.io
from scipy.io import arff

ROUNDS = 5
PROGRAM = os.path.join(sys.argv[1], "reading_bench")


def ours(mode, *arguments):
    return subprocess.run([PROGRAM, mode, *arguments], check=True, capture_output=True,
                          text=True).stdout.split()


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def files_of(path):
    """The file, or those in the folder but for the label lists."""
    if os.path.isfile(path):
        return [path]
    return sorted(file for file in glob.glob(path + "/*") if not file.endswith(".xml"))


def compare(path, peer):
    pairs = [(float(ours("time", path)[0]), seconds(peer)) for _ in range(ROUNDS)]
    return [min(side) for side in zip(*pairs)]


def print_speed(what, path, peer, bar):
    mine, theirs = compare(path, peer)
    ratio = theirs / mine
    print(f"{what:32} | {mine * 1e3:9.2f} ms | {theirs * 1e3:9.2f} ms | {ratio:7.2f}x | {bar:.2f}x"
          f"{'' if ratio >= bar else '  missed'}", flush=True)


def print_peak(what, path, base):
    peak, matrix = map(int, ours("peak", path))
    used, allowed = peak - base, matrix + 1.5 * sum(map(os.path.getsize, files_of(path))) / 1024
    print(f"{'peak memory, ' + what:32} | {used / 1e3:9.2f} MB | {allowed / 1e3:9.2f} MB |"
          f" {allowed / max(used, 1):7.2f}x | 1.00x{'' if used <= allowed else '  missed'}",
          flush=True)


def read_text(path, skip):
    return lambda: np.loadtxt(path, delimiter=",", skiprows=skip)


def read_arff(path):
    return lambda: [arff.loadarff(file) for file in files_of(path)]


def count_lines(path):
    command = f"zcat {' '.join(files_of(path))} | wc -l"
    return lambda: subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)


def unpack(source, folder):
    """The data set in the folder `source`, its files unpacked."""
    target = os.path.join(folder, os.path.basename(source))
    shutil.copytree(source, target)
    subprocess.run(["gunzip", "-f", *files_of(target)], check=True)
    return target


def synthetic_csv(folder):
    random = np.random.default_rng(1)
    path = os.path.join(folder, "synthetic.csv")
    with open(path, "w") as out:
        out.write(",".join(f"f{k}" for k in range(99)) + ",label:y\n")
        for values, label in zip(random.standard_normal((20000, 99)), random.integers(0, 2, 20000)):
            out.write(",".join(f"{value:.7g}" for value in values) + f",{label}\n")
    return path


def synthetic_sparse(folder):
    random = np.random.default_rng(2)
    path = os.path.join(folder, "sparse.arff.gz")
    with gzip.open(path, "wt") as out:
        out.write("@relation 'sparse: -C 20'\n")
        out.writelines(f"@attribute a{k} {{0,1}}\n" for k in range(500))
        out.write("@data\n")
        for _ in range(20000):
            places = np.unique(random.integers(0, 500, 100))
            out.write("{" + ",".join(f"{k} 1" for k in places) + "}\n")
    return path


def real_sets(data, folder):
    """CSV, ARFF, MAT and sparse ARFF sets, each as {name: file or folder}."""
    dense = {name: unpack(f"{data}/{name}", folder) for name in ("yeast", "scene", "image")}
    tables = {name: f"{path}.csv" for name, path in dense.items()}
    for name in dense:
        ours("convert", dense[name], tables[name])
    mats = {os.path.basename(path): path for path in sorted(glob.glob(f"{data}/*/*.mat"))}
    return tables, dense, mats, {"tmc2007-500": f"{data}/tmc2007-500"}


def made_sets(folder, synthetic):
    made = {kind: os.path.join(folder, "made." + kind) for kind in ("csv", "arff", "mat")}
    for path in made.values():
        ours("convert", synthetic, path)
    return (*({"synthetic": path} for path in made.values()),
            {"synthetic": synthetic_sparse(folder)})


def main():
    data = os.environ.get("LABELSIEVE_DATA")
    with tempfile.TemporaryDirectory() as folder:
        synthetic = synthetic_csv(folder)
        tables, dense, mats, sparse = (real_sets(data, folder) if data
                                       else made_sets(folder, synthetic))
        print(f"{'what':32} | {'ours':>12} | {'peer':>12} | {'ratio':>8} | bar")
        print_speed("CSV 20000 x 100, numpy.loadtxt", synthetic, read_text(synthetic, 1), 20)
        for name, path in tables.items():
            print_speed(f"CSV {name}, numpy.loadtxt", path, read_text(path, 1), 20)
        for name, path in dense.items():
            print_speed(f"ARFF {name}, scipy loadarff", path, read_arff(path), 20)
        for name, path in mats.items():
            print_speed(f"MAT {name}, loadmat", path, lambda: scipy.io.loadmat(path), 1)
        for name, path in sparse.items():
            print_speed(f"sparse {name}, zcat | wc", path, count_lines(path), 1 / 3)
        base = int(ours("peak")[0])
        print_peak("CSV synthetic", synthetic, base)
        for name, path in [*tables.items(), *dense.items(), *mats.items(), *sparse.items()]:
            print_peak(os.path.basename(path), path, base)


main()
