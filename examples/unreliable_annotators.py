# %% [markdown]
# # Who is unreliable?
#
# Nobody knows the right labels, but annotators can be compared with each other.

# %%
import pandas

import labelsieve

crowd = labelsieve.make_crowd(rows=500, labels=6, annotators=8, votes=True, seed=4)
votes = pandas.DataFrame([(row, crowd.annotators[who], crowd.label_names[what])
                          for row, who, what in crowd.votes], columns=["item", "annotator", "label"])
# One more, who ticks anything.
careless = pandas.DataFrame([(row, "careless", crowd.label_names[row * 7 % 6])
                             for row in range(0, 500, 3)], columns=votes.columns)
votes = pandas.concat([votes, careless])

# %% [markdown]
# What share of the right labels does each find, and how often do they tick wrong ones? The ranges are
# those of a guess: an audit measures.

# %%
found = labelsieve.annotators(votes).sort_values("sensitivity")
print(found[["annotator", "rows", "sensitivity", "sensitivity_low", "sensitivity_high",
             "false_ticks", "guesses"]].round(2).to_string(index=False))
assert found.annotator.iloc[0] == "careless"

# %% [markdown]
# What to talk about with them: which labels they confuse. And what to ask next.

# %%
print(found.confuses.iloc[0][:2])
print(labelsieve.ask(votes, budget=5).to_string(index=False))
print(f"alpha {labelsieve.agreement(votes, resamples=100)['masi']['alpha']['value']:.2f}")
