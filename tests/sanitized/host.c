/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host PLUGIN AT: loads a plugin under the program's sanitizer and calls its operator on a tensor
 * of four elements. Prints the result, or the error if the plugin is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tenon/ops/aten.h>
#include <tenon/tenon.h>

static int fail(const char* what) {
  tenon_error* error = tenon_error_take();
  printf("%s: %s\n", what, error != NULL ? tenon_error_message(error) : "no error");
  tenon_error_release(error);
  return 1;
}

int main(int argc, char** argv) {
  const int64_t four = 4;
  tenon_plugin* plugin = NULL;
  const tenon_op* op = NULL;
  tenon_tensor* ones = NULL;
  if (argc != 3) return 2;
  if (tenon_plugin_load(argv[1], &plugin) != TENON_OK) return fail("load");
  if (tenon_op_find("sanitized::last", &op) != TENON_OK) return fail("find");
  if (aten_ones(&four, 1, NULL, &ones) != TENON_OK) return fail("ones");
  tenon_value args[2], result = tenon_value_of_none();
  args[0] = tenon_value_of_tensor(ones);
  args[1] = tenon_value_of_int(atoll(argv[2]));
  tenon_stack stack = {args, &result, 2, 1, NULL, {0, 0}};
  const tenon_status status = tenon_op_call(op, &stack);
  tenon_tensor_release(ones);
  if (status != TENON_OK) return fail("call");
  printf("result %g\n", result.as.f);
  return 0;
}
