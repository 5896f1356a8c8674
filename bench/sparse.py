#!/usr/bin/python3
"""Sparse rows: what a training step costs as features become more, and what `clean` costs on texts.

usage: bench/sparse.py path/to/sparse_bench [--width 128] [--threads 1] [--seconds 5]
                       [--sieve path/to/sieve --clean texts.svm]

A step of mlp-noise has 64 rows of 100 features that are not 0, half of them out of a thousand common
ones and the others out of all. "met" is how many features the rows of a step have between them. The
mean over steps counts, with one thread in processor time.

--clean: processor time (user and system, one thread) of `sieve clean --method mlp-noise` on a LIBSVM
file, beside scikit-learn's logistic regression, one label against the rest, with five folds, which
gives confidences for every row too. Both read the same file; only the folds of scikit-learn are
timed.
"""
import argparse
import os
import subprocess

ENTRIES = 100
FEATURES = [10_000, 30_000, 100_000, 300_000, 1_000_000]


def steps(args):
    print(f" features  us/step   met     MB  (hidden layer of {args.width}, {args.threads} thread(s))")
    for features in FEATURES:
        command = [args.program, *map(str, (features, ENTRIES, args.width, args.threads, args.seconds))]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        print(f"{features:9,d} {int(out[0]):8d} {int(out[1]):5d} {int(out[2]):6d}", flush=True)


def processor_time(work):
    """Of this process and its children."""
    before = os.times()
    work()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


def regression(path):
    import warnings

    import numpy
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer

    x, labels = load_svmlight_file(path, multilabel=True)
    y = MultiLabelBinarizer().fit_transform(labels)
    warnings.simplefilter("ignore")
    learner = OneVsRestClassifier(LogisticRegression(max_iter=1000))
    return lambda: cross_val_predict(learner, x, numpy.asarray(y), cv=5, method="predict_proba")


def clean(args):
    ours = [args.sieve, "clean", args.clean, "--method", "mlp-noise", "--threads", "1", "--quiet"]
    theirs = regression(args.clean)
    seconds = processor_time(lambda: subprocess.run(ours, check=True, stdout=subprocess.DEVNULL))
    peer = processor_time(theirs)
    print(f"clean: {seconds:.1f} s of processor time, logistic regression {peer:.1f} s, "
          f"{seconds / peer:.2f} times as much")


def main():
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--sieve")
    parser.add_argument("--clean")
    args = parser.parse_args()
    steps(args)
    if args.clean:
        clean(args)


if __name__ == "__main__":
    main()
