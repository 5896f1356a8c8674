# %% [markdown]
# # Suspects in a training set
#
# There are embeddings and labels, and nobody remembers who gave them. Which labels look wrong?

# %%
import numpy as np
import pandas

import labelsieve
from labelsieve import BlendClassifier, LabelCleaner

crowd = labelsieve.make_crowd(rows=600, features=32, labels=6, seed=2)
X = np.array(crowd.X)
y = pandas.DataFrame(crowd.y.toarray(), columns=crowd.label_names)

# %% [markdown]
# Each label is judged by models that have not seen its row.

# %%
cleaner = LabelCleaner("forest", options={"trees": 200}).fit(X, y)
print(cleaner.suspects(5).to_string(index=False))
print("wrong among all labels:", cleaner.noise_claim_)

# %% [markdown]
# Since this set is made up, we can check: of the hundred worst suspects, how many are wrong?

# %%
truth = pandas.DataFrame(crowd.truth.toarray(), columns=crowd.label_names)
worst = cleaner.suspects(100)
wrong = sum(truth.at[one.row, one.label] == 0 for one in worst.itertuples())
print(f"{wrong} of 100 are wrong, of all labels {1 - (truth * y).to_numpy().sum() / y.to_numpy().sum():.0%}")
assert wrong > 80

# %% [markdown]
# A model need not be trained on cleaned labels: it learns from the noisy ones as they are.

# %%
model = BlendClassifier(trees=50, width=32, epochs=10).fit(X[:450], y[:450])
print(f"average precision {labelsieve.evaluate(truth[450:], model.predict_proba(X[450:])).average_precision:.2f}")
