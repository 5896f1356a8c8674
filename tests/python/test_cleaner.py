import csv
import subprocess
import sys

import numpy as np
import pandas
import pytest
from sklearn.metrics import roc_auc_score

import labelsieve
from conftest import FOREST
from labelsieve import LabelCleaner, LabelSieveError


def test_tells_right_candidates_from_noise(crowd):
    cleaner = LabelCleaner(**FOREST).fit(crowd.X, crowd.y)
    on = crowd.y.toarray() == 1
    assert (cleaner.probabilities_[~on] == 0).all()
    assert roc_auc_score(crowd.truth.toarray()[on], cleaner.probabilities_[on]) > 0.7
    assert (cleaner.labels_ <= on).all() and (cleaner.labels_.sum(axis=1) >= 1).all()
    assert cleaner.noise_rates_.shape == (6,) and (0 < cleaner.noise_rates_).all()
    assert cleaner.annotators_ is None and cleaner.missing_ is None
    claim = cleaner.noise_claim_
    assert claim["basis"] == "guess" and claim["low"] < claim["value"] < claim["high"]
    assert all(one["low"] <= rate <= one["high"]
               for one, rate in zip(cleaner.noise_claims_, cleaner.noise_rates_))


def test_knows_people_by_their_votes(ticked):
    cleaner = LabelCleaner(**FOREST).fit(ticked)
    assert len(cleaner.annotators_) == len(ticked.annotators)
    assert cleaner.people_ is cleaner.annotators_ and cleaner.confidence_ is cleaner.probabilities_
    assert ticked.people == ticked.annotators
    assert (cleaner.annotators_.sensitivity > cleaner.annotators_.false_positive_rate).all()
    assert (cleaner.annotators_.false_ticks == cleaner.annotators_.false_positive_rate).all()
    assert (cleaner.annotators_.sensitivity_low < cleaner.annotators_.sensitivity).all()
    assert list(cleaner.missing_.columns) == ["row", "label", "probability"]
    by_arrays = LabelCleaner(**FOREST).fit(np.array(ticked.X), ticked.y, votes=ticked.votes,
                                           looked=ticked.looked, label_names=ticked.label_names)
    assert (by_arrays.probabilities_ == cleaner.probabilities_).all()


def test_keeps_labels_apart_that_nobody_ticks_together():
    # Two people per row; "none" (label 2) goes with nothing, the other two often go together.
    random = np.random.default_rng(5)
    votes = []
    for row in range(400):
        for person in (row % 4, (row + 1) % 4):
            labels = [2] if random.random() < .4 else [0, 1] if random.random() < .6 else [0]
            votes += [(row, person, label) for label in labels]
    X = random.standard_normal((400, 3))
    cleaner = LabelCleaner(threshold=0, **FOREST).fit(X, votes=votes, label_names=["a", "b", "none"])
    assert ["a", "none"] in [sorted(pair) for pair in cleaner.report_["exclusive_labels"]]
    assert not (cleaner.labels_[:, 0] & cleaner.labels_[:, 2]).any()
    assert cleaner.labels_[:, 0].any() and cleaner.labels_[:, 2].any()
    ticked = np.zeros((400, 3), bool)
    for row, _, label in votes:
        ticked[row, label] = True
    assert cleaner.report_["kept_apart"] == ticked.sum() - cleaner.labels_.sum()


