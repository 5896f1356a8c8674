/* The C interface, used from C. Without arguments it lists its tests; with a name it runs that one.
 */
#include <labelsieve/c_api.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, \
              ls_last_error());                                                                \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)

enum { kRows = 60, kFeatures = 5, kLabels = 3 };

/* Label k is on where feature k is positive. */
static float features[kRows][kFeatures];
static uint8_t labels[kRows][kLabels];

static ls_arrays arrays_of_rows(void) {
  ls_arrays arrays = {.struct_size = sizeof arrays};
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kFeatures; ++j) features[i][j] = (float)sin(1.7 * i + 2.9 * j * j + j);
    for (int k = 0; k < kLabels; ++k) labels[i][k] = features[i][k] > 0;
  }
  arrays.features.rows = kRows, arrays.features.cols = kFeatures;
  arrays.features.values = features, arrays.features.stride = kFeatures;
  arrays.features.type = LS_FLOAT32;
  arrays.candidates.struct_size = sizeof(ls_matrix);
  arrays.candidates.rows = kRows, arrays.candidates.cols = kLabels;
  arrays.candidates.values = labels, arrays.candidates.stride = kLabels;
  arrays.candidates.type = LS_UINT8;
  return arrays;
}

static ls_data* data_of(const ls_arrays* arrays) {
  ls_data* data = NULL;
  CHECK(ls_data_from_arrays(arrays, &data) == LS_OK);
  return data;
}

static ls_data* data_of_rows(void) {
  const ls_arrays arrays = arrays_of_rows();
  return data_of(&arrays);
}

static const char* const kFast = "{\"trees\": 20}";

static ls_model* forest_of(const ls_data* data) {
  ls_model* model = NULL;
  const ls_run run = {.struct_size = sizeof(ls_run), .seed = 1, .threads = 1};
  CHECK(ls_fit(data, "forest", kFast, NULL, 0, &run, &model) == LS_OK);
  return model;
}

static void scores_of(const ls_model* model, const ls_data* data, float scores[kRows][kLabels]) {
  CHECK(ls_predict(model, data, NULL, &scores[0][0], kLabels, NULL, 0) == LS_OK);
}

static void gives_the_probability_of_each_label(void) {
  ls_data* data = data_of_rows();
  static float scores[kRows][kLabels], found[kRows][kLabels + 1];
  const char* const methods[] = {"forest", "pml-ni"};
  for (int m = 0; m < 2; ++m) {
    ls_model* model = NULL;
    const ls_run run = {.struct_size = sizeof(ls_run), .seed = 1, .threads = 1};
    CHECK(ls_fit(data, methods[m], m == 0 ? kFast : NULL, NULL, 0, &run, &model) == LS_OK);
    scores_of(model, data, scores);
    CHECK(ls_predict_probabilities(model, data, NULL, &found[0][0], kLabels + 1) == LS_OK);
    for (int i = 0; i < kRows; ++i)
      for (int k = 0; k < kLabels; ++k) {
        CHECK(found[i][k] > 0 && found[i][k] < 1);
        const double wanted = m == 0 ? scores[i][k] : 1 / (1 + exp(-4 * scores[i][k]));
        CHECK(fabs(found[i][k] - wanted) < 2e-7);
      }
    CHECK(ls_predict_probabilities(model, data, NULL, NULL, kLabels) == LS_USAGE);
    CHECK(ls_predict_probabilities(model, NULL, NULL, &found[0][0], kLabels) == LS_USAGE);
    CHECK(ls_predict_probabilities(model, data, NULL, &found[0][0], kLabels - 1) == LS_USAGE);
    ls_free_model(model);
  }
  ls_free_data(data);
}

static void says_its_version(void) {
  int major = -1, minor = -1;
  CHECK(sscanf(ls_version(), "%d.%d.", &major, &minor) == 2 && major >= 0 && minor >= 0);
}

static void learns_and_predicts(void) {
  ls_data* data = data_of_rows();
  ls_model* model = forest_of(data);
  static float scores[kRows][kLabels];
  static uint8_t decided[kRows][kLabels];
  CHECK(ls_predict(model, data, NULL, &scores[0][0], kLabels, &decided[0][0], kLabels) == LS_OK);
  int right = 0;
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < kLabels; ++k) right += decided[i][k] == labels[i][k];
  CHECK(right > kRows * kLabels * 9 / 10);
  ls_free_model(model);
  ls_free_data(data);
}

static void gives_the_same_scores_for_doubles_and_sparse_rows(void) {
  ls_arrays arrays = arrays_of_rows();
  ls_data* data = data_of(&arrays);
  ls_model* model = forest_of(data);
  static float expected[kRows][kLabels], found[kRows][kLabels];
  scores_of(model, data, expected);

  static double wide[kRows][kFeatures + 2];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kFeatures; ++j) wide[i][j] = features[i][j];
  arrays.features.values = wide, arrays.features.stride = kFeatures + 2;
  arrays.features.type = LS_FLOAT64;
  ls_data* doubles = data_of(&arrays);
  scores_of(model, doubles, found);
  CHECK(memcmp(expected, found, sizeof expected) == 0);

  static int32_t starts[kRows + 1], columns[kRows * kFeatures];
  for (int i = 0; i <= kRows; ++i) starts[i] = i * kFeatures;
  for (int e = 0; e < kRows * kFeatures; ++e) columns[e] = e % kFeatures;
  arrays.features.values = features, arrays.features.type = LS_FLOAT32;
  arrays.features.starts = starts, arrays.features.columns = columns;
  ls_data* sparse = data_of(&arrays);
  ls_model* of_sparse = forest_of(sparse);
  scores_of(of_sparse, sparse, found);
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < kLabels; ++k) CHECK(fabsf(found[i][k] - expected[i][k]) < 0.5F);
  ls_free_model(of_sparse);
  ls_free_model(model);
  ls_free_data(sparse);
  ls_free_data(doubles);
  ls_free_data(data);
}

static void shows_data_as_the_arrays_it_was_made_of(void) {
  static const char* const names[] = {"one", "two", "three"};
  ls_arrays arrays = arrays_of_rows(), shown = {.struct_size = sizeof shown};
  arrays.label_names = names;
  ls_data* data = data_of(&arrays);
  CHECK(ls_data_view(data, &shown) == LS_OK);
  CHECK(shown.rows == kRows && shown.labels == kLabels);
  CHECK(shown.truth.rows == 0 && shown.votes.looks == 0 && shown.ids == NULL);
  CHECK(strcmp(shown.label_names[2], "three") == 0);
  ls_data* again = data_of(&shown);
  ls_arrays twice = {.struct_size = sizeof twice};
  CHECK(ls_data_view(again, &twice) == LS_OK);
  const int32_t *starts = twice.candidates.starts, *columns = twice.candidates.columns;
  for (int i = 0, e = 0; i < kRows; ++i) {
    const float* row = (const float*)twice.features.values + (size_t)i * twice.features.stride;
    CHECK(memcmp(row, features[i], sizeof features[i]) == 0);
    for (int k = 0; k < kLabels; ++k)
      if (labels[i][k]) CHECK(columns[e++] == k);
    CHECK(starts[i + 1] == e);
  }
  ls_free_data(again);
  ls_free_data(data);
}

