// SPDX-License-Identifier: Apache-2.0
#include "autocast/cache.h"

namespace tenon::autocast {

using tensor::Tensor;
using tensor::TensorPtr;

TensorPtr Cache::find(const Tensor& tensor, tenon_dtype dtype) const noexcept {
  const auto found = entries_.find(&tensor);
  if (found == entries_.end()) return {};
  const CachedCast& entry = found->second;
  const bool is_now = entry.storage == tensor.storage() && entry.version == tensor.version();
  return is_now && entry.cast->dtype() == dtype ? entry.cast : TensorPtr();
}

void Cache::keep(Tensor& tensor, TensorPtr cast) {
  CachedCast entry{tensor::WeakTensor(&tensor), tensor.storage(), tensor.version(),
                   std::move(cast)};
  auto [place, is_new] = entries_.try_emplace(&tensor, std::move(entry));
  // After the swap the entry is complete; the older cast is released when this function returns.
  if (!is_new) std::swap(place->second, entry);
}

void Cache::clear() noexcept { const auto dropped = std::exchange(entries_, {}); }

}  // namespace tenon::autocast
