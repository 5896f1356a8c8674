import os
import pickle
import subprocess
import threading

import joblib
import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, check_sample_weights_invariance

from conftest import FOREST
import labelsieve
from labelsieve import LabelSieveClassifier, LabelSieveError, _arrays


def forest(**more):
    return LabelSieveClassifier(**{**FOREST, **more})


CHECKS = list(check_estimator(forest(n_jobs=1), generate_only=True))


@pytest.mark.parametrize("estimator, check", CHECKS, ids=[
    f"{i}-{getattr(check.func, '__name__', 'check')}" for i, (_, check) in enumerate(CHECKS)])
@pytest.mark.filterwarnings("ignore")
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_there_are_as_many_checks_as_for_any_classifier():
    assert len(CHECKS) >= 50


@pytest.mark.parametrize("kind", ["ones", "zeros"])
def test_weights_of_one_change_nothing_and_rows_of_weight_zero_do_not_count(kind):
    check_sample_weights_invariance("forest", forest(), kind=kind)


def test_rows_count_by_their_weight(arrays):
    X, y = arrays
    weight = (np.arange(len(X)) % 3) * 0.7
    weighted = forest().fit(X, y, sample_weight=weight).predict_proba(X)
    assert (forest().fit(X, y, sample_weight=weight * 4).predict_proba(X) == weighted).all(), \
        "only ratios count"
    other = np.random.default_rng(3).permutation(len(X))
    for rows in (X, sp.csr_matrix(X)):
        assert (forest().fit(rows[other], y[other], sample_weight=weight[other]).predict_proba(X)
                == weighted).all(), "it does not matter where rows stand, or how they are stored"
    used = weight > 0
    assert (forest().fit(X[used], y[used], sample_weight=weight[used]).predict_proba(X)
            == weighted).all()
    plain = forest().fit(X, y).predict_proba(X)
    assert (forest().fit(X, y, sample_weight=None).predict_proba(X) == plain).all()
    assert (forest().fit(X, y, sample_weight=[0.3] * len(X)).predict_proba(X) == plain).all()
    assert (weighted != plain).any()


def test_weights_that_cannot_be_used_are_refused(arrays):
    X, y = arrays
    weight = np.ones(len(X))
    weight[1] = 2
    repeating = LabelSieveClassifier("pml-ni")
    repeated = LabelSieveClassifier("pml-ni").fit(np.vstack([X, X[1:2]]), np.vstack([y, y[1:2]]))
    assert np.allclose(repeating.fit(X, y, sample_weight=weight).predict_proba(X),
                       repeated.predict_proba(X), atol=1e-4)
    with pytest.raises(labelsieve.UsageError, match="pml-ni"):
        repeating.fit(X, y, sample_weight=weight * 0.7)
    weight[1] = -1
    with pytest.raises(ValueError, match="row 2"):
        forest().fit(X, y, sample_weight=weight)
    weight[1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        forest().fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="weights are 0"):
        forest().fit(X, y, sample_weight=np.zeros(len(X)))


def test_learns_candidates(crowd):
    found = forest().fit(crowd.X, crowd.y).predict_proba(crowd.X)
    assert found.shape == (300, 6) and (found > 0).all() and (found < 1).all()
    assert label_ranking_average_precision_score(crowd.truth.toarray(), found) > 0.8


@pytest.mark.parametrize("method", ["mlp-noise", "pml-ni", "ml-rbf", "pml-lc", "particle-vls", "forest"])
def test_every_kind_of_method_gives_probabilities(arrays, method):
    X, y = arrays
    options = {"members": 1, "epochs": 3} if method == "mlp-noise" else None
    classifier = LabelSieveClassifier(method, options=options).fit(X, y)
    found = classifier.predict_proba(X)
    assert (found > 0).all() and (found < 1).all()
    assert np.unique(found).size > 10
    assert set(np.unique(classifier.predict(X))) <= {0, 1}