static void refuses_what_makes_no_sense_and_says_what_to_do(void) {
  ls_data* data = data_of_rows();
  ls_model* model = NULL;
  CHECK(ls_fit(data, "forst", NULL, NULL, 0, NULL, &model) == LS_USAGE && model == NULL);
  CHECK(strstr(ls_last_error(), "forst") != NULL);
  CHECK(strstr(ls_last_hint(), "forest") != NULL);
  CHECK(ls_fit(data, "forest", "{\"tres\": 3}", NULL, 0, NULL, &model) == LS_USAGE);
  CHECK(strstr(ls_last_hint(), "trees") != NULL);
  CHECK(ls_fit(data, "forest", "[3]", NULL, 0, NULL, &model) == LS_USAGE);
  CHECK(ls_fit(data, "forest", "{", NULL, 0, NULL, &model) == LS_DATA);
  CHECK(ls_fit(NULL, "forest", NULL, NULL, 0, NULL, &model) == LS_USAGE);
  CHECK(ls_model_load("/no/such/file", &model) == LS_IO && ls_last_error()[0] != '\0');
  CHECK(ls_version() != NULL && ls_model_load(NULL, &model) == LS_USAGE);
  ls_free_data(data);
}

static void refuses_arrays_that_do_not_fit_together(void) {
  const ls_arrays whole = arrays_of_rows();
  ls_data* data = NULL;
  ls_arrays arrays = whole;
  arrays.candidates.rows = kRows - 1;
  CHECK(ls_data_from_arrays(&arrays, &data) == LS_DATA && data == NULL);
  arrays = whole, arrays.features.type = LS_UINT8;
  CHECK(ls_data_from_arrays(&arrays, &data) == LS_DATA);
  arrays = whole, arrays.features.stride = kFeatures - 1;
  CHECK(ls_data_from_arrays(&arrays, &data) == LS_DATA);
  arrays = whole, arrays.features.values = NULL;
  CHECK(ls_data_from_arrays(&arrays, &data) == LS_DATA);
  static const int64_t nobody[] = {-1}, here[] = {0};
  arrays = whole;
  arrays.votes.ticks = 1, arrays.votes.row = here, arrays.votes.label = here;
  arrays.votes.person = nobody, arrays.votes.people = 1;
  CHECK(ls_data_from_arrays(&arrays, &data) == LS_DATA);
  const int32_t starts[] = {0, 1}, columns[] = {kLabels};
  arrays = whole, arrays.features.rows = 1;
  arrays.candidates = (ls_matrix){
      .rows = 1, .cols = kLabels, .type = LS_UINT8, .starts = starts, .columns = columns};
  CHECK(ls_data_from_arrays(&arrays, &data) == LS_DATA);
}

static int failed_naming(int status, int expected, const char* named) {
  return status == expected && strstr(ls_last_error(), named) != NULL;
}

static void refuses_arrays_that_are_missing_or_out_of_order(void) {
  const ls_arrays whole = arrays_of_rows();
  ls_data* data = NULL;
  static const int64_t here[] = {0}, far[] = {INT64_MAX};
  static const char* const unnamed[] = {"one", NULL, "three"};
  ls_arrays arrays = whole;
  arrays.votes.ticks = 1;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_USAGE, "votes.row"));
  arrays.votes.row = here, arrays.votes.person = here;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_USAGE, "votes.label"));
  arrays.votes.label = here, arrays.votes.person = far;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_DATA, "too many annotators"));
  arrays = whole, arrays.votes.looks = 1;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_USAGE, "votes.look_row"));
  arrays = whole, arrays.label_names = unnamed;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_USAGE, "label_names"));
  arrays = (ls_arrays){.struct_size = sizeof(ls_arrays), .rows = SIZE_MAX, .labels = kLabels};
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_DATA, "too many"));
  arrays = whole, arrays.features.cols = SIZE_MAX;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_DATA, "features"));

  static const int32_t starts[] = {0, 1, 2}, back[] = {0, 2, 1}, below[] = {-1, 0, 1};
  static const int32_t columns[] = {0, 1};
  static const float values[] = {1, 2};
  const ls_matrix sparse = {.rows = 2,
                            .cols = kLabels,
                            .values = values,
                            .type = LS_FLOAT32,
                            .starts = starts,
                            .columns = columns};
  arrays = (ls_arrays){.struct_size = sizeof(ls_arrays), .features = sparse};
  CHECK(ls_data_from_arrays(&arrays, &data) == LS_OK);
  ls_free_data(data);
  data = NULL;
  arrays.features.values = NULL;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_DATA, "no values"));
  arrays.features.values = values, arrays.features.columns = NULL;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_DATA, "no columns"));
  arrays.features = (ls_matrix){0}, arrays.candidates = sparse;
  arrays.candidates.type = LS_UINT8, arrays.candidates.values = NULL;
  arrays.candidates.starts = back;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_DATA, "starts"));
  arrays.candidates.starts = below;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_DATA, "starts"));
  CHECK(data == NULL);
}

static void refuses_to_learn_or_predict_without_features(void) {
  ls_arrays arrays = arrays_of_rows();
  ls_data* whole = data_of(&arrays);
  ls_model *forest = forest_of(whole), *model = NULL;
  arrays.features = (ls_matrix){0};
  ls_data* data = data_of(&arrays);
  static float scores[kRows][kLabels];
  ls_cleaning* cleaning = NULL;
  CHECK(failed_naming(ls_fit(data, "forest", kFast, NULL, 0, NULL, &model), LS_DATA, "features"));
  CHECK(failed_naming(ls_predict(forest, data, NULL, &scores[0][0], kLabels, NULL, 0), LS_DATA,
                      "features"));
  CHECK(failed_naming(ls_clean(data, "forest", kFast, 3, 0, NULL, 0, NULL, &cleaning), LS_DATA,
                      "features"));
  CHECK(model == NULL && cleaning == NULL);
  ls_free_model(forest);
  ls_free_data(data);
  ls_free_data(whole);
}

static void refuses_rows_of_answers_that_would_overlap(void) {
  ls_data* data = data_of_rows();
  ls_model* model = forest_of(data);
  static float scores[kRows * kLabels];
  static uint8_t decided[kRows * kLabels];
  scores[0] = -7, decided[0] = 7;
  CHECK(failed_naming(ls_predict(model, data, NULL, scores, kLabels - 1, NULL, 0), LS_USAGE,
                      "scores: rows of 3 labels"));
  CHECK(failed_naming(ls_predict(model, data, NULL, NULL, 0, decided, 0), LS_USAGE,
                      "labels: rows of 3 labels"));
  CHECK(scores[0] == -7 && decided[0] == 7);
  ls_free_model(model);
  ls_free_data(data);
}

static void refuses_more_threads_than_any_computer_has(void) {
  ls_data* data = data_of_rows();
  ls_model* model = NULL;
  const ls_run run = {.struct_size = sizeof(ls_run), .seed = 1, .threads = (size_t)-1};
  CHECK(failed_naming(ls_fit(data, "forest", kFast, NULL, 0, &run, &model), LS_USAGE, "threads"));
  const char* const path = "/no/such/file";
  ls_data* read = NULL;
  CHECK(failed_naming(ls_data_read(&path, 1, NULL, NULL, (size_t)-1, &read, NULL), LS_USAGE,
                      "threads"));
  CHECK(failed_naming(ls_data_read(NULL, 1, NULL, NULL, 1, &read, NULL), LS_USAGE, "paths"));
  const char* const nothing = NULL;
  CHECK(failed_naming(ls_data_read(&nothing, 1, NULL, NULL, 1, &read, NULL), LS_USAGE, "paths"));
  CHECK(failed_naming(ls_use_words(&nothing, &path, 1), LS_USAGE, "terms"));
  ls_free_data(data);
}

