import json
import subprocess

import numpy as np
import pandas
import pytest

import labelsieve


@pytest.fixture
def said(sieve, tmp_path):
    """A table of annotations, and the file that the command reads."""
    file = tmp_path / "a.csv"
    subprocess.run([sieve, "synth", "--rows", "200", "--labels", "5", "--out", tmp_path / "r.csv",
                    "--annotations", file], check=True, capture_output=True)
    return labelsieve.read(annotations=file), file


def frame(data):
    return pandas.DataFrame({"item": [data.ids[row] for row, _, _ in data.votes],
                             "annotator": [data.annotators[one] for _, one, _ in data.votes],
                             "label": [data.label_names[one] for _, _, one in data.votes]})


@pytest.mark.parametrize("how", ["annotators", "dawid-skene", "one-coin", "majority", "share"])
def test_a_table_gives_the_numbers_of_the_command(sieve, said, tmp_path, how):
    table, file = frame(said[0]), tmp_path / "table.csv"
    table.to_csv(file, index=False)
    subprocess.run([sieve, "aggregate", "--annotations", file, "--how", how, "--out",
                    tmp_path / "out.csv"], check=True, capture_output=True)
    found, told = labelsieve.aggregate(table, how=how), pandas.read_csv(tmp_path / "out.csv")
    columns = [name for name in told.columns if name.split(":")[-1] in found.columns]
    assert len(columns) == found.shape[1]
    assert (told[columns].to_numpy(np.float32) == found.to_numpy()).all()
    assert told.iloc[:, 0].astype(str).tolist() == found.index.tolist()


def test_agreement_is_that_of_the_command(sieve, said):
    told = subprocess.run([sieve, "agree", "--annotations", said[1], "--json"], check=True,
                          capture_output=True, text=True).stdout
    told = json.loads(told)
    for key, value in labelsieve.agreement(said[1]).items():
        assert told[key] == value, key


def test_names_may_be_numbers_and_categories_and_the_index_may_repeat(said):
    table = frame(said[0])
    plain = labelsieve.aggregate(table)
    odd = table.rename(columns={"item": "picture", "label": "tag"}).astype({"tag": "category"})
    odd.index = [0] * len(odd)
    found = labelsieve.aggregate(odd, item="picture", label="tag")
    assert (found.to_numpy() == plain.to_numpy()).all()
    mixed = pandas.DataFrame({"item": [1, 1, 2, 2], "annotator": ["ann", 7, "ann", 7],
                              "label": ["x", "x", pandas.NA, "y"]})
    assert labelsieve.aggregate(mixed, how="share").loc[2, "y"] == 0.5


def test_a_cell_may_list_labels(said):
    table = frame(said[0])
    lists = table.groupby(["item", "annotator"], as_index=False, sort=False).agg(label=("label", list))
    lists["label"] = [[*names, None] if i % 3 == 0 else set(names) if i % 3 == 1 else np.array(names)
                      for i, names in enumerate(lists.label)]
    one_each = labelsieve.aggregate(table, how="share")
    listed = labelsieve.aggregate(lists, how="share")
    assert listed.loc[one_each.index].equals(one_each)
    nobody = lists.assign(label=[[None] if item == lists.item[0] else one
                                 for item, one in zip(lists.item, lists.label)])
    assert labelsieve.aggregate(nobody, how="share").loc[lists.item[0]].sum() == 0
    numbers = pandas.DataFrame({"item": ["a", "a"], "annotator": ["x", "y"], "label": [[1, 2], [2]]})
    assert labelsieve.aggregate(numbers, how="share").to_dict("index") == {"a": {1: 0.5, 2: 1.0}}
    X = pandas.DataFrame(np.random.default_rng(1).normal(size=(len(one_each), 2)), index=one_each.index)
    plain, by_lists = (labelsieve.LabelCleaner("forest", options={"trees": 5}, folds=2).fit(X, votes=one)
                       for one in (table, lists))
    assert by_lists.label_names_ == plain.label_names_
    assert (by_lists.probabilities_ == plain.probabilities_).all()


