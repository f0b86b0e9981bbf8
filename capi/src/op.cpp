// SPDX-License-Identifier: Apache-2.0
// Operators over core/dispatch; see tenon/op.h. The calls have no guard: their path throws nothing,
// and what a kernel may send through (a forced unwind) goes on.
#include "tenon/op.h"

#include <cstring>

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"
#include "guard.h"

namespace dispatch = tenon::dispatch;
using tenon::capi::guarded;

extern "C" {

tenon_status tenon_op_find(const char* name, const tenon_op** out_op) {
  *out_op = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(name != nullptr, "tenon_op_find: name must be given, got NULL");
    *out_op = dispatch::find_operator(name);
  });
}

const char* tenon_op_name(const tenon_op* op) { return op->name(); }

tenon_status tenon_op_copy_schema(const tenon_op* op, tenon_schema** out_schema) {
  *out_schema = nullptr;
  return guarded([&] {
    tenon::schema::SchemaPtr schema = dispatch::schema_of(*op);
    TENON_CHECK(schema != nullptr, TENON_ERROR_NOT_FOUND, op->name(),
                ": operator must be defined, got none");
    *out_schema = const_cast<tenon_schema*>(schema.detach());
  });
}

tenon_status tenon_op_call(const tenon_op* op, tenon_stack* stack) {
  return dispatch::call(op, stack);
}

tenon_status tenon_op_call_checked(const tenon_op* op, tenon_stack* stack) {
  return dispatch::call_checked(op, stack);
}

tenon_status tenon_op_redispatch(const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::redispatch(op, keys, stack);
}

tenon_status tenon_op_call_key(const tenon_op* op, tenon_key key, tenon_stack* stack) {
  return dispatch::call_key(op, key, stack);
}

tenon_status tenon_op_check_arguments(const tenon_op* op, const tenon_value* args, int64_t nargs) {
  return dispatch::check_call(op, args, nargs);
}

tenon_status tenon_op_compute_keys(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                   tenon_keyset* out_keys) {
  return dispatch::compute_keys(op, args, nargs, out_keys);
}

const tenon_entry* tenon_op_begin1(const tenon_op* op, const tenon_tensor* a,
                                   tenon_frame* out_frame) {
  return dispatch::begin1(op, a, out_frame);
}

const tenon_entry* tenon_op_begin2(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                   tenon_frame* out_frame) {
  return dispatch::begin2(op, a, b, out_frame);
}

const tenon_entry* tenon_op_begin3(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                   const tenon_tensor* c, tenon_frame* out_frame) {
  return dispatch::begin3(op, a, b, c, out_frame);
}

const tenon_entry* tenon_op_begin_n(const tenon_op* op, tenon_tensor* const* tensors, int64_t count,
                                    const tenon_device* device, tenon_frame* out_frame) {
  return count == 0 ? dispatch::begin_factory(op, device, out_frame)
                    : dispatch::begin_n(op, tensors, count, out_frame);
}

const tenon_entry* tenon_op_begin_keys(const tenon_op* op, tenon_keyset keys,
                                       tenon_frame* out_frame) {
  return dispatch::begin_keys(op, keys, out_frame);
}

const tenon_entry* tenon_op_resolve(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                    tenon_frame* out_frame) {
  return dispatch::resolve(op, args, nargs, out_frame);
}

tenon_status tenon_op_invoke(const tenon_entry* entry, tenon_frame* frame, tenon_stack* stack) {
  return dispatch::invoke(entry, frame, stack);
}

tenon_status tenon_op_end(tenon_frame* frame, tenon_status status) {
  return dispatch::end(frame, status);
}

tenon_status tenon_op_check_results(const tenon_op* op, const tenon_value* rets, int64_t nrets) {
  return dispatch::check_results_only(op, rets, nrets);
}

}  // extern "C"
