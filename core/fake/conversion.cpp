// SPDX-License-Identifier: Apache-2.0
#include "fake/conversion.h"

#include <utility>

#include "base/check.h"

namespace tenon::fake {

namespace {

constexpr const char* kCopy = "tenon_tensor_copy_fake";

tensor::TensorPtr view_like(const tensor::Tensor& view, const tensor::Tensor& base) {
  auto made = tensor::TensorPtr::adopt(tensor::Tensor::make_alias_as(
      base, view.dtype(), view.size_span(), view.stride_span(), view.offset()));
  made->set_view_origin(view.view_origin());
  return made;
}

}  // namespace

tensor::TensorPtr fake_like(const tensor::Tensor& tensor, const tenon_device& device) {
  const tenon_device claimed = tensor::fake_device(device);
  const tensor::ForeignMemory none{kCopy, nullptr, tensor.storage()->nbytes()};
  auto made = tensor::TensorPtr::adopt(tensor::Tensor::wrap(
      none, tensor.dtype(), &claimed, {tensor.size_span(), tensor.strides(), tensor.offset()}));
  if (tensor.is_wrapped_number()) made->set_wrapped_number(true);
  return made;
}

tensor::TensorPtr copy_fake(tensor::Tensor& tensor, Mode* mode) {
  // Symbolic tensors have no elements and are returned unchanged, like fake ones.
  const bool stays = tensor.is_fake() || tensor.is_undefined() || tensor.is_symbolic();
  if (stays) return tensor::TensorPtr::share(&tensor);
  TENON_CHECK(tensor.has_storage(), TENON_ERROR_NOT_SUPPORTED, kCopy,
              ": tensor must have storage, got a hollow tensor");
  if (mode != nullptr) {
    if (tensor::TensorPtr known = mode->find(tensor)) return known;
  }
  tensor::Tensor* const viewed = tensor.base();
  tensor::TensorPtr made = viewed != nullptr ? view_like(tensor, *copy_fake(*viewed, mode))
                                             : fake_like(tensor, tensor.device());
  return mode != nullptr ? mode->keep(tensor, std::move(made)) : made;
}

}  // namespace tenon::fake
