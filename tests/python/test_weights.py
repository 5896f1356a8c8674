"""Whole weights beside rows that are repeated as often: what scikit-learn 1.6 and later ask for by
check_sample_weight_equivalence_on_dense_data and ..._on_sparse_data. Where that version is installed,
its checks are run, else the same question is asked here."""
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import estimator_checks

from labelsieve import (BlendClassifier, ForestClassifier, LabelSieveClassifier, MlpClassifier,
                        MlpNoiseClassifier, PmlGanClassifier)

CHECKS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
NETWORK = {"members": 1, "width": 32, "batch": 8, "learning_rate": 0.01, "epochs": 12, "n_jobs": 1}
HELD_OUT = "held-out rows are drawn among rows: where copies are rows, a row is judged by its twin"
BATCHES = "batches are drawn among rows, and " + HELD_OUT
# As scikit-learn expects of its own estimators that draw rows (RandomForestClassifier,
# BaggingClassifier, HistGradientBoostingClassifier, SGDClassifier). An entry that passes fails.
EXPECTED_FAILED_CHECKS = [
    (ForestClassifier(trees=5, n_jobs=1), HELD_OUT),
    (ForestClassifier(trees=5, bootstrap=False, leaf=3, n_jobs=1), "a leaf has `leaf` rows, whatever they weigh"),
    (BlendClassifier(trees=10, width=16, epochs=5, n_jobs=1), BATCHES),
    (MlpClassifier(**NETWORK), BATCHES),
    (MlpNoiseClassifier(**NETWORK), BATCHES),
    (PmlGanClassifier(**NETWORK), BATCHES),
]
EXACT = [ForestClassifier(trees=5, bootstrap=False, leaf=1, splits=splits, n_jobs=1) for splits in ("extra", "best")]
REPEATING = ("pml-ni", "ml-rbf", "capml", "pml-lc", "nlr", "schirn", "particle-vls")


def fitted(estimator, X, y, weight=None):
    return clone(estimator).set_params(random_state=0).fit(X, y, sample_weight=weight)


def small(seed, rows):
    rng = np.random.default_rng(seed)
    return rng.random((rows, 2 * rows)), rng.integers(0, 3, rows), rng.integers(0, 5, rows)


def own_check(estimator, sparse):
    X, y, weight = small(42, 15)
    some = np.random.default_rng(0).permutation(15)
    form = sp.csr_matrix if sparse else np.array
    repeated = fitted(estimator, form(X.repeat(weight, axis=0)), y.repeat(weight))
    weighed = fitted(estimator, form(X[some]), y[some], weight[some])
    for ask in ("predict_proba", "decision_function", "predict"):
        np.testing.assert_allclose(getattr(repeated, ask)(X), getattr(weighed, ask)(X), rtol=1e-7, atol=1e-9)


def check(name, estimator):
    theirs = getattr(estimator_checks, name, None)
    if theirs:
        theirs(type(estimator).__name__, estimator)
    else:
        own_check(estimator, "sparse" in name)


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("estimator", EXACT, ids=lambda one: one.splits)
@pytest.mark.filterwarnings("ignore")
def test_where_nothing_is_drawn_among_rows_weights_are_repeated_rows(estimator, name):
    check(name, estimator)


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("estimator", [
    pytest.param(one, marks=pytest.mark.xfail(raises=AssertionError, strict=True, reason=reason),
                 id=f"{type(one).__name__}-{number}")
    for number, (one, reason) in enumerate(EXPECTED_FAILED_CHECKS)])
@pytest.mark.filterwarnings("ignore")
def test_where_rows_are_drawn_they_are_not_as_in_scikit_learn(estimator, name):
    check(name, estimator)


@pytest.mark.parametrize("most", [2, 7, 15])
def test_splits_of_labels_are_those_of_repeated_rows(arrays, most):
    X, y = arrays
    X = np.round(X * 4)  # more than 256 values have cuts by their rows
    weight = np.random.default_rng(most).integers(0, most + 1, len(X))
    for estimator in EXACT:
        repeated = fitted(estimator, X.repeat(weight, axis=0), y.repeat(weight, axis=0))
        weighed = fitted(estimator, X, y, weight)
        np.testing.assert_allclose(repeated.predict_proba(X), weighed.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize("method", REPEATING)
def test_methods_that_cannot_weigh_learn_from_repeated_rows_to_the_bit(method):
    X, y, weight = small(7, 40)
    # With a row of another weight, all are learnt from in the order of their content.
    ones = np.append(np.ones(weight.sum()), 0)
    repeated = fitted(LabelSieveClassifier(method, n_jobs=1), np.vstack([X.repeat(weight, axis=0), X[:1]]),
                      np.append(y.repeat(weight), y[0]), ones)
    weighed = fitted(LabelSieveClassifier(method, n_jobs=1), X, y, weight)
    assert repeated.model_.to_bytes() == weighed.model_.to_bytes()
