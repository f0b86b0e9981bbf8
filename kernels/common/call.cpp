// SPDX-License-Identifier: Apache-2.0
// Cold paths of Call: refusing an argument, and calling another operator.
#include "kernels/common/call.h"

#include <string_view>

#include "kernels/common/check.h"

namespace tenon::kernels {

void Call::refuse_tag(int k) const {
  fail(TENON_ERROR_TYPE,
       {op(), ": ", form.names[k], " must be Tensor, got ", tenon_tag_name(args[k].tag)});
}

void Call::refuse_code(int k) const {
  const uint16_t tag = args[k].tag;
  if (tag != TENON_TAG_INT && tag != TENON_TAG_DTYPE && tag != TENON_TAG_MEMORY_FORMAT) return;
  const bool is_format = std::string_view(form.schema.argument(k).type_text).starts_with("MemoryF");
  fail_argument(op(), form.names[k], is_format ? "a memory format" : "a dtype",
                static_cast<int64_t>(args[k].as.i));
}

tenon_value Call::call_target(const tenon_value* given) const {
  tenon_value result = tenon_value_of_none();
  tenon_stack stack{};
  stack.args = const_cast<tenon_value*>(given);
  stack.nargs = static_cast<uint32_t>(form.target_arguments);
  stack.rets = &result;
  stack.nrets = 1;
  check(tenon_op_call_fast(form.target, &stack));
  return result;
}

}  // namespace tenon::kernels
