/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of recorded calls and backward passes. */
#include "recorded_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>

static void must(tenon_status status) {
  if (status == TENON_OK) return;
  fprintf(stderr, "instructions: %s\n", tenon_error_message(tenon_error_peek()));
  exit(1);
}

#define CHAIN 20

static const tenon_op *mul, *mm, *sum;
static tenon_tensor *x, *w;             /* of one element, tracked */
static tenon_tensor *square_x, *square; /* 2x2, tracked */
static tenon_tensor *chain, *seed;      /* a chain of CHAIN products with w, and its gradient */

static tenon_tensor* leaf(int32_t ndim, const int64_t* sizes) {
  tenon_tensor* tensor;
  must(tenon_tensor_new(TENON_DTYPE_F32, NULL, ndim, sizes, NULL, &tensor));
  must(tenon_tensor_set_requires_grad(tensor, 1));
  return tensor;
}

static tenon_tensor* call_boxed(const tenon_op* op, tenon_tensor* a, tenon_tensor* b) {
  tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  tenon_value ret = {0};
  tenon_stack stack = {.args = args, .rets = &ret, .nargs = 2, .nrets = 1};
  must(tenon_op_call_fast(op, &stack));
  return ret.as.tensor;
}

static void set_up(void) {
  static const int64_t sizes[2] = {2, 2};
  static const int64_t one[1] = {1};
  if (mul != NULL) return;
  must(tenon_op_find("aten::mul.Tensor", &mul));
  must(tenon_op_find("aten::mm", &mm));
  must(tenon_op_find("aten::sum", &sum));
  x = leaf(1, one);
  w = leaf(1, one);
  square_x = leaf(2, sizes);
  square = leaf(2, sizes);
  must(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, one, NULL, &seed));
  for (int i = 0; i < CHAIN; ++i) {
    tenon_tensor* next = call_boxed(mul, chain != NULL ? chain : x, w);
    tenon_tensor_release(chain);
    chain = next;
  }
}

static void record(const tenon_op* op, tenon_tensor* a, tenon_tensor* b, int calls) {
  for (int i = 0; i < calls; ++i) tenon_tensor_release(call_boxed(op, a, b));
}

/* A recorded product of one element, including the release of the result and its node. */
void path_recorded_mul(int calls) {
  set_up();
  record(mul, x, w, calls);
}

/*
 * A recorded product from a typed caller: gradient formulas have no typed form, so the call is
 * boxed.
 */
void path_recorded_mul_typed_caller(int calls) {
  set_up();
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_tensor(w)};
    tenon_value product = {0};
    tenon_stack stack = {.args = args, .rets = &product, .nargs = 2, .nrets = 1};
    if (tenon_frame_begin2(mul, x, w, &frame)->typed != NULL) {
      fprintf(stderr, "instructions: the recorded call has a typed form: call it\n");
      exit(1);
    }
    must(tenon_frame_call(&frame, &stack));
    tenon_frame_leave(&frame);
    tenon_tensor_release(product.as.tensor);
  }
}

/* An unrecorded product, for comparison. */
void path_mul_no_grad(int calls) {
  tenon_key_guard guard;
  set_up();
  must(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard));
  record(mul, x, w, calls);
  tenon_key_guard_leave(&guard);
}

void path_recorded_mm(int calls) {
  set_up();
  record(mm, square_x, square, calls);
}

/* A product in an autocast region that has both casts cached. */
void path_autocast_mm(int calls) {
  tenon_autocast_guard guard;
  set_up();
  must(tenon_autocast_enter(TENON_DEVICE_CPU, NULL, &guard));
  record(mm, square_x, square, calls);
  tenon_autocast_leave(&guard);
}

/* A recorded call in a region, of an operator without a cast rule. */
void path_mul_in_autocast(int calls) {
  tenon_autocast_guard guard;
  set_up();
  must(tenon_autocast_enter(TENON_DEVICE_CPU, NULL, &guard));
  record(mul, x, w, calls);
  tenon_autocast_leave(&guard);
}

/* A product in a vmap over rows of two elements. */
void path_mapped_mul(int calls) {
  static const int64_t sizes[2] = {2, 2};
  tenon_layer* layer;
  tenon_tensor *rows, *mapped;
  set_up();
  must(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &rows));
  must(tenon_vmap_enter(2, TENON_RANDOMNESS_ERROR, &layer));
  must(tenon_layer_wrap(layer, rows, 0, &mapped));
  record(mul, mapped, mapped, calls);
  must(tenon_layer_leave(layer));
  tenon_layer_release(layer);
  tenon_tensor_release(mapped);
  tenon_tensor_release(rows);
}

/* One pass over a chain of CHAIN products, whose second factor is one leaf. */
void path_backward_of_20_products(int calls) {
  tenon_backward_options options = {.struct_size = sizeof options};
  set_up();
  options.flags = TENON_BACKWARD_KEEP_GRAPH;
  options.outputs = &chain;
  options.grads = &seed;
  options.noutputs = 1;
  for (int i = 0; i < calls; ++i) must(tenon_backward(&options));
}
