# %% [markdown]
# # Which ticks are wrong?
#
# Several annotators looked at pictures and ticked what they saw. There is an embedding of each picture,
# and a list of who ticked what. Which ticks are wrong, which labels did everybody overlook, and whom
# can we trust?

# %%
import numpy as np

import labelsieve
from labelsieve import LabelCleaner

# A made-up crowd, so that there is a truth to compare with. Your own embeddings are an array of
# rows x dimensions; your own votes are three columns: row, annotator, label, counted from 0.
crowd = labelsieve.make_crowd(rows=800, features=64, labels=8, annotators=12, votes=True,
                              missing=0.05, seed=4)
embeddings, votes, looked = np.array(crowd.X), crowd.votes, crowd.looked
print(f"{len(embeddings)} pictures, {len(votes)} ticks by {len(crowd.annotators)} annotators")

# %% [markdown]
# Every tick is judged by models that have not seen its picture, and by who else ticked what.

# %%
cleaner = LabelCleaner(method="forest", options={"trees": 200})
cleaner.fit(embeddings, votes=votes, looked=looked, annotators=crowd.annotators,
            label_names=crowd.label_names)
print(cleaner.suspects(5).to_string(index=False))

# %% [markdown]
# Labels that nobody ticked, but that are likely there.

# %%
print(cleaner.missing_.head(5).to_string(index=False))

# %% [markdown]
# Annotators: how often they find a right label, how often they tick a wrong one.

# %%
annotators = cleaner.annotators_.sort_values("sensitivity", ascending=False)
print(annotators[["annotator", "rows", "sensitivity", "false_ticks", "agreement", "guesses"]]
      .head(5).round(3).to_string(index=False))

# %% [markdown]
# Since this crowd is made up, we can check. Cleaned labels are closer to the truth than the ticks.

# %%
truth, ticked = crowd.truth.toarray(), crowd.y.toarray()
before = labelsieve.evaluate(truth, decisions=ticked)["micro-f1"]
after = labelsieve.evaluate(truth, decisions=cleaner.labels_)["micro-f1"]
print(f"micro F1 of the ticks {before:.3f}, of the cleaned labels {after:.3f}")
assert after > before
