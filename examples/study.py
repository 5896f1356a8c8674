# %% [markdown]
# # Which method, at which level of noise?
#
# A small study: four methods learn from candidates with more and more noise, and are measured against
# the truth on rows they have not seen. `sieve experiment` runs such studies on many cores, resumes
# them and tests for significance; this is the same idea in a page of Python.

# %%
import numpy as np
import pandas
from sklearn.model_selection import KFold

import labelsieve
from labelsieve import LabelSieveClassifier

METHODS = {
    "forest": {"trees": 100},
    "mlp-noise": {"members": 1, "epochs": 30, "depth": 1},
    "pml-ni": {},
    "mlp": {"members": 1, "epochs": 30, "depth": 1},
}
NOISE = (1.0, 3.0)


# %%
def average_precision(method, options, data, learn, test):
    """Learns from the candidates of some rows; measures against the truth of the others."""
    classifier = LabelSieveClassifier(method, options=options).fit(data.X[learn], data.y[learn])
    scores = classifier.predict_proba(data.X[test])
    return labelsieve.evaluate(data.truth[test], scores)["average-precision"]


found = []
for noise in NOISE:
    data = labelsieve.make_crowd(rows=600, noise=noise, seed=2)
    for fold, (learn, test) in enumerate(KFold(3).split(data.X)):
        for method, options in METHODS.items():
            found.append({"noise per row": noise, "method": method, "fold": fold,
                          "value": average_precision(method, options, data, learn, test)})

# %% [markdown]
# Mean over the folds, the best method first.

# %%
table = pandas.DataFrame(found).pivot_table(index="method", columns="noise per row", values="value")
table = table.sort_values(NOISE[-1], ascending=False)
print(table.round(3).to_string())

# %% [markdown]
# Noise costs every method something. The random ranking would have about 0.4.

# %%
assert (table[NOISE[0]] > table[NOISE[-1]]).all()
assert np.all(table > 0.5)
