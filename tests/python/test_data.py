import inspect
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas
import pytest

import labelsieve
from labelsieve import Data, DataError, FileError, _library


def test_a_data_set_gives_back_what_it_was_made_of(ticked):
    again = Data(ticked.X, ticked.y, truth=ticked.truth, votes=ticked.votes, looked=ticked.looked,
                 annotators=ticked.annotators, label_names=ticked.label_names)
    for one in (again, pickle.loads(pickle.dumps(ticked))):
        assert one.shape == ticked.shape and len(one) == 250
        assert (one.X == ticked.X).all() and (one.y != ticked.y).nnz == 0
        assert (one.truth != ticked.truth).nnz == 0
        assert (one.votes == ticked.votes).all() and (one.looked == ticked.looked).all()
        assert one.annotators == ticked.annotators and one.label_names == ticked.label_names
    assert "votes" in repr(again)


def test_unsure_votes_are_neither_yes_nor_no_and_survive_pickling():
    # The second annotator ticks label 1 and is unsure of label 0, in the second row of it alone.
    data = Data(None, votes=[(0, 0, 0), (0, 1, 0), (0, 1, 1)], unsure=[(0, 1, 1), (1, 1, 0)],
                looked=[(1, 0)], ids=["a", "b"])
    for one in (data, pickle.loads(pickle.dumps(data))):
        assert one.unsure.tolist() == [[0, 1, 1], [1, 1, 0]]
        assert one.votes.tolist() == [[0, 0, 0], [0, 1, 0]] and len(one.looked) == 4
    share = labelsieve.aggregate(data, how="share")
    assert share.to_numpy().tolist() == [[1, 0], [0, 0]]
    assert Data(None, votes=[(0, 0, 0)], looked=[(0, 1)]).unsure is None
    with pytest.raises(DataError, match="unsure votes have 3 columns"):
        Data(None, votes=[(0, 0, 0)], unsure=[(0, 1)])


def test_grades_of_ticks_survive_pickling(tmp_path):
    data = Data(None, votes=[(0, 0, 0), (0, 1, 0), (1, 0, 1)], grades=[2, 0, 1])
    for one in (data, pickle.loads(pickle.dumps(data))):
        assert one.grades.tolist() == [2, 0, 1]
    assert Data(None, votes=[(0, 0, 0)]).grades is None
    for wrong in ([1], [1, 2, -1], [1, 2, 256]):
        with pytest.raises(DataError, match="grades are a number from 0 to 255 for each tick"):
            Data(None, votes=[(0, 0, 0), (0, 1, 0), (1, 0, 1)], grades=wrong)
    table = pandas.DataFrame([("a", "p", "sea")], columns=["item", "annotator", "label"])
    with pytest.raises(DataError, match="grades go with votes that are arrays"):
        Data(None, votes=table, grades=[1])
    (tmp_path / "t.csv").write_text("id,annotator,label,rating\na,p,sea,3\na,q,sea,1\n")
    read = labelsieve.read(annotations=tmp_path / "t.csv", vote_scale="0-3")
    assert read.grades.tolist() == [2, 0]


def test_programs_and_groups_count_once_and_survive_pickling(ticked, tmp_path):
    who = {"programs": ticked.annotators[:3], "groups": dict.fromkeys(ticked.annotators[3:5], "team")}
    table = pandas.DataFrame([(row, ticked.annotators[who], ticked.label_names[what])
                              for row, who, what in ticked.votes], columns=["item", "annotator", "label"])
    table.to_csv(tmp_path / "votes.csv", index=False)
    (tmp_path / "groups.csv").write_text("annotator,group\n" + "".join(
        f"{name},team\n" for name in ticked.annotators[3:5]))
    read = labelsieve.read(annotations=tmp_path / "votes.csv", annotator_groups=tmp_path / "groups.csv",
                           annotator_kind=[f"{name}=program" for name in who["programs"]])
    expected, plain = labelsieve.aggregate(read), labelsieve.aggregate(table)
    assert (expected.to_numpy() != plain.to_numpy()).any()
    for one in (Data(None, votes=table, **who), pickle.loads(pickle.dumps(read)),
                Data(None, votes=read.votes, looked=read.looked, annotators=read.annotators, **who)):
        assert (labelsieve.aggregate(one).to_numpy() == expected.to_numpy()).all()
        assert set(one.programs) == set(who["programs"])
        first, second, *others = (one.groups[name] for name in ticked.annotators[3:5] + one.programs)
        assert first == second and set(others) == {others[0]} != {first}
    with pytest.raises(DataError, match="'z' is none of the annotators"):
        Data(None, votes=read.votes, annotators=read.annotators, programs=["z"])