@pytest.mark.parametrize("table, why", [
    (pandas.DataFrame({"item": ["a"], "annotator": ["b"], "label": ["c"]}).set_index("item"),
     "reset_index"),
    (pandas.DataFrame({"item": [], "annotator": [], "label": []}), "empty"),
    (pandas.DataFrame({"item": ["a"], "label": ["x"]}), "'annotator'"),
    (pandas.DataFrame({"item": ["a", pandas.NA], "annotator": ["b", "c"], "label": ["x", "y"]}),
     "'item' has 1 empty"),
    (pandas.DataFrame({"item": ["a", "b"], "annotator": ["b", pandas.NA], "label": ["x", "y"]}),
     "'annotator' has 1 empty"),
    (pandas.DataFrame({"item": ["a", "b"], "annotator": ["b", None], "label": ["x", "y"]}).astype(
        "category"), "'annotator' has 1 empty"),
    (pandas.DataFrame({"item": ["a", "b"], "annotator": ["b", " "], "label": ["x", "y"]}),
     "'annotator' has 1 empty"),
    (pandas.DataFrame({"item": ["a", "b"], "annotator": ["b", "c"], "label": ["N/A", "None"]}),
     "^the table of votes: cannot tell whether"),
])
def test_what_is_no_table_of_votes_is_refused(table, why):
    with pytest.raises(labelsieve.DataError, match=why):
        labelsieve.aggregate(table)


def test_other_mistakes_are_refused(crowd):
    with pytest.raises(TypeError, match="DataFrame"):
        labelsieve.aggregate([1, 2])
    with pytest.raises(labelsieve.DataError, match="who ticked"):
        labelsieve.agreement(crowd)
    votes = labelsieve.make_crowd(rows=50, votes=True)
    with pytest.raises(labelsieve.UsageError, match="vote-of-three"):
        labelsieve.aggregate(votes, how="vote-of-three")
    with pytest.raises(labelsieve.UsageError):
        labelsieve.aggregate(votes, least=0)
    with pytest.raises(TypeError, match="how is a text"):
        labelsieve.aggregate(votes, how=None)
    for work in (labelsieve.aggregate, labelsieve.annotators, labelsieve.ask, labelsieve.agreement,
                 labelsieve.audit, labelsieve.inspect, labelsieve.train):
        with pytest.raises(TypeError, match="no option 'mthod'"):
            work(votes, mthod="forest")


def test_names_that_cannot_be_compared_are_told_of():
    votes = labelsieve.make_crowd(rows=60, votes=True, annotators_per_row=1)
    with pytest.warns(UserWarning, match="names are ignored"):
        labelsieve.aggregate(votes)


@pytest.mark.parametrize("verb, options", [("annotators", {}), ("ask", {"budget": 20}),
                                           ("ask", {"budget": 20, "about": "cells"})])
def test_annotators_and_questions_are_those_of_the_command(sieve, said, tmp_path, verb, options):
    file, table = tmp_path / "table.csv", frame(said[0])
    table.to_csv(file, index=False)
    flags = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    told = json.loads(subprocess.run([sieve, verb, "--annotations", file, "--json", *flags],
                                     check=True, capture_output=True, text=True).stdout)
    found = getattr(labelsieve, verb)(table, **options)
    if verb == "ask":
        assert found.to_dict("records") == told["questions"]
        return
    assert found.annotator.tolist() == [one["annotator"] for one in told["annotators"]]
    assert found.sensitivity.tolist() == [one["sensitivity"]["value"] for one in told["annotators"]]
    for part in ("low", "high", "level", "truth", "basis"):
        assert found[f"false_ticks_{part}"].tolist() == \
            [one["false_ticks"][part] for one in told["annotators"]]
    assert found.confuses.tolist() == [one["confuses"] for one in told["annotators"]]


def test_votes_alone_clean_labels_as_they_do_with_the_command(sieve, said, tmp_path):
    table = frame(said[0])
    cleaner = labelsieve.LabelCleaner().fit(votes=table)
    right = labelsieve.aggregate(table)
    assert cleaner.probabilities_.shape == right.shape
    on = cleaner.probabilities_ > 0
    assert np.allclose(cleaner.probabilities_[on], right.to_numpy()[on], atol=0.05)
    assert cleaner.annotators_ is not None and cleaner.suspects(3).id.isin(table.item).all()
    numbers = labelsieve.LabelCleaner().fit(votes=said[0].votes, looked=said[0].looked,
                                            label_names=said[0].label_names)
    assert numbers.probabilities_.shape[1] == right.shape[1]


