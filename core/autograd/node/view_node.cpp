// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/view_node.h"

#include <optional>

#include "autograd/node/node_extra.h"
#include "autograd/node/node_run.h"
#include "autograd/operators.h"
#include "autograd/record/recording_modes.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "tensor/dtype.h"
#include "value/value.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

// Number of values that view nodes and write nodes save: the sizes, strides and offset of the view,
// those of its base, and a Pairs.
constexpr size_t kPlaces = 7;

// How the dtypes of a view and its base differ: one may hold complex numbers and the other their
// real and imaginary parts. Both are then laid out in real numbers, and the complex tensor gets a
// trailing dim of size 2.
enum class Pairs : int64_t { kNone, kInBase, kInView };

bool is_real_part(tenon_dtype real, tenon_dtype of) {
  return tensor::is_complex(of) && tensor::is_floating(real) &&
         2 * tensor::dtype_size(real) == tensor::dtype_size(of);
}

Pairs pairs_of(const Tensor& view, const Tensor& base) {
  if (view.dtype() == base.dtype()) return Pairs::kNone;
  if (is_real_part(view.dtype(), base.dtype())) return Pairs::kInBase;
  TENON_CHECK(is_real_part(base.dtype(), view.dtype()), TENON_ERROR_NOT_SUPPORTED,
              "gradient of a view: view and base must have the same dtype, or a complex dtype and "
              "the dtype of its parts, got a view of dtype ",
              tensor::dtype_name(view.dtype()), " and a base of dtype ",
              tensor::dtype_name(base.dtype()));
  return Pairs::kInView;
}

tenon_value list_of(tensor::Dims dims, int64_t unit, std::optional<int64_t> last) {
  base::SmallVector<int64_t, 10> list;
  for (const int64_t dim : dims) list.push_back(unit * dim);
  if (last.has_value()) list.push_back(*last);
  return value::new_list(TENON_TAG_INT_LIST, list.data(), static_cast<int64_t>(list.size()));
}

void save_place(const Tensor& tensor, bool in_pairs, tenon_value* values) {
  const int64_t unit = in_pairs ? 2 : 1;
  const auto last = [&](int64_t dim) { return in_pairs ? std::optional(dim) : std::nullopt; };
  values[0] = list_of(tensor.size_span(), 1, last(2));
  values[1] = list_of(tensor.stride_span(), unit, last(1));
  values[2] = tenon_value_of_int(unit * tensor.offset());
}

void save_places(const Tensor& view, const Tensor& base, Pairs pairs, Node* node) {
  const auto values = node->saved_values();
  save_place(view, pairs == Pairs::kInView, &values[0]);
  save_place(base, pairs == Pairs::kInBase, &values[3]);
  values[6] = tenon_value_of_int(static_cast<int64_t>(pairs));
}

Pairs saved_pairs(const tenon_backward_call& call) {
  return static_cast<Pairs>(call.saved[6].as.i);
}

tensor::Dims dims_of(const tenon_value& list) {
  return {static_cast<const int64_t*>(list.as.list.data), list.count};
}

// A formula without an operator, which has a single plan.
class PlacedFormula : public Formula {
 public:
  const Plan& plan() const noexcept { return plan_; }

 protected:
  explicit PlacedFormula(const char* name) {
    set_name(name);
    plan_.formula = this;
    plan_.saves.resize(kPlaces);
  }

 private:
  std::unique_ptr<Plan> make_plan(const schema::Schema&) const override { return nullptr; }
  Plan plan_;
};

class ViewFormula final : public PlacedFormula {
 public:
  ViewFormula() : PlacedFormula("AsStridedBackward0") {}
  void run(const Plan&, tenon_backward_call* call) const override {
    const Pairs pairs = saved_pairs(*call);
    TensorPtr grad = TensorPtr::share(call->grads[0]);
    if (pairs == Pairs::kInView) grad = operators::view_as_real(*grad);
    grad = operators::strided_scatter(*grad, call->saved);
    if (pairs == Pairs::kInBase) grad = operators::view_as_complex(*grad);
    call->out_grads[0] = grad.detach();
  }
};

