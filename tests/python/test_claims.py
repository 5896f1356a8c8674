import json
import pickle
import subprocess

import numpy as np
import pandas
import pytest

import labelsieve
from labelsieve import LabelCleaner


@pytest.fixture
def files(sieve, tmp_path):
    rows, votes = tmp_path / "r.csv", tmp_path / "a.csv"
    subprocess.run([sieve, "synth", "--rows", "200", "--labels", "5", "--out", rows, "--annotations",
                    votes], check=True, capture_output=True)
    return rows, votes


def answered(asked, data):
    truth, questions = data.truth.toarray(), asked.questions
    place = {name: number for number, name in enumerate(data.ids or map(str, range(len(data))))}
    questions["answer"] = [truth[place[one.id], data.label_names.index(one.label)]
                           for one in questions.itertuples()]
    return questions


def test_an_audit_asks_and_proves_what_the_command_does(sieve, files, tmp_path):
    rows, votes = files
    listed, written = tmp_path / "list.csv", tmp_path / "c.json"
    told = [sieve, "audit", rows, "--annotations", votes]
    subprocess.run([*told, "--list", listed, "--answer-from-truth", "--budget", "80"], check=True,
                   capture_output=True)
    data = labelsieve.read(rows, annotations=votes, all_annotations=True)
    asked = labelsieve.audit(data, budget=80)
    expected = pandas.read_csv(listed, dtype=str)
    found = answered(asked, data).astype(str)
    assert found.columns.tolist() == expected.columns.tolist()
    assert (found.to_numpy() == expected.to_numpy()).all()
    report = subprocess.run([*told, "--answers", listed, "--accept", "precision >= 0.01", "--json"],
                            check=True, capture_output=True, text=True).stdout
    result = asked.result(listed, accept=["precision >= 0.01"])
    report = json.loads(report)
    assert all(report[key] == value for key, value in result.report.items() if key != "data")
    assert result.goals == {"precision >= 0.01": "yes"}
    claim = result.claims["precision"]
    assert claim.basis == "audit" and claim.low <= claim.value <= claim.high and claim.decisions
    assert str(claim) == claim.text == claim["text"] and "precision" in str(result)
    asked.certificate(listed, written)
    subprocess.run([sieve, "audit", "verify", written, rows, "--annotations", votes], check=True,
                   capture_output=True)
    assert labelsieve.verify(written, data) == []


def test_cleaned_labels_can_be_audited(ticked):
    cleaner = LabelCleaner("forest", options={"trees": 20}).fit(ticked)
    asked = labelsieve.audit(ticked, cleaner.labels_, probabilities=cleaner.probabilities_,
                             budget=60, twice=0, random_state=5)
    answers = answered(asked, ticked)
    result = asked.result(answers.sample(frac=1, random_state=1))
    assert result.report == asked.result(answers["answer"].tolist()).report
    certificate = asked.certificate(answers)
    assert labelsieve.verify(certificate, ticked, cleaner.labels_,
                             probabilities=cleaner.probabilities_) == []
    assert labelsieve.verify(certificate, ticked, probabilities=cleaner.probabilities_)


def test_answers_that_do_not_fit_are_refused(ticked, tmp_path):
    asked = labelsieve.audit(ticked, budget=30)
    answers = answered(asked, ticked)
    for wrong, why in ((answers.assign(answer="maybe"), "not an answer"),
                       (answers.assign(id="nobody"), "was not asked"),
                       (answers.assign(audit="v1"), "another audit"),
                       (pandas.concat([answers, answers]), "answered twice"),
                       (answers.drop(columns="label"), "'label'"), ([1, 0], "30|questions")):
        with pytest.raises(labelsieve.DataError, match=why):
            asked.result(wrong)
    with pytest.raises(labelsieve.DataError):
        asked.result(answers.assign(answer=""))
    with pytest.raises(labelsieve.UsageError, match="level"):
        asked.result(answers, level=1.5)
    with pytest.raises(labelsieve.UsageError):
        asked.result(answers, accept=["beauty >= 1"])
    for wrong in ({"budget": 0}, {"ask_about": "nothing"}, {"twice": -1}):
        with pytest.raises(labelsieve.UsageError):
            labelsieve.audit(ticked, **wrong)
    with pytest.raises(labelsieve.DataError, match="probabilit"):
        labelsieve.audit(ticked, probabilities=np.full(ticked.y.shape, 7.0))
    with pytest.raises(labelsieve.DataError):
        labelsieve.audit(ticked, probabilities=np.zeros((2, 2)))
    with pytest.raises(labelsieve.DataError, match="not a certificate"):
        labelsieve.verify("{}", ticked)
    (tmp_path / "there").write_text("kept")
    with pytest.raises(FileExistsError):
        asked.certificate(answers, tmp_path / "there")