def test_votes_by_name_and_features_meet_by_the_index(said):
    data = labelsieve.make_crowd(rows=200, labels=5, votes=True, seed=3)
    names = [f"row {i}" for i in range(200)]
    X = pandas.DataFrame(np.array(data.X), index=names)
    votes = pandas.DataFrame({
        "item": [names[row] for row, _ in data.looked] + [names[row] for row, _, _ in data.votes],
        "annotator": [data.annotators[who] for _, who in data.looked]
                     + [data.annotators[who] for _, who, _ in data.votes],
        "label": [None] * len(data.looked) + [data.label_names[what] for _, _, what in data.votes]})
    plain = labelsieve.LabelCleaner("forest", options={"trees": 20}).fit(data)
    named = labelsieve.LabelCleaner("forest", options={"trees": 20}).fit(
        X, votes=votes.sample(frac=1, random_state=3), label_names=data.label_names)
    assert (plain.labels_ == named.labels_).mean() > 0.99
    gold = pandas.DataFrame({"item": names[:20], "label": data.label_names[0],
                             "true": ["yes", "no"] * 10})
    by_name = labelsieve.LabelCleaner("forest", options={"trees": 20}).fit(
        X, votes=votes, label_names=data.label_names, gold=gold)
    by_number = labelsieve.LabelCleaner("forest", options={"trees": 20}).fit(
        X, votes=votes, label_names=data.label_names,
        gold=[(i, 0, 1 - i % 2) for i in range(20)])
    assert (by_name.probabilities_ == by_number.probabilities_).all()
    classifier = labelsieve.LabelSieveClassifier("forest", options={"trees": 20})
    assert classifier.fit(X, votes=votes, gold=gold).predict(X).shape == (200, 5)
    assert classifier.classes_.tolist() == sorted(data.label_names)


def test_votes_and_gold_that_do_not_fit_are_refused():
    X = pandas.DataFrame(np.eye(4), index=list("abcd"))
    votes = pandas.DataFrame({"item": list("abcd"), "annotator": ["x", "y"] * 2,
                          "label": ["l", "m"] * 2})
    gold = pandas.DataFrame({"item": ["a"], "label": ["l"], "true": [1]})

    def fit(X=X, votes=votes, **more):
        return labelsieve.LabelCleaner("forest", options={"trees": 3}, folds=2).fit(
            X, votes=votes, **more)
    for wrong, why in (({"votes": votes.replace("a", "e")}, "1 item is not in the data: 'e'"),
                       ({"X": X.set_axis(list("aacd"))}, "'a' names two items"),
                       ({"gold": gold.assign(item="z")}, "'z'"),
                       ({"gold": gold.assign(label="z")}, "'z'"),
                       ({"gold": gold.assign(true="perhaps")}, "'true' says 'perhaps'"),
                       ({"gold": gold.assign(true=pandas.NA)}, "1 empty cell\n"),
                       ({"gold": pandas.concat([gold, gold.assign(true=0)])}, "two ways"),
                       ({"gold": gold.rename(columns={"item": "row"})}, "column 'item'"),
                       ({"gold": [("a", "l", 1)]}, "gold cells without names"),
                       ({"votes": votes.rename(columns={"item": "row"})}, "column 'item'"),
                       ({"label_names": ["l"]}, "'m'")):
        with pytest.raises(labelsieve.DataError, match=why):
            fit(**wrong)
    with pytest.raises(ValueError, match="candidates alone"):
        labelsieve.LabelCleaner().fit(None, [[1, 0]])
    for name in ("votes", "gold"):
        with pytest.raises(TypeError, match="not the name of a file"):
            fit(**{name: "file.csv"})
    with pytest.raises(ValueError, match="sample_weight"):
        labelsieve.LabelSieveClassifier("forest").fit(X, votes=votes, sample_weight=[1] * 4)


def test_an_expert_may_contradict_every_vote():
    X = pandas.DataFrame(np.random.default_rng(1).normal(size=(40, 3)), index=range(100, 140))
    votes = pandas.DataFrame([(item, who, "l") for item in X.index for who in "xyz"],
                             columns=["item", "annotator", "label"])
    votes.loc[votes.item % 2 == 0, "label"] = "m"
    gold = pandas.DataFrame({"item": [100, 101], "label": ["m", "l"], "true": [0, 0]})
    plain, taught = (labelsieve.LabelCleaner("forest", options={"trees": 10}, folds=2).fit(
        X, votes=votes, gold=one) for one in (None, gold))
    place = plain.label_names_.index
    for row, label in ((0, place("m")), (1, place("l"))):
        assert taught.probabilities_[row, label] < 0.5 < plain.probabilities_[row, label]


