// SPDX-License-Identifier: Apache-2.0
// Buffer: counted memory for texts and for the elements of lists.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/intrusive_ptr.h"
#include "tenon/common.h"

namespace tenon::value {

/// What a buffer holds, and so what it releases when it dies.
enum class BufferContent : uint8_t {
  kBytes,    // nothing that counts
  kTensors,  // tenon_tensor*, NULL allowed: each a reference of ours
  kValues,   // tenon_value: cleared
  kSymbols,  // words (base/symbol.h): each symbol a reference of ours
  kForeign   // someone else's memory, with a deleter
};

}  // namespace tenon::value

/// A buffer. Its own memory follows it in the same allocation.
struct tenon_buffer final : tenon::base::RefCounted<tenon_buffer> {
 public:
  using Content = tenon::value::BufferContent;

  /// Zeroed memory with one NUL byte behind. Throws TENON_ERROR_INVALID_ARGUMENT for a negative
  /// size, TENON_ERROR_OUT_OF_MEMORY.
  static tenon_buffer* make(int64_t size, Content content = Content::kBytes);
  /// Takes over `context`, also when this throws.
  static tenon_buffer* wrap(void* data, int64_t size, void* context, tenon_deleter deleter);
  static void destroy(tenon_buffer* self) noexcept;

  void* data() const noexcept { return data_; }
  int64_t size() const noexcept { return size_; }

 private:
  tenon_buffer(void* data, int64_t size, Content content) noexcept
      : data_(data), size_(size), content_(content) {}

  void* data_;
  int64_t size_;
  void* context_ = nullptr;
  tenon_deleter deleter_ = nullptr;
  Content content_;
};

namespace tenon::value {

using Buffer = ::tenon_buffer;
using BufferPtr = base::IntrusivePtr<Buffer>;

/// A buffer with a copy of a text.
BufferPtr text_buffer(std::string_view text);

}  // namespace tenon::value
