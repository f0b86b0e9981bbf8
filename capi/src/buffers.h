// SPDX-License-Identifier: Apache-2.0
// Conversion of lists to buffers, which C functions return.
#pragma once

#include <cstring>
#include <vector>

#include "value/buffer.h"

namespace tenon::capi {

/// Makes a buffer with a copy of the elements.
template <class T>
value::Buffer* buffer_of(const std::vector<T>& elements) {
  const size_t size = elements.size() * sizeof(T);
  value::Buffer* buffer = value::Buffer::make(static_cast<int64_t>(size));
  if (size != 0) std::memcpy(buffer->data(), elements.data(), size);
  return buffer;
}

}  // namespace tenon::capi