def test_tables_of_labels_meet_the_data_by_name(files):
    rows, votes = files
    data = labelsieve.read(rows, annotations=votes)
    believed = labelsieve.aggregate(votes)
    in_order = believed.loc[list(map(str, range(200))), data.label_names].to_numpy()
    plain = labelsieve.audit(data, in_order >= 0.5, probabilities=in_order, budget=40)
    mixed = believed.sample(frac=1, random_state=1)[believed.columns[::-1]]
    named = labelsieve.audit(data, mixed >= 0.5, probabilities=mixed, budget=40)
    assert named.questions.equals(plain.questions)
    for other, what in (({"columns": {believed.columns[0]: "other"}}, "the columns of labels"),
                        ({"index": {believed.index[0]: "other"}}, "the index of labels")):
        with pytest.raises(labelsieve.DataError, match=what):
            labelsieve.audit(data, (believed >= 0.5).rename(**other), budget=40)


def test_an_audit_goes_on_after_pickling_and_takes_columns_of_any_name(ticked):
    table = pandas.DataFrame([(row, ticked.annotators[who], ticked.label_names[what])
                              for row, who, what in ticked.votes], columns=["task", "worker", "tag"])
    asked = labelsieve.audit(table, budget=30, item="task", annotator="worker", label="tag")
    again = pickle.loads(pickle.dumps(asked))
    assert again.questions.equals(asked.questions) and "questions" in repr(again)
    answers = [1] * len(asked.questions)
    one, other = (each.result(answers, accept="precision >= 0.1") for each in (asked, again))
    assert one.report == other.report and one.goals == {"precision >= 0.1": "yes"}
    certificate = asked.certificate(answers).encode()
    assert labelsieve.verify(certificate, table, item="task", annotator="worker", label="tag") == []


def test_claims_of_a_cleaner_are_objects_that_read_as_dicts_too(crowd):
    claim = LabelCleaner("forest", options={"trees": 20}).fit(crowd).noise_claim_
    assert isinstance(claim, labelsieve.Claim) and claim.basis == claim["basis"] == "guess"
    assert claim.decisions is None
    with pytest.raises(KeyError):
        claim["nothing"]


def test_a_third_person_settles_what_two_decided_differently(sieve, files, tmp_path):
    rows, votes = files
    data = labelsieve.read(rows, annotations=votes, all_annotations=True)
    asked = labelsieve.audit(data, budget=60, twice=3)
    answers = answered(asked, data)
    assert len(asked.conflicts(answers)) == 0
    second = answers.index[answers["pass"] == 2][:4]
    answers.loc[second, "answer"] = 1 - answers.loc[second, "answer"].astype(int)
    open_ones = asked.conflicts(answers)
    assert open_ones.columns.tolist() == asked.questions.columns.tolist()
    assert open_ones["pass"].tolist() == [3] * 4
    assert set(zip(open_ones.id, open_ones.label)) == \
        set(zip(answers.id[second], answers.label[second]))
    whole = pandas.concat([answers, open_ones.assign(answer=1)])
    whole.to_csv(tmp_path / "list.csv", index=False)
    report = asked.result(whole).report
    assert report["reviewers"] != asked.result(answers).report["reviewers"]
    told = json.loads(subprocess.run([sieve, "audit", rows, "--annotations", votes, "--answers",
                                      tmp_path / "list.csv", "--json"], check=True,
                                     capture_output=True, text=True).stdout)
    assert told["reviewers"] == report["reviewers"]
    assert labelsieve.verify(asked.certificate(whole), data) == []
    with pytest.raises(labelsieve.DataError, match="answered twice"):
        asked.result(pandas.concat([whole, open_ones.assign(answer=1)]))


