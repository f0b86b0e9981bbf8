// SPDX-License-Identifier: Apache-2.0
// Quick start in C: define an operator, give it a kernel, call it.
#include <stdio.h>

#include <tenon/tenon.h>

static tenon_status twice(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0] = tenon_value_of_int(2 * stack->args[0].as.i);
  return TENON_OK;
}

static tenon_status run(tenon_value* result) {
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  tenon_status status =
      tenon_library_new(TENON_LIBRARY_DEF, "quick_c", TENON_KEY_NONE, __FILE__, __LINE__, &library);
  // [quickstart.begin]
  tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = twice, .name = "twice"};
  const tenon_value x = tenon_value_of_int(21);
  if (!status) status = tenon_library_define(library, "twice(int x) -> int", NULL, &op);
  if (!status) status = tenon_library_impl(library, "twice", TENON_KEY_CPU, &kernel, NULL);
  if (!status) status = tenon_op_call_named(op, &x, 1, NULL, NULL, 0, result, 1);
  // [quickstart.end]
  tenon_library_release(library);
  return status;
}

int main(void) {
  tenon_value result = {0, 0, 0, {0}};
  if (run(&result) != TENON_OK) {
    tenon_error* error = tenon_error_take();
    fprintf(stderr, "%s\n", tenon_error_format(error));
    tenon_error_release(error);
    return 1;
  }
  printf("%lld\n", (long long)result.as.i);
  return result.as.i == 42 ? 0 : 1;
}
