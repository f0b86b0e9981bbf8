// SPDX-License-Identifier: Apache-2.0
#include "transform/vmap_layer.h"

#include <memory>

#include "base/check.h"
#include "tenon/transforms.h"

namespace tenon::transform {

using dispatch::Layer;
using dispatch::LayerKind;
using dispatch::LayerPtr;
using tensor::Tensor;
using tensor::TensorPtr;

namespace {

constexpr tenon_keyset kBatched = dispatch::functionality_bit(TENON_FUNCTIONALITY_BATCHED);
constexpr tenon_keyset kCarried =
    kBatched | dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOCAST);

constexpr LayerKind kVmap{
    .name = "vmap", .keys = kBatched, .include = kBatched, .lift = nullptr, .dead_unwraps = false};

}  // namespace

LayerPtr enter_vmap_layer(int64_t size, uint32_t randomness) {
  constexpr const char* kEnter = "tenon_vmap_enter";
  TENON_CHECK_ARG(size >= 0, kEnter, ": size must be >= 0, got ", size);
  TENON_CHECK_ARG(randomness <= TENON_RANDOMNESS_DIFFERENT, kEnter,
                  ": randomness must be a TENON_RANDOMNESS_* number, got ", randomness);
  auto info = std::make_unique<VmapInfo>(VmapInfo{size, randomness});
  return dispatch::enter_layer(kVmap, info.release(),
                               [](void* content) { delete static_cast<VmapInfo*>(content); });
}

const VmapInfo* vmap_info(const Layer& layer) noexcept {
  return &layer.kind() == &kVmap ? static_cast<const VmapInfo*>(layer.content()) : nullptr;
}

namespace {

// Calls `use` with the geometry of a tensor without one of its dims.
template <class Use>
auto without_dim(const Tensor& below, int64_t dim, Use&& use) {
  TENON_DCHECK(dim >= 0 && dim < below.ndim());
  base::SmallVector<int64_t, 2 * tensor::kInlineDims> dims;
  const auto count = static_cast<size_t>(below.ndim()) - 1;
  const auto mapped = static_cast<size_t>(dim);
  for (size_t i = 0; i <= count; ++i) {
    if (i != mapped) dims.push_back(below.sizes()[i]);
  }
  for (size_t i = 0; i <= count; ++i) {
    if (i != mapped) dims.push_back(below.strides()[i]);
  }
  return use(tensor::Geometry({dims.data(), count}, dims.data() + count, below.offset()));
}

void* content_of(int64_t dim) { return reinterpret_cast<void*>(static_cast<intptr_t>(dim)); }

}  // namespace

TensorPtr new_batched(Layer& layer, Tensor& below, int64_t dim, const Tensor* view_of) {
  TENON_DCHECK(below.sizes()[dim] == vmap_info(layer)->size);
  return without_dim(below, dim, [&](const tensor::Geometry& geometry) {
    return dispatch::new_level_tensor(layer, below, kCarried, geometry, content_of(dim), nullptr,
                                      view_of);
  });
}

void replace_batched(Tensor& batched, Tensor& below, int64_t dim) {
  without_dim(below, dim, [&](const tensor::Geometry& geometry) {
    dispatch::replace_below(batched, below, geometry, content_of(dim));
  });
}

int64_t batch_dim(const dispatch::LevelTensor& level) noexcept {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(level.content));
}

}  // namespace tenon::transform
