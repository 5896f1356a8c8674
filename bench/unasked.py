#!/usr/bin/env python3
"""What to make of labels that nobody was asked about: candidates, or 0? Prints average precision, micro
F1, Hamming loss, and by how much probabilities are too high, as means over six made-up crowds.

usage: LABELSIEVE_LIBRARY=build-bench/liblabelsieve.so PYTHONPATH=python bench/unasked.py
"""
import numpy as np

import labelsieve
from labelsieve import ForestClassifier, evaluate

TRAINED = 600


def row(X, y, truth):
    model = ForestClassifier(trees=100).fit(X[:TRAINED], y[:TRAINED])
    probabilities, right = model.predict_proba(X[TRAINED:]), truth[TRAINED:]
    found = evaluate(right, probabilities, model.predict(X[TRAINED:]))
    return found.average_precision, found.micro_f1, found.hamming_loss, \
        probabilities.mean() - right.mean()


def main():
    rows = {}
    for seed in (3, 5, 7):
        for noise in (2.5, 0.5):
            crowd = labelsieve.make_crowd(rows=900, features=40, labels=10, noise=noise, seed=seed)
            X, y, truth = np.array(crowd.X), crowd.y.toarray().astype(float), crowd.truth.toarray()
            random = np.random.default_rng(seed)
            for share in (0.2, 0.6):
                hidden = random.random(y.shape) < share
                for name, filled in (("all cells", y), ("as 0", np.where(hidden, 0, y)),
                                     ("as candidates", np.where(hidden, np.nan, y))):
                    rows.setdefault((share, name), []).append(row(X, filled, truth))
    for (share, name), found in rows.items():
        print(f"{share:.0%} hidden, {name:13}", " ".join(f"{one:6.3f}" for one in np.mean(found, axis=0)))


if __name__ == "__main__":
    main()