def test_empty_tables_are_refused():
    X = pandas.DataFrame(np.eye(4), index=list("abcd"))
    votes = pandas.DataFrame({"item": list("abcd"), "annotator": ["x", "y"] * 2,
                              "label": ["l", "m"] * 2})
    with pytest.raises(labelsieve.DataError, match="nothing to learn from"):
        labelsieve.LabelCleaner("forest", folds=2).fit(X, votes=votes[:0])
    with pytest.raises(ValueError):
        labelsieve.LabelCleaner("forest", folds=2).fit(X[:0], votes=votes)
    with pytest.raises(ValueError, match="0 sample"):
        labelsieve.LabelSieveClassifier("forest").fit(X[:0], [])
    gold = pandas.DataFrame({"item": [], "label": [], "true": []})
    with_none = labelsieve.LabelSieveClassifier("forest", options={"trees": 3}).fit(
        X, votes=votes, gold=gold)
    without = labelsieve.LabelSieveClassifier("forest", options={"trees": 3}).fit(X, votes=votes)
    assert with_none.model_.to_bytes() == without.model_.to_bytes()


def test_whole_numbers_stay_whole_beside_a_gap():
    votes = pandas.DataFrame({"item": [1, 1, 2, 2], "annotator": [5, 6, 5, 6],
                              "label": [3, 3, np.nan, 4]})
    assert labelsieve.LabelCleaner().fit(votes=votes).labels_.shape == (2, 2)
    found = labelsieve.aggregate(votes, how="share")
    assert found.columns.tolist() == [3, 4] and found.index.tolist() == [1, 2]


@pytest.mark.parametrize("kind", ["category", "string", "mixed", "numbers"])
def test_columns_of_any_kind_give_the_same(said, kind):
    table = frame(said[0])
    plain = labelsieve.aggregate(table, how="share")
    if kind == "mixed":
        places = {name: place for place, name in enumerate(table.annotator.unique())}
        table["annotator"] = [places[one] if places[one] % 2 else one for one in table.annotator]
    elif kind == "numbers":
        table["annotator"] = table.annotator.factorize()[0] + 0.0
    else:
        table = table.astype(kind)
    found = labelsieve.aggregate(table, how="share")
    assert (found.to_numpy() == plain.to_numpy()).all()


def test_names_come_back_as_they_were_given(said):
    """So that what is found can be joined to the caller's own tables."""
    votes = frame(said[0])
    places = {name: place * 10 for place, name in enumerate(votes.item.unique())}
    numbered = votes.assign(item=votes.item.map(places), annotator=votes.annotator.factorize()[0],
                            label=pandas.Categorical(votes.label))
    found, plain = labelsieve.aggregate(numbered), labelsieve.aggregate(votes)
    assert (found.index.name, found.columns.name) == ("item", "label")
    assert found.index.dtype == int and (found.loc[[places[one] for one in plain.index],
                                                   plain.columns].to_numpy() == plain.to_numpy()).all()
    assert len(numbered.merge(found.reset_index(), on="item")) == len(numbered)
    assert set(labelsieve.annotators(numbered).annotator) == set(numbered.annotator)
    assert labelsieve.ask(numbered, budget=5).id.isin(numbered.item).all()
    cleaner = labelsieve.LabelCleaner().fit(votes=numbered)
    assert cleaner.suspects(5).id.isin(numbered.item).all()
    assert set(cleaner.annotators_.annotator) == set(numbered.annotator)


def test_one_annotator_written_in_two_ways_is_one():
    """Parts of a file that pandas read as numbers, numbers with gaps and texts."""
    votes = pandas.DataFrame({"item": list("abc") * 2, "annotator": [7, "7", 7.0, 8, "8", 8.0],
                              "label": ["x"] * 3 + ["x", "y", "x"]}, dtype=object)
    assert sorted(labelsieve.annotators(votes).annotator.tolist()) == [7, 8]