static void refuses_to_measure_what_is_not_there(void) {
  const ls_arrays arrays = arrays_of_rows();
  const ls_matrix* truth = &arrays.candidates;
  char* json = NULL;
  CHECK(failed_naming(ls_evaluate(truth, NULL, NULL, NULL, NULL, &json), LS_USAGE, "measure"));
  CHECK(failed_naming(ls_evaluate(truth, NULL, NULL, truth, NULL, &json), LS_USAGE, "measure"));
  static float numbers[kRows][kLabels];
  ls_matrix scores = {.struct_size = sizeof scores,
                      .rows = kRows,
                      .cols = kLabels,
                      .values = numbers,
                      .type = LS_FLOAT32,
                      .stride = kLabels};
  scores.values = NULL;
  CHECK(failed_naming(ls_evaluate(truth, &scores, NULL, NULL, NULL, &json), LS_DATA, "scores"));
  scores.values = numbers, scores.stride = 1;
  CHECK(failed_naming(ls_evaluate(truth, &scores, NULL, NULL, NULL, &json), LS_DATA, "scores"));
  scores.stride = kLabels, scores.type = 7;
  CHECK(failed_naming(ls_evaluate(truth, &scores, NULL, NULL, NULL, &json), LS_USAGE, "scores"));
  scores.type = LS_FLOAT32, scores.rows = kRows - 1;
  CHECK(ls_evaluate(truth, &scores, NULL, NULL, NULL, &json) != LS_OK);
  CHECK(json == NULL);
}

static void refuses_gold_cells_and_thresholds_that_make_no_sense(void) {
  ls_data* data = data_of_rows();
  ls_cleaning* cleaning = NULL;
  const ls_cell half[] = {{0, 0, 0.5}}, torn[] = {{0, 0, 1}, {0, 0, 0}};
  CHECK(failed_naming(ls_clean(data, "forest", kFast, 3, 0, NULL, 2, NULL, &cleaning), LS_USAGE,
                      "gold"));
  CHECK(failed_naming(ls_clean(data, "forest", kFast, 3, 0, half, 1, NULL, &cleaning), LS_DATA,
                      "neither 0 nor 1"));
  CHECK(failed_naming(ls_clean(data, "forest", kFast, 3, 0, torn, 2, NULL, &cleaning), LS_DATA,
                      "two ways"));
  CHECK(failed_naming(ls_clean(data, "forest", kFast, 0, 0, NULL, 0, NULL, &cleaning), LS_USAGE,
                      "folds"));
  CHECK(ls_clean(data, "forest", kFast, 3, 0, NULL, 0, NULL, &cleaning) == LS_OK);
  char* json = NULL;
  uint8_t kept[kRows * kLabels];
  CHECK(failed_naming(ls_cleaning_info(cleaning, NAN, &json), LS_USAGE, "threshold"));
  CHECK(failed_naming(ls_cleaning_cells(cleaning, 1.5, NULL, kept), LS_USAGE, "threshold"));
  ls_free_cleaning(cleaning);
  ls_free_data(data);
}

static void refuses_numbers_that_are_not_finite(void) {
  const ls_arrays arrays = arrays_of_rows();
  ls_data* data = data_of(&arrays);
  ls_model *model = NULL, *other = forest_of(data);
  features[7][2] = NAN;
  static float scores[kRows][kLabels];
  CHECK(ls_predict(other, data, NULL, &scores[0][0], kLabels, NULL, 0) == LS_DATA);
  CHECK(strstr(ls_last_error(), "row 8") != NULL);
  ls_free_model(other);
  CHECK(ls_fit(data, "forest", kFast, NULL, 0, NULL, &model) == LS_DATA);
  CHECK(strstr(ls_last_error(), "feature 3 of row 8") != NULL);
  ls_free_data(data);
}

static void refuses_another_number_of_features(void) {
  ls_arrays arrays = arrays_of_rows();
  ls_data* data = data_of(&arrays);
  ls_model* model = forest_of(data);
  arrays.features.cols = kFeatures - 1;
  ls_data* narrow = data_of(&arrays);
  static float scores[kRows][kLabels];
  CHECK(ls_predict(model, narrow, NULL, &scores[0][0], kLabels, NULL, 0) == LS_DATA);
  ls_free_data(narrow);
  ls_free_model(model);
  ls_free_data(data);
}

static void keeps_a_model_in_bytes_and_files(void) {
  ls_data* data = data_of_rows();
  ls_model *model = forest_of(data), *loaded = NULL, *decoded = NULL;
  char path[] = "/tmp/labelsieve_c_XXXXXX";
  const int file = mkstemp(path);
  CHECK(file >= 0 && close(file) == 0);
  CHECK(ls_model_save(model, path, 0) == LS_IO);
  CHECK(ls_model_save(model, path, 1) == LS_OK);
  CHECK(ls_model_load(path, &loaded) == LS_OK);
  CHECK(ls_model_export(model, path, 0) == LS_IO);
  CHECK(ls_model_export(model, path, 1) == LS_OK);
  size_t size = 0;
  CHECK(ls_model_to_bytes(model, NULL, &size) == LS_OK && size > 100);
  char* bytes = malloc(size);
  size_t less = size - 1;
  CHECK(ls_model_to_bytes(model, bytes, &less) == LS_USAGE);
  CHECK(ls_model_to_bytes(model, bytes, &size) == LS_OK);
  CHECK(ls_model_from_bytes(bytes, size, &decoded) == LS_OK);
  static float expected[kRows][kLabels], found[kRows][kLabels];
  scores_of(model, data, expected);
  scores_of(loaded, data, found);
  CHECK(memcmp(expected, found, sizeof expected) == 0);
  scores_of(decoded, data, found);
  CHECK(memcmp(expected, found, sizeof expected) == 0);
  for (size_t at = 0; at < size; at += 37) {
    ls_model* damaged = NULL;
    bytes[at] ^= 1;
    CHECK(ls_model_from_bytes(bytes, size, &damaged) == LS_MODEL && damaged == NULL);
    bytes[at] ^= 1;
  }
  CHECK(unlink(path) == 0);
  free(bytes);
  ls_free_model(decoded);
  ls_free_model(loaded);
  ls_free_model(model);
  ls_free_data(data);
}

struct told {
  int calls, stop_after;
  char stage[64];
};

static int take(void* context, const char* stage, size_t done, size_t total, const char* note) {
  struct told* told = context;
  CHECK(stage != NULL && note != NULL && (total == 0 || done <= total));
  snprintf(told->stage, sizeof told->stage, "%s", stage);
  return ++told->calls >= told->stop_after;
}

static void tells_progress_and_stops_when_asked(void) {
  ls_data* data = data_of_rows();
  ls_model* model = NULL;
  struct told told = {.stop_after = 1000000};
  ls_run run = {.struct_size = sizeof(ls_run), .seed = 1, .progress = take, .context = &told};
  CHECK(ls_fit(data, "forest", kFast, NULL, 0, &run, &model) == LS_OK);
  CHECK(told.calls > 0 && told.stage[0] != '\0');
  ls_free_model(model);
  model = NULL;
  told = (struct told){.stop_after = 1};
  CHECK(ls_fit(data, "mlp", NULL, NULL, 0, &run, &model) == LS_INTERRUPTED && model == NULL);
  ls_free_data(data);
}

static pthread_t caller;

static int take_on_the_same_thread(void* context, const char* stage, size_t done, size_t total,
                                   const char* note) {
  (void)stage, (void)done, (void)total, (void)note;
  ++*(int*)context;
  CHECK(pthread_equal(caller, pthread_self()));
  return 0;
}

