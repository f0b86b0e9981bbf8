// SPDX-License-Identifier: Apache-2.0
// Autocast in C: operators whose cast rules another language registers, cast rules for other
// languages' operators, and calls in an autocast region.
#include <stdio.h>
#include <string.h>

#include "role.h"

static tenon_status mirror_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                  tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0] = tenon_value_of_tensor(tenon_tensor_retain(stack->args[0].as.tensor));
  stack->rets[0].flags = TENON_VALUE_OWNED;
  return TENON_OK;
}

tenon_status matrix_c_mirrors(const char* ns) {
  tenon_library* library = NULL;
  tenon_status status = matrix_c_open(ns, &library);
  if (status == TENON_OK) {
    status = matrix_c_add_operator(library, "mirror(Tensor a) -> Tensor", "mirror", &mirror_kernel);
  }
  if (status != TENON_OK) return status;
  return matrix_c_add_operator(library, "echo(Tensor a, int n) -> Tensor", "echo", &mirror_kernel);
}

tenon_status matrix_c_casts(const char* ns) {
  tenon_library* library = NULL;
  const tenon_status status = matrix_c_open(ns, &library);
  if (status != TENON_OK) return status;
  tenon_cast_rule rule;
  memset(&rule, 0, sizeof rule);
  rule.struct_size = sizeof rule;
  rule.kind = TENON_CAST_LOWER;
  rule.device_type = TENON_DEVICE_CPU;
  rule.language = TENON_LANGUAGE_C;
  rule.file = __FILE__;
  rule.line = __LINE__;
  return tenon_library_register_autocast(library, "mirror", &rule, NULL);
}

// Calls the operator with a float32 tensor and checks the dtype of its result.
static tenon_status expect_dtype(const tenon_op* op, tenon_dtype expected) {
  static const float elements[2] = {1, 2};
  tenon_tensor* x = matrix_c_vector(elements, 2);
  const tenon_value arg = tenon_value_of_tensor(x);
  tenon_value ret = tenon_value_of_none();
  tenon_status status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
  if (status == TENON_OK && tenon_tensor_dtype(ret.as.tensor) != expected) {
    status = tenon_error_raise(TENON_ERROR_RUNTIME, "matrix_c::cast: dtype must be another");
  }
  tenon_value_clear(&ret);
  tenon_tensor_release(x);
  return status;
}

tenon_status matrix_c_cast(const char* ns) {
  char name[96];
  const tenon_op* op = NULL;
  tenon_autocast_guard region;
  snprintf(name, sizeof name, "%s::mirror", ns);
  tenon_status status = tenon_op_find(name, &op);
  if (status == TENON_OK) status = expect_dtype(op, TENON_DTYPE_F32);
  if (status == TENON_OK) status = tenon_autocast_enter(TENON_DEVICE_CPU, NULL, &region);
  if (status != TENON_OK) return status;
  status = expect_dtype(op, TENON_DTYPE_BF16);
  const tenon_status left = tenon_autocast_leave(&region);
  return status != TENON_OK ? status : left;
}
