"""Six models as they serve one row: ONNX files beside model files, their largest difference in ONNX
Runtime, and the time of one row in the library, in Python, through `sieve predict --stream` and in
ONNX Runtime (node, one thread). The figures of docs/serve.md.

usage: serve.py SIEVE SERVE_BENCH
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SIEVE, BENCH = (os.path.abspath(word) for word in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
METHODS = ["pml-ni", "pml-lc", "mlp-noise", "pml-gan", "forest", "blend"]
ROWS, FEATURES = 2000, 60


def sieve(*words):
    return subprocess.run([SIEVE, *words, "--quiet"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


PYTHON = '''
import statistics, sys, time
import numpy as np
import labelsieve

model = labelsieve.Model.load(sys.argv[1])
rows = np.random.default_rng(1).random((2000, int(sys.argv[2])), dtype=np.float32)
times = []
for i in range(len(rows)):
    begin = time.perf_counter()
    model.scores(rows[i:i + 1], threads=1)
    times.append(time.perf_counter() - begin)
print(statistics.median(times) * 1e6)
'''


def python_time(model):
    found = {"LD_LIBRARY_PATH": os.path.dirname(SIEVE), "PYTHONPATH": str(HERE.parent / "python")}
    return float(subprocess.run(["/usr/bin/python3", "-c", PYTHON, model, str(FEATURES)], check=True,
                                text=True, stdout=subprocess.PIPE, env=os.environ | found).stdout)


def stream_time(model, lines):
    """Microseconds from a row to its answer."""
    with subprocess.Popen([SIEVE, "predict", model, "--stream"], bufsize=0,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as served:
        answers = os.fdopen(os.dup(served.stdout.fileno()), "rb")
        times = []
        for line in lines:
            begin = time.perf_counter()
            served.stdin.write(line)
            answers.readline()
            times.append(time.perf_counter() - begin)
        served.stdin.close()
    return statistics.median(times) * 1e6


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            pathlib.Path(name).write_bytes((HERE.parent / "tests/onnx" / name).read_bytes())
        pathlib.Path("serve.mjs").write_bytes((HERE / "serve.mjs").read_bytes())
        subprocess.run([HERE.parent / "tests/npm_packages", ".", "onnxruntime-node"], check=True)
        sieve("synth", "--rows", str(ROWS), "--out", "crowd.csv")
        sieve("convert", "crowd.csv", "crowd.jsonl")
        lines = pathlib.Path("crowd.jsonl").read_bytes().splitlines(keepends=True)
        print(f"{'method':<10} {'model':>9} {'ONNX':>9} {'apart':>8}   microseconds per row")
        print(f"{'':<10} {'kB':>9} {'kB':>9} {'':>8} {'library':>8} {'Python':>8} {'stream':>8} "
              f"{'ONNX':>8}")
        for method in METHODS:
            sieve("train", "crowd.csv", "--method", method, "--out", method + ".model")
            sieve("export", method + ".model", method + ".onnx")
            sieve("predict", method + ".model", "crowd.csv", "--to", "jsonl", "--out",
                  method + ".jsonl")
            node = json.loads(subprocess.run(
                ["node", "serve.mjs", method], check=True, text=True,
                stdout=subprocess.PIPE).stdout)
            library = subprocess.run([BENCH, method + ".model", str(FEATURES)], check=True,
                                     text=True, stdout=subprocess.PIPE).stdout
            sizes = [os.path.getsize(method + end) / 1e3 for end in (".model", ".onnx")]
            print(f"{method:<10} {sizes[0]:9.0f} {sizes[1]:9.0f} {node['apart']:8.1e} "
                  f"{float(library):8.0f} {python_time(method + '.model'):8.0f} "
                  f"{stream_time(method + '.model', lines):8.0f} "
                  f"{node['microseconds']:8.0f}", flush=True)


main()
