"""Made by python/stubs.py from the table of settings of the library."""
import os
from typing import Literal, Sequence, TypedDict, Union

Path = Union[str, os.PathLike[str]]


Method = Literal['blend', 'pml-gan', 'pml-lc', 'pml-fp', 'ml-rbf', 'mlp-noise', 'comes-hl',
                 'comes-rl', 'capml', 'mlp', 'oracle', 'pml-ni', 'schirn', 'nlr',
                 'particle-vls', 'particle-map', 'forest']


class ReadOptions(TypedDict, total=False):
    # input format (default: detected from content and name)
    format: Literal['arff', 'libsvm', 'jsonl', 'csv', 'xlsx', 'parquet', 'mat', 'numpy',
        'binary', 'sieve']
    # what the labels are if the file does not say
    labels_are: Literal['candidates', 'truth']
    # label columns by name; @FILE has one name per line
    label_names: Union[str, Sequence[str]]
    # label columns: those whose name begins with TEXT
    label_prefix: str
    # label columns: N > 0: the first N; N < 0: the last |N|
    label_count: int
    # one column that lists the labels of each row
    label_column: str
    # separator of the list in label_column, or "tab"
    label_separator: str
    # every column is a label; there are no features
    labels_only: bool
    # the first line of a CSV file has names
    header: bool
    # column with the ids of the rows, or "none" (default: one that plainly is)
    id_column: str
    # column separator of a CSV file: a character, or "tab"
    delimiter: str
    # sheets of a workbook, by name or number (default: all), or a table of DuckDB
    sheet: Union[str, Sequence[str]]
    # columns of free text: their words become features
    text_column: Union[str, Sequence[str]]
    # columns of categories, even if they are numbers
    category_column: Union[str, Sequence[str]]
    # columns of dates, taken as days since 1970-01-01
    date_column: Union[str, Sequence[str]]
    # columns that are neither features nor labels
    ignore_columns: Union[str, Sequence[str]]
    # words and pairs of words kept from a text column (0 = hash all)
    text_terms: int
    # also use up to N letters in a row as features (0 = none)
    char_ngrams: int
    # also use pairs of words
    text_pairs: bool
    # decimal mark of the numbers
    decimal: str
    # mark between groups of three digits (default: none)
    thousands: str
    # the labels, in a separate file with the same rows
    label_file: Path
    # the ids of the rows, one per line, in a separate file
    id_file: Path
    # label list of an ARFF file (default: NAME.xml beside it)
    xml: Path
    # annotations of several annotators: files, folders or patterns, joined by id
    annotations: Union[Path, Sequence[Path]]
    # layout of annotations (default: recognised)
    annotation_format: Literal['mturk', 'crowdflower', 'label-studio', 'label-studio-min',
        'prodigy', 'argilla', 'argilla-records', 'cekaplus', 'raters', 'long', 'wide',
        'doccano']
    # column of annotations that names the rows
    item_column: str
    # column of annotations with the annotator, or "none"
    annotator_column: str
    # column of annotations with the labels
    annotation_label_column: str
    # column of annotations that says yes or no, or "none"
    vote_column: str
    # column of annotations with what annotators are unsure of, or "none"
    unsure_column: str
    # answers in annotations are grades on this scale: 0-3, 1-5
    vote_scale: str
    # grades from this on are ticks (default: above 0, or above the middle)
    vote_from: float
    # columns of annotations, if its first line has no names
    annotation_columns: Union[str, Sequence[str]]
    # sheets of annotations, by name or number
    annotation_sheet: Union[str, Sequence[str]]
    # items of annotations (default: ids, or a column "row")
    items_are: Literal['ids', 'row-numbers', 'row-numbers-from-0', 'row-numbers-from-1']
    # separator of several labels in a cell, "tab", or "none" for one label
    annotation_separator: str
    # words that mean no label (default: n/a, nan, null, ...)
    empty_words: str
    # names in annotations that differ only by case or spaces are one
    merge_case: bool
    # which of several annotations of one row by one annotator count (default: last)
    repeats: Literal['last', 'first', 'union']
    # which annotator saw which row, for those who assigned no label
    looked: Path
    # also count annotations that were rejected or cancelled
    all_annotations: bool
    # also keep rows that nobody annotated
    keep_unseen: bool
    # Label Studio: predictions are annotations of programs, too
    predictions: bool
    # tables of scores, each joined as the annotations of a program
    program_scores: Union[Path, Sequence[Path]]
    # annotators that are programs: they count once in a row; @FILE has a table of kinds
    annotator_kind: Union[str, Sequence[str]]
    # CSV of annotator and group: a group counts once in a row
    annotator_groups: Path
    # the true labels, in a separate file with the same rows
    truth: Path


class CrowdOptions(TypedDict, total=False):
    # features per row
    features: int
    # non-zero features per row; 0 = dense features
    entries: int
    # labels in all
    labels: int
    # annotators in all
    annotators: int
    # how many of them see a row
    annotators_per_row: int
    # true labels per row, on average
    cardinality: float
    # noise labels per row, on average
    noise: float
    # share of the true labels that nobody ticks
    missing: float
    # also who ticked what
    votes: bool
    # random seed
    seed: int
