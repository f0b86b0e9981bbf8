// SPDX-License-Identifier: Apache-2.0
// Calls an operator for each tensor of lists.
#include "kernels/ops/foreach/each.h"

#include <atomic>
#include <string>
#include <vector>

#include "kernels/common/call.h"
#include "kernels/common/check.h"

namespace tenon::kernels {
namespace {

bool is_list(const tenon_value& value) {
  return value.tag == TENON_TAG_TENSOR_LIST || value.tag == TENON_TAG_LIST ||
         value.tag == TENON_TAG_INT_LIST || value.tag == TENON_TAG_FLOAT_LIST ||
         value.tag == TENON_TAG_BOOL_LIST;
}

// Returns element i of a list, borrowed.
tenon_value element(const tenon_value& list, uint32_t i) {
  switch (list.tag) {
    case TENON_TAG_TENSOR_LIST:
      return tenon_value_of_tensor(static_cast<tenon_tensor* const*>(list.as.list.data)[i]);
    case TENON_TAG_INT_LIST:
      return tenon_value_of_int(static_cast<const int64_t*>(list.as.list.data)[i]);
    case TENON_TAG_FLOAT_LIST:
      return tenon_value_of_float(static_cast<const double*>(list.as.list.data)[i]);
    case TENON_TAG_BOOL_LIST:
      return tenon_value_of_bool(static_cast<const uint8_t*>(list.as.list.data)[i]);
    default: {
      tenon_value value = static_cast<const tenon_value*>(list.as.list.data)[i];
      value.flags = 0;
      return value;
    }
  }
}

// Finds the operator on first use. Concurrent threads store the same result.
const tenon_op* find(EachTarget& target) {
  std::atomic_ref<const tenon_op*> op(target.op);
  if (const tenon_op* const found = op.load(std::memory_order_acquire)) return found;
  const tenon_op* found = nullptr;
  check(tenon_op_find((std::string("aten::") + target.name).c_str(), &found));
  tenon_schema* schema = nullptr;
  check(tenon_op_copy_schema(found, &schema));
  const auto arguments = static_cast<int>(Schema(schema).argument_count());
  std::atomic_ref<int>(target.arguments).store(arguments, std::memory_order_relaxed);
  op.store(found, std::memory_order_release);
  return found;
}

uint32_t common_length(const Call& call, int given) {
  int first = -1;
  for (int k = 0; k < given; ++k) {
    if (!is_list(call.args[k])) continue;
    if (first >= 0 && call.args[k].count != call.args[first].count) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": ", call.form.names[k], " must have as many elements as ",
            call.form.names[first], ", ", call.args[first].count, ", got ", call.args[k].count});
    }
    if (first < 0) first = k;
  }
  return first < 0 ? 0 : call.args[first].count;
}

}  // namespace

bool is_in_place(const Call& call) { return call.form.kind == kInPlace; }

void call_for_each(const Call& call, EachTarget& target) {
  const tenon_op* const op = find(target);
  const int arguments = std::atomic_ref<int>(target.arguments).load(std::memory_order_relaxed);
  const int given = call.form.is_out() ? call.form.written : call.form.arguments;
  const uint32_t count = common_length(call, given);
  std::vector<Tensor> results;
  if (!is_in_place(call)) results.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    tenon_value args[OperatorForm::kMaxArguments];
    for (int k = 0; k < given; ++k) {
      args[k] = is_list(call.args[k]) ? element(call.args[k], i) : call.args[k];
    }
    // The only argument that lists may lack is alpha, which is 1.
    for (int k = given; k < arguments; ++k) args[k] = tenon_value_of_int(1);
    tenon_value result = tenon_value_of_none();
    tenon_stack stack{};
    stack.args = args;
    stack.nargs = static_cast<uint32_t>(arguments);
    stack.rets = &result;
    stack.nrets = 1;
    check(tenon_op_call(op, &stack));
    Tensor made(result.as.tensor);
    if (!is_in_place(call)) results.push_back(std::move(made));
  }
  if (!is_in_place(call)) call.give(0, results);
}

}  // namespace tenon::kernels
