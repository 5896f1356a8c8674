#ifndef LABELSIEVE_C_API_H
#define LABELSIEVE_C_API_H

/* LabelSieve for C and for languages that can call C: the library liblabelsieve.so.
 *
 * Functions return LS_OK or why they failed, by the numbers that the command ends with; outputs are
 * then unchanged. No C++ exception leaves a function. Texts are UTF-8. Settings and reports are
 * JSON, as the command prints it with --json.
 *
 * Ownership: every ls_data, ls_model, ls_cleaning, ls_audit and text that a function hands out
 * belongs to the caller, who ends it with the ls_free... function of its kind (NULL is fine). What
 * is passed in is only looked at. Arrays behind an ls_data must stay where and as they are while it
 * exists.
 *
 * Threads: a model, a cleaning or data may be used by several threads at once. A process may fork()
 * between calls.
 *
 * Structures: the first field of those that are passed by pointer is their size, so that programs
 * built with an earlier header keep working when fields are added: `ls_run run = {.struct_size =
 * sizeof run};` clears the rest. A size that is not set is refused. Structures inside another, and
 * elements of arrays, need none. */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LS_API __attribute__((visibility("default")))
#else
#define LS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LS_OK = 0,
  LS_INTERNAL = 1,    /* a bug of the library, or not enough memory */
  LS_USAGE = 2,       /* an argument or a setting makes no sense */
  LS_DATA = 3,        /* data was refused */
  LS_MODEL = 4,       /* a model was refused */
  LS_IO = 5,          /* the system failed: missing file, permission, full disk */
  LS_TRAINING = 6,    /* a training diverged or collapsed */
  LS_INTERRUPTED = 7, /* the progress function asked to stop */
  LS_CHECK = 8        /* exit code of the command where a check did not hold; of no function */
};

/* "major.minor.patch" of the library in use. */
LS_API const char* ls_version(void);

/* Why the last function of this thread failed, and what to do about it ("" if there is nothing to
 * say). Valid until the next call of this thread. */
LS_API const char* ls_last_error(void);
LS_API const char* ls_last_hint(void);

/* Hints name settings by their keys ("labels.count=3"). A binding for another language may have
 * other words for them: words[i] stands for terms[i], which is a key, or key=value; for the term
 * "=" it is the mark around values that are texts, such as a quotation mark. Hints in calls of this
 * thread go by the words given last, until others are given or NULL; the words must exist as long.
 * The words before are returned: a binding that gives them back after each of its calls shares the
 * thread with other bindings. */
typedef struct ls_words ls_words;
LS_API int ls_words_of(const char* const* terms, const char* const* words, size_t count,
                       ls_words** handle);
LS_API const ls_words* ls_use_words_here(const ls_words* words);
LS_API void ls_free_words(ls_words* words);

/* Earlier, for a program with one binding: the same in all threads that have no words of their own.
 * Call it before anything else. */
LS_API int ls_use_words(const char* const* terms, const char* const* words, size_t count);

LS_API void ls_free_text(char* text);

/* All learning methods with their options, and all measures. */
LS_API int ls_methods(char** json);

/* ---- data --------------------------------------------------------------------------------- */

typedef struct ls_data ls_data;
typedef struct ls_model ls_model;

enum { LS_FLOAT32 = 0, LS_FLOAT64 = 1, LS_UINT8 = 2 };
enum { LS_INT32 = 0, LS_INT64 = 1 };

/* rows x cols numbers in the caller's memory: full rows, or compressed sparse rows where `starts`
 * is not NULL. Features are float32 or float64, labels uint8 (not 0: the row has the label). */
typedef struct ls_matrix {
  size_t struct_size;
  size_t rows, cols;
  const void* values;  /* sparse labels: NULL if all are on */
  int32_t type;        /* LS_FLOAT32, LS_FLOAT64 or LS_UINT8 */
  int32_t index;       /* of starts and columns: LS_INT32 or LS_INT64 */
  size_t stride;       /* full rows: numbers from one row to the next, at least cols */
  const void* starts;  /* sparse: rows + 1 numbers; row i has [starts[i], starts[i + 1]) of ... */
  const void* columns; /* ... these (ascending in each row) and of the values */
} ls_matrix;

