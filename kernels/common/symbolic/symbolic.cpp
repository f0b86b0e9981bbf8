// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/symbolic/symbolic.h"

#include <algorithm>

#include "kernels/common/entry.h"
#include "kernels/common/shape.h"
#include "kernels/common/shape_rules.h"

namespace tenon::kernels {

namespace {

// The smallest number that a word of symbol.h can represent: smaller ones have the bits of symbols.
constexpr int64_t kLeastNumber = -(int64_t{1} << 62);

[[noreturn, gnu::cold]] void refuse_argument(const Call& call, int k, const Part& given) {
  fail_argument(call.op(), call.form.names[k], "at least " + std::to_string(kLeastNumber), given);
}

bool is_symbolic(const tenon_tensor* tensor) {
  return tensor != nullptr && (tenon_tensor_flags(tensor) & TENON_TENSOR_SYMBOLIC) != 0;
}

bool is_symbolic(const tenon_value& value) {
  switch (value.tag) {
    case TENON_TAG_TENSOR:
      return is_symbolic(value.as.tensor);
    case TENON_TAG_TENSOR_LIST: {
      auto* const* tensors = static_cast<tenon_tensor* const*>(value.as.list.data);
      return std::any_of(tensors, tensors + value.count,
                         [](const tenon_tensor* tensor) { return is_symbolic(tensor); });
    }
    case TENON_TAG_SYMINT:
    case TENON_TAG_SYMFLOAT:
      return true;
    default:
      return (value.flags & TENON_VALUE_HAS_SYMBOLIC) != 0;
  }
}

// Returns dense strides, from the innermost dim outwards in the order of `perm`.
SymbolicDims strides_in_order(SymbolicSizes sizes, const int64_t* perm) {
  SymbolicDims strides;
  strides.resize(static_cast<int64_t>(sizes.size()));
  SymbolicSize next = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    strides[perm[d]] = next;
    next *= larger(sizes[static_cast<size_t>(perm[d])], SymbolicSize(1));
  }
  return strides;
}

}  // namespace

tenon_status symbolic_entry(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const auto& form = *static_cast<const OperatorForm*>(ctx);
  const auto count = static_cast<uint32_t>(form.arguments);
  const bool symbolic = stack->nargs == count &&
                        std::any_of(stack->args, stack->args + count,
                                    [](const tenon_value& value) { return is_symbolic(value); });
  if (!symbolic) return boxed_entry(ctx, op, keys, stack);
  return tenon::detail::guarded(&stack->error, [&] {
    const Call call{form, stack->args, stack->rets};
    form.symbolic(call);
    if (form.is_functional()) return;
    for (int k = 0; k < form.results; ++k) call.give(k, Tensor::retain(call.written(k)));
  });
}

void refuse_number(int64_t number) {
  fail(TENON_ERROR_INVALID_ARGUMENT,
       {"size: number must be at least ", kLeastNumber, ", got ", number});
}

SymbolicSize size_argument(const Call& call, int k) {
  const tenon_value& value = call.args[k];
  if (value.tag == TENON_TAG_SYMINT) {
    return SymbolicSize::of_word(tenon_dim_of_symbol(value.as.symbol));
  }
  if (value.as.i < kLeastNumber) refuse_argument(call, k, value.as.i);
  return value.as.i;
}

SymbolicDims sizes_argument(const Call& call, int k) {
  const tenon_value& value = call.args[k];
  if (value.tag != TENON_TAG_INT_LIST) return {};
  const auto* const words = static_cast<const int64_t*>(value.as.list.data);
  if ((value.flags & TENON_VALUE_HAS_SYMBOLIC) == 0) {
    const Sizes numbers(words, value.count);
    for (const int64_t number : numbers) {
      if (number < kLeastNumber) refuse_argument(call, k, numbers);
    }
  }
  return SymbolicDims(symbolic(words, value.count));
}

SymbolicSize clamped_argument(const Call& call, int k) {
  const tenon_value& value = call.args[k];
  if (value.tag == TENON_TAG_SYMINT) return size_argument(call, k);
  return std::max(value.as.i, kLeastNumber);
}

Tensor new_symbolic(const Tensor& like, const SymbolicDims& sizes, const SymbolicDims* strides) {
  const Device device = like.device();
  const tenon_device on = device;
  tenon_symbolic_options options{};
  options.struct_size = sizeof options;
  options.dtype = static_cast<tenon_dtype>(like.dtype());
  options.device = &on;
  options.ndim = sizes.size();
  options.sizes = sizes.words();
  if (strides != nullptr) options.strides = strides->words();
  tenon_tensor* made = nullptr;
  check(tenon_tensor_new_symbolic(&options, &made));
  return Tensor(made);
}

Tensor new_symbolic_like(const Tensor& like, const SymbolicTensor& shape) {
  const SymbolicDims sizes(shape.sizes());
  if (shape.is_contiguous()) return new_symbolic(like, sizes);
  int64_t perm[kMaxDims];
  const SymbolicSize* one = shape.strides().data();
  rules::order_dims(shape.sizes(), &one, 1, perm);
  const SymbolicDims strides = strides_in_order(sizes, perm);
  return new_symbolic(like, sizes, &strides);
}

}  // namespace tenon::kernels