@pytest.mark.parametrize("votes", [True, False])
def test_decided_cells_count_as_they_do_for_the_command(sieve, tmp_path, votes):
    rows, ticks = tmp_path / "rows.csv", tmp_path / "ticks.csv"
    subprocess.run([sieve, "synth", "--rows", "200", "--labels", "5", "--out", rows, "--annotations", ticks],
                   check=True, capture_output=True)
    data = labelsieve.read(rows, annotations=ticks) if votes else labelsieve.read(rows)
    gold = [(row, row % 5, row % 2) for row in range(60)]
    with open(tmp_path / "gold.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["item", "label", "true"])
        for row, label, on in gold:
            out.writerow([data.ids[row] if data.ids else row, data.label_names[label], on])
    subprocess.run([sieve, "clean", rows, "--method", "forest", "--set", "trees=30", "--gold",
                    tmp_path / "gold.csv", "--suspects", tmp_path / "s.csv",
                    *(["--annotations", ticks] if votes else [])], check=True, capture_output=True)
    found = LabelCleaner(**FOREST).fit(data, gold=gold)
    with open(tmp_path / "s.csv", newline="") as file:
        told = list(csv.DictReader(file))
    assert len(told) == data.y.sum()
    for cell in told:
        label = data.label_names.index(cell["label"])
        assert found.probabilities_[int(cell["row"]), label] == np.float32(cell["probability"])
    plain = LabelCleaner(**FOREST).fit(data)
    assert (found.probabilities_ != plain.probabilities_).any()


def test_suspects_are_those_of_the_command(crowd, sieve, tmp_path):
    from test_model import write_csv
    X = np.array(crowd.X)
    write_csv(tmp_path / "crowd.csv", X, crowd.y.toarray(), crowd.label_names)
    subprocess.run([sieve, "clean", tmp_path / "crowd.csv", "--method", "forest", "--set", "trees=30",
                    "--suspects", tmp_path / "s.csv", "--quiet"], check=True, capture_output=True)
    expected = [(int(row["row"]), row["label"], np.float32(row["probability"]))
                for row in csv.DictReader(open(tmp_path / "s.csv"))]
    found = LabelCleaner(**FOREST).fit(X, crowd.y, label_names=crowd.label_names).suspects()
    assert [(row, label, np.float32(value)) for row, label, value in
            found.itertuples(index=False)] == expected


def test_an_expert_is_heeded(ticked):
    truth = ticked.truth.toarray()
    gold = [(i, k, truth[i, k]) for i in range(60) for k in range(6)]
    plain, taught = (LabelCleaner(**FOREST).fit(ticked, gold=one) for one in (None, gold))
    assert (plain.probabilities_ != taught.probabilities_).any()
    with pytest.raises(LabelSieveError, match="no label 9"):
        LabelCleaner(**FOREST).fit(ticked, gold=[(0, 9, 1)])
    with pytest.raises(LabelSieveError, match="0 or 1"):
        LabelCleaner(**FOREST).fit(ticked, gold=[(0, 1, 5)])


def test_an_expert_is_heeded_without_votes_too(crowd):
    truth = crowd.truth.toarray()
    gold = [(i, k, truth[i, k]) for i in range(60) for k in range(6)]
    plain, taught = (LabelCleaner(**FOREST).fit(crowd, gold=one) for one in (None, gold))
    assert (plain.probabilities_ != taught.probabilities_).any()


def test_one_class_per_row_can_be_wrong():
    """A training set with one noisy column of labels: three groups, every tenth row of another name."""
    random = np.random.default_rng(5)
    right = np.arange(300) % 3
    X = random.normal(size=(300, 4)) + 4 * np.eye(3, 4)[right]
    wrong = np.arange(300) % 10 == 0
    y = np.array(["ant", "bee", "cow"])[np.where(wrong, (right + 1) % 3, right)]
    for given in (y, pandas.Series(y, dtype="category"), y.tolist()):
        worst = LabelCleaner(**FOREST).fit(X, given).suspects(30)
        assert (worst.label == y[worst.row]).all()
        assert wrong[worst.row].sum() >= 27
    with pytest.raises(labelsieve.DataError, match="not whole"):
        LabelCleaner(**FOREST).fit(X, X[:, 0])


def test_suspects_are_called_as_in_the_tables(crowd):
    X = pandas.DataFrame(np.array(crowd.X), index=[f"r{row}" for row in range(300)])
    y = pandas.DataFrame(crowd.y.toarray(), columns=range(10, 16), index=X.index).astype("Int64")
    worst = LabelCleaner(**FOREST).fit(X, y).suspects(20)
    assert all(y.at[one.id, one.label] == 1 and X.index[one.row] == one.id for one in worst.itertuples())
    with pytest.warns(UserWarning, match="same index in another order"):
        LabelCleaner(**FOREST).fit(X, y[::-1])
    with pytest.raises(labelsieve.DataError, match="some are NaN"):
        LabelCleaner(**FOREST).fit(X, y.where(y == 1))


def test_data_brings_its_own_candidates(crowd):
    for more in ({"y": crowd.y}, {"votes": [(0, 0, 0)]}, {"label_names": list("abcdef")}):
        with pytest.raises(TypeError, match=f"'{next(iter(more))}' for data"):
            LabelCleaner(**FOREST).fit(crowd, **more)
    with pytest.raises(TypeError, match="method is a text"):
        LabelCleaner(None).fit(crowd)


def test_there_must_be_something_to_clean(crowd):
    with pytest.raises(ValueError, match="nothing to clean"):
        LabelCleaner(**FOREST).fit(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="NaN"):
        LabelCleaner(**FOREST).fit(np.full((3, 2), np.nan), np.ones((3, 2)))
    with pytest.raises(LabelSieveError, match="oracle"):
        LabelCleaner("oracle").fit(crowd)


def test_without_pandas_tables_are_lists(ticked, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    cleaner = LabelCleaner(**FOREST).fit(ticked)
    assert isinstance(cleaner.annotators_, list) and {"row", "label", "probability"} == \
        set(cleaner.suspects(1)[0])


@pytest.mark.parametrize("folds", [-1, 0, 1, 2**70])
def test_impossible_numbers_of_folds_are_refused(crowd, folds):
    with pytest.raises(labelsieve.UsageError, match="folds"):
        LabelCleaner(**FOREST, folds=folds).fit(crowd)


@pytest.mark.parametrize("threshold", [float("nan"), -0.1, 1.5])
def test_a_threshold_is_a_confidence(crowd, threshold):
    with pytest.raises(labelsieve.UsageError, match="threshold"):
        LabelCleaner(**FOREST, threshold=threshold).fit(crowd)


def test_names_are_ignored_where_rows_have_one_annotation():
    data = labelsieve.make_crowd(rows=250, labels=6, votes=True, annotators_per_row=1, seed=3)
    with pytest.warns(UserWarning, match="250 of 250 rows have one annotation"):
        named = LabelCleaner(**FOREST).fit(data)
    assert named.annotators_ is None and named.missing_ is None
    nameless = LabelCleaner(**FOREST).fit(data.X, data.y)
    assert (named.probabilities_ == nameless.probabilities_).all()
    assert (named.labels_ == nameless.labels_).all()
    model = labelsieve.train(data, **FOREST)
    assert (model.scores(data.X) == labelsieve.train(data.X, data.y, **FOREST).scores(data.X)).all()


@pytest.mark.parametrize("flags, options", [([], {}), (["--for", "f1"], {"threshold": "f1"}),
                                            (["--for", "hamming"], {"threshold": "hamming"}),
                                            (["--threshold", "0.3"], {"threshold": 0.3})])
@pytest.mark.parametrize("votes", [True, False])
def test_the_labels_that_are_kept_are_those_of_the_command(sieve, tmp_path, votes, flags, options):
    rows, ticks, out = tmp_path / "rows.csv", tmp_path / "ticks.csv", tmp_path / "out.csv"
    subprocess.run([sieve, "synth", "--rows", "150", "--labels", "6", "--out", rows, "--annotations",
                    ticks], check=True, capture_output=True)
    more = ["--annotations", ticks] if votes else []
    subprocess.run([sieve, "clean", rows, *more, "--method", "forest", "--set", "trees=30", "--out", out,
                    "--quiet", *flags], check=True, capture_output=True)
    data = labelsieve.read(rows, annotations=ticks) if votes else labelsieve.read(rows)
    cleaner = LabelCleaner(**FOREST, **options).fit(data)
    assert (cleaner.labels_ == labelsieve.read(out).y.toarray()).all()
    assert 0 < cleaner.threshold_ < 1
    with pytest.raises(labelsieve.UsageError, match="beauty"):
        LabelCleaner(**FOREST, threshold="beauty").fit(data)


def test_missing_labels_are_looked_for_without_votes_on_request(crowd):
    assert LabelCleaner(**FOREST).fit(crowd).missing_ is None
    found = LabelCleaner(**FOREST, missing=0.2).fit(crowd).missing_
    assert found is not None and (found.probability >= 0.5).all()
    with pytest.raises(labelsieve.UsageError, match="missing"):
        LabelCleaner(**FOREST, missing=2).fit(crowd)


def test_nothing_is_claimed_of_labels_that_every_row_has():
    data = labelsieve.make_crowd(rows=200, labels=5)  # every row has all five
    cleaner = LabelCleaner(**FOREST).fit(data)
    assert cleaner.noise_claim_ is None and cleaner.noise_claims_ == [None] * 5
    assert np.isnan(cleaner.noise_rates_).all() and cleaner.report_["estimated_noise"] is None
    assert "every row has the label" in cleaner.report_["not_claimed"]
    truth = data.truth.toarray()
    gold = [(i, k, truth[i, k]) for i in range(40) for k in range(5)]
    assert LabelCleaner(**FOREST).fit(data, gold=gold).noise_claim_ is not None