/* Votes: annotator person[i] ticked label[i] in row[i]. An annotation without a label is listed
 * as a look. All count from 0. */
typedef struct ls_votes {
  size_t ticks;
  const int64_t *row, *person, *label;
  size_t looks;
  const int64_t *look_row, *look_person;
  size_t people;            /* 0: as many as are named in ticks and looks */
  const char* const* names; /* of the people; may be NULL */
} ls_votes;

/* A data set as arrays. A part that is not there has no rows (votes: no ticks, no looks and nothing
 * unsure); names and ids may be NULL. Where there are votes, what anybody ticked is a candidate. */
typedef struct ls_arrays {
  size_t struct_size;
  ls_matrix features;
  ls_matrix candidates;
  ls_matrix truth;
  ls_votes votes;
  size_t rows, labels; /* given: 0 where the parts tell */
  const char* const* feature_names;
  const char* const* label_names;
  const char* const* ids;
  /* Votes that say neither yes nor no: annotator unsure_person[i] was unsure of unsure_label[i] in
   * unsure_row[i]. A tick of the same label goes. */
  size_t unsure;
  const int64_t *unsure_row, *unsure_person, *unsure_label;
  /* Of each annotator: 1 for a program, and the number of the group whose annotations count once in
   * a row (-1: none). Programs of no group are one together. NULL: no programs, no groups. */
  const uint8_t* program;
  const int64_t* group;
  const char* name; /* what reports and certificates call the data; NULL: "the data" */
  /* Of each tick: how many steps of a scale above the lowest that is a tick. NULL: no grades. */
  const uint8_t* grade;
} ls_arrays;

/* Data that looks at the caller's features without a copy; labels, votes and names are copied. */
LS_API int ls_data_from_arrays(const ls_arrays* arrays, ls_data** data);

/* Data as arrays, the other way round: they belong to `data` and live as long. Features are
 * float32, or those of the caller; labels are compressed sparse rows without values. */
LS_API int ls_data_view(ls_data* data, ls_arrays* arrays);

/* The settings of ls_data_read ("read") and of ls_data_synthetic ("synthetic"): a list of objects
 * each, with name, key, kind, help, default, earlier names and choices. */
LS_API int ls_settings(char** json);

/* Files of one data set, as the command reads them. Settings are those of ls_settings(), by name or
 * key ({"label_count": 3, "annotations": "a.csv"}), or NULL. With a model, the features are made as
 * it makes them, and labels need not be there. `notes` gets what was guessed or left out, a list of
 * sentences; it may be NULL. threads = 0: all cores. */
LS_API int ls_data_read(const char* const* paths, size_t count, const char* settings,
                        const ls_model* model, size_t threads, ls_data** data, char** notes);

/* Rows that nobody annotated, for ls_training: their features are made as those of `like` were, and
 * labels that are there are not looked at. The rest is as in ls_data_read. */
LS_API int ls_data_read_unlabelled(const char* const* paths, size_t count, const char* settings,
                                   const ls_data* like, size_t threads, ls_data** data,
                                   char** notes);

/* A synthetic crowd. Settings are those of ls_settings() ({"rows": 600, "votes": true}). */
LS_API int ls_data_synthetic(const char* settings, ls_data** data);

/* A summary of the data and its possible problems, as `sieve inspect` gives it. */
LS_API int ls_data_inspect(const ls_data* data, char** json);

LS_API void ls_free_data(ls_data* data);

/* ---- work --------------------------------------------------------------------------------- */

/* Progress callback, on the calling thread: `done` of `total` units (0: not known) of a stage,
 * and a short note. Return non-zero to stop: the work then ends with LS_INTERRUPTED. */
typedef int (*ls_progress)(void* context, const char* stage, size_t done, size_t total,
                           const char* note);

/* How work is done; NULL is seed 1 on all cores. Results depend on the seed, not on threads. */
typedef struct ls_run {
  size_t struct_size;
  uint64_t seed;
  size_t threads;       /* 0: all cores */
  ls_progress progress; /* may be NULL */
  void* context;
} ls_run;

