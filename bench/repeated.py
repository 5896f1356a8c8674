#!/usr/bin/env python3
"""Rows of whole weights beside rows that are repeated as often: prints average precision and micro F1 on
clean test rows, as means over five made-up crowds. A repeated row is judged by models that saw its copies,
so that its wrong labels look right.

usage: LABELSIEVE_LIBRARY=build/liblabelsieve.so PYTHONPATH=python bench/repeated.py
"""
import numpy as np

import labelsieve

TRAINED = 450
METHODS = {"forest": {"trees": 100}, "blend": {"trees": 50, "epochs": 5, "width": 32}}


def measured(crowd, seed, method, repeated):
    X, y, truth = np.array(crowd.X), crowd.y.toarray(), crowd.truth.toarray()
    weight = np.random.default_rng(seed).integers(0, 5, TRAINED)
    rows, labels, weights = X[:TRAINED], y[:TRAINED], weight
    if repeated:
        rows, labels, weights = rows.repeat(weight, axis=0), labels.repeat(weight, axis=0), None
    model = labelsieve.LabelSieveClassifier(method, options=METHODS[method], random_state=seed)
    model.fit(rows, labels, sample_weight=weights)
    found = labelsieve.evaluate(truth[TRAINED:], model.predict_proba(X[TRAINED:]), model.predict(X[TRAINED:]))
    return found.average_precision, found.micro_f1


def main():
    crowds = {seed: labelsieve.make_crowd(rows=900, seed=seed) for seed in range(1, 6)}
    for method in METHODS:
        for repeated in (False, True):
            precision, f1 = np.mean([measured(crowd, seed, method, repeated)
                                     for seed, crowd in crowds.items()], axis=0)
            print(f"{method}, {'repeated' if repeated else 'weighed'}: "
                  f"average precision {precision:.3f}, micro F1 {f1:.3f}")


if __name__ == "__main__":
    main()
