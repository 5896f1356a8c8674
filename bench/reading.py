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


def compare(files, labels, peer):
    pairs = [(float(ours("time", labels, *files)[0]), seconds(peer)) for _ in range(ROUNDS)]
    return [min(side) for side in zip(*pairs)]


def print_speed(what, files, labels, peer, bar):
    mine, theirs = compare(files, labels, peer)
    ratio = theirs / mine
    print(f"{what:32} | {mine * 1e3:9.2f} ms | {theirs * 1e3:9.2f} ms | {ratio:7.2f}x | {bar:.2f}x"
          f"{'' if ratio >= bar else '  missed'}", flush=True)


def print_peak(what, files, labels, base):
    peak, matrix = map(int, ours("peak", labels, *files))
    used, allowed = peak - base, matrix + 1.5 * sum(map(os.path.getsize, files)) / 1024
    print(f"{'peak memory ' + what:32} | {used / 1e3:9.2f} MB | {allowed / 1e3:9.2f} MB |"
          f" {allowed / max(used, 1):7.2f}x | 1.00x{'' if used <= allowed else '  missed'}",
          flush=True)


def read_text(path, skip):
    return lambda: np.loadtxt(path, delimiter=",", skiprows=skip)


def unpack(path, folder):
    plain = os.path.join(folder, os.path.basename(path)[:-3])
    with gzip.open(path) as packed, open(plain, "wb") as out:
        shutil.copyfileobj(packed, out)
    return plain


def synthetic_csv(folder):
    random = np.random.default_rng(1)
    path = os.path.join(folder, "synthetic.csv")
    with open(path, "w") as out:
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


def real_files(data, folder):
    """csv, arff, mat, sparse: lists of (name, files) from the real data sets."""
    dense = [(name, [unpack(path, folder) for path in sorted(glob.glob(f"{data}/{name}/*.arff.gz"))])
             for name in ("yeast", "scene", "image")]
    for xml in glob.glob(f"{data}/*/*.xml"):
        shutil.copy(xml, folder)
    tables = []
    for name, files in dense:
        table = os.path.join(folder, name + ".csv")
        ours("convert", *[f"{data}/{name}"], table)
        tables.append((name, [table]))
    mats = [(os.path.basename(path), [path]) for path in sorted(glob.glob(f"{data}/*/*.mat"))]
    return tables, dense, mats, [("tmc2007-500", [f"{data}/tmc2007-500"])]


def main():
    data = os.environ.get("LABELSIEVE_DATA")
    with tempfile.TemporaryDirectory() as folder:
        synthetic = synthetic_csv(folder)
        if data:
            tables, dense, mats, sparse = real_files(data, folder)
        else:
            made = {kind: os.path.join(folder, "made." + kind) for kind in ("csv", "arff", "mat")}
            ours("convert", synthetic, made["csv"])
            ours("convert", made["csv"], made["arff"])
            ours("convert", made["csv"], made["mat"])
            tables, dense, mats = ([("synthetic", [made[kind]])] for kind in ("csv", "arff", "mat"))
            sparse = [("synthetic", [synthetic_sparse(folder)])]
        print(f"{'what':32} | {'ours':>12} | {'peer':>12} | {'ratio':>8} | bar")
        print_speed("CSV 20000 x 100, numpy.loadtxt", [synthetic], "-1", read_text(synthetic, 0), 20)
        for name, files in tables:
            print_speed(f"CSV {name}, numpy.loadtxt", files, "-", read_text(files[0], 1), 20)
        for name, files in dense:
            print_speed(f"ARFF {name}, scipy loadarff", files, "-",
                        lambda: [arff.loadarff(file) for file in files], 20)
        for name, files in mats:
            print_speed(f"MAT {name}, scipy loadmat", files, "-",
                        lambda: scipy.io.loadmat(files[0]), 1)
        for name, files in sparse:
            print_speed(f"sparse ARFF.gz {name}, zcat | wc", files, "-",
                        lambda: subprocess.run(f"zcat {packed_files(files)} | wc -l", shell=True,
                                               check=True, stdout=subprocess.DEVNULL), 1 / 3)
        base = int(ours("peak", "-")[0])
        print_peak("CSV synthetic", [synthetic], "-1", base)
        for name, files in tables + dense + mats:
            print_peak(name, files, "-", base)


def packed_files(files):
    """The gzip files named, or those in the folder named."""
    found = [path for file in files
             for path in ([file] if os.path.isfile(file) else sorted(glob.glob(file + "/*.gz")))]
    return " ".join(f"'{path}'" for path in found)


main()