/* A cell of rows x labels: the probability that it is right, or an expert's decision (0 or 1). */
typedef struct ls_cell {
  size_t row, label;
  double value;
} ls_cell;

/* Learns a model. `settings` are options of the method ({"epochs": 30}), or NULL. Where the data
 * has votes, the method learns from their probabilities; where too few rows have two annotations to
 * compare annotators, from the union. `gold` are cells that an expert decided, which are learnt as
 * they are. The same seed, data and settings give the same model as `sieve train`, bit for bit. */
LS_API int ls_fit(const ls_data* data, const char* method, const char* settings,
                  const ls_cell* gold, size_t gold_cells, const ls_run* run, ls_model** model);

/* The same with a weight from 0 on for each row: how much it counts. Only their ratios matter, and
 * rows of weight 0 are left out. Rows are learnt from in the order of their content where weights
 * differ. blend, forest, mlp, mlp-noise and pml-gan take any numbers; the other methods take whole
 * ones, and learn from a row that often. Not for data with votes. */
LS_API int ls_fit_weighted(const ls_data* data, const char* method, const char* settings,
                           const ls_cell* gold, size_t gold_cells, const double* weights,
                           const ls_run* run, ls_model** model);

/* What a model is learnt from beside the data, and how. */
typedef struct ls_training {
  size_t struct_size;
  const char* method;
  const char* settings; /* options of the method ({"epochs": 30}), or NULL */
  const ls_cell* gold;  /* cells that an expert decided; may be NULL */
  size_t gold_cells;
  const double* weights;     /* as for ls_fit_weighted; NULL: rows count alike */
  const ls_data* unlabelled; /* rows that nobody annotated; NULL: none */
} ls_training;

/* All of the above in one function. The features of rows without labels go by name where both have
 * names, else by order; their labels, if there are any, are not looked at. Of the methods, blend
 * learns from such rows; others refuse them with LS_USAGE. */
LS_API int ls_train(const ls_data* data, const ls_training* training, const ls_run* run,
                    ls_model** model);

/* How relevant each label of each row is, and which labels the model decides on (1 or 0): rows x
 * labels numbers each, rows `stride` numbers apart (at least as many as labels). Either may be
 * NULL. Features go by name where both model and data have names, else by order. */
LS_API int ls_predict(const ls_model* model, const ls_data* data, const ls_run* run, float* scores,
                      size_t scores_stride, uint8_t* labels, size_t labels_stride);

/* The probability that each label of each row is right, strictly between 0 and 1: rows x labels
 * numbers, rows `stride` numbers apart. */
LS_API int ls_predict_probabilities(const ls_model* model, const ls_data* data, const ls_run* run,
                                    float* probabilities, size_t stride);

/* Labels switched on by the thresholds that the model keeps for a promise ("precision=0.9"): see
 * ls_model_guarantee. LS_DATA where it keeps none. */
LS_API int ls_predict_guaranteed(const ls_model* model, const ls_data* data, const char* goal,
                                 const ls_run* run, uint8_t* labels, size_t stride);

/* The measures that the parts allow, as `sieve evaluate` gives them. Scores are float32 or float64,
 * the others labels; candidates may be NULL, and scores or decisions. Settings: ties, degenerate,
 * zero_division. */
LS_API int ls_evaluate(const ls_matrix* truth, const ls_matrix* scores, const ls_matrix* decisions,
                       const ls_matrix* candidates, const char* settings, char** json);

/* ---- models -------------------------------------------------------------------------------- */

/* Method, options, names, notes on the fit, guarantees, and how ls_predict_probabilities makes
 * probabilities of scores: 1 / (1 + exp(-slope (score - centre))), or null where they are ones. */
LS_API int ls_model_info(const ls_model* model, char** json);

/* Model files, as the command reads and writes them; they appear only when complete. */
LS_API int ls_model_load(const char* path, ls_model** model);
LS_API int ls_model_save(const ls_model* model, const char* path, int replace);
/* Writes the model as an ONNX file for other runtimes. LS_MODEL names what cannot be written so. */
LS_API int ls_model_export(const ls_model* model, const char* path, int replace);
/* The same in memory. `classes` is NULL, or says what the labels are where they are classes that
 * exclude each other: {"numbers": [0, 1]} or {"names": ["no", "yes"]}. The graph then leads to one
 * class per row. Room as for ls_model_to_bytes. */
