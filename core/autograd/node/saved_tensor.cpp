// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/saved_tensor.h"

#include <memory>

#include "autograd/forward/tangent.h"
#include "autograd/node/node.h"
#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "tensor/layout.h"
#include "value/value.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;

PackedTensor::~PackedTensor() { value::clear(&value); }

void SavedTensor::clear() noexcept {
  if (is_packed()) {
    delete &packed();
  } else if (tensor != nullptr) {
    tensor->release();
  }
  tensor = nullptr;
}

void refuse_inference(const char* node, const Tensor& tensor) {
  fail(TENON_ERROR_STATE, node, ": inference tensors cannot be saved for backward, got ",
       tensor::dtype_name(tensor.dtype()), " of sizes ", tensor::print_dims(tensor.size_span()),
       "; clone() the tensor outside of inference mode to get a normal tensor");
}

void pack(SavedTensor* saved, const SavedHooksPtr& hooks) {
  // The hook gets a detached alias. Operators that it calls on a tracked tensor would be recorded,
  // and would save and pack tensors themselves.
  const TensorPtr alias = operators::detached_alias(*saved->tensor);
  auto packed = std::make_unique<PackedTensor>();
  packed->hooks = hooks;
  const int64_t before = alias->version();
  const tenon_status status = hooks->pack(hooks->ctx, alias.get(), &packed->value);
  if (status != TENON_OK) {
    throw Error(base::adopt_current_error("saved tensor", "pack hook", status, true));
  }
  TENON_CHECK(alias->version() == before, TENON_ERROR_STATE,
              "saved tensor: pack hook must not modify its input inplace, got one that does");
  saved->tensor->release();
  saved->tensor = reinterpret_cast<Tensor*>(reinterpret_cast<uintptr_t>(packed.release()) |
                                            SavedTensor::kPacked);
}

namespace {

void check_version(const SavedTensor& saved, const Node& node) {
  const auto version = static_cast<uint32_t>(saved.tensor->version());
  TENON_CHECK(version == saved.version, TENON_ERROR_STATE, node.name(),
              ": a tensor needed for gradient computation has been modified by an inplace "
              "operation since it was saved: ",
              tensor::dtype_name(saved.tensor->dtype()), " of sizes ",
              tensor::print_dims(saved.tensor->size_span()), " is at version ", version,
              ", expected version ", saved.version);
}

TensorPtr unpacked(const PackedTensor& packed, const Node& node) {
  Tensor* tensor = nullptr;
  const SavedHooks& hooks = *packed.hooks;
  const tenon_status status = hooks.unpack(hooks.ctx, &packed.value, &tensor);
  auto owned = TensorPtr::adopt(tensor);
  if (status != TENON_OK) {
    base::ErrorPtr error = base::adopt_current_error(node.name(), "unpack hook", status, true);
    error->add_note(base::concat("raised by an unpack hook of ", node.name()));
    throw Error(std::move(error));
  }
  TENON_CHECK_TYPE(owned != nullptr && !owned->is_undefined(), node.name(),
                   ": unpack hook must return a tensor, got none");
  return owned;
}

}  // namespace

TensorPtr unpack(Node& node, const SavedTensor& saved, bool linked) {
  if (saved.tensor == nullptr) return nullptr;
  const bool is_packed = saved.is_packed();
  if (!is_packed) check_version(saved, node);
  TensorPtr tensor = is_packed ? unpacked(saved.packed(), node) : TensorPtr::share(saved.tensor);
  if (!linked) return tensor;
  Edge edge;
  if (saved.result != SavedTensor::kNone) {
    edge = {&node, saved.result};
  } else if (saved.edge != SavedTensor::kNone) {
    edge = node.edges()[saved.edge];
  }
  return with_edge(std::move(tensor), edge);
}

TensorPtr with_edge(TensorPtr tensor, const Edge& edge) {
  const GradientEdge now = gradient_edge(*tensor);
  if (now.node.get() == edge.node && now.output == edge.output) return tensor;
  TensorPtr alias = operators::detached_alias(*tensor);
  carry_tangent(*tensor, *alias);
  if (edge.node != nullptr) set_node(*alias, NodePtr::share(edge.node), edge.output);
  return alias;
}

}  // namespace tenon::autograd
