// SPDX-License-Identifier: Apache-2.0
#include "autograd/forward/tangent.h"

#include <algorithm>

#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "dispatch/transform.h"
#include "tensor/layout.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;

namespace {

TensorPtr own_tangent(const Tensor& tensor, DualLevel& level) noexcept {
  const TangentSlot* slot = tangent_slot(tensor);
  return slot != nullptr ? slot->get(level) : nullptr;
}

// Returns the base whose tangent covers the view, if the view itself has no tangent; otherwise
// NULL.
Tensor* followed_base(const Tensor& view) noexcept {
  Tensor* base = view.base();
  const bool follows = base != nullptr && view.view_origin() != tensor::ViewOrigin::kInference &&
                       base->dtype() == view.dtype();
  return follows ? base : nullptr;
}

void check_part(const char* what, const Tensor& tensor) {
  constexpr const char* kMake = "tenon_dual_make";
  TENON_CHECK_TYPE(is_differentiable(tensor.dtype()), kMake, ": ", what,
                   " must be floating point or complex, got ", tensor::dtype_name(tensor.dtype()));
  TENON_CHECK(tangent_of(tensor) == nullptr, TENON_ERROR_STATE, kMake, ": ", what,
              " must not have a tangent at this level already");
}

}  // namespace

TensorPtr laid_out_as(const Tensor& tangent, const Tensor& tensor) {
  const bool is_level = tensor.content(tensor::HollowKind::kLevel) != nullptr;
  if ((!tensor.has_storage() && !is_level) ||
      tensor::may_overlap_itself(tensor.size_span(), tensor.stride_span())) {
    return operators::clone(tangent);
  }
  return operators::copy_as(tangent, tensor.size_span(), tensor.stride_span());
}

TensorPtr tangent_of(const Tensor& tensor, DualLevel& level) {
  if (!tensor.may_be_tracked()) return {};
  if (TensorPtr own = own_tangent(tensor, level)) return own;
  const Tensor* base = followed_base(tensor);
  if (base == nullptr) return {};
  const TensorPtr whole = own_tangent(*base, level);
  return whole != nullptr ? tangent_of_view(*whole, *base, tensor) : nullptr;
}

TensorPtr tangent_of(const Tensor& tensor) {
  DualLevel* level = DualLevel::current();
  return level != nullptr ? tangent_of(tensor, *level) : nullptr;
}

TensorPtr fit_tangent(TensorPtr tangent, const Tensor& tensor) {
  if (tangent->dtype() != tensor.dtype()) tangent = operators::cast(*tangent, tensor.dtype());
  if (!std::ranges::equal(tangent->size_span(), tensor.size_span())) {
    tangent = operators::expand(*tangent, tensor.size_span());
  }
  return tangent;
}

void carry_tangent(const Tensor& tensor, Tensor& alias) {
  DualLevel* level = DualLevel::current();
  if (level == nullptr) return;
  if (TensorPtr tangent = tangent_of(tensor, *level)) {
    share_tangent(*level, alias, std::move(tangent));
  }
}

void give_tangent(DualLevel& level, Tensor& tensor, TensorPtr tangent) {
  if (!dispatch::is_alone(*tangent) || !is_laid_out_as(*tangent, tensor)) {
    tangent = laid_out_as(*tangent, tensor);
  }
  share_tangent(level, tensor, std::move(tangent));
}

void share_tangent(DualLevel& level, Tensor& tensor, TensorPtr tangent) {
  require_tangent_slot(tensor).set(level, std::move(tangent));
}

void write_tangent(DualLevel& level, Tensor& tensor, const Tensor* tangent) {
  TensorPtr now = own_tangent(tensor, level);
  Tensor* base = now == nullptr ? followed_base(tensor) : nullptr;
  if (now == nullptr && tangent == nullptr) {
    if (base == nullptr || own_tangent(*base, level) == nullptr) return;
  }
  if (now == nullptr && base == nullptr) {
    TENON_CHECK(tensor.base() == nullptr, TENON_ERROR_NOT_SUPPORTED,
                "forward AD: a view with a dtype other than its base's must not be modified "
                "inplace by a call that has a tangent");
    return share_tangent(level, tensor, laid_out_as(*tangent, tensor));
  }
  if (now == nullptr) {
    TensorPtr whole = own_tangent(*base, level);
    if (whole == nullptr) {
      whole = operators::zeros_as(*base);
      share_tangent(level, *base, whole);
    }
    now = tangent_of_view(*whole, *base, tensor);
  }
  if (tangent != nullptr) {
    operators::copy_into(*now, *tangent);
  } else {
    operators::zero(*now);
  }
}

TensorPtr tangent_of_view(const Tensor& tangent, const Tensor& of, const Tensor& view) {
  return operators::as_strided(tangent, view.size_span(), view.stride_span(),
                               tangent.offset() + view.offset() - of.offset());
}

bool is_laid_out_as(const Tensor& tangent, const Tensor& tensor) noexcept {
  return std::ranges::equal(tangent.size_span(), tensor.size_span()) &&
         std::ranges::equal(tangent.stride_span(), tensor.stride_span());
}

TensorPtr make_dual(Tensor& primal, Tensor& tangent) {
  constexpr const char* kMake = "tenon_dual_make";
  DualLevel* level = DualLevel::current();
  TENON_DCHECK(level != nullptr);
  check_part("primal", primal);
  check_part("tangent", tangent);
  TENON_CHECK(std::ranges::equal(primal.size_span(), tangent.size_span()), TENON_ERROR_STATE, kMake,
              ": tangent must be of the primal's sizes ", tensor::print_dims(primal.size_span()),
              ", got ", tensor::print_dims(tangent.size_span()));
  TENON_CHECK(primal.dtype() == tangent.dtype(), TENON_ERROR_TYPE, kMake,
              ": tangent must be of the primal's dtype ", tensor::dtype_name(primal.dtype()),
              ", got ", tensor::dtype_name(tangent.dtype()));
  TENON_CHECK_ARG(primal.device().type == tangent.device().type &&
                      primal.device().index == tangent.device().index,
                  kMake, ": tangent must be on the primal's device, got another device");
  const PauseTangents pause;
  TensorPtr dual = operators::alias(primal);
  auto given = TensorPtr::share(&tangent);
  if (!is_laid_out_as(tangent, primal)) given = laid_out_as(tangent, primal);
  share_tangent(*level, *dual, std::move(given));
  return dual;
}

TensorPtr primal_of(Tensor& dual) {
  TensorPtr primal = operators::detached_alias(dual);
  const GradientEdge flow = gradient_edge(dual);
  if (flow.node != nullptr) set_node(*primal, flow.node, flow.output);
  return primal;
}

}  // namespace tenon::autograd