static void tells_progress_on_the_thread_that_called(void) {
  ls_data* data = NULL;
  ls_model* model = NULL;
  int calls = 0;
  caller = pthread_self();
  const ls_run run = {.struct_size = sizeof(ls_run),
                      .seed = 1,
                      .threads = 4,
                      .progress = take_on_the_same_thread,
                      .context = &calls};
  CHECK(ls_data_synthetic("{\"rows\": 8000}", &data) == LS_OK);
  CHECK(ls_fit(data, "mlp", "{\"members\": 4, \"epochs\": 10, \"depth\": 1}", NULL, 0, &run,
               &model) == LS_OK);
  CHECK(calls > 2);
  ls_free_model(model);
  ls_free_data(data);
}

static void cleans_by_votes(void) {
  ls_data* data = NULL;
  CHECK(ls_data_synthetic("{\"rows\": 200, \"labels\": 6, \"votes\": true}", &data) == LS_OK);
  ls_arrays shown = {.struct_size = sizeof shown};
  CHECK(ls_data_view(data, &shown) == LS_OK);
  CHECK(shown.votes.looks > 0 && shown.votes.people == 9 && shown.truth.rows == 200);
  ls_cleaning* cleaning = NULL;
  const ls_run run = {.struct_size = sizeof(ls_run), .seed = 1};
  const ls_cell gold[] = {{0, 0, 1}, {1, 200, 0}};
  CHECK(ls_clean(data, "forest", kFast, 3, 0, gold, 2, &run, &cleaning) == LS_DATA);
  CHECK(ls_clean(data, "oracle", NULL, 3, 0, NULL, 0, &run, &cleaning) == LS_USAGE);
  CHECK(ls_clean(data, "forest", kFast, 3, 0, gold, 1, &run, &cleaning) == LS_OK);
  char* json = NULL;
  CHECK(ls_cleaning_info(cleaning, 0.5, &json) == LS_OK);
  CHECK(strstr(json, "\"people\"") != NULL && strstr(json, "\"estimated_noise\"") != NULL);
  const char* emptied = strstr(json, "\"emptied_rows\":");
  CHECK(emptied != NULL);
  const int said_empty = emptied == NULL ? -1 : atoi(emptied + strlen("\"emptied_rows\":"));
  ls_free_text(json);
  float* confidence = malloc(200 * 6 * sizeof(float));
  uint8_t* kept = malloc(200 * 6);
  CHECK(ls_cleaning_cells(cleaning, 0.5, confidence, kept) == LS_OK);
  const int32_t *starts = shown.candidates.starts, *columns = shown.candidates.columns;
  int empty = 0;  // annotators leave rows empty, so cleaning may
  for (int i = 0; i < 200; ++i) {
    int on = 0;
    for (int32_t e = starts[i]; e < starts[i + 1]; ++e) {
      const float value = confidence[i * 6 + columns[e]];
      CHECK(value > 0 && value < 1);
      on += kept[i * 6 + columns[e]];
    }
    empty += on == 0 && starts[i] < starts[i + 1];
  }
  CHECK(empty == said_empty);
  const ls_cell* missing = NULL;
  size_t count = 0;
  CHECK(ls_cleaning_missing(cleaning, &missing, &count) == LS_OK);
  for (size_t i = 0; i < count; ++i) CHECK(missing[i].value >= 0.5 && missing[i].row < 200);
  free(kept);
  free(confidence);
  ls_free_cleaning(cleaning);
  ls_free_data(data);
}

static void measures_and_inspects(void) {
  const ls_arrays arrays = arrays_of_rows();
  ls_data* data = data_of(&arrays);
  char* json = NULL;
  CHECK(ls_evaluate(&arrays.candidates, NULL, &arrays.candidates, NULL, NULL, &json) == LS_OK);
  CHECK(strstr(json, "\"micro-f1\"") != NULL && strstr(json, "ranking-loss") == NULL);
  ls_free_text(json);
  CHECK(ls_evaluate(&arrays.candidates, &arrays.candidates, NULL, NULL, NULL, &json) == LS_USAGE);
  CHECK(ls_evaluate(&arrays.candidates, NULL, &arrays.candidates, NULL, "{\"ties\": \"x\"}",
                    &json) == LS_USAGE);
  CHECK(ls_data_inspect(data, &json) == LS_OK && strstr(json, "\"rows\":60") != NULL);
  ls_free_text(json);
  CHECK(ls_methods(&json) == LS_OK && strstr(json, "\"pml-gan\"") != NULL);
  ls_free_text(json);
  ls_free_data(data);
}

static void reads_files_and_hints_in_the_words_of_the_caller(void) {
  char path[] = "/tmp/labelsieve_c_XXXXXX";
  const int file = mkstemp(path);
  const char text[] = "a,b,x,y\n1,2,0,1\n3,4,1,1\n";
  CHECK(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1 && close(file) == 0);
  const char* const paths[] = {path};
  const char* const terms[] = {"labels.count"};
  const char* const words[] = {"how_many_labels"};
  ls_data* data = NULL;
  char* notes = NULL;
  CHECK(ls_use_words(terms, words, 1) == LS_OK);
  CHECK(ls_data_read(paths, 1, "{\"format\": \"csv\"}", NULL, 1, &data, NULL) == LS_DATA);
  CHECK(strstr(ls_last_hint(), "how_many_labels or") != NULL);
  CHECK(ls_data_read(paths, 1, "{\"labels.cont\": -2}", NULL, 1, &data, NULL) == LS_USAGE);
  CHECK(strstr(ls_last_hint(), "labels.count") != NULL);
  CHECK(ls_data_read(paths, 1, "{\"format\": \"csv\", \"labels.count\": -2}", NULL, 1, &data,
                     &notes) == LS_OK);
  CHECK(notes[0] == '[');
  ls_arrays shown = {.struct_size = sizeof shown};
  CHECK(ls_data_view(data, &shown) == LS_OK && shown.rows == 2 && shown.labels == 2);
  CHECK(strcmp(shown.feature_names[1], "b") == 0);
  ls_free_text(notes);
  ls_free_data(data);
  CHECK(unlink(path) == 0);
}

static char table_path[] = "/tmp/labelsieve_c_XXXXXX";

/* Whether the hint of a file without labels has the word in calls of this thread. */
static int hint_has(const char* word) {
  const char* const paths[] = {table_path};
  ls_data* data = NULL;
  CHECK(ls_data_read(paths, 1, "{\"format\": \"csv\"}", NULL, 2, &data, NULL) == LS_DATA);
  return strstr(ls_last_hint(), word) != NULL;
}

static void* speaks_otherwise(void* words) {
  CHECK(hint_has("of_all"));
  ls_use_words_here((const ls_words*)words);
  CHECK(hint_has("of_another"));
  return NULL;
}

