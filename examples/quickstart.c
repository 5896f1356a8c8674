/* From arrays in C to a model, its predictions, and a graph of ONNX. */
#include <labelsieve/c_api.h>
#include <stdio.h>

/* Two features per row; the labels somebody ticked. */
static const float features[6][2] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 3}, {3, 1}};
static const uint8_t ticked[6][2] = {{1, 0}, {0, 1}, {1, 0}, {0, 1}, {1, 1}, {0, 1}};

static int failed(int status) {
  if (status != LS_OK) fprintf(stderr, "%s\n  %s\n", ls_last_error(), ls_last_hint());
  return status;
}

int main(void) {
  ls_arrays arrays = {.struct_size = sizeof arrays};
  arrays.features = (ls_matrix){.rows = 6, .cols = 2, .stride = 2, .values = features,
                                .type = LS_FLOAT32};
  arrays.candidates = (ls_matrix){.rows = 6, .cols = 2, .stride = 2, .values = ticked,
                                  .type = LS_UINT8};
  ls_data* data = NULL;
  ls_model* model = NULL;
  float scores[6][2];
  const ls_run run = {.struct_size = sizeof(ls_run), .seed = 1};
  int status = ls_data_from_arrays(&arrays, &data);
  if (status == LS_OK) status = ls_fit(data, "forest", "{\"trees\": 50}", NULL, 0, &run, &model);
  if (status == LS_OK) status = ls_predict(model, data, &run, &scores[0][0], 2, NULL, 0);
  size_t bytes = 0;
  if (status == LS_OK) status = ls_model_to_onnx(model, NULL, NULL, &bytes);
  if (failed(status)) return status;
  printf("%zu bytes of ONNX\n", bytes);
  for (int i = 0; i < 6; ++i) printf("%.2f %.2f\n", (double)scores[i][0], (double)scores[i][1]);
  ls_free_model(model);
  ls_free_data(data);
  return 0;
}
