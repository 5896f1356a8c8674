/* Which labels of a training set look wrong? */
#include <labelsieve/c_api.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status) {
  if (status == LS_OK) return;
  fprintf(stderr, "%s\n  %s\n", ls_last_error(), ls_last_hint());
  exit(status);
}

int main(void) {
  enum { kRows = 300, kLabels = 8 };
  ls_data* data = NULL;
  ls_cleaning* cleaning = NULL;
  check(ls_data_synthetic("{\"rows\": 300, \"labels\": 8}", &data));
  check(ls_clean(data, "forest", "{\"trees\": 50}", 5, 0, NULL, 0, NULL, &cleaning));
  static float probability[kRows][kLabels];
  static uint8_t kept[kRows][kLabels];
  check(ls_cleaning_cells(cleaning, 0.5, &probability[0][0], &kept[0][0]));
  int removed = 0, row = 0, label = 0;
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < kLabels; ++k) {
      if (probability[i][k] == 0) continue; /* not a candidate */
      removed += !kept[i][k];
      if (probability[row][label] == 0 || probability[i][k] < probability[row][label])
        row = i, label = k;
    }
  printf("%d labels look wrong; label %d of row %d most of all: probability %.3f\n", removed, label,
         row, (double)probability[row][label]);
  ls_free_cleaning(cleaning);
  ls_free_data(data);
  return 0;
}
