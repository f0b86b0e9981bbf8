// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dispatch/registry.h"
#include "graph/bound_plan.h"
#include "tensor/dtype.h"

namespace tenon::graph {

namespace {

constexpr int64_t kAbsent = -1;

// Calls `each(word)` for the words that describe an input, until it returns false.
template <class Each>
bool describe_input(const tenon_value& input, Each&& each) {
  if (input.tag != TENON_TAG_TENSOR || input.as.tensor == nullptr) return each(kAbsent);
  const tensor::Tensor& tensor = *input.as.tensor;
  const tensor::Dims sizes = tensor.size_span();
  if (!each(static_cast<int64_t>(tensor.call_keys())) ||
      !each(static_cast<int64_t>(sizes.size()) << 32 | tensor.dtype()) ||
      !each(tensor.is_wrapped_number()) || !each(tensor.may_be_tracked())) {
    return false;
  }
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (!each(sizes[dim]) || !each(tensor.strides()[dim])) return false;
  }
  return true;
}

// Like describe_input(), for all inputs, and for attributes, including the address of their memory,
// since others may change them. The first word is the dtype of floating-point results of integers.
template <class Each>
bool describe(const Graph& graph, const tenon_value* inputs, Each&& each) {
  if (!each(tensor::default_dtype())) return false;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    if (!describe_input(inputs[i], each)) return false;
  }
  for (const Attribute& attribute : graph.attributes()) {
    const tensor::Tensor& tensor = *attribute.tensor;
    const auto address = tensor.has_storage() ? reinterpret_cast<int64_t>(tensor.data()) : kAbsent;
    if (!describe_input(tenon_value_of_tensor(attribute.tensor.get()), each) || !each(address)) {
      return false;
    }
  }
  return true;
}

bool is_plain_input(const tenon_value& input) noexcept {
  if (input.tag != TENON_TAG_TENSOR || input.as.tensor == nullptr) return false;
  constexpr tenon_keyset kPlain =
      dispatch::functionality_bit(TENON_FUNCTIONALITY_DENSE) |
      dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW) |
      dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOCAST);
  const tensor::Tensor& tensor = *input.as.tensor;
  return (tensor.call_keys() & dispatch::kFunctionalityMask & ~kPlain) == 0 &&
         !tensor.is_undefined() && tensor.has_storage() && tensor.has_memory() &&
         !tensor.is_symbolic() && !tensor.is_wrapped_number() &&
         tensor.device().type == TENON_DEVICE_CPU;
}

bool same_words(const dispatch::KeyState& a, const dispatch::KeyState& b) noexcept {
  return a.include == b.include && a.exclude == b.exclude && a.grad_mode == b.grad_mode &&
         a.follows_tangents == b.follows_tangents;
}

}  // namespace

PlanGuard::PlanGuard(const Graph& graph, const tenon_value* inputs)
    : graph_(graph),
      registry_version_(dispatch::registry_version.load(std::memory_order_acquire)),
      thread_(dispatch::key_state()),
      slow_requests_(base::current_thread()->slow_requests) {
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    plain_inputs_ = plain_inputs_ && is_plain_input(inputs[i]);
  }
  describe(graph, inputs, [&](int64_t word) {
    words_.push_back(word);
    return true;
  });
}

bool PlanGuard::holds(const tenon_value* inputs) const noexcept {
  if (is_over()) return false;
  if (slow_requests_ != base::current_thread()->slow_requests) return false;
  if (!same_words(thread_, dispatch::key_state())) return false;
  const int64_t* word = words_.data();
  const int64_t* const end = word + words_.size();
  const auto is_next = [&](int64_t now) { return word != end && *word++ == now; };
  return describe(graph_, inputs, is_next) && word == end;
}

bool PlanGuard::is_over() const noexcept {
  return registry_version_ != dispatch::registry_version.load(std::memory_order_acquire);
}

bool PlanGuard::is_plain() const noexcept {
  // Functionalities that all threads include by default are allowed: Binder::keys_of() checks them
  // for each operator.
  const uint64_t usual =
      base::kDefaultInclude | base::late_defaults.included.load(std::memory_order_acquire);
  return plain_inputs_ && (thread_.include & ~usual) == 0 &&
         (thread_.exclude & base::kDefaultExclude) == base::kDefaultExclude && slow_requests_ == 0;
}

}  // namespace tenon::graph
