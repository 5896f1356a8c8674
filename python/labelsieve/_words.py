"""What the library calls a setting, and what it is called here.

Hints of the library name its settings by terms; `read` takes the same settings as arguments. This
table has both, so that a hint says what can be typed.
"""

# Arguments of read().
READ_SETTINGS = {
    "format": "format",
    "labels_are": "role",
    "label_names": "labels.names",
    "label_prefix": "labels.prefix",
    "label_count": "labels.count",
    "label_column": "labels.column",
    "label_separator": "labels.separator",
    "labels_only": "labels.all",
    "header": "header",
    "delimiter": "delimiter",
    "id_column": "id_column",
    "id_file": "id_file",
    "label_file": "label_file",
    "xml": "xml",
    "truth": "truth",
    "text_column": "table.text",
    "category_column": "table.category",
    "date_column": "table.date",
    "ignore_columns": "table.ignore",
    "text_terms": "table.terms.terms",
    "text_pairs": "table.terms.pairs",
    "text_letters": "table.terms.char_grams",
    "decimal": "table.decimal",
    "thousands": "table.thousands",
    "ticks": "ticks.path",
    "looked": "ticks.looked",
    "ticks_format": "ticks.format",
    "ticks_item": "ticks.item",
    "ticks_person": "ticks.person",
    "ticks_label": "ticks.label",
    "ticks_value": "ticks.value",
    "ticks_columns": "ticks.columns",
    "items_are": "ticks.items_are",
    "ticks_separator": "ticks.separator",
    "empty_words": "ticks.empty_words",
    "merge_case": "ticks.merge_case",
    "repeats": "ticks.repeats",
    "ticks_all": "ticks.all_people",
    "keep_unseen": "ticks.keep_unseen",
}

# What else hints speak of. Some of it only the command has.
OTHER_WORDS = {
    "EpochLog": "sieve train --log",
    "Learner::fit": "labelsieve.train",
    "Model::state": "Model.info",
    "WriteOptions::format": "sieve convert --to",
    "clean": "LabelCleaner",
    "if_exists=replace": "force=True",
    "if_other=extend": "sieve experiment --extend",
    "jobs": "sieve experiment --jobs",
    "kind": "sieve predict --kind",
    "labels": "sieve synth --labels",
    "log": "sieve train --log",
    "measures": "sieve compare --measures",
    "only": "sieve experiment --only",
    "resume_from": "sieve train --resume",
    "run_experiment": "sieve experiment",
    "store": "sieve experiment --store",
    "test": "sieve compare --test",
    "ticks.merge_case=true": "merge_case=True",
}

WORDS = {term: name for name, term in READ_SETTINGS.items()} | OTHER_WORDS
