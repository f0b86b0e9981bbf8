// SPDX-License-Identifier: Apache-2.0
// Calls the program's own operator, one of ATen, one of a plugin, and reads an error, from C.
#include <stdio.h>
#include <stdlib.h>

#include <tenon/tenon.h>

static void must(tenon_status status) {
  if (status == TENON_OK) return;
  fprintf(stderr, "%s\n", tenon_error_message(tenon_error_peek()));
  exit(1);
}

static tenon_status square(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0] = tenon_value_of_int(stack->args[0].as.i * stack->args[0].as.i);
  return TENON_OK;
}

static tenon_value call(const char* name, tenon_value argument) {
  const tenon_op* op = NULL;
  tenon_value result = {0};
  must(tenon_op_find(name, &op));
  must(tenon_op_call_named(op, &argument, 1, NULL, NULL, 0, &result, 1));
  return result;
}

static float* data_of(const tenon_tensor* tensor) {
  void* data = NULL;
  must(tenon_tensor_data(tensor, &data));
  return data;
}

static void own_operator(void) {
  tenon_library* library = NULL;
  tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = square, .name = "square"};
  must(tenon_library_new(TENON_LIBRARY_DEF, "consumer", TENON_KEY_NONE, __FILE__, __LINE__,
                         &library));
  must(tenon_library_define(library, "square(int x) -> int", NULL, NULL));
  must(tenon_library_impl(library, "square", TENON_KEY_CPU, &kernel, NULL));
  printf("square %lld\n", (long long)call("consumer::square", tenon_value_of_int(7)).as.i);
  tenon_library_release(library);
}

static void operators_of_others(const char* plugin) {
  const int64_t sizes[1] = {3};
  const float elements[3] = {-1, 0, 2};
  tenon_tensor* tensor = NULL;
  must(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, sizes, NULL, &tensor));
  for (int i = 0; i < 3; ++i) data_of(tensor)[i] = elements[i];
  tenon_tensor* result = call("aten::relu", tenon_value_of_tensor(tensor)).as.tensor;
  const float* data = data_of(result);
  printf("relu %g %g %g\n", data[0], data[1], data[2]);
  tenon_tensor_release(result);

  must(tenon_plugin_load(plugin, NULL));
  result = call("from_cpp::twice", tenon_value_of_tensor(tensor)).as.tensor;
  data = data_of(result);
  printf("twice %g %g %g\n", data[0], data[1], data[2]);
  tenon_tensor_release(result);
  tenon_tensor_release(tensor);
}

static void error(void) {
  const tenon_op* relu = NULL;
  const tenon_value text = tenon_value_of_int(1);
  tenon_value result = {0};
  must(tenon_op_find("aten::relu", &relu));
  const tenon_status status = tenon_op_call_named(relu, &text, 1, NULL, NULL, 0, &result, 1);
  tenon_error* taken = tenon_error_take();
  printf("error %d %s\n", status == TENON_ERROR_TYPE, tenon_error_message(taken));
  tenon_error_release(taken);
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  own_operator();
  operators_of_others(arguments[1]);
  error();
  return 0;
}
