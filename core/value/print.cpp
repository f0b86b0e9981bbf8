// SPDX-License-Identifier: Apache-2.0
// Values as readable text.
#include <charconv>
#include <cmath>

#include "base/concat.h"
#include "tensor/device.h"
#include "tensor/generator.h"
#include "tensor/tensor.h"
#include "value/object.h"
#include "value/value.h"

namespace tenon::value {

namespace {

using base::append;

// Appends a float so that it reads as a float: "2.0", "1e+20", "inf".
void append_float(std::string& out, double number) {
  const size_t start = out.size();
  append(out, number);
  const bool plain = out.find_first_not_of("-0123456789", start) == std::string::npos;
  if (plain) out += ".0";
}

void append_complex(std::string& out, const tenon_complex& number) {
  out += '(';
  append_float(out, number.real);
  if (!std::signbit(number.imag) || std::isnan(number.imag)) out += '+';
  append_float(out, number.imag);
  out += "j)";
}

void append_quoted(std::string& out, const char* text, size_t size) {
  constexpr const char* kHex = "0123456789abcdef";
  out += '\'';
  for (size_t i = 0; i < size; ++i) {
    const auto letter = static_cast<unsigned char>(text[i]);
    if (letter == '\'' || letter == '\\') {
      out += '\\';
      out += text[i];
    } else if (letter == '\n') {
      out += "\\n";
    } else if (letter == '\t') {
      out += "\\t";
    } else if (letter < 0x20 || letter == 0x7f) {
      out += "\\x";
      out += kHex[letter >> 4];
      out += kHex[letter & 15];
    } else {
      out += text[i];
    }
  }
  out += '\'';
}

void append_tensor(std::string& out, const tenon_tensor* tensor) {
  if (tensor == nullptr) {
    out += "None";
  } else if (tensor->is_undefined()) {
    out += "Tensor(undefined)";
  } else {
    out += "Tensor(";
    out += tensor::dtype_name(tensor->dtype());
    out += ", ";
    out += tensor::print_dims(tensor->size_span());
    out += ", ";
    out += tensor::print_device(tensor->device());
    out += ')';
  }
}

const char* memory_format_name(int64_t format) {
  switch (format) {
    case TENON_MEMORY_FORMAT_CONTIGUOUS:
      return "contiguous_format";
    case TENON_MEMORY_FORMAT_PRESERVE:
      return "preserve_format";
    case TENON_MEMORY_FORMAT_CHANNELS_LAST:
      return "channels_last";
    case TENON_MEMORY_FORMAT_CHANNELS_LAST_3D:
      return "channels_last_3d";
    default:
      return "unknown memory format";
  }
}

void append_value(std::string& out, const tenon_value& value);

// Appends one element of a list whose elements have the C type of the list's tag.
void append_element(std::string& out, const tenon_value& list, uint64_t index) {
  const void* data = list.as.list.data;
  switch (list.tag) {
    case TENON_TAG_INT_LIST:
      if ((list.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) {
        tensor::append_dim(out, static_cast<const int64_t*>(data)[index]);
      } else {
        append(out, static_cast<const int64_t*>(data)[index]);
      }
      break;
    case TENON_TAG_FLOAT_LIST:
      append_float(out, static_cast<const double*>(data)[index]);
      break;
    case TENON_TAG_BOOL_LIST:
      out += static_cast<const uint8_t*>(data)[index] != 0 ? "True" : "False";
      break;
    case TENON_TAG_TENSOR_LIST:
      append_tensor(out, tensors(list)[index]);
      break;
    default:
      append_value(out, elements(list)[index]);
      break;
  }
}

void append_list(std::string& out, const tenon_value& list) {
  const bool is_dict = list.tag == TENON_TAG_DICT;
  const bool is_tuple = list.tag == TENON_TAG_TUPLE;
  out += is_dict ? '{' : is_tuple ? '(' : '[';
  const uint64_t count = element_count(list);
  for (uint64_t i = 0; i < count; ++i) {
    if (i != 0) out += is_dict && i % 2 == 1 ? ": " : ", ";
    append_element(out, list, i);
  }
  if (is_tuple && count == 1) out += ',';
  out += is_dict ? '}' : is_tuple ? ')' : ']';
}

void append_object(std::string& out, const tenon_object* object, const char* what) {
  out += '<';
  out += object != nullptr ? object->type()->name : "NULL";
  out += what;
}

void append_value(std::string& out, const tenon_value& value) {
  switch (value.tag) {
    case TENON_TAG_NONE:
      out += "None";
      break;
    case TENON_TAG_BOOL:
      out += value.as.i != 0 ? "True" : "False";
      break;
    case TENON_TAG_INT:
      append(out, value.as.i);
      break;
    case TENON_TAG_FLOAT:
      append_float(out, value.as.f);
      break;
    case TENON_TAG_COMPLEX:
      append_complex(out, value.as.c);
      break;
    case TENON_TAG_STRING:
      append_quoted(out, static_cast<const char*>(value.as.list.data), value.count);
      break;
    case TENON_TAG_DTYPE:
      out += tensor::dtype_name(static_cast<tenon_dtype>(value.as.i));
      break;
    case TENON_TAG_LAYOUT:
      out += value.as.i == TENON_LAYOUT_STRIDED ? "strided" : "unknown layout";
      break;
    case TENON_TAG_MEMORY_FORMAT:
      out += memory_format_name(value.as.i);
      break;
    case TENON_TAG_DEVICE:
      out += tensor::print_device(value.as.device);
      break;
    case TENON_TAG_STREAM: {
      char hex[20];
      const auto handle = reinterpret_cast<uintptr_t>(value.as.stream.handle);
      out += "Stream(" + tensor::print_device(value.as.stream.device) + ", 0x";
      out.append(hex, std::to_chars(hex, hex + sizeof hex, handle, 16).ptr);
      out += ')';
      break;
    }
    case TENON_TAG_TENSOR:
      append_tensor(out, value.as.tensor);
      break;
    case TENON_TAG_STORAGE:
      out += "Storage(";
      append(out, value.as.storage->nbytes());
      out += " bytes, " + tensor::print_device(value.as.storage->device()) + ')';
      break;
    case TENON_TAG_GENERATOR:
      out += "Generator(" + tensor::print_device(value.as.generator->device()) + ", seed ";
      append(out, value.as.generator->initial_seed());
      out += ')';
      break;
    case TENON_TAG_REF:
      out += '%';
      append(out, value.as.i);
      break;
    case TENON_TAG_FUNCTION:
      append_object(out, value.as.object, " function>");
      break;
    case TENON_TAG_OBJECT:
      append_object(out, value.as.object, " object>");
      break;
    case TENON_TAG_SYMINT:
    case TENON_TAG_SYMFLOAT:
    case TENON_TAG_SYMBOOL:
      if (value.as.symbol == nullptr) {
        out += base::concat('<', tag_name(value.tag), '>');
      } else {
        value.as.symbol->owner->append_text(*value.as.symbol, out);
      }
      break;
    default:
      if (is_list(value.tag)) {
        append_list(out, value);
      } else {
        append(out, '<');
        append(out, tag_name(value.tag));
        append(out, '>');
      }
      break;
  }
}

}  // namespace

std::string print(const tenon_value& value) {
  std::string text;
  append_value(text, value);
  return text;
}

}  // namespace tenon::value