def test_data_has_a_name_for_reports(ticked):
    named = Data(ticked.X, ticked.y, name="yeast")
    assert pickle.loads(pickle.dumps(named)).name == named.name == "yeast"
    assert Data(ticked.X, ticked.y).name == "the data"
    asked = labelsieve.audit(named, budget=10)
    assert '"name":"yeast"' in asked.certificate([1] * len(asked.questions))


def test_a_table_of_votes_is_not_called_after_a_file():
    table = pandas.DataFrame({"item": ["a", "b"], "annotator": ["x", "y"], "label": ["p", "P"]})
    data = Data(None, votes=table)
    assert data.name == "votes" and data.notes and all("the table of votes" in note for note in data.notes)


def test_arrays_outlive_the_data_they_came_from():
    X = labelsieve.make_crowd(rows=100, seed=5).X
    copy = labelsieve.make_crowd(rows=100, seed=5)
    assert (X == copy.X).all()
    with pytest.raises(ValueError, match="read-only"):
        X[0, 0] = 1


def test_sparse_features_come_as_csr():
    data = labelsieve.make_crowd(rows=100, features=500, entries=10)
    assert data.X.shape == (100, 500) and data.X.nnz <= 1000
    assert (Data(data.X, data.y).X != data.X).nnz == 0


def test_votes_make_candidates():
    X = np.zeros((3, 2))
    ticks = [(0, 0, 1), (0, 1, 0), (2, 1, 1)]
    for votes in (ticks, np.array(ticks), tuple(np.array(ticks).T), pandas.DataFrame(ticks)):
        data = Data(X, votes=votes, looked=[(1, 0)])
        assert data.y.toarray().tolist() == [[1, 1], [0, 0], [0, 1]]
        assert data.looked.tolist() == [[0, 0], [0, 1], [1, 0], [2, 1]]
    assert Data(X, votes=ticks, label_names=["a", "b", "c"]).shape == (3, 2, 3)


@pytest.mark.parametrize("parts, message", [
    ({"votes": [(3, 0, 0)]}, "no row 3"),
    ({"votes": [(0, -1, 0)]}, "no annotator -1"),
    ({"votes": [(0, 0, 2)]}, "no label 2"),
    ({"votes": [(0, 0)]}, "3 columns"),
    ({"votes": [(0, 0, 0.5)]}, "whole numbers"),
    ({"y": [[1, 2]] * 3}, "0 or 1"),
    ({"y": [[1, 0]] * 2}, "rows"),
    ({"y": np.array([["a", "b"]] * 3)}, "0 or 1"),
    ({"label_names": ["a"]}, "1 names"),
    ({"label_names": ["a", "a"]}, "a"),
    ({"ids": ["x", "x", "y"]}, "x"),
    ({"X": np.zeros((3, 2), "datetime64[s]")}, "numbers"),
    ({"X": np.zeros(3)}, "dimensions"),
    ({"X": np.zeros((3, 2, 1))}, "dimensions"),
])
def test_parts_that_do_not_fit_are_refused(parts, message):
    whole = {"X": np.zeros((3, 2)), "y": [[1, 0]] * 3, **parts}
    with pytest.raises(DataError, match=message):
        Data(**whole)


def test_reads_files_with_notes(tmp_path):
    (tmp_path / "t.csv").write_text("id,a,b,x,y\nr1,1,2,0,1\nr2,3,4,1,1\n")
    data = labelsieve.read(tmp_path / "t.csv", label_names=["x", "y"])
    assert data.shape == (2, 2, 2) and data.ids == ["r1", "r2"]
    assert data.feature_names == ["a", "b"] and any("id" in note for note in data.notes)
    assert labelsieve.inspect(tmp_path / "t.csv", label_count=-2)["rows"] == 2


def test_reads_unsure_votes_grades_and_programs(tmp_path):
    (tmp_path / "t.csv").write_text(
        "id,annotator,label,rating\na,p,sea,3\na,q,sea,unsure\nb,p,sky,0\nb,q,sky,1\n")
    (tmp_path / "bert.csv").write_text("id,sea,sky\na,0.9,0.1\nb,0.2,0.7\n")
    data = labelsieve.read(annotations=tmp_path / "t.csv", vote_scale="0-3",
                           program_scores=[str(tmp_path / "bert.csv")], annotator_kind="q=program")
    votes = labelsieve.inspect(data)["votes"]
    assert votes["unsure"] == 1
    assert [one["program"] for one in votes["people"]] == [False, True, True]
    with pytest.raises(DataError, match="outside the scale"):
        labelsieve.read(annotations=tmp_path / "t.csv", vote_scale="0-2")


