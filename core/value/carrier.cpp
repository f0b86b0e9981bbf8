// SPDX-License-Identifier: Apache-2.0
#include "value/carrier.h"

#include <memory>

#include "base/check.h"
#include "tensor/device_provider.h"
#include "value/value.h"

namespace tenon::value {

namespace {

using tensor::Content;
using tensor::Tensor;
using tensor::TensorPtr;

constexpr tenon_keyset bit(uint32_t functionality) {
  return tenon_keyset{1} << (TENON_BACKEND_BITS + functionality);
}

}  // namespace

TensorPtr new_carrier(const tenon_value& value) {
  TENON_CHECK_ARG(value.tag != TENON_TAG_TENSOR && value.tag != TENON_TAG_NONE,
                  "tenon_carrier_new: value must be one that needs a carrier, got ",
                  tag_name(value.tag));
  return new_carrier_of(copy(value));
}

TensorPtr new_carrier_of(tenon_value value) {
  OwnedValue owned(value);
  auto content = std::make_unique<OwnedValue>(std::move(owned));
  // No elements: a kernel that is handed one all the same reads nothing.
  const int64_t none = 0;
  return TensorPtr::adopt(Tensor::make_hollow(
      bit(TENON_FUNCTIONALITY_OVERRIDE), TENON_DTYPE_NONE, {TENON_DEVICE_CPU, 0}, {&none, 1},
      Content::kCarried, content.release(),
      [](void* carried_value) { delete static_cast<OwnedValue*>(carried_value); }));
}

const tenon_value* carried(const Tensor& tensor) noexcept {
  const void* content = tensor.content(Content::kCarried);
  return content != nullptr ? &static_cast<const OwnedValue*>(content)->get() : nullptr;
}

TensorPtr new_wrapper(const tenon_object_type* type, void* self, tensor::Dims sizes,
                      tenon_dtype dtype, const tenon_device* device) {
  constexpr const char* kNew = "tenon_wrapper_new";
  TENON_CHECK_ARG(type != nullptr && type->dispatch != nullptr, kNew,
                  ": type must have a dispatch handler, got ",
                  type == nullptr ? "NULL" : type->name);
  TENON_CHECK_ARG(tensor::is_dtype(dtype), kNew, ": dtype must be a known dtype, got number ",
                  dtype);
  const tenon_device where = tensor::resolve_device(kNew, device);
  tensor::checked_numel(kNew, sizes);
  const tenon_keyset keys = (tensor::plain_keys(where.type) & ~bit(TENON_FUNCTIONALITY_DENSE)) |
                            bit(TENON_FUNCTIONALITY_WRAPPER);
  return TensorPtr::adopt(
      Tensor::make_hollow(keys, dtype, where, sizes, Content::kWrapped, Object::make(type, self),
                          [](void* object) { static_cast<Object*>(object)->release(); }));
}

Object* wrapped(const Tensor& tensor) noexcept {
  return static_cast<Object*>(tensor.content(Content::kWrapped));
}

Object* object_in(const tenon_value& value) noexcept {
  if (value.tag == TENON_TAG_OBJECT || value.tag == TENON_TAG_FUNCTION) return value.as.object;
  if (value.tag != TENON_TAG_TENSOR || value.as.tensor == nullptr) return nullptr;
  const tenon_value* inside = carried(*value.as.tensor);
  return inside != nullptr ? object_in(*inside) : nullptr;
}

}  // namespace tenon::value
