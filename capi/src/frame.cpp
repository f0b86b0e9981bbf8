// SPDX-License-Identifier: Apache-2.0
// Frames over core/dispatch; see tenon/frame.h. Like the calls in op.cpp, they have no guard.
#include "tenon/frame.h"

#include "dispatch/call_path.h"
#include "not_null.h"
#include "stack.h"

namespace dispatch = tenon::dispatch;

extern "C" {

const tenon_entry* tenon_frame_begin1(const tenon_op* op, const tenon_tensor* a,
                                      tenon_frame* out_frame) {
  return dispatch::begin1(op, a, out_frame);
}

const tenon_entry* tenon_frame_begin2(const tenon_op* op, const tenon_tensor* a,
                                      const tenon_tensor* b, tenon_frame* out_frame) {
  TENON_NEVER_NULL(op);
  return dispatch::begin2(op, a, b, out_frame);
}

const tenon_entry* tenon_frame_begin3(const tenon_op* op, const tenon_tensor* a,
                                      const tenon_tensor* b, const tenon_tensor* c,
                                      tenon_frame* out_frame) {
  TENON_NEVER_NULL(op);
  return dispatch::begin3(op, a, b, c, out_frame);
}

const tenon_entry* tenon_frame_begin_n(const tenon_op* op, tenon_tensor* const* tensors,
                                       int64_t count, tenon_frame* out_frame) {
  TENON_NEVER_NULL(op);
  return dispatch::begin_n(op, tensors, count, out_frame);
}

const tenon_entry* tenon_frame_begin_factory(const tenon_op* op, const tenon_device* device,
                                             tenon_frame* out_frame) {
  return dispatch::begin_factory(op, device, out_frame);
}

const tenon_entry* tenon_frame_begin_keys(const tenon_op* op, tenon_keyset keys,
                                          tenon_frame* out_frame) {
  TENON_NEVER_NULL(op);
  return dispatch::begin_keys(op, keys, out_frame);
}

const tenon_entry* tenon_frame_begin_boxed(const tenon_op* op, const tenon_value* args,
                                           int64_t nargs, tenon_frame* out_frame) {
  TENON_NEVER_NULL(op);
  return dispatch::begin_boxed(op, args, nargs, out_frame);
}

tenon_status tenon_frame_call(tenon_frame* frame, tenon_stack* stack) {
  TENON_NEVER_NULL(frame);
  TENON_NEVER_NULL(stack);
  tenon::capi::assert_stack(stack);
  return dispatch::call_frame(frame, stack);
}

tenon_status tenon_frame_end(tenon_frame* frame, tenon_status status) {
  TENON_NEVER_NULL(frame);
  return dispatch::end_frame(frame, status);
}

tenon_status tenon_frame_end_without_result(tenon_frame* frame, int64_t index) {
  TENON_NEVER_NULL(frame);
  return dispatch::end_frame_without_result(frame, index);
}

}  // extern "C"