def test_hints_say_what_to_type(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,x,y\n1,2,0,1\n3,4,1,1\n")
    with pytest.raises(DataError) as caught:
        labelsieve.read(tmp_path / "t.csv")
    assert "label_names, label_prefix, label_count or label_column" in caught.value.hint
    (tmp_path / "a.csv").write_text("item,annotator,label\na,x,N/A\nb,y,None\n")
    with pytest.raises(DataError) as caught:
        labelsieve.read(annotations=tmp_path / "a.csv")
    assert 'empty_words="n/a,none"' in caught.value.hint
    with pytest.raises(TypeError, match="did you mean 'label_count'"):
        labelsieve.read(tmp_path / "t.csv", label_cout=2)
    with pytest.raises(FileError) as caught:
        labelsieve.read(tmp_path / "none.csv")
    assert caught.value.exit_code == 5


def test_there_are_words_for_every_term_of_the_command(source):
    table = (source / "apps/sieve/flag_names.cpp").read_text()
    rows = dict(re.findall(r'\{"([^"]+)", "([^"]+)"\}', table))
    assert len(rows) > 10
    for term in rows:
        assert term in _library.WORDS, term


def test_options_of_read_are_flags_of_the_command(sieve):
    told = subprocess.run([sieve, "inspect", "--help"], capture_output=True, text=True, check=True)
    flags = set(re.findall(r"^  --([a-z-]+)", told.stdout, re.M))
    own = {"threads", "json", "quiet", "verbose", "max-memory", "config", "print-config", "roles", "force"}
    assert own < flags
    assert {flag.replace("-", "_") for flag in flags - own} == set(_library.READ_SETTINGS)


def test_signature_and_help_have_every_option():
    for function, known in ((labelsieve.read, _library.READ_SETTINGS),
                            (labelsieve.make_crowd, _library.CROWD_SETTINGS)):
        assert set(known) <= set(inspect.signature(function).parameters)
        for name, row in known.items():
            assert f"{name} : {row['kind']}\n        {row['help']}" in function.__doc__


@pytest.mark.parametrize("script", ["stubs.py", "reference.py"])
def test_types_and_reference_are_those_of_the_library(source, script):
    own = {**os.environ, "LABELSIEVE_LIBRARY": _library.library._name}
    made = subprocess.run([sys.executable, source / "python" / script], capture_output=True, text=True,
                          check=False, env=own)
    assert made.returncode == 0, made.stdout + made.stderr


def test_every_public_name_is_documented_with_an_example():
    for name in labelsieve.__all__:
        thing = getattr(labelsieve, name)
        assert thing.__doc__, name
        if inspect.isclass(thing) and (issubclass(thing, Exception) or name in ("AuditResult", "Page")):
            continue
        assert ">>>" in thing.__doc__, name
        if not inspect.isclass(thing):
            assert "Returns" in thing.__doc__, name
            assert "Parameters" in thing.__doc__ or not inspect.signature(thing).parameters, name


def test_earlier_names_of_options_are_read(tmp_path):
    (tmp_path / "t.csv").write_text("id,text,label:x\nr1,good,0\nr2,bad,1\n")
    (tmp_path / "a.csv").write_text("photo,who,label\nr1,ann,x\nr2,bob,x\n")
    now = labelsieve.read(tmp_path / "t.csv", annotations=tmp_path / "a.csv", item_column="photo",
                          annotator_column="who", text_column="text", char_ngrams=3)
    before = labelsieve.read(tmp_path / "t.csv", ticks=tmp_path / "a.csv", ticks_item="photo",
                             ticks_person="who", text_column="text", text_letters=3)
    assert now.feature_names == before.feature_names and "~" in now.feature_names[0]
    assert np.array_equal(now.votes, before.votes) and now.annotators == ["ann", "bob"]


def test_an_option_given_by_both_of_its_names_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("item,annotator,label\nr1,ann,x\nr2,bob,x\n")
    with pytest.raises(labelsieve.UsageError, match="'ticks' and 'annotations' are one setting"):
        labelsieve.read(ticks=tmp_path / "a.csv", annotations=tmp_path / "a.csv")


def test_options_that_do_not_go_together_are_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,x\n1,0\n2,1\n")
    for options, message in (({"label_count": -1, "label_prefix": "x"}, "label_prefix and label_count"
                              "|label_count and label_prefix"),
                             ({"item_column": "a"}, "item_column needs annotations"),
                             ({"decimal": ",", "thousands": ","}, "decimal and thousands"),
                             ({"label_count": "two"}, "label_count: 'two' is not a whole number"),
                             ({"delimiter": "::"}, "not one character")):
        with pytest.raises(labelsieve.UsageError, match=message):
            labelsieve.read(tmp_path / "t.csv", **options)


def test_wrong_settings_are_refused():
    with pytest.raises(labelsieve.UsageError, match="rows"):
        labelsieve.make_crowd(rows="many")
    with pytest.raises(labelsieve.UsageError, match="setting"):
        labelsieve.make_crowd(colums=3)
