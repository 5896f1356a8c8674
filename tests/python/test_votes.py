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
    assert labelsieve.aggregate(mixed, how="share").loc["2", "y"] == 0.5


@pytest.mark.parametrize("table, why", [
    (pandas.DataFrame({"item": [], "annotator": [], "label": []}), "empty"),
    (pandas.DataFrame({"item": ["a"], "label": ["x"]}), "'annotator'"),
    (pandas.DataFrame({"item": ["a", pandas.NA], "annotator": ["b", "c"], "label": ["x", "y"]}),
     "'item' has 1 empty"),
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


def test_names_that_cannot_be_compared_are_told_of():
    votes = labelsieve.make_crowd(rows=60, votes=True, annotators_per_row=1)
    with pytest.warns(UserWarning, match="names are ignored"):
        labelsieve.aggregate(votes)
