// SPDX-License-Identifier: Apache-2.0
// The C part of the vision example: the schema of to_linear, the kernel of to_srgb, and a caller.
#include "vision.h"

#include <math.h>
#include <string.h>

static tenon_library* library = NULL;
static tenon_library* caller = NULL;

// Linear light to 8-bit sRGB (IEC 61966-2-1), clamped to [0, 1] first.
static tenon_status to_srgb(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_tensor_info image;
  tenon_status status = tenon_tensor_describe(stack->args[0].as.tensor, &image);
  if (status != TENON_OK) {
    return status;
  }
  if (image.dtype != TENON_DTYPE_F32 || (image.flags & TENON_TENSOR_CONTIGUOUS) == 0) {
    return tenon_error_raise(TENON_ERROR_TYPE,
                             "vision::to_srgb: image must be contiguous float32, got another");
  }
  tenon_tensor* result = NULL;
  status = tenon_tensor_new(TENON_DTYPE_U8, NULL, image.ndim, image.sizes, NULL, &result);
  if (status != TENON_OK) {
    return status;
  }
  void* data = NULL;
  status = tenon_tensor_data(result, &data);
  if (status != TENON_OK) {
    tenon_tensor_release(result);
    return status;
  }
  const float* from = image.data;
  uint8_t* to = data;
  for (int64_t i = 0; i < image.numel; ++i) {
    const float x = from[i] < 0.0f ? 0.0f : from[i] > 1.0f ? 1.0f : from[i];
    const float y = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
    to[i] = (uint8_t)(y * 255.0f + 0.5f);
  }
  stack->rets[0] = tenon_value_give(tenon_value_of_tensor(result));
  return TENON_OK;
}

static tenon_value tensor(const tenon_value* result) {
  return tenon_value_of_tensor(result->as.tensor);
}

static tenon_value number(double x) { return tenon_value_of_float(x); }

// Calls an operator; omitted arguments take their defaults. `gain` is passed by name unless it is
// NULL.
static tenon_status call(const char* name, const tenon_value* args, int64_t nargs,
                         const tenon_value* gain, tenon_value* rets, int64_t nrets) {
  static const char* const names[] = {"gain"};
  const tenon_op* op = NULL;
  const tenon_status status = tenon_op_find(name, &op);
  if (status != TENON_OK) {
    return status;
  }
  return tenon_op_call_named(op, args, nargs, names, gain, gain != NULL, rets, nrets);
}

// Runs the pipeline.
static tenon_status pipeline(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  enum { LINEAR, BLURRED, EDGES, DIRECTION, INKED, RESULT, COUNT };
  tenon_value v[COUNT];
  memset(v, 0, sizeof v);
  tenon_status status = call("vision::to_linear", stack->args, 1, NULL, &v[LINEAR], 1);
  if (status == TENON_OK) {
    tenon_value args[2] = {tensor(&v[LINEAR]), number(1.5)};
    status = call("vision::gaussian_blur", args, 2, NULL, &v[BLURRED], 1);
  }
  if (status == TENON_OK) {
    const tenon_value blurred = tensor(&v[BLURRED]), gain = number(4.0);
    status = call("vision::edges", &blurred, 1, &gain, &v[EDGES], 2);
  }
  if (status == TENON_OK) {
    tenon_value args[3] = {tensor(&v[LINEAR]), tensor(&v[EDGES]), number(0.9)};
    status = call("vision::ink", args, 3, NULL, &v[INKED], 1);
  }
  if (status == TENON_OK) {
    tenon_value args[1] = {tensor(&v[INKED])};
    status = call("vision::to_srgb", args, 1, NULL, &v[RESULT], 1);
  }
  if (status == TENON_OK) {
    const int kept[3] = {BLURRED, EDGES, RESULT};
    for (int i = 0; i < 3; ++i) {
      stack->rets[i] = v[kept[i]];
      memset(&v[kept[i]], 0, sizeof v[kept[i]]);
    }
  }
  tenon_value_clear_n(v, COUNT);
  return status;
}

static tenon_status implement(tenon_library* owner, const char* name, tenon_key key,
                              tenon_kernel_fn function, int32_t line) {
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = function;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = name;
  kernel.file = __FILE__;
  kernel.line = line;
  return tenon_library_impl(owner, name, key, &kernel, NULL);
}

tenon_status vision_c_register(void) {
  tenon_status status = tenon_library_new(TENON_LIBRARY_FRAGMENT, "vision", TENON_KEY_NONE,
                                          __FILE__, __LINE__, &library);
  if (status == TENON_OK) {
    status = tenon_library_define(library, "to_linear(Tensor image) -> Tensor", NULL, NULL);
  }
  if (status == TENON_OK) {
    status = implement(library, "to_srgb", TENON_KEY_CPU, &to_srgb, __LINE__);
  }
  if (status == TENON_OK) {
    status = tenon_library_new(TENON_LIBRARY_DEF, "vision_c", TENON_KEY_NONE, __FILE__, __LINE__,
                               &caller);
  }
  if (status == TENON_OK) {
    status = tenon_library_define(caller, "pipeline(Tensor image) -> (Tensor, Tensor, Tensor)",
                                  NULL, NULL);
  }
  if (status == TENON_OK) {
    status =
        implement(caller, "pipeline", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &pipeline, __LINE__);
  }
  if (status != TENON_OK) {
    vision_c_unregister();
  }
  return status;
}

void vision_c_unregister(void) {
  tenon_library_release(caller);
  tenon_library_release(library);
  caller = NULL;
  library = NULL;
}
