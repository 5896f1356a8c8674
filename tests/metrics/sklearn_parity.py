"""Measures of scikit-learn, and plain loops for the MATLAB conventions, on matrices of a folder.

For each case NAME there are NAME.scores, NAME.truth, NAME.decisions and NAME.candidates. Prints
lines "NAME/measure value".
"""

import pathlib
import sys
import warnings

import numpy as np
from sklearn import metrics

warnings.filterwarnings("ignore")


def matlab_depths(scores):
    """Rank of each label from 1; among equal scores the higher index ranks better."""
    ascending = np.argsort(scores, kind="stable")
    depths = np.empty(len(scores), dtype=int)
    depths[ascending[::-1]] = np.arange(1, len(scores) + 1)
    return depths


def matlab_row(scores, truth):
    depths = matlab_depths(scores)[truth == 1]
    precision = np.mean([np.sum(depths <= depth) / depth for depth in depths])
    return (depths.max() - 1) / len(scores), precision


def ranking(scores, truth):
    labels = truth.shape[1]
    mixed = (truth.sum(axis=1) > 0) & (truth.sum(axis=1) < labels)
    for name, rows in (("library", slice(None)), ("skip", mixed)):
        s, t = scores[rows], truth[rows]
        yield name + "-ranking-loss", metrics.label_ranking_loss(t, s)
        yield name + "-coverage", (metrics.coverage_error(t, s) - 1) / labels
        yield name + "-average-precision", metrics.label_ranking_average_precision_score(t, s)
    tops = [not np.any(t[s == s.max()]) for s, t in zip(scores[mixed], truth[mixed])]
    yield "one-error", np.mean(tops)
    rows = np.array([matlab_row(s, t) for s, t in zip(scores[mixed], truth[mixed])])
    yield "matlab-coverage", rows[:, 0].mean()
    yield "matlab-average-precision", rows[:, 1].mean()


def areas(scores, truth):
    both = [k for k in range(truth.shape[1]) if 0 < truth[:, k].sum() < len(truth)]
    yield "macro-auc", metrics.roc_auc_score(truth[:, both], scores[:, both], average="macro")
    yield "micro-auc", metrics.roc_auc_score(truth, scores, average="micro")


def decided(decisions, truth):
    yield "hamming-loss", metrics.hamming_loss(truth, decisions)
    yield "exact-match", metrics.accuracy_score(truth, decisions)
    for average, name in (("micro", "micro"), ("macro", "macro"), ("samples", "sample")):
        for zero in (0, 1):
            value = metrics.f1_score(truth, decisions, average=average, zero_division=zero)
            yield f"{name}-f1-{zero}", value


def cleaning(scores, candidates, truth):
    cells = candidates == 1
    yield "cleaning-auc", metrics.roc_auc_score(truth[cells], scores[cells])
    yield "cleaning-average-precision", metrics.average_precision_score(truth[cells], scores[cells])


def main(folder):
    for path in sorted(folder.glob("*.scores")):
        scores = np.loadtxt(path, ndmin=2)
        truth, decisions, candidates = (
            np.loadtxt(path.with_suffix(suffix), ndmin=2).astype(int)
            for suffix in (".truth", ".decisions", ".candidates")
        )
        for part in (ranking(scores, truth), areas(scores, truth), decided(decisions, truth),
                     cleaning(scores, candidates, truth)):
            for name, value in part:
                print(f"{path.stem}/{name} {float(value)!r}")


main(pathlib.Path(sys.argv[1]))
