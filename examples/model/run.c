// SPDX-License-Identifier: Apache-2.0
// Trains with the graph that model.py wrote: run_c GRAPH DIGITS TRAINED PLUGINS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

enum { BATCH = 32, ROW = 65, STEPS = 44, DONE = 2 };  // model.py has taken two steps

static void must(tenon_status status) {
  if (status == TENON_OK) return;
  tenon_error* error = tenon_error_take();
  fprintf(stderr, "%s\n", tenon_error_format(error));
  exit(1);
}

int main(int count, char** arguments) {
  static uint8_t rows[STEPS][BATCH][ROW];
  static const int64_t sizes[2] = {BATCH, ROW};
  FILE* digits = count > 3 ? fopen(arguments[2], "rb") : NULL;
  if (digits == NULL || fread(rows, sizeof rows, 1, digits) != 1) {
    fprintf(stderr, "run_c: give GRAPH DIGITS TRAINED PLUGINS\n");
    return 2;
  }
  fclose(digits);
  for (int i = 4; i < count; ++i) must(tenon_plugin_load(arguments[i], NULL));
  // [quote.begin run]
  tenon_graph* step = NULL;
  float loss = 0;
  must(tenon_graph_load(arguments[1], &step));
  for (int i = DONE; i < STEPS; ++i) {
    tenon_tensor* batch = NULL;
    must(tenon_tensor_wrap(rows[i], TENON_DTYPE_U8, NULL, 2, sizes, NULL, NULL, NULL, &batch));
    tenon_value input = tenon_value_of_tensor(batch), output = tenon_value_of_none();
    tenon_stack stack = {.args = &input, .rets = &output, .nargs = 1, .nrets = 1};
    must(tenon_graph_run(step, &stack));
    void* data = NULL;
    must(tenon_tensor_data(output.as.tensor, &data));
    memcpy(&loss, data, sizeof loss);
    tenon_value_clear(&output);
    tenon_tensor_release(batch);
  }
  must(tenon_graph_save(step, arguments[3]));  // parameters have changed
  tenon_graph_release(step);
  // [quote.end]
  printf("loss %.4f\n", (double)loss);
  return 0;
}
