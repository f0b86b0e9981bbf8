// SPDX-License-Identifier: Apache-2.0
// Fake tensors in C: fake kernels for operators of another language, and calls with fakes.
#include <stdio.h>
#include <string.h>

#include "role.h"

// [quote.begin fake]
static tenon_status widen_fake(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  const tenon_op* empty_like = NULL;
  const tenon_status status = tenon_op_find("aten::empty_like", &empty_like);
  if (status != TENON_OK) return status;
  return tenon_op_call_named(empty_like, stack->args, 1, NULL, NULL, 0, stack->rets, 1);
}

tenon_status matrix_c_shapes(const char* ns) {
  tenon_library* library = NULL;
  const tenon_status status = matrix_c_open(ns, &library);
  if (status != TENON_OK) return status;
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &widen_fake;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = "widen_fake";
  kernel.file = __FILE__;
  kernel.line = __LINE__;
  return tenon_library_register_fake(library, "widen", &kernel, NULL);
}
// [quote.end]

static tenon_status expect_fake(const tenon_tensor* tensor) {
  const int good = tenon_tensor_is_fake(tensor) && tenon_tensor_ndim(tensor) == 1 &&
                   tenon_tensor_sizes(tensor)[0] == 2;
  if (good) return TENON_OK;
  return tenon_error_raise(TENON_ERROR_RUNTIME, "matrix_c::fake: result must be fake, of size 2");
}

tenon_status matrix_c_fake(const char* ns) {
  char name[96];
  const tenon_op* op = NULL;
  tenon_tensor* fake = NULL;
  tenon_value ret = tenon_value_of_none();
  snprintf(name, sizeof name, "%s::widen", ns);
  tenon_status status = tenon_op_find(name, &op);
  if (status != TENON_OK) return status;
  const float elements[2] = {1, 2};
  tenon_tensor* x = matrix_c_vector(elements, 2);
  status = tenon_tensor_copy_fake(x, NULL, &fake);
  if (status == TENON_OK) {
    const tenon_value arg = tenon_value_of_tensor(fake);
    status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
  }
  if (status == TENON_OK) status = expect_fake(ret.as.tensor);
  tenon_value_clear(&ret);
  tenon_tensor_release(fake);
  tenon_tensor_release(x);
  return status;
}
