import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

import labelsieve
from labelsieve import (BlendClassifier, ForestClassifier, MlpClassifier, MlpNoiseClassifier,
                        PmlGanClassifier)

NETWORK = {"members": 1, "width": 32, "batch": 8, "learning_rate": 0.01, "epochs": 12,
           "n_jobs": 1}
QUICK = [BlendClassifier(trees=10, width=16, epochs=5, n_jobs=1), MlpClassifier(**NETWORK),
         MlpNoiseClassifier(**NETWORK), PmlGanClassifier(**NETWORK),
         ForestClassifier(trees=5, n_jobs=1)]


CHECKS = [pytest.param(estimator, check, id=f"{type(estimator).__name__}-{number}")
          for estimator in QUICK
          for number, (_, check) in enumerate(check_estimator(estimator, generate_only=True))]


@pytest.mark.parametrize("estimator, check", CHECKS)
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_parameters_are_the_options_of_the_method(crowd):
    for estimator in QUICK:
        known = {one["key"].replace("-", "_"): one
                 for one in labelsieve.methods()[estimator._name]["options"]}
        fresh = type(estimator)()
        assert set(fresh.get_params()) == {*known, "random_state", "n_jobs", "verbose"}
        assert fresh._settings() == {}, "defaults are those of the library"
    classifier = ForestClassifier(trees=7, random_state=3).fit(crowd.X, crowd.y)
    plain = labelsieve.train(crowd.X, crowd.y, method="forest", options={"trees": 7}, random_state=3)
    assert classifier.model_.to_bytes() == plain.to_bytes()
    assert isinstance(classifier.get_params()["trees"], int)


def test_parameters_can_be_searched(arrays):
    search = GridSearchCV(ForestClassifier(n_jobs=1), {"trees": [2, 9], "splits": ["best", "extra"]},
                          cv=2, scoring="f1_micro").fit(*arrays)
    assert search.best_params_["trees"] in (2, 9)


def test_parameters_that_make_no_sense_are_refused(arrays):
    for wrong, why in ((ForestClassifier(trees=0), "trees"),
                       (MlpNoiseClassifier(learning_rate="quick"), "learning-rate"),
                       (BlendClassifier(budget="endless"), "budget")):
        with pytest.raises(labelsieve.UsageError, match=why):
            wrong.fit(*arrays)
    with pytest.raises(TypeError):
        ForestClassifier(tres=3)