class WriteFormula final : public PlacedFormula {
 public:
  WriteFormula() : PlacedFormula("CopySlices") {}
  void run(const Plan&, tenon_backward_call* call) const override {
    const NodeExtra& extra = *call->node->extra();
    Node& inner = *extra.inner;
    const int self = extra.inner_self;
    const Pairs pairs = saved_pairs(*call);
    const TensorPtr given_grad = pairs == Pairs::kInBase ? operators::view_as_real(*call->grads[0])
                                                         : TensorPtr::share(call->grads[0]);
    TensorPtr whole =
        operators::copy_as(*given_grad, dims_of(call->saved[3]), dims_of(call->saved[4]));
    const int64_t offset = call->saved[2].as.i - call->saved[5].as.i;
    TensorPtr part =
        operators::as_strided(*whole, dims_of(call->saved[0]), dims_of(call->saved[1]), offset);
    if (pairs == Pairs::kInView) part = operators::view_as_complex(*part);
    base::SmallVector<Tensor*, 2> grads(inner.output_count(), nullptr);
    const TensorPtr grad = operators::clone(*part);
    grads[extra.inner_output] = grad.get();
    // Edge 0 leads to the base's old node. The others are the inner node's edges, except `self`.
    base::SmallVector<uint8_t, 8> needs;
    size_t next = 1;
    for (int i = 0; i < static_cast<int>(inner.edges().size()); ++i) {
      needs.push_back(i == self ? call->needs[0] : call->needs[next++]);
    }
    InputGrads given(inner.edges().size());
    run_node(inner, grads, needs, true, &given);
    next = 1;
    TensorPtr of_view;
    for (int i = 0; i < static_cast<int>(inner.edges().size()); ++i) {
      if (i == self) {
        of_view = given.take(static_cast<size_t>(i));
      } else {
        call->out_grads[next++] = given.take(static_cast<size_t>(i)).detach();
      }
    }
    if (call->needs[0] == 0) return;
    if (of_view == nullptr) {
      operators::zero(*part);
    } else if (whole->content(tensor::HollowKind::kLevel) == nullptr &&
               of_view->content(tensor::HollowKind::kLevel) == nullptr) {
      operators::copy_into(*part, *of_view);
    } else {
      // A layer may map one of the two tensors and not the other, so one cannot be copied into the
      // other: add instead.
      operators::zero(*part);
      whole = operators::add(*whole, *operators::strided_scatter(*of_view, call->saved));
    }
    if (pairs == Pairs::kInBase) whole = operators::view_as_complex(*whole);
    call->out_grads[0] = whole.detach();
  }
};

}  // namespace

void check_view_dtypes(const Tensor& view, const Tensor& base) { pairs_of(view, base); }

NodePtr make_view_node(Tensor& view, Tensor& base) {
  const Pairs pairs = pairs_of(view, base);
  const Tensor* output = &view;
  NodePtr node = Node::make(immortal<ViewFormula>().plan(), {1, 0, kPlaces}, {&output, 1});
  const GradientEdge flow = gradient_edge(base);
  if (flow.node != nullptr) node->set_edge(0, flow.node, flow.output);
  save_places(view, base, pairs, node.get());
  return node;
}

NodePtr make_write_node(Node& inner, uint32_t output, int self, Tensor& view, Tensor& base) {
  const Pairs pairs = pairs_of(view, base);
  const auto edges = inner.edges();
  const auto count = static_cast<uint32_t>(edges.size()) + (self < 0 ? 1 : 0);
  const Tensor* written = &base;
  NodePtr node = Node::make(immortal<WriteFormula>().plan(), {count, 0, kPlaces}, {&written, 1});
  const GradientEdge before = gradient_edge(base);
  if (before.node != nullptr) node->set_edge(0, before.node, before.output);
  uint32_t next = 1;
  for (int i = 0; i < static_cast<int>(edges.size()); ++i) {
    if (i == self) continue;
    const Edge& edge = edges[static_cast<size_t>(i)];
    if (edge.node != nullptr) node->set_edge(next, NodePtr::share(edge.node), edge.output);
    ++next;
  }
  save_places(view, base, pairs, node.get());
  NodeExtra& extra = node->require_extra();
  // The inner node can also be reached through a saved result. If it ran first it would drop its
  // saved values, so this node gets a larger sequence number and runs before it.
  node->come_after(inner);
  extra.inner = NodePtr::share(&inner);
  extra.inner_output = static_cast<uint16_t>(output);
  extra.inner_self = static_cast<int16_t>(self);
  if (inner.extra() != nullptr) extra.origin = inner.extra()->origin;
  if (const RecordingModes* modes = recording_modes()) finish_recorded(*node, *modes);
  return node;
}

}  // namespace tenon::autograd
