/* Trains by the C interface as `sieve train` does: FILE METHOD SETTINGS SEED MODEL [ROW LABEL VALUE]...
 * Run by tests/python/test_same_bits.py. */
#include <labelsieve/c_api.h>
#include <stdio.h>
#include <stdlib.h>

enum { kFirstCell = 6, kMostCells = 64 };

int main(int count, char** words) {
  if (count < kFirstCell || (count - kFirstCell) % 3 != 0) return LS_USAGE;
  const size_t cells = (size_t)(count - kFirstCell) / 3;
  if (cells > kMostCells) return LS_USAGE;
  ls_cell gold[kMostCells];
  for (size_t i = 0; i < cells; ++i) {
    char** cell = words + kFirstCell + 3 * i;
    gold[i] = (ls_cell){strtoul(cell[0], NULL, 10), strtoul(cell[1], NULL, 10), atof(cell[2])};
  }
  const char* paths[] = {words[1]};
  const ls_run run = {.struct_size = sizeof run, .seed = strtoull(words[4], NULL, 10)};
  ls_data* data = NULL;
  ls_model* model = NULL;
  int status = ls_data_read(paths, 1, NULL, NULL, 1, &data, NULL);
  if (status == LS_OK) status = ls_fit(data, words[2], words[3], gold, cells, &run, &model);
  if (status == LS_OK) status = ls_model_save(model, words[5], 0);
  if (status != LS_OK) fprintf(stderr, "%s\n  %s\n", ls_last_error(), ls_last_hint());
  ls_free_model(model);
  ls_free_data(data);
  return status;
}
