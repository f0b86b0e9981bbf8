// SPDX-License-Identifier: Apache-2.0
#include "value/carrier.h"

#include <memory>

#include "base/check.h"
#include "tensor/device_provider.h"
#include "value/value.h"

namespace tenon::value {

namespace {

using tensor::HollowKind;
using tensor::Tensor;
using tensor::TensorPtr;

constexpr tenon_keyset bit(uint32_t functionality) {
  return tenon_keyset{1} << (TENON_BACKEND_BITS + functionality);
}

constexpr const char* kNewWrapper = "tenon_wrapper_new";

// Checks the additional keys of a wrapper. They must be functionalities above Wrapper, because a
// call never reaches a key below it. Keys of transform layers and Override are refused: they belong
// to other kinds of hollow tensors.
void require_wrapper_keys(tenon_keyset keys) {
  constexpr tenon_keyset kUpToWrapper = (bit(TENON_FUNCTIONALITY_WRAPPER) << 1) - 1;
  constexpr tenon_keyset kRefused =
      kUpToWrapper | bit(TENON_FUNCTIONALITY_TRANSFORM_BACK) | bit(TENON_FUNCTIONALITY_BATCHED) |
      bit(TENON_FUNCTIONALITY_TRANSFORM_FRONT) | bit(TENON_FUNCTIONALITY_OVERRIDE);
  TENON_CHECK_ARG(
      (keys & kRefused) == 0, kNewWrapper,
      ": keys must be functionalities above Wrapper that a wrapper can carry, got bits ",
      keys & kRefused);
}

}  // namespace

TensorPtr new_carrier(const tenon_value& value) {
  TENON_CHECK_ARG(value.tag != TENON_TAG_TENSOR && value.tag != TENON_TAG_NONE,
                  "tenon_carrier_new: value must not be a tensor or None, got ",
                  tag_name(value.tag));
  return new_carrier_of(copy(value));
}

TensorPtr new_carrier_of(tenon_value value) {
  TENON_DCHECK(value.tag != TENON_TAG_TENSOR);  // otherwise carriers could nest without end
  OwnedValue owned(value);
  auto content = std::make_unique<OwnedValue>(std::move(owned));
  // One dim of size 0, so that a kernel that is passed a carrier by mistake reads no elements.
  const int64_t none = 0;
  const tensor::HollowMetadata metadata{"tenon_carrier_new",
                                        bit(TENON_FUNCTIONALITY_OVERRIDE),
                                        TENON_DTYPE_NONE,
                                        {TENON_DEVICE_CPU, 0},
                                        tensor::Dims{&none, 1}};
  return TensorPtr::adopt(Tensor::make_hollow(
      metadata, HollowKind::kCarried, content.release(),
      [](void* carried_value) { delete static_cast<OwnedValue*>(carried_value); }));
}

const tenon_value* carried(const Tensor& tensor) noexcept {
  const void* content = tensor.content(HollowKind::kCarried);
  return content != nullptr ? &static_cast<const OwnedValue*>(content)->get() : nullptr;
}

TensorPtr new_wrapper(const tenon_object_type* type, void* self,
                      const tenon_wrapper_options& options) {
  TENON_CHECK_ARG(type != nullptr && type->dispatch != nullptr, kNewWrapper,
                  ": type must have a dispatch handler, got ",
                  type == nullptr ? "NULL" : type->name);
  TENON_CHECK_ARG(tensor::is_dtype(options.dtype), kNewWrapper,
                  ": dtype must be a known dtype, got number ", options.dtype);
  const int64_t ndim = options.ndim;
  TENON_CHECK_ARG(ndim >= 0 && ndim <= TENON_TENSOR_MAX_DIMS, kNewWrapper, ": ndim must be in [0, ",
                  TENON_TENSOR_MAX_DIMS, "], got ", ndim);
  TENON_CHECK_ARG(options.sizes != nullptr || ndim == 0, kNewWrapper,
                  ": sizes must not be NULL, got NULL for ", ndim, " dims");
  const Tensor* alias_of = options.alias_of;
  TENON_CHECK_ARG(alias_of == nullptr || !alias_of->is_undefined(), kNewWrapper,
                  ": alias_of must be defined, got the undefined tensor");
  require_wrapper_keys(options.keys);
  const tenon_device device = tensor::resolve_device(kNewWrapper, options.device);
  const tenon_keyset keys = (tensor::plain_keys(device.type) & ~bit(TENON_FUNCTIONALITY_DENSE)) |
                            bit(TENON_FUNCTIONALITY_WRAPPER) | options.keys;
  const tensor::Dims sizes(options.sizes, static_cast<size_t>(ndim));
  // An alias of another wrapper is a view. It owns that wrapper, or the base of that wrapper if it
  // is a view itself, and uses the base's storage.
  const bool is_view = alias_of != nullptr && alias_of->content(HollowKind::kWrapped) != nullptr;
  const Tensor* base = is_view ? alias_of->base() : nullptr;
  const tensor::HollowMetadata metadata{kNewWrapper,
                                        keys,
                                        options.dtype,
                                        device,
                                        {sizes, options.strides, options.storage_offset},
                                        alias_of,
                                        is_view && base == nullptr ? alias_of : base};
  // The geometry is checked before the object exists, so that its type is not called for a failed
  // wrapper.
  tensor::check_geometry(kNewWrapper, metadata.geometry);
  return TensorPtr::adopt(
      Tensor::make_hollow(metadata, HollowKind::kWrapped, Object::make(type, self),
                          [](void* object) { static_cast<Object*>(object)->release(); }));
}

Object* wrapped(const Tensor& tensor) noexcept {
  return static_cast<Object*>(tensor.content(HollowKind::kWrapped));
}

Object* object_in(const tenon_value& value) noexcept {
  if (value.tag == TENON_TAG_OBJECT || value.tag == TENON_TAG_FUNCTION) return value.as.object;
  if (value.tag != TENON_TAG_TENSOR || value.as.tensor == nullptr) return nullptr;
  const tenon_value* inside = carried(*value.as.tensor);
  return inside != nullptr ? object_in(*inside) : nullptr;
}

}  // namespace tenon::value