LS_API int ls_model_to_onnx(const ls_model* model, const char* classes, void* into, size_t* size);
/* A model file in memory. Any bytes either make a valid model or are refused with LS_MODEL.
 * ls_model_to_bytes needs room for `size` bytes; with into = NULL it only tells the size. */
LS_API int ls_model_from_bytes(const void* bytes, size_t size, ls_model** model);
LS_API int ls_model_to_bytes(const ls_model* model, void* into, size_t* size);

/* The same model with thresholds that keep a promise, besides those that `model` keeps:
 * "recall=0.9" (of the rows that have a label, at least 90 % get it), "precision=0.9" or "fdr=0.1",
 * each with the probability `level`. `decided` are rows drawn at random that the model was not
 * trained on: all of their labels count as right (their truth, where there is one), or `cells`
 * alone, if not NULL. LS_DATA says how many rows are missing where nothing can be promised. */
LS_API int ls_model_guarantee(const ls_model* model, const ls_data* decided, const ls_cell* cells,
                              size_t cell_count, const char* goal, double level, const ls_run* run,
                              ls_model** promising);

LS_API void ls_free_model(ls_model* model);

/* ---- cleaning ------------------------------------------------------------------------------ */

typedef struct ls_cleaning ls_cleaning;

/* Judges every candidate by out-of-fold models, and by votes where annotators can be compared
 * ("names_ignored" in ls_cleaning_info() says why not); `gold` are cells that an expert decided.
 * The method "default" does as `sieve clean` without --method. Without a method (NULL), by votes
 * alone: features need not be there. Without votes, `missing` is the share of the right labels that
 * nobody ticked; with 0, none are looked for. */
LS_API int ls_clean(const ls_data* data, const char* method, const char* settings, size_t folds,
                    double missing, const ls_cell* gold, size_t gold_cells, const ls_run* run,
                    ls_cleaning** cleaning);

/* Noise of each label, people, and the rest of what `sieve clean` tells; candidates of lower
 * probability than the threshold count as removed. */
LS_API int ls_cleaning_info(const ls_cleaning* cleaning, double threshold, char** json);

/* The probability of each candidate (0 elsewhere), and which are kept at the threshold (the best
 * of a row always is, unless annotators leave rows without labels; of two labels that nobody ticks
 * together, the more probable one): rows x labels numbers each, without gaps. Either may be NULL.
 */
LS_API int ls_cleaning_cells(const ls_cleaning* cleaning, double threshold, float* confidence,
                             uint8_t* kept);

/* The threshold that `sieve clean` would go by: for the best "f1", for the best "hamming" loss, or
 * by default (NULL). By default it also removes less of labels that features may miss: give
 * -INFINITY as the threshold of the functions above to have the labels that it would keep. */
LS_API int ls_cleaning_threshold(const ls_cleaning* cleaning, const char* best_for,
                                 double* threshold);

/* Probable labels that nobody ticked, the most probable first; they live as long as the cleaning.
 */
LS_API int ls_cleaning_missing(const ls_cleaning* cleaning, const ls_cell** cells, size_t* count);

LS_API void ls_free_cleaning(ls_cleaning* cleaning);

/* ---- votes alone --------------------------------------------------------------------------- */

/* Combines votes as `sieve aggregate` does: rows x labels probabilities, without gaps. `how` is
 * "annotators" (NULL), "dawid-skene", "one-coin", "majority", "at-least", "share" or "union";
 * `least` is how many ticks "at-least" wants, from 1 on. `names_ignored` gets why annotators could
 * not be compared, so that shares of ticks are given, else ""; it may be NULL. */
LS_API int ls_aggregate(const ls_data* data, const char* how, size_t least, const ls_run* run,
                        float* probabilities, char** names_ignored);

/* How far annotators agree, as `sieve agree` gives it; `resamples` drawings of rows give intervals
 * (0: none). */