def test_whole_rows_are_audited_as_by_the_command(sieve, files, tmp_path):
    rows, votes = files
    listed = tmp_path / "list.csv"
    told = [sieve, "audit", rows, "--annotations", votes]
    subprocess.run([*told, "--list", listed, "--answer-from-truth", "--ask-about", "rows", "--budget",
                    "40"], check=True, capture_output=True)
    data = labelsieve.read(rows, annotations=votes, all_annotations=True)
    asked = labelsieve.audit(data, budget=40, ask_about="rows")
    answers = answered(asked, data)
    assert (answers.astype(str).to_numpy() == pandas.read_csv(listed, dtype=str).to_numpy()).all()
    report = json.loads(subprocess.run([*told, "--answers", listed, "--json"], check=True,
                                       capture_output=True, text=True).stdout)
    result = asked.result(answers, accept="perfect >= 0.5")
    assert list(result.claims) == ["perfect"]
    assert result.report["claims"] == report["claims"] and "perfect >= 0.5" in result.goals
    assert labelsieve.verify(asked.certificate(answers), data) == []
    with pytest.raises(labelsieve.UsageError, match="label by label"):
        labelsieve.audit(data, ask_about="rows", per_label=True)


def test_labels_of_each_annotator_are_judged_as_by_the_command(sieve, files, tmp_path):
    rows, votes = files
    data = labelsieve.read(rows, annotations=votes, all_annotations=True)
    asked = labelsieve.audit(data, budget=300)
    answers = answered(asked, data)
    answers.to_csv(tmp_path / "list.csv", index=False)
    told = json.loads(subprocess.run([sieve, "audit", rows, "--annotations", votes, "--answers",
                                      tmp_path / "list.csv", "--per-annotator", "--json"], check=True,
                                     capture_output=True, text=True).stdout)
    found = asked.result(answers, per_annotator=True)
    assert found.report["annotator_claims"] == told["annotator_claims"]
    table = found.annotators
    assert table.columns.tolist() == ["annotator", "decisions", "wrong", "wrong_low", "wrong_high"]
    assert table.annotator.tolist() == data.annotators
    claimed = table[table.decisions >= 20]
    assert len(claimed) and (claimed.wrong_low <= claimed.wrong).all()
    assert asked.result(answers).annotators is None


@pytest.mark.parametrize("level", [0, 1, 2, -1])
def test_a_level_that_is_no_share_is_refused(ticked, level):
    asked = labelsieve.audit(ticked, budget=20)
    with pytest.raises(labelsieve.UsageError, match="level"):
        asked.result([1] * len(asked.questions), level=level)


def test_labels_alone_can_be_audited():
    labels = pandas.DataFrame({"cat": [1, 0, 1, 1] * 10, "dog": [0, 1, 1, 0] * 10},
                              index=[f"p{number}" for number in range(40)]) == 1
    asked = [labelsieve.audit(given, budget=20) for given in (labels, labels.to_numpy())]
    named, plain = [one.questions for one in asked]
    assert set(named.label) == {"cat", "dog"} and named.id[0].startswith("p")
    assert [f"p{number}" for number in plain.id] == named.id.tolist()
    result = asked[0].result([1] * len(named))
    assert result.claims["precision"].value <= 1
    assert labelsieve.verify(asked[0].certificate([1] * len(named)), labels) == []
    with pytest.raises(labelsieve.DataError, match="labels are 0 or 1"):
        labelsieve.audit(labels.astype(float) + 0.5)