static void each_thread_hints_in_its_own_words(void) {
  const int file = mkstemp(table_path);
  const char text[] = "a,b,x,y\n1,2,0,1\n3,4,1,1\n";
  CHECK(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1 && close(file) == 0);
  const char* const terms[] = {"labels.count"};
  const char *const all[] = {"of_all"}, *const one[] = {"of_one"},
                    *const another[] = {"of_another"};
  ls_words *mine = NULL, *others = NULL;
  CHECK(ls_use_words(terms, all, 1) == LS_OK);
  CHECK(ls_words_of(terms, one, 1, &mine) == LS_OK);
  CHECK(ls_words_of(terms, another, 1, &others) == LS_OK);
  ls_use_words_here(mine);
  CHECK(hint_has("of_one") && !hint_has("of_all"));
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, speaks_otherwise, others) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(hint_has("of_one"));
  /* Two bindings in one thread: each gives back what it found. */
  const ls_words* const found = ls_use_words_here(others);
  CHECK(found == mine && hint_has("of_another"));
  CHECK(ls_use_words_here(found) == others && hint_has("of_one"));
  ls_free_words(mine);
  CHECK(ls_use_words_here(NULL) == NULL);
  CHECK(hint_has("of_all"));
  ls_free_words(others);
  ls_free_words(NULL);
  CHECK(failed_naming(ls_words_of(NULL, one, 1, &mine), LS_USAGE, "terms"));
  CHECK(failed_naming(ls_words_of(terms, one, 1, NULL), LS_USAGE, "handle"));
  CHECK(unlink(table_path) == 0);
}

static void counts_rows_by_weight(void) {
  ls_data* data = data_of_rows();
  static float plain[kRows][kLabels], equal[kRows][kLabels], other[kRows][kLabels],
      scaled[kRows][kLabels];
  static double weights[kRows];
  const struct {
    double odd, even;
    float (*into)[kLabels];
  } kinds[] = {{0.3, 0.3, equal}, {0.3, 1.7, other}, {0.6, 3.4, scaled}};
  const ls_run run = {.struct_size = sizeof(ls_run), .seed = 1, .threads = 1};
  ls_model* model = forest_of(data);
  scores_of(model, data, plain);
  ls_free_model(model);
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < kRows; ++i) weights[i] = i % 2 ? kinds[c].odd : kinds[c].even;
    CHECK(ls_fit_weighted(data, "forest", kFast, NULL, 0, weights, &run, &model) == LS_OK);
    scores_of(model, data, kinds[c].into);
    ls_free_model(model);
  }
  CHECK(memcmp(plain, equal, sizeof plain) == 0);
  CHECK(memcmp(plain, other, sizeof plain) != 0);
  CHECK(memcmp(other, scaled, sizeof other) == 0);
  model = NULL;
  CHECK(failed_naming(ls_fit_weighted(data, "pml-ni", NULL, NULL, 0, weights, &run, &model),
                      LS_USAGE, "pml-ni"));
  weights[2] = -1;
  CHECK(failed_naming(ls_fit_weighted(data, "forest", kFast, NULL, 0, weights, &run, &model),
                      LS_DATA, "row 3"));
  CHECK(failed_naming(ls_fit_weighted(data, "forest", kFast, NULL, 0, NULL, &run, &model), LS_USAGE,
                      "weights"));
  CHECK(model == NULL);
  ls_free_data(data);
}

static size_t bytes_of(const ls_model* model, char* into, size_t room) {
  size_t size = room;
  CHECK(ls_model_to_bytes(model, into, &size) == LS_OK);
  return size;
}

static void learns_from_rows_without_labels(void) {
  static char plain[1 << 20], same[1 << 20], others[1 << 20];
  ls_data* data = data_of_rows();
  const ls_arrays few = {.struct_size = sizeof few,
                         .features = {.struct_size = sizeof few.features,
                                      .rows = kRows / 2,
                                      .cols = kFeatures,
                                      .values = features,
                                      .type = LS_FLOAT32,
                                      .stride = kFeatures}};
  ls_data *unlabelled = data_of(&few), *narrow = NULL;
  const ls_run run = {.struct_size = sizeof(ls_run), .seed = 1, .threads = 1};
  const char* const quick = "{\"trees\": 10, \"width\": 4, \"epochs\": 1}";
  ls_training training = {.struct_size = sizeof training, .method = "blend", .settings = quick};
  ls_model *fitted = NULL, *trained = NULL, *completed = NULL, *none = NULL;
  CHECK(ls_fit(data, "blend", quick, NULL, 0, &run, &fitted) == LS_OK);
  CHECK(ls_train(data, &training, &run, &trained) == LS_OK);
  training.unlabelled = unlabelled;
  CHECK(ls_train(data, &training, &run, &completed) == LS_OK);
  const size_t size = bytes_of(fitted, plain, sizeof plain);
  CHECK(bytes_of(trained, same, sizeof same) == size && memcmp(plain, same, size) == 0);
  CHECK(bytes_of(completed, others, sizeof others) != size || memcmp(plain, others, size) != 0);

  training.method = "forest", training.settings = kFast;
  CHECK(failed_naming(ls_train(data, &training, &run, &none), LS_USAGE, "rows without labels"));
  ls_arrays other = few;
  other.features.cols = kFeatures - 1;
  narrow = data_of(&other);
  training.method = "blend", training.settings = quick, training.unlabelled = narrow;
  CHECK(failed_naming(ls_train(data, &training, &run, &none), LS_DATA, "rows without labels"));
  training.unlabelled = NULL, training.method = NULL;
  CHECK(failed_naming(ls_train(data, &training, &run, &none), LS_USAGE, "method"));
  CHECK(failed_naming(ls_train(data, NULL, &run, &none), LS_USAGE, "training"));
  const char* const nowhere = "/nowhere/rows.csv";
  ls_data* read = NULL;
  CHECK(failed_naming(ls_data_read_unlabelled(&nowhere, 1, NULL, NULL, 1, &read, NULL), LS_USAGE,
                      "like"));
  CHECK(failed_naming(ls_data_read_unlabelled(&nowhere, 1, NULL, data, 1, &read, NULL), LS_IO,
                      "nowhere"));
  CHECK(read == NULL);
  CHECK(none == NULL);
  ls_free_model(fitted), ls_free_model(trained), ls_free_model(completed);
  ls_free_data(data), ls_free_data(unlabelled), ls_free_data(narrow);
}

static void lists_its_settings_and_reads_earlier_names(void) {
  char* json = NULL;
  CHECK(ls_settings(&json) == LS_OK);
  CHECK(strstr(json, "\"name\":\"label_prefix\",\"key\":\"labels.prefix\"") != NULL);
  CHECK(strstr(json, "\"earlier_names\":[\"text_letters\"]") != NULL);
  ls_free_text(json);
  CHECK(failed_naming(ls_settings(NULL), LS_USAGE, "json"));

  char path[] = "/tmp/labelsieve_c_XXXXXX";
  const int file = mkstemp(path);
  const char text[] = "item,annotator,label\na,ann,x\nb,bob,y\nb,ann,x\n";
  CHECK(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1 && close(file) == 0);
  const char* const names[] = {"ticks.path", "ticks", "annotations"};
  char settings[200];
  for (size_t i = 0; i < 3; ++i) {
    ls_data* data = NULL;
    ls_arrays shown = {.struct_size = sizeof shown};
    snprintf(settings, sizeof settings, "{\"%s\": \"%s\"}", names[i], path);
    CHECK(ls_data_read(NULL, 0, settings, NULL, 1, &data, NULL) == LS_OK);
    CHECK(ls_data_view(data, &shown) == LS_OK && shown.votes.ticks == 3);
    ls_free_data(data);
  }
  ls_data* none = NULL;
  snprintf(settings, sizeof settings, "{\"ticks\": \"%s\", \"annotations\": \"%s\"}", path, path);
  CHECK(ls_data_read(NULL, 0, settings, NULL, 1, &none, NULL) == LS_USAGE);
  CHECK(strstr(ls_last_error(), "'ticks' and 'annotations' are one setting") != NULL);
  CHECK(unlink(path) == 0);
}