def test_1d_targets_give_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    names = np.array(["ant", "bee", "cow"])[np.digitize(X[:, 0], (-0.5, 0.5))]
    classifier = forest().fit(X, names)
    assert list(classifier.classes_) == ["ant", "bee", "cow"]
    assert (classifier.predict(X) == names).mean() > 0.95
    assert np.allclose(classifier.predict_proba(X).sum(axis=1), 1)
    assert classifier.decision_function(X).shape == (200, 3)
    assert classifier.score(X, names) > 0.95
    binary = forest().fit(X, X[:, 1] > 0)
    assert binary.decision_function(X).shape == (200,)
    assert binary.predict(X).dtype == bool


def test_all_ways_to_write_labels_are_one(arrays):
    X, y = arrays
    expected = forest().fit(X, y).predict_proba(X)
    for other in (y.astype(bool), y.astype(float), y.astype(np.uint8), np.asfortranarray(y),
                  sp.csr_matrix(y), sp.csc_matrix(y), sp.coo_matrix(y), pandas.DataFrame(y), y.tolist()):
        assert (forest().fit(X, other).predict_proba(X) == expected).all()


def test_all_ways_to_store_features_are_one(arrays):
    X, y = arrays
    expected = forest().fit(X, y).predict_proba(X)
    wide = np.zeros((2 * len(X), X.shape[1] + 3), X.dtype)
    wide[::2, :-3] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    for other in (X.astype(np.float64), X.astype(">f4"), np.asfortranarray(X), wide[::2, :-3],
                  X[::-1].copy()[::-1], read_only, pandas.DataFrame(X).to_numpy(), X.tolist()):
        assert (forest().fit(other, y).predict_proba(other) == expected).all()


@pytest.mark.parametrize("below", [0, 1.2, 2])
def test_arrays_and_sparse_matrices_of_the_same_numbers_give_the_same_model(arrays, below):
    X, y = arrays[:2]
    full = np.where(abs(X) > below, X, 0)
    stored = sp.csr_matrix(X)  # with zeros in it
    stored.data[abs(stored.data) <= below] = 0
    expected = forest().fit(full, y).predict_proba(full)
    for other in (sp.csr_matrix(full), stored):
        assert (forest().fit(other, y).predict_proba(full) == expected).all()
        assert (forest().fit(full, y).predict_proba(other) == expected).all()


def test_sparse_features_are_learnt_from(arrays):
    X, y = arrays
    sparse = sp.csr_matrix(np.where(abs(X) > 0.5, X, 0))
    expected = forest().fit(sparse, y).predict_proba(sparse)
    for index in (np.int32, np.int64):
        other = sp.csr_matrix((sparse.data.astype(np.float64), sparse.indices.astype(index),
                               sparse.indptr.astype(index)), shape=sparse.shape)
        assert (forest().fit(other, y).predict_proba(sparse.toarray()) == expected).all()
    shuffled = sp.csr_matrix((sparse.data[::-1].copy(), sparse.indices[::-1].copy(),
                              sparse.indptr), shape=sparse.shape)
    forest().fit(shuffled, y).predict(shuffled)  # columns out of order are put in order


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_features_are_looked_at_where_they_are(kind):
    X = np.ones((50, 8), kind)
    for view in (X, X[10:20], X[::2], X[:, 2:5]):
        matrix, _ = _arrays.features(view)
        assert matrix.values == view.ctypes.data
        assert matrix.stride * X.itemsize == view.strides[0]
    sparse = sp.csr_matrix(X)
    matrix, _ = _arrays.features(sparse)
    assert (matrix.values, matrix.starts, matrix.columns) == tuple(
        part.ctypes.data for part in (sparse.data, sparse.indptr, sparse.indices))


def test_names_of_a_table_are_kept_and_compared(arrays):
    X, y = arrays
    table = pandas.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    labels = pandas.DataFrame(y, columns=list("abcdef"))
    classifier = forest().fit(table, labels)
    assert list(classifier.feature_names_in_) == list(table.columns)
    assert list(classifier.classes_) == list("abcdef")
    assert classifier.model_.label_names == list("abcdef")
    assert classifier.model_.info["feature_names"] == list(table.columns)
    with pytest.raises(ValueError, match="feature names"):
        classifier.predict(table.rename(columns={"f0": "g0"}))


