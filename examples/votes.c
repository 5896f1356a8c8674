/* From a file of votes to labels, to those whom to trust, and to what to ask next. */
#include <labelsieve/c_api.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status) {
  if (status == LS_OK) return;
  fprintf(stderr, "%s\n  %s\n", ls_last_error(), ls_last_hint());
  exit(status);
}

int main(int count, char** words) {
  ls_data* data = NULL;
  if (count > 1) { /* a table with the columns item, annotator and label */
    char settings[4096];
    snprintf(settings, sizeof settings, "{\"annotations\": \"%s\"}", words[1]);
    check(ls_data_read(NULL, 0, settings, NULL, 0, &data, NULL));
  } else { /* a made-up crowd */
    check(ls_data_synthetic("{\"rows\": 200, \"labels\": 5, \"votes\": true}", &data));
  }
  ls_arrays shown = {.struct_size = sizeof shown};
  check(ls_data_view(data, &shown));

  float* probable = malloc(shown.rows * shown.labels * sizeof *probable);
  char *ignored = NULL, *annotators = NULL, *questions = NULL;
  check(ls_aggregate(data, "annotators", 2, NULL, probable, &ignored));
  for (size_t k = 0; k < shown.labels; ++k)
    printf("row 0: %s with probability %.2f\n", shown.label_names[k], (double)probable[k]);
  check(ls_annotators(data, 10, NULL, &annotators));
  printf("%.160s...\n", annotators);
  check(ls_ask(data, "rows", 5, NULL, &questions));
  printf("%s\n", questions);

  ls_free_text(ignored), ls_free_text(annotators), ls_free_text(questions);
  free(probable);
  ls_free_data(data);
  return 0;
}