static void combines_votes_and_measures_agreement_without_features(void) {
  /* Two annotators of two rows: they agree about the first row alone. */
  const int64_t row[] = {0, 0, 1, 1}, person[] = {0, 1, 0, 1}, label[] = {0, 0, 0, 1};
  ls_arrays arrays = {.struct_size = sizeof arrays};
  arrays.rows = 2, arrays.labels = 2;
  arrays.votes.ticks = 4;
  arrays.votes.row = row, arrays.votes.person = person, arrays.votes.label = label;
  ls_data* data = data_of(&arrays);
  float share[2][2];
  CHECK(ls_aggregate(data, "share", 2, NULL, &share[0][0], NULL) == LS_OK);
  CHECK(share[0][0] == 1 && share[0][1] == 0 && share[1][0] == 0.5F && share[1][1] == 0.5F);
  char* json = NULL;
  CHECK(ls_agreement(data, 0, NULL, &json) == LS_OK && json[0] == '{');
  ls_free_text(json);
  CHECK(failed_naming(ls_aggregate(data, "best", 2, NULL, &share[0][0], NULL), LS_USAGE, "best"));
  CHECK(failed_naming(ls_aggregate(data, NULL, 2, NULL, NULL, NULL), LS_USAGE, "probabilities"));
  ls_free_data(data);
  data = data_of_rows();
  CHECK(failed_naming(ls_agreement(data, 0, NULL, &json), LS_DATA, "who ticked"));
  ls_free_data(data);
}

static void takes_unsure_votes_for_missing_and_shows_them_again(void) {
  /* The second annotator ticks both labels of the first row, and is unsure of the second one. */
  static const int64_t row[] = {0, 0, 0}, person[] = {0, 1, 1}, label[] = {0, 0, 1};
  static const int64_t at[] = {0, 1}, who[] = {1, 1}, what[] = {1, 0}, far[] = {7, 7};
  ls_arrays arrays = {.struct_size = sizeof arrays};
  arrays.rows = 2, arrays.labels = 2;
  arrays.votes.ticks = 3;
  arrays.votes.row = row, arrays.votes.person = person, arrays.votes.label = label;
  arrays.unsure = 2;
  ls_data* data = NULL;
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_USAGE, "unsure_row"));
  arrays.unsure_row = at, arrays.unsure_person = who, arrays.unsure_label = far;
  CHECK(ls_data_from_arrays(&arrays, &data) == LS_DATA);
  arrays.unsure_label = what;
  data = data_of(&arrays);
  float share[2][2];
  CHECK(ls_aggregate(data, "share", 2, NULL, &share[0][0], NULL) == LS_OK);
  CHECK(share[0][0] == 1 && share[0][1] == 0 && share[1][0] == 0);
  ls_arrays shown = {.struct_size = sizeof shown};
  CHECK(ls_data_view(data, &shown) == LS_OK);
  CHECK(shown.votes.ticks == 2 && shown.votes.looks == 3 && shown.unsure == 2);
  CHECK(shown.unsure_row[0] == 0 && shown.unsure_person[0] == 1 && shown.unsure_label[0] == 1);
  CHECK(shown.unsure_row[1] == 1 && shown.unsure_person[1] == 1 && shown.unsure_label[1] == 0);
  /* A program built before there were such votes. */
  ls_arrays earlier = {.struct_size = offsetof(ls_arrays, unsure)};
  CHECK(ls_data_view(data, &earlier) == LS_OK && earlier.votes.ticks == 2);
  CHECK(earlier.unsure == 0 && earlier.unsure_row == NULL);
  ls_free_data(data);
}

static void takes_grades_and_shows_them_again(void) {
  static const int64_t row[] = {0, 0, 1}, person[] = {0, 1, 1}, label[] = {1, 0, 0};
  static const uint8_t grade[] = {2, 0, 1}, none[] = {0, 0, 0};
  ls_arrays arrays = {.struct_size = sizeof arrays, .rows = 2, .labels = 2};
  arrays.votes.ticks = 3;
  arrays.votes.row = row, arrays.votes.person = person, arrays.votes.label = label;
  arrays.grade = grade;
  ls_data* data = data_of(&arrays);
  ls_arrays shown = {.struct_size = sizeof shown};
  CHECK(ls_data_view(data, &shown) == LS_OK && memcmp(shown.grade, grade, sizeof grade) == 0);
  /* A program built before there were any. */
  ls_arrays earlier = {.struct_size = offsetof(ls_arrays, grade)};
  CHECK(ls_data_view(data, &earlier) == LS_OK && earlier.votes.ticks == 3);
  CHECK(earlier.grade == NULL);
  ls_free_data(data);
  arrays.grade = none;
  data = data_of(&arrays);
  CHECK(ls_data_view(data, &shown) == LS_OK && shown.grade == NULL);
  ls_free_data(data);
}

static void takes_programs_and_groups_and_shows_them_again(void) {
  static const int64_t row[] = {0, 0, 0, 0, 0}, person[] = {0, 1, 2, 3, 4},
                       label[] = {0, 0, 1, 1, 1}, group[] = {0, 0, -1, -1, -1},
                       wrong[] = {0, 0, -2, -1, -1};
  static const uint8_t program[] = {0, 0, 1, 1, 1};
  ls_arrays arrays = {.struct_size = sizeof arrays, .rows = 1, .labels = 2};
  arrays.votes.ticks = 5;
  arrays.votes.row = row, arrays.votes.person = person, arrays.votes.label = label;
  ls_data* data = data_of(&arrays);
  ls_arrays shown = {.struct_size = sizeof shown};
  CHECK(ls_data_view(data, &shown) == LS_OK && shown.program == NULL && shown.group == NULL);
  CHECK(strcmp(shown.name, "the data") == 0);
  ls_free_data(data);
  arrays.program = program, arrays.group = wrong, arrays.name = "five votes";
  CHECK(failed_naming(ls_data_from_arrays(&arrays, &data), LS_DATA, "group -2"));
  arrays.group = group;
  data = data_of(&arrays);
  CHECK(ls_data_view(data, &shown) == LS_OK && strcmp(shown.name, "five votes") == 0);
  CHECK(memcmp(shown.program, program, sizeof program) == 0);
  CHECK(shown.group[0] == shown.group[1] && shown.group[1] == 0);
  CHECK(shown.group[2] == shown.group[4] && shown.group[2] > 0); /* programs are one group */
  ls_free_data(data);
}

static void says_whom_to_trust_and_what_to_ask(void) {
  ls_data *data = NULL, *nameless = data_of_rows();
  char* json = NULL;
  CHECK(ls_data_synthetic("{\"rows\": 200, \"labels\": 5, \"votes\": true}", &data) == LS_OK);
  CHECK(ls_annotators(data, 2, NULL, &json) == LS_OK && strstr(json, "worst_ticks") != NULL);
  ls_free_text(json);
  CHECK(ls_ask(data, "cells", 7, NULL, &json) == LS_OK && strstr(json, "\"gain\"") != NULL);
  ls_free_text(json);
  CHECK(failed_naming(ls_ask(data, "people", 7, NULL, &json), LS_USAGE, "people"));
  CHECK(failed_naming(ls_ask(data, NULL, 0, NULL, &json), LS_USAGE, "budget"));
  CHECK(failed_naming(ls_ask(nameless, NULL, 7, NULL, &json), LS_DATA, "who ticked"));
  CHECK(failed_naming(ls_annotators(NULL, 7, NULL, &json), LS_USAGE, "data"));
  ls_cleaning* cleaning = NULL;
  CHECK(ls_clean(data, NULL, NULL, 0, 0, NULL, 0, NULL, &cleaning) == LS_OK);
  double usual = 0, for_f1 = 0, for_hamming = 0;
  CHECK(ls_cleaning_threshold(cleaning, NULL, &usual) == LS_OK);
  CHECK(ls_cleaning_threshold(cleaning, "f1", &for_f1) == LS_OK);
  CHECK(ls_cleaning_threshold(cleaning, "hamming", &for_hamming) == LS_OK && for_hamming == 0.5);
  CHECK(usual > 0 && usual == (for_f1 < 0.5 ? for_f1 : 0.5));
  CHECK(failed_naming(ls_cleaning_threshold(cleaning, "beauty", &usual), LS_USAGE, "beauty"));
  ls_free_cleaning(cleaning);
  ls_free_data(nameless);
  ls_free_data(data);
}