@pytest.mark.parametrize("X, message", [
    (np.array([["a", "b"]] * 4), "could not convert|dtype"),
    (np.array([[object(), 1]] * 4, dtype=object), "float"),
    (np.array([[1, np.nan]] * 4), "NaN"),
    (np.array([[1, np.inf]] * 4), "infinity"),
    (np.array([[1, 1e300]] * 4), "finite"),
    (np.array([[1 + 2j, 1]] * 4), "Complex"),
    (np.zeros((0, 2)), "0 sample"),
    (np.zeros((4, 0)), "0 feature"),
    (np.zeros(4), "1D array"),
    (np.zeros((3, 2)), "inconsistent"),
])
def test_bad_features_are_refused(X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        forest().fit(X, [[1, 0], [0, 1], [1, 1], [0, 1]])


@pytest.mark.parametrize("y, message", [
    (None, "requires y"),
    (np.array([[1, 2], [3, 1], [1, 1], [2, 2]]), "multioutput"),
    (np.array([[1, 0.5]] * 4), "continuous|0 and 1"),
    (np.array([[1, np.nan]] * 4), "nobody was asked about the label 1"),
    (np.array([1, 0, np.nan, 1]), "NaN"),
    (np.array([[1, np.inf]] * 4), "inf"),
    (np.array([0.1, 0.2, 0.3, 0.4]), "continuous"),
    (np.array(["x"] * 4), "one class"),
    (np.zeros((4, 3), int), "no row has a candidate"),
    (sp.csr_matrix([[2, 0]] * 4), "0 and 1"),
])
def test_bad_labels_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        forest().fit(np.random.default_rng(0).normal(size=(4, 2)), y)


def test_settings_that_make_no_sense_are_refused_with_a_hint(arrays):
    forest(options={"trees": np.int64(5), "bootstrap": np.bool_(True)}).fit(*arrays)
    for wrong, hint in (({"method": "forrest"}, "forest"), ({"options": {"tres": 1}}, "trees"),
                        ({"options": {"trees": "many"}}, "whole number"),
                        ({"budget": "fast"}, "budget")):
        with pytest.raises(LabelSieveError, match=hint) as caught:
            forest(**wrong).fit(*arrays)
        assert isinstance(caught.value, ValueError) and caught.value.exit_code == 2


def test_other_numbers_of_features_are_refused(arrays):
    X, y = arrays
    classifier = forest().fit(X, y)
    with pytest.raises(ValueError, match="expecting 20 features"):
        classifier.predict(X[:, :-1])
    with pytest.raises(LabelSieveError, match="features"):
        classifier.model_.scores(X[:, :-1])
    with pytest.raises(LabelSieveError, match="finite"):
        classifier.model_.scores(np.full_like(X, np.nan))
    with pytest.raises(LabelSieveError, match="numbers"):
        classifier.model_.scores(X.astype(str))
    assert classifier.model_.scores(X[:0]).shape == (0, 6)


def test_is_the_same_after_pickling(arrays, tmp_path):
    X, y = arrays
    classifier = forest().fit(X, y)
    expected = classifier.predict_proba(X)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(classifier, protocol))
        assert (again.predict_proba(X) == expected).all()
    joblib.dump(classifier, tmp_path / "c.joblib", compress=3)
    assert (joblib.load(tmp_path / "c.joblib").predict_proba(X) == expected).all()


