// SPDX-License-Identifier: Apache-2.0
// Buffer: refcounted memory for texts and for the elements of lists.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/intrusive_ptr.h"
#include "tenon/common.h"

namespace tenon::value {

/// The content of a buffer, which determines what its destructor releases.
enum class BufferContent : uint8_t {
  kBytes,    // nothing to release
  kTensors,  // tenon_tensor*, or NULL: owned references
  kValues,   // tenon_value: cleared
  kSymbols,  // words (base/symbol.h): owned references to symbols
  kForeign   // foreign memory, with a deleter
};

}  // namespace tenon::value

/// A buffer. Memory that it allocates itself follows the header in the same block.
struct tenon_buffer final : tenon::base::RefCounted<tenon_buffer> {
 public:
  using Content = tenon::value::BufferContent;

  /// Makes a buffer of zeroed memory, followed by one NUL byte. Throws TENON_ERROR_INVALID_ARGUMENT
  /// for a negative size, TENON_ERROR_OUT_OF_MEMORY.
  static tenon_buffer* make(int64_t size, Content content = Content::kBytes);
  /// Wraps foreign memory. Takes over `context`, even if this throws.
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

/// Returns a buffer with a copy of a text.
BufferPtr text_buffer(std::string_view text);

}  // namespace tenon::value
