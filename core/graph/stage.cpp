// SPDX-License-Identifier: Apache-2.0
#include "graph/stage.h"

#include "base/check.h"
#include "graph/symbol_map.h"
#include "tensor/device.h"

namespace tenon::graph {

bool read_wrapped_number(const tensor::Tensor& tensor, tenon_value* out_number) noexcept {
  if (!tensor.is_wrapped_number() || !tensor.has_storage() || !tensor.has_memory()) return false;
  if (tensor.device().type != TENON_DEVICE_CPU) return false;
  const void* data = tensor.data();
  switch (tensor.dtype()) {
    case TENON_DTYPE_BOOL:
      *out_number = tenon_value_of_bool(*static_cast<const uint8_t*>(data));
      return true;
    case TENON_DTYPE_I64:
      *out_number = tenon_value_of_int(*static_cast<const int64_t*>(data));
      return true;
    case TENON_DTYPE_F64:
      *out_number = tenon_value_of_float(*static_cast<const double*>(data));
      return true;
    case TENON_DTYPE_C128: {
      const auto* parts = static_cast<const double*>(data);
      *out_number = tenon_value_of_complex(parts[0], parts[1]);
      return true;
    }
    default:
      return false;
  }
}

void Stager::copy(const tenon_value& value, tenon_value* out, int depth) {
  switch (value.tag) {
    case TENON_TAG_TENSOR:
      return copy_tensor(value.as.tensor, out);
    case TENON_TAG_STRING: {
      char* text = arena_.make<char>(size_t{value.count} + 1);
      if (value.count != 0) std::memcpy(text, value.as.list.data, value.count);
      *out = tenon_value_of_string(text, value.count);
      return;
    }
    case TENON_TAG_GENERATOR:
    case TENON_TAG_STORAGE:
    case TENON_TAG_FUNCTION:
    case TENON_TAG_OBJECT:
      return hold(value, out);
    case TENON_TAG_SYMINT:
    case TENON_TAG_SYMFLOAT:
    case TENON_TAG_SYMBOOL:
      TENON_CHECK_ARG(value.as.symbol != nullptr, "graph: symbol must be a handle, got NULL");
      *out = number_of(base::word_of(value.as.symbol));
      return;
    case TENON_TAG_DEVICE:
      // Runs use the real device that a fake tensor claims.
      *out = tenon_value_of_device(tensor::claimed_device(value.as.device));
      return;
    default:
      if (value::is_list(value.tag)) return copy_list(value, out, depth);
      TENON_CHECK_ARG(value.tag <= TENON_TAG_REF, "graph: tag must be a TENON_TAG_* number, got ",
                      value.tag);
      *out = value;
      out->flags = 0;
      return;
  }
}

void Stager::copy_tensor(tenon_tensor* tensor, tenon_value* out) {
  TENON_CHECK_ARG(tensor != nullptr, "graph: tensor must be a handle, got NULL");
  *out = tenon_value_of_tensor(tensor);
  if (tensor->is_undefined()) return;
  const uint32_t value = known_ != nullptr ? known_->tensors.find(*tensor) : IdentityMap::kUnknown;
  if (value != IdentityMap::kUnknown) {
    *out = tenon_value_of_number(TENON_TAG_REF, value);
    return;
  }
  if (read_wrapped_number(*tensor, out)) return;
  call_->captured.push_back(out);
  tensor->retain();
  out->flags = TENON_VALUE_OWNED;
}

// Lists of tensors become lists of values, because lists of a graph contain no handles.
void Stager::copy_list(const tenon_value& list, tenon_value* out, int depth) {
  TENON_CHECK(depth < value::kMaxNesting, TENON_ERROR_RECURSION, "graph: lists must nest at most ",
              value::kMaxNesting, " deep, got more");
  const uint64_t count = value::element_count(list);
  const void* data = list.as.list.data;
  *out = tenon_value_of_elements(list.tag, nullptr, list.count);
  if (list.tag == TENON_TAG_INT_LIST && (list.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) {
    return copy_words({static_cast<const int64_t*>(data), count}, out);
  }
  switch (list.tag) {
    case TENON_TAG_INT_LIST:
    case TENON_TAG_FLOAT_LIST:
      out->as.list.data = arena_.copy<int64_t>({static_cast<const int64_t*>(data), count});
      return;
    case TENON_TAG_BOOL_LIST:
      out->as.list.data = arena_.copy<uint8_t>({static_cast<const uint8_t*>(data), count});
      return;
    default:
      break;
  }
  auto* elements = arena_.make<tenon_value>(count);
  out->as.list.data = elements;
  if (list.tag == TENON_TAG_TENSOR_LIST) {
    out->tag = TENON_TAG_LIST;
    for (uint64_t i = 0; i < count; ++i) {
      if (value::tensors(list)[i] != nullptr) copy_tensor(value::tensors(list)[i], &elements[i]);
    }
    return;
  }
  for (uint64_t i = 0; i < count; ++i) copy(value::elements(list)[i], &elements[i], depth + 1);
}

tenon_value Stager::number_of(int64_t word) {
  TENON_CHECK(known_ != nullptr || !base::is_symbol(word), TENON_ERROR_NOT_SUPPORTED,
              call_->op != nullptr ? call_->op->name() : "output",
              ": symbols can be used only in a recording, got one in a graph that is built by "
              "hand; use tenon_graph_add_size there");
  return known_ != nullptr ? SymbolMap(graph_, *known_).number_of(word) : tenon_value_of_int(word);
}

// Copies a list of words. If all of them are plain numbers by now, the result is an int list.
void Stager::copy_words(std::span<const int64_t> words, tenon_value* out) {
  auto* numbers = arena_.make<tenon_value>(words.size());
  auto* ints = arena_.make<int64_t>(words.size());
  bool all_ints = true;
  for (size_t i = 0; i < words.size(); ++i) {
    numbers[i] = number_of(words[i]);
    all_ints = all_ints && numbers[i].tag == TENON_TAG_INT;
    ints[i] = numbers[i].as.i;
  }
  const auto count = static_cast<uint32_t>(words.size());
  *out = all_ints ? tenon_value_of_ints(ints, count)
                  : tenon_value_of_elements(TENON_TAG_LIST, numbers, count);
}

void Stager::hold(const tenon_value& handle, tenon_value* out) {
  call_->held.emplace_back(value::copy(handle));
  *out = call_->held.back().get();
  out->flags = 0;
}

}  // namespace tenon::graph