def test_a_name_with_commas_quotes_and_lines_stays_one_name():
    odd = ['a "b", c', "two\nlines", "ünï\u2028cödé", "=SUM(A1)"]
    table = pandas.DataFrame({"item": odd * 2, "annotator": ["x"] * 4 + ["y, z"] * 4,
                              "label": ["l,1", "m|2"] * 4})
    found = labelsieve.aggregate(table, how="share")
    assert found.columns.tolist() == ["l,1", "m|2"]
    assert found.shape[0] == 4 and set(found.index) >= {'a "b", c', "=SUM(A1)"}


class Elsewhere:
    """A table of another package, such as polars."""

    def __init__(self, table):
        self.columns, self._table = list(table.columns), table

    def __getitem__(self, name):
        return self._table[name].tolist()

    def __len__(self):
        return len(self._table)


SAID = pandas.DataFrame({"item": ["a", "a", "b", "b"], "annotator": ["p", "q"] * 2,
                         "label": ["x", "x", "y", "x"]})


@pytest.mark.parametrize("worker", ["worker", "performer"])
def test_the_columns_of_crowdkit_are_known(worker):
    theirs = SAID.rename(columns={"item": "task", "annotator": worker})
    wanted = labelsieve.aggregate(SAID, how="share")
    assert labelsieve.aggregate(theirs, how="share").equals(wanted)
    assert labelsieve.aggregate(theirs, how="share", item="task", annotator=worker).equals(wanted)
    assert labelsieve.annotators(theirs).equals(labelsieve.annotators(SAID))
    cleaner = labelsieve.LabelCleaner().fit(votes=theirs)
    assert cleaner.suspects().equals(labelsieve.LabelCleaner().fit(votes=SAID).suspects())
    with pytest.raises(labelsieve.DataError, match="needs one column 'annotator'"):
        labelsieve.aggregate(theirs.assign(worker=1, performer=2))


def test_tables_of_other_packages_are_taken_as_those_of_pandas():
    wanted = labelsieve.aggregate(SAID, how="share")
    assert labelsieve.aggregate(Elsewhere(SAID), how="share").equals(wanted)
    X = np.arange(40, dtype=float).reshape(20, 2)
    y = pandas.DataFrame({"u": [0, 1] * 10, "v": [1, 0, 0, 0, 1] * 4})
    gold = pandas.DataFrame({"item": [3], "label": ["u"], "true": [0]})
    fitted = [labelsieve.ForestClassifier(trees=5).fit(X, kind(y), gold=kind(gold))
              for kind in (Elsewhere, pandas.DataFrame)]
    assert fitted[0].classes_.tolist() == ["u", "v"]
    assert fitted[0].model_.to_bytes() == fitted[1].model_.to_bytes()
    asked = labelsieve.audit(labelsieve.Data(X, y), budget=5, twice=0)
    answers = asked.questions.assign(answer=1)
    assert asked.result(Elsewhere(answers)).report == asked.result(answers).report


def test_a_table_with_a_column_for_each_annotator_is_refused_with_the_way_out():
    wide = pandas.DataFrame({"item": ["a", "b"], "p": ["x", "y"], "q": ["x", None]})
    with pytest.raises(labelsieve.DataError, match="melt") as refused:
        labelsieve.aggregate(wide)
    assert "var_name='annotator'" in refused.value.hint
    long = wide.melt("item", var_name="annotator", value_name="label").dropna()
    assert labelsieve.aggregate(long, how="share").loc["b", "y"] == 1


def test_what_is_no_table_of_votes_is_refused_with_the_way_to_read_it(tmp_path):
    with pytest.raises(TypeError, match=r"labelsieve.read\(annotations='a.json'\) reads one"):
        labelsieve.LabelCleaner().fit(votes="a.json")
    with pytest.raises(TypeError, match=r"labelsieve.read\('a.csv'\) reads one"):
        labelsieve.LabelCleaner().fit("a.csv")
    with pytest.raises(labelsieve.DataError, match="Label Studio"):
        labelsieve.aggregate(pandas.DataFrame({"id": [1], "data": [{}], "annotations": [[]]}))
    with pytest.raises(TypeError, match="not DataFrame"):
        labelsieve.open(SAID)


def test_names_may_be_bytes():
    found = labelsieve.aggregate(SAID.assign(label=SAID.label.str.encode("utf-8")), how="share")
    assert found.columns.tolist() == [b"x", b"y"]
