"""Tests of scipy.stats on the samples of a folder.

NAME.pair has a row each for a and b; NAME.ranks is data sets x methods. Prints lines
"NAME/figure value".
"""

import pathlib
import sys
import warnings

import numpy as np
from scipy import stats

warnings.filterwarnings("ignore")


def pair(a, b):
    for name, test in (("paired", stats.ttest_rel(a, b)),
                       ("welch", stats.ttest_ind(a, b, equal_var=False))):
        yield name + "-t", test.statistic
        yield name + "-p", test.pvalue
    d = (a - b)[a != b]
    for method in ("exact", "approx"):
        test = stats.wilcoxon(d, method=method, correction=False)
        yield f"wilcoxon-{method}-p", test.pvalue
        yield "wilcoxon-smaller", test.statistic


def tie_correction(values):
    """What scipy divides by and Demsar's formula does not."""
    n, k = values.shape
    groups = (count for row in values for count in np.unique(row, return_counts=True)[1])
    ties = sum(count**3 - count for count in groups)
    return 1 - ties / (n * k * (k * k - 1))


def friedman(values):
    n, k = values.shape
    chi = stats.friedmanchisquare(*values.T)[0] * tie_correction(values)
    f = (n - 1) * chi / (n * (k - 1) - chi)
    yield "chi", chi
    yield "f", f
    yield "p", stats.f.sf(f, k - 1, (k - 1) * (n - 1))


def studentized():
    for k in (2, 3, 6, 10, 25, 60):
        for level in (0.2, 0.05, 0.01, 0.001):
            yield f"{k}-{level}", stats.studentized_range.isf(level, k, np.inf) / np.sqrt(2)


def show(stem, figures):
    for name, value in figures:
        print(f"{stem}/{name} {float(value)!r}")


def main(folder):
    for path in sorted(folder.glob("*.pair")):
        show(path.stem, pair(*np.loadtxt(path, ndmin=2)))
    for path in sorted(folder.glob("*.ranks")):
        show(path.stem, friedman(np.loadtxt(path, ndmin=2)))
    show("range", studentized())


main(pathlib.Path(sys.argv[1]))