static void keeps_a_promise(void) {
  ls_data *data = NULL, *few = NULL;
  CHECK(ls_data_synthetic("{\"rows\": 300}", &data) == LS_OK);
  CHECK(ls_data_synthetic("{\"rows\": 10}", &few) == LS_OK);
  ls_model *model = forest_of(data), *promising = NULL, *none = NULL;
  static uint8_t on[300][13], usual[300][12];
  CHECK(failed_naming(ls_predict_guaranteed(model, data, "recall=0.8", NULL, &on[0][0], 13),
                      LS_DATA, "keeps no thresholds for recall=0.8"));
  CHECK(ls_model_guarantee(model, data, NULL, 0, "recall=0.8", 0.9, NULL, &promising) == LS_OK);
  CHECK(ls_predict_guaranteed(promising, data, "recall=0.8", NULL, &on[0][0], 13) == LS_OK);
  CHECK(ls_predict(promising, data, NULL, NULL, 0, &usual[0][0], 12) == LS_OK);
  ls_arrays arrays = {.struct_size = sizeof arrays};
  CHECK(ls_data_view(data, &arrays) == LS_OK);
  const int32_t *starts = arrays.truth.starts, *columns = arrays.truth.columns;
  size_t right = 0, found = 0, differ = 0;
  for (size_t i = 0; i < 300; ++i)
    for (int32_t k = starts[i]; k < starts[i + 1]; ++k) ++right, found += on[i][columns[k]];
  for (size_t i = 0; i < 300; ++i)
    for (size_t k = 0; k < 12; ++k) differ += on[i][k] != usual[i][k];
  CHECK(found >= 0.8 * (double)right && differ > 0);
  char* info = NULL;
  CHECK(ls_model_info(promising, &info) == LS_OK);
  CHECK(strstr(info, "\"about\":\"recall\",\"share\":0.8") != NULL);
  /* Of decided cells alone, by the labels that they name. */
  ls_cell cells[300];
  for (size_t i = 0; i < 300; ++i) cells[i] = (ls_cell){i, 1, (double)(i % 2)};
  ls_model* one_label = NULL;
  CHECK(ls_model_guarantee(model, data, cells, 300, "recall=0.8", 0.9, NULL, &one_label) == LS_OK);
  CHECK(failed_naming(ls_model_guarantee(model, few, NULL, 0, "recall=0.9", 0.9, NULL, &none),
                      LS_DATA, "10 decided rows are too few"));
  CHECK(failed_naming(ls_model_guarantee(model, data, NULL, 0, "f1=0.9", 0.9, NULL, &none),
                      LS_USAGE, "f1=0.9"));
  CHECK(failed_naming(ls_model_guarantee(model, data, NULL, 0, "recall=0.9", 1.5, NULL, &none),
                      LS_USAGE, "level"));
  CHECK(none == NULL);
  ls_free_text(info);
  ls_free_model(model), ls_free_model(promising), ls_free_model(one_label);
  ls_free_data(data), ls_free_data(few);
}

static void audits_labels(void) {
  ls_data* data = NULL;
  CHECK(ls_data_synthetic("{\"rows\": 200, \"labels\": 5, \"votes\": true}", &data) == LS_OK);
  ls_audit* audit = NULL;
  CHECK(ls_audit_begin(data, NULL, NULL, "{\"budget\": 40}", NULL, &audit) == LS_OK);
  const ls_question* questions = NULL;
  size_t count = 0;
  char *code = NULL, *claims = NULL, *certificate = NULL, *differences = NULL;
  CHECK(ls_audit_questions(audit, &questions, &count, &code) == LS_OK);
  CHECK(count == 44 && code[0] == 'v' && questions[0].pass == 1 && questions[43].pass == 2);
  uint8_t answers[44];
  for (size_t i = 0; i < count; ++i) answers[i] = i % 3 == 0 ? LS_WRONG : LS_RIGHT;
  const char* const goal = "precision >= 0.1";
  CHECK(ls_audit_claims(audit, answers, 0.9, &goal, 1, &claims) == LS_OK);
  CHECK(strstr(claims, "\"precision\"") != NULL && strstr(claims, "\"audited ") != NULL);
  CHECK(ls_audit_certificate(audit, answers, 0.9, &certificate) == LS_OK);
  CHECK(ls_audit_verify(certificate, data, NULL, NULL, NULL, &differences) == LS_OK);
  CHECK(strcmp(differences, "[]") == 0);
  answers[3] = 9;
  CHECK(failed_naming(ls_audit_claims(audit, answers, 0.9, NULL, 0, &claims), LS_USAGE, "9"));
  answers[3] = LS_UNSURE;
  CHECK(failed_naming(ls_audit_claims(audit, answers, 2, NULL, 0, &claims), LS_USAGE, "level"));
  CHECK(failed_naming(ls_audit_begin(data, NULL, NULL, "{\"bugdet\": 4}", NULL, &audit), LS_USAGE,
                      "bugdet"));
  CHECK(failed_naming(ls_audit_verify("{}", data, NULL, NULL, NULL, &claims), LS_DATA,
                      "certificate"));
  ls_free_text(code), ls_free_text(claims), ls_free_text(certificate), ls_free_text(differences);
  ls_free_audit(audit);
  ls_free_data(data);
}

static void settles_conflicts_of_an_audit_and_judges_annotators(void) {
  ls_data* data = NULL;
  CHECK(ls_data_synthetic("{\"rows\": 200, \"labels\": 5, \"votes\": true}", &data) == LS_OK);
  ls_audit* audit = NULL;
  CHECK(ls_audit_begin(data, NULL, NULL, "{\"budget\": 40}", NULL, &audit) == LS_OK);
  uint8_t answers[44], differ[4] = {7, 7, 7, 7}, third[4] = {0};
  for (size_t i = 0; i < 44; ++i) answers[i] = LS_RIGHT;
  answers[41] = LS_WRONG, answers[42] = LS_UNSURE;
  CHECK(ls_audit_conflicts(audit, answers, differ) == LS_OK);
  CHECK(differ[0] == 0 && differ[1] == 1 && differ[2] == 0 && differ[3] == 0);
  ls_decisions decisions = {
      .struct_size = sizeof decisions, .answers = answers, .per_annotator = 1};
  char *open = NULL, *settled = NULL, *certificate = NULL, *differences = NULL, *none = NULL;
  CHECK(ls_audit_result(audit, &decisions, &open) == LS_OK);
  CHECK(strstr(open, "\"annotator_claims\"") != NULL && strstr(open, "\"level\":0.9") != NULL);
  third[0] = third[1] = LS_WRONG;
  decisions.third = third;
  CHECK(ls_audit_result(audit, &decisions, &settled) == LS_OK && strcmp(open, settled) != 0);
  CHECK(ls_audit_certify(audit, &decisions, &certificate) == LS_OK);
  CHECK(strstr(certificate, "\"pass\":3") != NULL);
  CHECK(ls_audit_verify(certificate, data, NULL, NULL, NULL, &differences) == LS_OK);
  CHECK(strcmp(differences, "[]") == 0);
  third[1] = 9;
  CHECK(failed_naming(ls_audit_result(audit, &decisions, &none), LS_USAGE, "9"));
  decisions.struct_size = 0;
  CHECK(failed_naming(ls_audit_result(audit, &decisions, &none), LS_USAGE, "decisions"));
  CHECK(none == NULL);
  ls_free_text(open), ls_free_text(settled), ls_free_text(certificate), ls_free_text(differences);
  ls_free_audit(audit);
  ls_free_data(data);
}

