// SPDX-License-Identifier: Apache-2.0
#include "dispatch/value_conversion.h"

#include <vector>

#include "base/check.h"
#include "base/small_vector.h"
#include "dispatch/argument_check.h"
#include "tensor/device.h"
#include "value/carrier.h"
#include "value/object.h"

namespace tenon::dispatch {

namespace {

using schema::Type;
using value::OwnedValue;
using Converted = std::optional<OwnedValue>;

// Most lists of sizes and strides fit without allocating.
template <class T>
using Elements = base::SmallVector<T, 8>;

bool is_sequence(const tenon_value& value) noexcept {
  return value.tag >= TENON_TAG_INT_LIST && value.tag <= TENON_TAG_TUPLE &&
         (value.flags & TENON_VALUE_HAS_SYMBOLIC) == 0;
}

bool is_real(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_BOOL || value.tag == TENON_TAG_INT || value.tag == TENON_TAG_FLOAT;
}

std::optional<int64_t> to_int(const tenon_value& value) noexcept {
  if (value.tag != TENON_TAG_INT && value.tag != TENON_TAG_BOOL) return {};
  return value.as.i;
}

std::optional<double> to_float(const tenon_value& value) noexcept {
  if (value.tag == TENON_TAG_FLOAT) return value.as.f;
  const std::optional<int64_t> number = to_int(value);
  if (!number || !is_exact_float(*number)) return {};
  return static_cast<double>(*number);
}

std::optional<uint8_t> to_truth(const tenon_value& value) noexcept {
  if (value.tag != TENON_TAG_BOOL) return {};
  return static_cast<uint8_t>(value.as.i);
}

template <class T>
Converted number(const std::optional<T>& found, tenon_value (*make)(T)) noexcept {
  if (!found) return {};
  return OwnedValue(make(*found));
}

// Returns a borrowed element; NONE for an absent tensor.
tenon_value element_at(const tenon_value& sequence, uint32_t index) noexcept {
  const void* data = sequence.as.list.data;
  switch (sequence.tag) {
    case TENON_TAG_INT_LIST:
      return tenon_value_of_int(static_cast<const int64_t*>(data)[index]);
    case TENON_TAG_FLOAT_LIST:
      return tenon_value_of_float(static_cast<const double*>(data)[index]);
    case TENON_TAG_BOOL_LIST:
      return tenon_value_of_bool(static_cast<const uint8_t*>(data)[index]);
    case TENON_TAG_TENSOR_LIST: {
      tenon_tensor* tensor = value::tensors(sequence)[index];
      return tensor != nullptr ? tenon_value_of_tensor(tensor) : tenon_value_of_none();
    }
    default:
      return borrowed(value::elements(sequence)[index]);
  }
}

// Returns a value of `type`: the given one if it already matches.
Converted fit(const tenon_value& given, const Type& type) {
  if (value_matches(given, type)) return OwnedValue(borrowed(given));
  return convert_value(given, type, -1);
}

template <class T>
Converted number_list(uint16_t tag, const Elements<tenon_value>& given,
                      std::optional<T> (*convert)(const tenon_value&) noexcept) {
  Elements<T> numbers;
  for (const tenon_value& element : given) {
    const std::optional<T> number = convert(element);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return OwnedValue(value::new_list(tag, numbers.data(), static_cast<int64_t>(numbers.size())));
}

// Objects that override operators are put into carriers, because a list holds only handles.
Converted tensor_list(const Elements<tenon_value>& given, const Type& element) {
  Elements<tenon_tensor*> tensors;
  std::vector<tensor::TensorPtr> carriers;
  for (const tenon_value& value : given) {
    if (!value_matches(value, element)) return {};
    if (value.tag == TENON_TAG_OBJECT) {
      carriers.push_back(value::new_carrier(value));
      tensors.push_back(carriers.back().get());
    } else {
      tensors.push_back(value.tag == TENON_TAG_TENSOR ? value.as.tensor : nullptr);
    }
  }
  return OwnedValue(
      value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(), static_cast<int64_t>(tensors.size())));
}

// `type_of(i)` is the type that element i must have.
template <class TypeOf>
Converted value_list(uint16_t tag, const Elements<tenon_value>& given, uint32_t count,
                     const TypeOf& type_of) {
  std::vector<OwnedValue> owners;
  Elements<tenon_value> values;
  owners.reserve(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    Converted element = fit(given[i], type_of(i));
    if (!element) return {};
    values.push_back(element->get());
    owners.push_back(std::move(*element));
  }
  return OwnedValue(value::new_list(tag, values.data(), count));
}

Converted list(const Elements<tenon_value>& given, const Type& element) {
  switch (element.kind) {
    case TENON_TYPE_INT:
    case TENON_TYPE_SYMINT:
    case TENON_TYPE_DEVICE_INDEX:
      return number_list(TENON_TAG_INT_LIST, given, to_int);
    case TENON_TYPE_FLOAT:
      return number_list(TENON_TAG_FLOAT_LIST, given, to_float);
    case TENON_TYPE_BOOL:
      return number_list(TENON_TAG_BOOL_LIST, given, to_truth);
    default:
      if (schema::unwrap_optional(&element)->kind == TENON_TYPE_TENSOR) {
        return tensor_list(given, element);
      }
      return value_list(TENON_TAG_LIST, given, static_cast<uint32_t>(given.size()),
                        [&](size_t) -> const Type& { return element; });
  }
}

// Converts a value to a list. A single number fills a list of declared size: `int[2] stride`
// accepts 3.
Converted convert_to_list(const tenon_value& given, const Type& element, int32_t list_size) {
  Elements<tenon_value> all;
  if (is_real(given) && list_size > 0) {
    all.resize(static_cast<size_t>(list_size), given);
  } else if (is_sequence(given)) {
    for (uint32_t i = 0; i < given.count; ++i) all.push_back(element_at(given, i));
  } else {
    return {};
  }
  return list(all, element);
}

Converted convert_to_tuple(const tenon_value& given, const Type& type) {
  if (!is_sequence(given) || given.count != type.elements.size()) return {};
  Elements<tenon_value> all;
  for (uint32_t i = 0; i < given.count; ++i) all.push_back(element_at(given, i));
  return value_list(TENON_TAG_TUPLE, all, given.count,
                    [&](size_t i) -> const Type& { return *type.elements[i]; });
}

Converted convert_to_dict(const tenon_value& given, const Type& type) {
  if (given.tag != TENON_TAG_DICT) return {};
  Elements<tenon_value> all;
  for (uint64_t i = 0; i < value::element_count(given); ++i) {
    all.push_back(borrowed(value::elements(given)[i]));
  }
  return value_list(TENON_TAG_DICT, all, given.count,
                    [&](size_t i) -> const Type& { return *type.elements[i % 2]; });
}

Converted convert_to_complex(const tenon_value& given) noexcept {
  const std::optional<double> real = to_float(given);
  if (!real) return {};
  return OwnedValue(tenon_value_of_complex(*real, 0.0));
}

Converted convert_to_device(const tenon_value& given) {
  if (given.tag != TENON_TAG_STRING) return {};
  const std::string_view text(static_cast<const char*>(given.as.list.data), given.count);
  return OwnedValue(tenon_value_of_device(tensor::parse_device(text)));
}

Converted convert_to_function(const tenon_value& given) noexcept {
  if (given.tag != TENON_TAG_OBJECT || !value::is_callable(given.as.object)) return {};
  return OwnedValue(tenon_value_of_function(given.as.object));
}

}  // namespace

Converted convert_value(const tenon_value& given, const Type& type, int32_t list_size) {
  TENON_DCHECK(!value_matches(given, type));
  switch (type.kind) {
    case TENON_TYPE_INT:
    case TENON_TYPE_SYMINT:
    case TENON_TYPE_DEVICE_INDEX:
    case TENON_TYPE_QSCHEME:
      return number(to_int(given), tenon_value_of_int);
    case TENON_TYPE_FLOAT:
    case TENON_TYPE_SYMFLOAT:
      return number(to_float(given), tenon_value_of_float);
    case TENON_TYPE_COMPLEX:
      return convert_to_complex(given);
    case TENON_TYPE_DEVICE:
      return convert_to_device(given);
    case TENON_TYPE_FUNCTION:
      return convert_to_function(given);
    case TENON_TYPE_OPTIONAL:
      return convert_value(given, *type.elements[0], list_size);
    case TENON_TYPE_LIST:
      return convert_to_list(given, *type.elements[0], list_size);
    case TENON_TYPE_TUPLE:
      return convert_to_tuple(given, type);
    case TENON_TYPE_DICT:
      return convert_to_dict(given, type);
    case TENON_TYPE_UNION:
      for (const Type* element : type.elements) {
        if (Converted converted = convert_value(given, *element, -1)) return converted;
      }
      return {};
    default:
      return {};
  }
}

}  // namespace tenon::dispatch
