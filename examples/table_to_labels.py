# %% [markdown]
# # From a table of votes to labels
#
# A table says which annotator gave which picture which tag. Which tags are right?

# %%
import pandas

import labelsieve

# A made-up crowd as a table; your own has a row for each item, annotator and label, too.
crowd = labelsieve.make_crowd(rows=500, labels=6, annotators=8, votes=True, seed=4)
votes = pandas.DataFrame([(f"picture {row}", crowd.annotators[who], crowd.label_names[what])
                          for row, who, what in crowd.votes], columns=["item", "annotator", "label"])
print(votes.head(3).to_string(index=False))

# %%
probable = labelsieve.aggregate(votes)           # items x labels: the probability of each label
labels = probable >= 0.5
print(probable.head(3).round(2))

# %% [markdown]
# This crowd is made up, so that we can check: more labels are right than by a vote of the majority.

# %%
truth = pandas.DataFrame(crowd.truth.toarray(), columns=crowd.label_names,
                         index=[f"picture {row}" for row in range(len(crowd))])
truth = truth.loc[labels.index, labels.columns]
majority = labelsieve.aggregate(votes, how="majority") >= 0.5
ours, theirs = (labelsieve.evaluate(truth, decisions=one).micro_f1 for one in (labels, majority))
print(f"micro F1 {ours:.3f}, of the majority {theirs:.3f}")
assert ours > theirs