LS_API int ls_agreement(const ls_data* data, size_t resamples, const ls_run* run, char** json);

/* How far to trust each annotator, as `sieve annotators` gives it: the `most` active ones with
 * their worst ticks and the labels that they confuse. */
LS_API int ls_annotators(const ls_data* data, size_t most, const ls_run* run, char** json);

/* What to annotate next with `budget` annotations, as `sieve ask` gives it: `about` is "rows"
 * (NULL) or "cells". */
LS_API int ls_ask(const ls_data* data, const char* about, size_t budget, const ls_run* run,
                  char** json);

/* ---- audits -------------------------------------------------------------------------------- */

typedef struct ls_audit ls_audit;

/* A cell that somebody has to decide: whether the row has the label. `draw` counts from 1 in its
 * part of the audit; cells with pass 2 are asked a second time. */
typedef struct ls_question {
  size_t row, label, draw;
  int32_t pass;
} ls_question;

enum { LS_NO_ANSWER = 0, LS_RIGHT = 1, LS_WRONG = 2, LS_UNSURE = 3 };

/* Draws cells at random for somebody to decide, as `sieve audit` does. `labels` are those to audit
 * (NULL: the candidates), `probabilities` what is believed of each cell, float32 or float64 (NULL:
 * by the votes, where annotators can be compared); they make intervals narrower, which hold
 * whatever they are. Settings: budget (120 decisions), others (true: also ask about cells without
 * the label), rows (false: whole rows, which the budget counts; others is then off), per_label
 * (false), twice (10: every tenth cell is asked a second time), asked (more decisions than the
 * budget). The seed is that of the run. `data` must live as long as the audit. */
LS_API int ls_audit_begin(const ls_data* data, const ls_matrix* labels,
                          const ls_matrix* probabilities, const char* settings, const ls_run* run,
                          ls_audit** audit);

/* The cells to decide, in this order; they live as long as the audit. `code` names the audit, as in
 * the lists of the command; it may be NULL. */
LS_API int ls_audit_questions(const ls_audit* audit, const ls_question** questions, size_t* count,
                              char** code);

/* What answers prove, as `sieve audit --answers` gives it: one answer for each question, in order;
 * intervals hold with the probability `level`. Goals are texts such as "precision >= 0.95". */
LS_API int ls_audit_claims(const ls_audit* audit, const uint8_t* answers, double level,
                           const char* const* goals, size_t goal_count, char** json);

/* A certificate that others can verify, also with `sieve audit verify`. */
LS_API int ls_audit_certificate(const ls_audit* audit, const uint8_t* answers, double level,
                                char** json);

/* What was decided, and what is wanted of it. */
typedef struct ls_decisions {
  size_t struct_size;
  const uint8_t* answers; /* one for each question, in order */
  /* What a third person says: one for each question of pass 2, in order, which counts where the
   * first two answers differ. NULL: nobody was asked. */
  const uint8_t* third;
  double level; /* how often intervals hold; 0: 0.9 */
  const char* const* goals;
  size_t goal_count;
  int32_t per_annotator; /* 1: also the share of each annotator's labels that is wrong */
} ls_decisions;

/* Of each question of pass 2, in order: 1 where the two answers differ, so that a third person
 * should decide, else 0. */
LS_API int ls_audit_conflicts(const ls_audit* audit, const uint8_t* answers, uint8_t* differ);

/* As ls_audit_claims and ls_audit_certificate (goals and annotators are not part of that), with the
 * third answers. */
LS_API int ls_audit_result(const ls_audit* audit, const ls_decisions* decisions, char** json);
LS_API int ls_audit_certify(const ls_audit* audit, const ls_decisions* decisions, char** json);

/* What does not come out the same when a certificate is computed again: a list of sentences, empty
 * where it holds. */
LS_API int ls_audit_verify(const char* certificate, const ls_data* data, const ls_matrix* labels,
                           const ls_matrix* probabilities, const ls_run* run, char** json);

LS_API void ls_free_audit(ls_audit* audit);

#ifdef __cplusplus
}
#endif

#endif