static void audits_whole_rows(void) {
  ls_data* data = NULL;
  CHECK(ls_data_synthetic("{\"rows\": 200, \"labels\": 5, \"votes\": true}", &data) == LS_OK);
  ls_audit *audit = NULL, *none = NULL;
  CHECK(ls_audit_begin(data, NULL, NULL, "{\"budget\": 40, \"rows\": true, \"twice\": 0}", NULL,
                       &audit) == LS_OK);
  const ls_question* questions = NULL;
  size_t count = 0;
  CHECK(ls_audit_questions(audit, &questions, &count, NULL) == LS_OK && count == 200);
  uint8_t answers[200];
  for (size_t i = 0; i < count; ++i) answers[i] = LS_RIGHT;
  const char* const goal = "perfect >= 0.9";
  const ls_decisions decisions = {
      .struct_size = sizeof decisions, .answers = answers, .goals = &goal, .goal_count = 1};
  char* claims = NULL;
  CHECK(ls_audit_result(audit, &decisions, &claims) == LS_OK);
  CHECK(strstr(claims, "\"about\":\"perfect\"") != NULL);
  CHECK(failed_naming(
      ls_audit_begin(data, NULL, NULL, "{\"rows\": true, \"per_label\": true}", NULL, &none),
      LS_USAGE, "label by label"));
  ls_free_text(claims);
  ls_free_audit(audit);
  ls_free_data(data);
}

static void reads_structures_of_other_versions(void) {
  /* A program built with a header in which ls_run had no progress yet. */
  struct {
    size_t struct_size;
    uint64_t seed;
  } earlier = {sizeof earlier, 7};
  /* And one with a header in which it has one field more. */
  struct {
    ls_run known;
    size_t more;
  } later = {{.struct_size = sizeof later, .seed = 7}, 0};
  ls_data* data = data_of_rows();
  ls_model *now = NULL, *before = NULL, *after = NULL;
  const ls_run run = {.struct_size = sizeof run, .seed = 7};
  CHECK(ls_fit(data, "forest", kFast, NULL, 0, &run, &now) == LS_OK);
  CHECK(ls_fit(data, "forest", kFast, NULL, 0, (const ls_run*)&earlier, &before) == LS_OK);
  CHECK(ls_fit(data, "forest", kFast, NULL, 0, &later.known, &after) == LS_OK);
  static float wanted[kRows][kLabels], found[kRows][kLabels];
  scores_of(now, data, wanted);
  scores_of(before, data, found);
  CHECK(memcmp(wanted, found, sizeof wanted) == 0);
  scores_of(after, data, found);
  CHECK(memcmp(wanted, found, sizeof wanted) == 0);
  later.more = 1;
  ls_model* none = NULL;
  CHECK(failed_naming(ls_fit(data, "forest", kFast, NULL, 0, &later.known, &none), LS_USAGE,
                      "does not know"));
  const ls_run unset = {.seed = 7};
  CHECK(failed_naming(ls_fit(data, "forest", kFast, NULL, 0, &unset, &none), LS_USAGE,
                      "size of the structure 'run' is not set"));
  const ls_arrays empty = {0};
  ls_data* nothing = NULL;
  CHECK(failed_naming(ls_data_from_arrays(&empty, &nothing), LS_USAGE, "'arrays'"));
  CHECK(none == NULL && nothing == NULL);
  ls_free_model(now), ls_free_model(before), ls_free_model(after);
  ls_free_data(data);
}

static void works_in_a_child_after_fork(void) {
  ls_data* data = NULL;
  CHECK(ls_data_synthetic("{\"rows\": 300}", &data) == LS_OK);
  const ls_run run = {.struct_size = sizeof(ls_run), .seed = 1, .threads = 2};
  ls_model* model = NULL;
  CHECK(ls_fit(data, "forest", kFast, NULL, 0, &run, &model) == LS_OK);
  static float scores[300][12];
  const pid_t child = fork();
  if (child == 0) {
    const int status = ls_predict(model, data, &run, &scores[0][0], 12, NULL, 0);
    ls_model* another = NULL;
    _exit(status != LS_OK ? status : ls_fit(data, "forest", kFast, NULL, 0, &run, &another));
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ls_free_model(model);
  ls_free_data(data);
}

static const struct {
  const char* name;
  void (*run)(void);
} kTests[] = {
#define TEST(name) \
  { #name, name }
    TEST(says_its_version),
    TEST(learns_and_predicts),
    TEST(gives_the_probability_of_each_label),
    TEST(keeps_a_promise),
    TEST(gives_the_same_scores_for_doubles_and_sparse_rows),
    TEST(shows_data_as_the_arrays_it_was_made_of),
    TEST(refuses_what_makes_no_sense_and_says_what_to_do),
    TEST(refuses_arrays_that_do_not_fit_together),
    TEST(refuses_arrays_that_are_missing_or_out_of_order),
    TEST(refuses_to_learn_or_predict_without_features),
    TEST(refuses_rows_of_answers_that_would_overlap),
    TEST(refuses_more_threads_than_any_computer_has),
    TEST(refuses_to_measure_what_is_not_there),
    TEST(refuses_gold_cells_and_thresholds_that_make_no_sense),
    TEST(refuses_numbers_that_are_not_finite),
    TEST(refuses_another_number_of_features),
    TEST(keeps_a_model_in_bytes_and_files),
    TEST(tells_progress_and_stops_when_asked),
    TEST(tells_progress_on_the_thread_that_called),
    TEST(cleans_by_votes),
    TEST(measures_and_inspects),
    TEST(reads_files_and_hints_in_the_words_of_the_caller),
    TEST(each_thread_hints_in_its_own_words),
    TEST(counts_rows_by_weight),
    TEST(learns_from_rows_without_labels),
    TEST(lists_its_settings_and_reads_earlier_names),
    TEST(combines_votes_and_measures_agreement_without_features),
    TEST(takes_unsure_votes_for_missing_and_shows_them_again),
    TEST(takes_grades_and_shows_them_again),
    TEST(takes_programs_and_groups_and_shows_them_again),
    TEST(says_whom_to_trust_and_what_to_ask),
    TEST(audits_labels),
    TEST(settles_conflicts_of_an_audit_and_judges_annotators),
    TEST(audits_whole_rows),
    TEST(reads_structures_of_other_versions),
    TEST(works_in_a_child_after_fork),
};

int main(int count, char** words) {
  const size_t tests = sizeof kTests / sizeof kTests[0];
  for (size_t i = 0; i < tests; ++i)
    if (count < 2)
      puts(kTests[i].name);
    else if (strcmp(words[1], kTests[i].name) == 0)
      return kTests[i].run(), 0;
  return count < 2 ? 0 : 2;
}
