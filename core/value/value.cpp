// SPDX-License-Identifier: Apache-2.0
#include "value/value.h"

#include <cstring>
#include <iterator>

#include "base/check.h"
#include "base/symbol.h"
#include "base/utf8.h"
#include "tensor/generator.h"
#include "tensor/tensor.h"
#include "value/object.h"

namespace tenon::value {

namespace {

// Texts and lists must have the same layout: both keep data and owner in `as.list`.
static_assert(sizeof(tenon_value) == 24);

tenon_value copy_nested(const tenon_value& value, int depth);

size_t element_bytes(uint16_t tag) noexcept {
  TENON_DCHECK(is_list(tag));
  switch (tag) {
    case TENON_TAG_BOOL_LIST:
      return sizeof(uint8_t);
    case TENON_TAG_LIST:
    case TENON_TAG_TUPLE:
    case TENON_TAG_DICT:
      return sizeof(tenon_value);
    default:
      return sizeof(int64_t);
  }
}

BufferContent content_of(uint16_t tag, uint16_t flags) noexcept {
  if (tag == TENON_TAG_TENSOR_LIST) return BufferContent::kTensors;
  if ((flags & TENON_VALUE_HAS_SYMBOLIC) != 0) return BufferContent::kSymbols;
  return is_value_list(tag) ? BufferContent::kValues : BufferContent::kBytes;
}

// Elements are copied one by one, so that if one fails, the buffer releases exactly those before
// it.
void copy_elements(uint16_t tag, uint16_t flags, const void* from, size_t count, Buffer* to,
                   int depth) {
  if (tag == TENON_TAG_TENSOR_LIST) {
    auto* const* source = static_cast<tenon_tensor* const*>(from);
    auto** target = static_cast<tenon_tensor**>(to->data());
    for (size_t i = 0; i < count; ++i) {
      if (source[i] != nullptr) source[i]->retain();
      target[i] = source[i];
    }
  } else if (is_value_list(tag)) {
    const auto* source = static_cast<const tenon_value*>(from);
    auto* target = static_cast<tenon_value*>(to->data());
    for (size_t i = 0; i < count; ++i) target[i] = copy_nested(source[i], depth + 1);
  } else if (content_of(tag, flags) == BufferContent::kSymbols) {
    const auto* source = static_cast<const int64_t*>(from);
    auto* target = static_cast<int64_t*>(to->data());
    for (size_t i = 0; i < count; ++i) {
      if (base::is_symbol(source[i])) base::symbol_of(source[i])->retain();
      target[i] = source[i];
    }
  } else {
    std::memcpy(to->data(), from, count * element_bytes(tag));
  }
}

void check_handle(const void* handle, uint16_t tag) {
  TENON_CHECK_ARG(handle != nullptr, "tenon_value_copy: ", tag_name(tag),
                  " must be a handle, got NULL");
}

tenon_value copy_list(uint16_t tag, uint16_t flags, const void* elements, uint32_t count,
                      int depth) {
  flags &= tag == TENON_TAG_INT_LIST ? TENON_VALUE_HAS_SYMBOLIC : 0;
  TENON_CHECK(depth < kMaxNesting, TENON_ERROR_RECURSION,
              "tenon_value_copy: lists must nest at most ", kMaxNesting, " deep, got more");
  tenon_value copy{};
  copy.tag = tag;
  copy.flags = static_cast<uint16_t>(TENON_VALUE_OWNED | flags);
  copy.count = count;
  const uint64_t total = element_count(copy);
  if (total == 0) return copy;
  const auto size = static_cast<int64_t>(total * element_bytes(tag));
  auto buffer = BufferPtr::adopt(Buffer::make(size, content_of(tag, flags)));
  copy_elements(tag, flags, elements, total, buffer.get(), depth);
  TENON_DCHECK(buffer->size() == size);
  copy.as.list.data = buffer->data();
  copy.as.list.owner = buffer.detach();
  return copy;
}

tenon_value copy_nested(const tenon_value& value, int depth) {
  tenon_value copy = value;
  copy.flags = 0;
  switch (value.tag) {
    case TENON_TAG_NONE:
      return tenon_value{};
    case TENON_TAG_BOOL:
    case TENON_TAG_INT:
    case TENON_TAG_FLOAT:
    case TENON_TAG_COMPLEX:
    case TENON_TAG_DTYPE:
    case TENON_TAG_LAYOUT:
    case TENON_TAG_MEMORY_FORMAT:
    case TENON_TAG_DEVICE:
    case TENON_TAG_STREAM:
    case TENON_TAG_REF:
      return copy;
    case TENON_TAG_STRING:
      return new_string({static_cast<const char*>(value.as.list.data), value.count});
    case TENON_TAG_TENSOR:
      check_handle(value.as.tensor, value.tag);
      value.as.tensor->retain();
      break;
    case TENON_TAG_STORAGE:
      check_handle(value.as.storage, value.tag);
      value.as.storage->retain();
      break;
    case TENON_TAG_GENERATOR:
      check_handle(value.as.generator, value.tag);
      value.as.generator->retain();
      break;
    case TENON_TAG_FUNCTION:
    case TENON_TAG_OBJECT:
      check_handle(value.as.object, value.tag);
      value.as.object->retain();
      break;
    case TENON_TAG_INT_LIST:
    case TENON_TAG_FLOAT_LIST:
    case TENON_TAG_BOOL_LIST:
    case TENON_TAG_TENSOR_LIST:
    case TENON_TAG_LIST:
    case TENON_TAG_TUPLE:
    case TENON_TAG_DICT:
      return copy_list(value.tag, value.flags, value.as.list.data, value.count, depth);
    case TENON_TAG_SYMINT:
    case TENON_TAG_SYMFLOAT:
    case TENON_TAG_SYMBOOL:
      check_handle(value.as.symbol, value.tag);
      value.as.symbol->retain();
      break;
    default:
      fail(TENON_ERROR_INVALID_ARGUMENT, "tenon_value_copy: tag must be a TENON_TAG_* number, got ",
           value.tag);
  }
  copy.flags = TENON_VALUE_OWNED;
  return copy;
}

}  // namespace

bool holds_texts(const tenon_value& value, int depth) noexcept {
  if (value.tag == TENON_TAG_STRING) {
    const auto* bytes = static_cast<const char*>(value.as.list.data);
    return value.count == 0 || (bytes != nullptr && base::is_utf8({bytes, value.count}));
  }
  if (!value::is_value_list(value.tag) || depth == value::kMaxNesting) return true;
  for (uint64_t i = 0; i < value::element_count(value); ++i) {
    if (!holds_texts(elements(value)[i], depth + 1)) return false;
  }
  return true;
}

const char* tag_name(uint16_t tag) noexcept {
  constexpr const char* kSingle[] = {
      "None",   "bool",         "int",     "float",    "complex",   "str",    "ScalarType",
      "Layout", "MemoryFormat", "Device",  "Stream",   "Generator", "Tensor", "Storage",
      "SymInt", "SymFloat",     "SymBool", "function", "object",    "ref"};
  constexpr const char* kLists[] = {"int[]", "float[]", "bool[]", "Tensor[]",
                                    "list",  "tuple",   "dict"};
  static_assert(std::size(kSingle) == TENON_TAG_REF + 1);
  static_assert(std::size(kLists) == TENON_TAG_DICT - TENON_TAG_INT_LIST + 1);
  if (tag <= TENON_TAG_REF) return kSingle[tag];
  return is_list(tag) ? kLists[tag - TENON_TAG_INT_LIST] : "unknown";
}

tenon_value copy(const tenon_value& value) { return copy_nested(value, 0); }

void clear(tenon_value* value) noexcept {
  if ((value->flags & TENON_VALUE_OWNED) != 0) {
    switch (value->tag) {
      case TENON_TAG_TENSOR:
        if (value->as.tensor != nullptr) value->as.tensor->release();
        break;
      case TENON_TAG_STORAGE:
        if (value->as.storage != nullptr) value->as.storage->release();
        break;
      case TENON_TAG_GENERATOR:
        if (value->as.generator != nullptr) value->as.generator->release();
        break;
      case TENON_TAG_FUNCTION:
      case TENON_TAG_OBJECT:
        if (value->as.object != nullptr) value->as.object->release();
        break;
      case TENON_TAG_SYMINT:
      case TENON_TAG_SYMFLOAT:
      case TENON_TAG_SYMBOOL:
        if (value->as.symbol != nullptr) value->as.symbol->release();
        break;
      default:
        if ((value->tag == TENON_TAG_STRING || is_list(value->tag)) &&
            value->as.list.owner != nullptr) {
          value->as.list.owner->release();
        }
        break;
    }
  }
  *value = tenon_value{};
}

tenon_value new_string(std::string_view text) {
  TENON_CHECK_ARG(text.size() <= UINT32_MAX,
                  "tenon_value_new_string: size must fit in 32 bits, got ", text.size());
  BufferPtr buffer = text_buffer(text);
  tenon_value value{};
  value.tag = TENON_TAG_STRING;
  value.flags = TENON_VALUE_OWNED;
  value.count = static_cast<uint32_t>(text.size());
  value.as.list.data = buffer->data();
  value.as.list.owner = buffer.detach();
  return value;
}

tenon_value new_list(uint16_t tag, const void* elements, int64_t count) {
  constexpr const char* kNew = "tenon_value_new_list";
  TENON_CHECK_ARG(is_list(tag), kNew, ": tag must be one of a list, tuple or dict, got ",
                  tag_name(tag));
  TENON_CHECK_ARG(count >= 0 && count <= UINT32_MAX, kNew,
                  ": count must be >= 0 and fit in 32 bits, got ", count);
  TENON_CHECK_ARG(elements != nullptr || count == 0, kNew,
                  ": elements must be an address, got NULL for ", count);
  return copy_list(tag, 0, elements, static_cast<uint32_t>(count), 0);
}

}  // namespace tenon::value
