// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/node_run.h"

#include <algorithm>
#include <forward_list>

#include "autograd/node/packed_list.h"
#include "autograd/node/saved_value.h"
#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "tensor/layout.h"
#include "value/value.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

// A node's saved values, which a formula borrows. The node keeps them alive during the read; values
// that had to be unpacked are owned here.
class UnpackedValues {
 public:
  UnpackedValues(Node& node, const Plan& plan) {
    if (plan.saves_lists) [[unlikely]] {
      check_lists(node);
    }
    const bool linked = base::grad_mode() == TENON_GRAD_MODE_ON;
    const SavedTensor* saved = node.saved_tensors().data();
    const tenon_value* value = node.saved_values().data();
    for (const Save& save : plan.saves) {
      if (save.is_tensor) {
        Tensor* tensor = !linked && is_plain(*saved) ? saved->tensor : own(node, *saved, linked);
        ++saved;
        values_.push_back(tensor != nullptr ? tenon_value_of_tensor(tensor) : tenon_value{});
      } else {
        values_.push_back(*value++);
        values_.back().flags &= TENON_VALUE_HAS_SYMBOLIC;
      }
    }
    if (plan.saves_lists) [[unlikely]] {
      unpack_lists(node, plan, linked);
    }
  }
  ~UnpackedValues() {
    for (Tensor* tensor : owned_) tensor->release();
  }
  UnpackedValues(const UnpackedValues&) = delete;
  UnpackedValues& operator=(const UnpackedValues&) = delete;
  const tenon_value* data() const noexcept { return values_.data(); }
  int64_t size() const noexcept { return static_cast<int64_t>(values_.size()); }

 private:
  // Fast path: neither packed nor written since it was saved.
  static bool is_plain(const SavedTensor& saved) noexcept {
    return saved.tensor == nullptr ||
           (!saved.is_packed() && static_cast<uint32_t>(saved.tensor->version()) == saved.version);
  }
  Tensor* own(Node& node, const SavedTensor& saved, bool linked) {
    Tensor* tensor = unpack(node, saved, linked).detach();
    if (tensor != nullptr) owned_.push_back(tensor);
    return tensor;
  }

  void unpack_lists(Node& node, const Plan& plan, bool linked) {
    size_t number = 0;  // index among the saved values
    for (size_t i = 0; i < plan.saves.size(); ++i) {
      if (plan.saves[i].is_tensor) continue;
      const PackedList* packed = packed_list(node, number++);
      if (packed == nullptr) continue;
      values_[i] = lists_.emplace_front(autograd::unpack(node, *packed, linked)).get();
      values_[i].flags = 0;
    }
  }

  base::SmallVector<tenon_value, 4> values_;
  base::SmallVector<Tensor*, 4> owned_;
  std::forward_list<value::OwnedValue> lists_;
};

}  // namespace

SavedValuesGuard::SavedValuesGuard(Node& node, bool drops) : node_(node) {
  TENON_CHECK(node.begin_read(), TENON_ERROR_STATE, node.name(),
              ": cannot run backward through the graph a second time: the saved tensors were freed "
              "by the first pass; pass retain_graph=True to the first call");
  drops_ = drops && node.has_saved();
}

void run_node(Node& node, std::span<Tensor* const> grads, std::span<const uint8_t> needs, bool keep,
              InputGrads* out_grads) {
  const SavedValuesGuard reading(node, !keep);
  const bool none = std::ranges::all_of(grads, [](const Tensor* grad) { return grad == nullptr; });
  if (none && node.formula()->absent() == MissingGradients::kSkipped) return;
  const UnpackedValues saved(node, node.plan());
  tenon_backward_call call{};
  call.node = &node;
  call.grads = grads.data();
  call.saved = saved.data();
  call.needs = needs.data();
  call.out_grads = out_grads->data();
  call.noutputs = static_cast<int64_t>(grads.size());
  call.nsaved = saved.size();
  call.ninputs = static_cast<int64_t>(needs.size());
  node.formula()->run(node.plan(), &call);
}

}  // namespace tenon::autograd
