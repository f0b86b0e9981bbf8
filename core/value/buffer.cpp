// SPDX-License-Identifier: Apache-2.0
#include "value/buffer.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/check.h"
#include "base/live_count.h"
#include "base/symbol.h"
#include "tensor/tensor.h"
#include "value/value.h"

using tenon::value::BufferContent;

namespace {

// Elements start at a multiple of 16, as from malloc.
constexpr int64_t kHeader = (sizeof(tenon_buffer) + 15) / 16 * 16;

}  // namespace

tenon_buffer* tenon_buffer::make(int64_t size, Content content) {
  TENON_CHECK_ARG(size >= 0, "tenon_buffer_new: size must be >= 0, got ", size);
  void* memory = nullptr;
  if (size < tenon::tensor::kMaxAllocation) {
    memory = std::calloc(1, static_cast<size_t>(kHeader + size + 1));
  }
  TENON_CHECK(memory != nullptr, TENON_ERROR_OUT_OF_MEMORY,
              "tenon_buffer_new: out of memory, cannot allocate ", size, " bytes");
  auto* buffer = new (memory) tenon_buffer(static_cast<char*>(memory) + kHeader, size, content);
  tenon::base::count_live(TENON_HANDLE_BUFFER, 1);
  return buffer;
}

tenon_buffer* tenon_buffer::wrap(void* data, int64_t size, void* context, tenon_deleter deleter) {
  struct Owner {
    void* context;
    tenon_deleter deleter;
    ~Owner() {
      if (deleter != nullptr) deleter(context);
    }
  } owner{context, deleter};
  TENON_CHECK_ARG(size >= 0, "tenon_buffer_wrap: size must be >= 0, got ", size);
  TENON_CHECK_ARG(data != nullptr || size == 0,
                  "tenon_buffer_wrap: data must be an address, got NULL for ", size, " bytes");
  void* memory = std::malloc(sizeof(tenon_buffer));
  if (memory == nullptr) throw std::bad_alloc();
  auto* buffer = new (memory) tenon_buffer(data, size, Content::kForeign);
  buffer->context_ = context;
  buffer->deleter_ = deleter;
  owner.deleter = nullptr;
  tenon::base::count_live(TENON_HANDLE_BUFFER, 1);
  return buffer;
}

void tenon_buffer::destroy(tenon_buffer* self) noexcept {
  TENON_DCHECK(self->size_ >= 0 &&
               (self->deleter_ == nullptr || self->content_ == Content::kForeign));
  switch (self->content_) {
    case Content::kBytes:
      break;
    case Content::kTensors: {
      auto* const* tensors = static_cast<tenon_tensor* const*>(self->data_);
      const size_t count = static_cast<size_t>(self->size_) / sizeof *tensors;
      for (size_t i = 0; i < count; ++i) {
        if (tensors[i] != nullptr) tensors[i]->release();
      }
      break;
    }
    case Content::kValues: {
      auto* values = static_cast<tenon_value*>(self->data_);
      const size_t count = static_cast<size_t>(self->size_) / sizeof *values;
      for (size_t i = 0; i < count; ++i) tenon::value::clear(&values[i]);
      break;
    }
    case Content::kSymbols: {
      const auto* words = static_cast<const int64_t*>(self->data_);
      const size_t count = static_cast<size_t>(self->size_) / sizeof *words;
      for (size_t i = 0; i < count; ++i) {
        if (tenon::base::is_symbol(words[i])) tenon::base::symbol_of(words[i])->release();
      }
      break;
    }
    case Content::kForeign:
      if (self->deleter_ != nullptr) self->deleter_(self->context_);
      break;
  }
  tenon::base::count_live(TENON_HANDLE_BUFFER, -1);
  self->~tenon_buffer();
  std::free(self);
}

namespace tenon::value {

BufferPtr text_buffer(std::string_view text) {
  auto buffer = BufferPtr::adopt(Buffer::make(static_cast<int64_t>(text.size())));
  if (!text.empty()) std::memcpy(buffer->data(), text.data(), text.size());
  return buffer;
}

}  // namespace tenon::value
