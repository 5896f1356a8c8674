/* From a few random decisions to a certificate of how good labels are. */
#include <labelsieve/c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int status) {
  if (status == LS_OK) return;
  fprintf(stderr, "%s\n  %s\n", ls_last_error(), ls_last_hint());
  exit(status);
}

int main(void) {
  ls_data* data = NULL;
  ls_audit* audit = NULL;
  check(ls_data_synthetic("{\"rows\": 300, \"labels\": 5, \"votes\": true}", &data));
  const ls_run run = {.struct_size = sizeof run, .seed = 7};
  check(ls_audit_begin(data, NULL, NULL, "{\"budget\": 60}", &run, &audit));
  const ls_question* questions = NULL;
  size_t count = 0;
  check(ls_audit_questions(audit, &questions, &count, NULL));

  /* Somebody decides each cell; here the known truth does. */
  ls_arrays shown = {.struct_size = sizeof shown};
  check(ls_data_view(data, &shown));
  const int32_t *starts = shown.truth.starts, *columns = shown.truth.columns;
  uint8_t* answers = malloc(count);
  for (size_t i = 0; i < count; ++i) {
    answers[i] = LS_WRONG;
    for (int32_t e = starts[questions[i].row]; e < starts[questions[i].row + 1]; ++e)
      if (columns[e] == (int32_t)questions[i].label) answers[i] = LS_RIGHT;
  }

  char *claims = NULL, *certificate = NULL, *differences = NULL;
  const char* const goal = "precision >= 0.2";
  check(ls_audit_claims(audit, answers, 0.9, &goal, 1, &claims));
  printf("%.300s...\n", claims);
  check(ls_audit_certificate(audit, answers, 0.9, &certificate));
  check(ls_audit_verify(certificate, data, NULL, NULL, &run, &differences));
  printf("computed again, %s\n", strcmp(differences, "[]") == 0 ? "it holds" : differences);

  ls_free_text(claims), ls_free_text(certificate), ls_free_text(differences);
  free(answers);
  ls_free_audit(audit);
  ls_free_data(data);
  return 0;
}
