// SPDX-License-Identifier: Apache-2.0
// Operators over core/dispatch; see tenon/op.h. The calls have no guard: nothing on their path
// throws, and a forced unwind that passes through a kernel is propagated.
#include "tenon/op.h"

#include "base/check.h"
#include "call_arguments.h"
#include "dispatch/argument_binder.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"
#include "guard.h"
#include "introspect/explain.h"
#include "introspect/introspect.h"
#include "not_null.h"
#include "stack.h"
#include "value/buffer.h"

namespace dispatch = tenon::dispatch;
namespace introspect = tenon::introspect;
using tenon::capi::assert_stack;
using tenon::capi::guarded;
using tenon::value::text_buffer;

extern "C" {

tenon_status tenon_op_find(const char* name, const tenon_op** out_op) {
  TENON_REQUIRE(out_op);
  *out_op = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(name != nullptr, "tenon_op_find: name must be given, got NULL");
    *out_op = dispatch::find_operator(name);
  });
}

const char* tenon_op_name(const tenon_op* op) { return op->name(); }

tenon_status tenon_op_copy_schema(const tenon_op* op, tenon_schema** out_schema) {
  TENON_REQUIRE(out_schema);
  TENON_REQUIRE(op, out_schema);
  *out_schema = nullptr;
  return guarded(
      [&] { *out_schema = const_cast<tenon_schema*>(dispatch::require_schema(*op).detach()); });
}

tenon_status tenon_op_call_fast(const tenon_op* op, tenon_stack* stack) {
  TENON_NEVER_NULL(op);
  TENON_NEVER_NULL(stack);
  assert_stack(stack);
  return dispatch::call(op, stack);
}

tenon_status tenon_op_call(const tenon_op* op, tenon_stack* stack) {
  TENON_NEVER_NULL(op);
  TENON_NEVER_NULL(stack);
  assert_stack(stack);
  return dispatch::call_checked(op, stack);
}

tenon_status tenon_op_redispatch(const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  TENON_NEVER_NULL(op);
  TENON_NEVER_NULL(stack);
  assert_stack(stack);
  return dispatch::redispatch(op, keys, stack);
}

tenon_status tenon_op_call_key(const tenon_op* op, tenon_key key, tenon_stack* stack) {
  TENON_REQUIRE(op);
  TENON_REQUIRE(stack);
  assert_stack(stack);
  return dispatch::call_key(op, key, stack);
}

tenon_status tenon_op_call_named(const tenon_op* op, const tenon_value* positional,
                                 int64_t npositional, const char* const* names,
                                 const tenon_value* named, int64_t nnamed, tenon_value* rets,
                                 int64_t nrets) {
  TENON_REQUIRE(op);
  return guarded([&] {
    TENON_CHECK_ARG(nrets >= 0 && nrets <= UINT32_MAX && (rets != nullptr || nrets == 0),
                    "tenon_op_call_named: rets must have space for the results, got ", nrets,
                    rets != nullptr ? " values" : " at NULL");
    return dispatch::call_named(*op,
                                tenon::capi::call_arguments("tenon_op_call_named", positional,
                                                            npositional, names, named, nnamed),
                                {rets, static_cast<size_t>(nrets)});
  });
}

tenon_status tenon_op_check_arguments(const tenon_op* op, const tenon_value* args, int64_t nargs) {
  TENON_NEVER_NULL(op);
  return dispatch::check_arguments(op, args, nargs);
}

tenon_status tenon_op_compute_keys(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                   tenon_keyset* out_keys) {
  TENON_REQUIRE(out_keys);
  TENON_REQUIRE(op, out_keys);
  return dispatch::compute_keys(op, args, nargs, out_keys);
}

tenon_status tenon_op_check_keys(const tenon_op* op, tenon_keyset keys, const tenon_value* args,
                                 int64_t nargs) {
  TENON_REQUIRE(op);
  return dispatch::check_keys(op, keys, args, nargs);
}

tenon_status tenon_op_check_results(const tenon_op* op, const tenon_value* rets, int64_t nrets) {
  TENON_REQUIRE(op);
  return dispatch::check_results(op, rets, nrets);
}

tenon_status tenon_op_copy_tags(const tenon_op* op, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(op, out_text);
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(introspect::print_tags(*op)).detach(); });
}

tenon_status tenon_op_explain(const tenon_op* op, const tenon_value* args, int64_t nargs,
                              tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(op, out_text);
  *out_text = nullptr;
  return guarded(
      [&] { *out_text = text_buffer(introspect::explain_call(*op, args, nargs)).detach(); });
}

}  // extern "C"