def test_refuses_a_damaged_pickle(arrays):
    classifier = forest().fit(*arrays)
    whole = pickle.dumps(classifier)
    inside = whole.index(classifier.model_.to_bytes()[:64])
    for at in range(inside, inside + len(classifier.model_.to_bytes()), 4999):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        with pytest.raises(LabelSieveError) as caught:
            pickle.loads(bytes(damaged))
        assert caught.value.exit_code == 4
    with pytest.raises((pickle.UnpicklingError, EOFError, LabelSieveError)):
        pickle.loads(whole[:len(whole) // 2])


def test_works_with_the_tools_of_scikit_learn(arrays):
    X, y = arrays
    search = GridSearchCV(forest(), {"options": [{"trees": 5}, {"trees": 20}], "random_state": [1, 2]},
                          cv=2, scoring="f1_micro", n_jobs=2).fit(X, y)
    assert search.best_params_["options"]["trees"] in (5, 20)
    pipeline = make_pipeline(StandardScaler(), forest()).fit(X, y)
    assert pipeline.predict(X).shape == y.shape
    assert len(cross_val_score(forest(), X, y[:, 0], cv=3)) == 3
    copy = clone(forest(random_state=7))
    assert copy.get_params()["random_state"] == 7 and not hasattr(copy, "model_")
    assert "LabelSieveClassifier" in forest()._repr_html_()


def test_two_threads_predict_with_one_model(arrays):
    X, y = arrays
    classifier = forest().fit(X, y)
    expected = classifier.predict_proba(X)
    wrong = []

    def work():
        for _ in range(20):
            if not (classifier.predict_proba(X) == expected).all():
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_works_in_a_child_after_fork(arrays):
    X, y = arrays
    classifier = forest(n_jobs=2).fit(X, y)
    expected = classifier.predict_proba(X)
    child = os.fork()
    if child == 0:
        same = (classifier.predict_proba(X) == expected).all() and \
            (forest(n_jobs=2).fit(X, y).predict_proba(X) == expected).all()
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_do_not_change_the_model(arrays):
    X, y = arrays
    one, two = (LabelSieveClassifier("mlp-noise", options={"members": 1, "epochs": 3}, n_jobs=t)
                .fit(X, y).model_.to_bytes() for t in (1, 2))
    assert one == two


def test_the_check_of_newer_versions_of_scikit_learn_comes_first(crowd, monkeypatch):
    from sklearn.utils import validation
    asked = []

    def validate_data(estimator, X, **settings):
        asked.append(settings)
        estimator.n_features_in_ = X.shape[1]
        return X
    monkeypatch.setattr(validation, "validate_data", validate_data, raising=False)
    LabelSieveClassifier(**FOREST).fit(np.array(crowd.X), crowd.y)
    assert asked and asked[0]["accept_sparse"] == "csr"


def test_earlier_versions_of_scikit_learn_are_asked_as_they_were(crowd, monkeypatch):
    from sklearn.utils import validation
    monkeypatch.delattr(validation, "validate_data", raising=False)
    asked = []

    def _validate_data(self, X, **settings):
        asked.append(settings)
        return X
    monkeypatch.setattr(LabelSieveClassifier, "_validate_data", _validate_data, raising=False)
    LabelSieveClassifier(**FOREST).fit(np.array(crowd.X), crowd.y)
    assert asked and asked[0]["accept_sparse"] == "csr"


def test_classes_are_the_columns_of_a_table_as_they_are(arrays):
    X, y = arrays
    table = pandas.DataFrame(y, columns=range(10, 10 + y.shape[1]))
    assert LabelSieveClassifier(**FOREST).fit(X, table).classes_.tolist() == table.columns.tolist()


def test_classes_of_every_type_stay_what_they_are():
    X = np.random.default_rng(0).normal(size=(4, 2))
    assert forest().fit(X, pandas.Series([2, 1, 2, 1], dtype="Int64")).classes_.tolist() == [1, 2]
    assert forest().fit(X, [{1, "a"}, {1}, {"a"}, set()]).classes_.tolist() == [1, "a"]
    table = pandas.DataFrame([[1, 0], [0, 1]] * 2, columns=pandas.MultiIndex.from_product([["x"], [1, 2]]))
    assert forest().fit(X, table).classes_.tolist() == [("x", 1), ("x", 2)]
    votes = pandas.DataFrame({"item": range(4), "annotator": "ann", "label": [10, 9, 10, 9]})
    assert set(forest().fit(X, votes=votes).classes_.tolist()) == {9, 10}


@pytest.mark.parametrize("y, why", [
    (pandas.Series(["a", pandas.NA, "b", "a"]), "Input y contains NaN"),
    (pandas.Series(["a", None, "b", "a"], dtype="string"), "Input y contains NaN"),
    ([["a"], ["b", None], [], ["a"]], "row 1 of y has a label without a name"),
    ([["a"], ["b"], None, ["a"]], "row 2 of y is no list"),
    ([[1, 2], [3], [], [1]], "several lengths"),
    (pandas.DataFrame({"a": ["yes", "no"] * 2, "b": ["no", "yes"] * 2}), "0 and 1"),
])
def test_labels_without_a_name_are_refused(y, why):
    with pytest.raises(ValueError, match=why):
        forest().fit(np.random.default_rng(0).normal(size=(4, 2)), y)


def test_tables_whose_rows_stand_in_another_order_are_warned_of(arrays, recwarn):
    X, y = map(pandas.DataFrame, arrays)
    forest().fit(X, y.set_axis(range(5, 305)))
    assert not recwarn
    with pytest.warns(UserWarning, match="same index in another order"):
        forest().fit(X, y.sample(frac=1, random_state=1))


@pytest.mark.parametrize("y", [
    [["a", "b"], [], ["b"], ["c"]], [{"a", "b"}, set(), {"b"}, {"c"}],
    pandas.Series([["a", "b"], [], ["b"], ["c"]]), [("b", "a", "a"), (), ("b",), ("c",)]])
def test_y_may_be_lists_of_names(y):
    X = np.random.default_rng(0).normal(size=(4, 2))
    found = forest().fit(X, y)
    plain = forest().fit(X, pandas.DataFrame([[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]],
                                             columns=list("abc")))
    assert found.classes_.tolist() == ["a", "b", "c"]
    assert found.model_.to_bytes() == plain.model_.to_bytes()


def test_what_nobody_was_asked_about_may_be_right(crowd):
    X, y, truth = np.array(crowd.X), crowd.y.toarray().astype(float), crowd.truth.toarray()
    hidden = np.random.default_rng(1).random(y.shape) < 0.6
    y[hidden] = np.nan
    found = forest().fit(X[:200], y[:200])
    assert found.model_.to_bytes() == \
        forest().fit(X[:200], np.where(hidden, 1, y)[:200]).model_.to_bytes()
    table = pandas.DataFrame(y[:200], columns=list("abcdef")).astype("Int64")
    assert (forest().fit(X[:200], table).predict(X) == found.predict(X)).all()
    as_zeros = forest().fit(X[:200], np.where(hidden, 0, y)[:200])
    ours, theirs = (labelsieve.evaluate(truth[200:], decisions=one.predict(X[200:])).micro_f1
                    for one in (found, as_zeros))
    assert ours > theirs + 0.1


def test_rows_without_labels_are_learnt_from_as_by_the_command(sieve, tmp_path):
    options = {"trees": 10, "width": 8, "epochs": 2}
    crowd = labelsieve.make_crowd(rows=260, features=12, labels=4, noise=1, seed=4)
    X, y = np.array(crowd.X), crowd.y.toarray()
    names = [f"f{number}" for number in range(12)]
    few = pandas.DataFrame(X[:60], columns=names)
    others = pandas.DataFrame(X[60:], columns=names)
    few.join(pandas.DataFrame(y[:60], columns=[f"label:{name}" for name in "abcd"])).to_csv(
        tmp_path / "few.csv", index=False)
    others.to_csv(tmp_path / "others.csv", index=False)
    subprocess.run([sieve, "train", "few.csv", "--unlabelled", "others.csv", "--out", "m.model", "--set",
                    ",".join(f"{key}={value}" for key, value in options.items())], check=True,
                   capture_output=True, cwd=tmp_path)
    labels = pandas.DataFrame(y[:60], columns=list("abcd"))
    classifier = labelsieve.BlendClassifier(**options).fit(few, labels, unlabelled=others)
    assert classifier.model_.to_bytes() == (tmp_path / "m.model").read_bytes()
    turned = others[names[::-1]]
    trained = labelsieve.train(few, labels, options=options, unlabelled=turned)
    assert trained.to_bytes() == classifier.model_.to_bytes()
    alone = labelsieve.BlendClassifier(**options).fit(few, labels)
    assert (alone.predict_proba(others) != classifier.predict_proba(others)).any()
    with pytest.raises(ValueError, match="feature names"):
        labelsieve.BlendClassifier(**options).fit(few, labels, unlabelled=turned)
    with pytest.raises(labelsieve.UsageError, match="cannot learn from rows without labels"):
        labelsieve.ForestClassifier(trees=5).fit(few, labels, unlabelled=others)
    with pytest.raises(labelsieve.DataError, match="rows without labels"):
        labelsieve.train(few, labels, options=options, unlabelled=X[60:, :5])


def test_a_classifier_keeps_promises():
    crowd = labelsieve.make_crowd(rows=900, labels=5, noise=1, seed=2)
    X, y, truth = np.array(crowd.X), crowd.y.toarray(), crowd.truth.toarray()
    plain = labelsieve.ForestClassifier(trees=50).fit(X[:400], y[:400])
    promising = plain.guarantee("recall=0.8", X[400:700], truth[400:700])
    found = promising.predict(X[700:], guarantee="recall=0.8")
    direct = plain.model_.guarantee("recall=0.8", X[400:700], truth[400:700])
    assert found.dtype == np.int64 and (found == direct.predict(X[700:], guarantee="recall=0.8")).all()
    assert (promising.predict(X[700:]) == plain.predict(X[700:])).all()
    with pytest.raises(labelsieve.DataError, match="keeps no thresholds"):
        plain.predict(X[700:], guarantee="recall=0.8")
    named = pandas.DataFrame(y[:400], columns=list("edcba"))
    right = pandas.DataFrame(truth[400:700], columns=list("edcba"))[list("abcde")]
    other = labelsieve.ForestClassifier(trees=50).fit(X[:400], named)
    again = other.guarantee("recall=0.8", X[400:700], right)
    assert (again.predict(X[700:], guarantee="recall=0.8") == found).all()
    one = labelsieve.ForestClassifier(trees=5).fit(X[:400], np.arange(400) % 3)
    with pytest.raises(labelsieve.UsageError, match="one class"):
        one.predict(X[:5], guarantee="recall=0.8")
    with pytest.raises(labelsieve.UsageError, match="one class"):
        one.guarantee("recall=0.8", X[:300], np.arange(300) % 3)


def test_an_array_of_pandas_is_taken_for_the_classes_of_rows(arrays):
    X, y = arrays
    names = np.where(y[:, 0], "on", "off")
    for given in (pandas.Categorical(names), pandas.array(names, dtype="string")):
        fitted = labelsieve.ForestClassifier(trees=5).fit(X, given)
        assert fitted.classes_.tolist() == ["off", "on"]


def test_decided_cells_name_labels_as_classes_does(arrays):
    X, y = arrays
    gold = pandas.DataFrame({"item": [2], "label": [1], "true": [True]})
    named = labelsieve.ForestClassifier(trees=5).fit(X, y, gold=gold)
    plain = labelsieve.ForestClassifier(trees=5).fit(X, y, gold=[(2, 1, 1)])
    assert named.classes_[1] == 1 and named.model_.to_bytes() == plain.model_.to_bytes()
    with pytest.raises(labelsieve.DataError, match="those of the data are 0, 1, 2"):
        labelsieve.ForestClassifier(trees=5).fit(X, y, gold=gold.assign(label="cat"))
