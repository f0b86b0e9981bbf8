// SPDX-License-Identifier: Apache-2.0
// Quick start in C: define an operator, give it a kernel, call it.
// [quickstart.begin]
#include <stdio.h>
#include <tenon/tenon.h>

// The kernel: reads the argument and writes the result.
static tenon_status twice(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0] = tenon_value_of_int(2 * stack->args[0].as.i);
  return TENON_OK;
}

int main(void) {
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  const tenon_value x = tenon_value_of_int(21);
  tenon_value y = {0, 0, 0, {0}};
  tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = twice, .name = "twice"};
  if (tenon_library_new(TENON_LIBRARY_DEF, "quick", TENON_KEY_NONE, __FILE__, __LINE__, &library) ||
      tenon_library_define(library, "twice(int x) -> int", NULL, &op) ||
      tenon_library_impl(library, "twice", TENON_KEY_CPU, &kernel, NULL) ||
      tenon_op_call_named(op, &x, 1, NULL, NULL, 0, &y, 1)) {
    tenon_error* error = tenon_error_take();
    fprintf(stderr, "%s\n", tenon_error_format(error));
    tenon_error_release(error);
  }
  printf("%lld\n", (long long)y.as.i);
  tenon_library_release(library);
  return y.as.i == 42 ? 0 : 1;
}
// [quickstart.end]
