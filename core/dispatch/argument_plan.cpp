// SPDX-License-Identifier: Apache-2.0
#include "dispatch/argument_plan.h"

namespace tenon::dispatch {

namespace {

using schema::Type;

template <class... Tags>
constexpr ArgumentPlan tags(Tags... each) {
  return (plan_tag(static_cast<uint32_t>(each)) | ...);
}

enum class Holds { kNothing, kTensors, kAnything };

// Returns which tensors a value of a type can hold: none, directly (its tag shows it), or nested
// inside.
Holds holds(const Type& type) {
  switch (type.kind) {
    case TENON_TYPE_TENSOR:
      return Holds::kTensors;
    case TENON_TYPE_ANY:
    case TENON_TYPE_VARIABLE:
    case TENON_TYPE_CLASS:
      return Holds::kAnything;
    case TENON_TYPE_OPTIONAL:
      return holds(*type.elements[0]);
    case TENON_TYPE_LIST: {
      const Type& element = *schema::unwrap_optional(type.elements[0]);
      if (element.kind == TENON_TYPE_TENSOR) return Holds::kTensors;
      return holds(element) == Holds::kNothing ? Holds::kNothing : Holds::kAnything;
    }
    default:
      for (const Type* element : type.elements) {
        if (holds(*element) != Holds::kNothing) return Holds::kAnything;
      }
      return Holds::kNothing;
  }
}

ArgumentPlan list_tags(const Type& element) {
  switch (element.kind) {
    case TENON_TYPE_INT:
    case TENON_TYPE_SYMINT:
    case TENON_TYPE_DEVICE_INDEX:
      return tags(TENON_TAG_INT_LIST);
    case TENON_TYPE_FLOAT:
      return tags(TENON_TAG_FLOAT_LIST);
    case TENON_TYPE_BOOL:
      return tags(TENON_TAG_BOOL_LIST);
    case TENON_TYPE_TENSOR:
      return tags(TENON_TAG_TENSOR_LIST) | kAbsentForbidden;
    case TENON_TYPE_OPTIONAL:
      return element.elements[0]->kind == TENON_TYPE_TENSOR ? tags(TENON_TAG_TENSOR_LIST) : 0;
    case TENON_TYPE_ANY:
    case TENON_TYPE_VARIABLE:
      return tags(TENON_TAG_INT_LIST, TENON_TAG_FLOAT_LIST, TENON_TAG_BOOL_LIST,
                  TENON_TAG_TENSOR_LIST, TENON_TAG_LIST);
    default:
      return 0;  // the elements decide
  }
}

// Returns the tags that make a value valid without a look at its contents.
ArgumentPlan right_tags(const Type& type) {
  switch (type.kind) {
    case TENON_TYPE_TENSOR:
      return tags(TENON_TAG_TENSOR);
    case TENON_TYPE_INT:
    case TENON_TYPE_DEVICE_INDEX:
    case TENON_TYPE_QSCHEME:
      return tags(TENON_TAG_INT);
    case TENON_TYPE_FLOAT:
      return tags(TENON_TAG_FLOAT);
    case TENON_TYPE_BOOL:
      return tags(TENON_TAG_BOOL);
    case TENON_TYPE_COMPLEX:
      return tags(TENON_TAG_COMPLEX);
    case TENON_TYPE_SCALAR:
      return tags(TENON_TAG_BOOL, TENON_TAG_INT, TENON_TAG_FLOAT, TENON_TAG_COMPLEX,
                  TENON_TAG_SYMINT, TENON_TAG_SYMFLOAT, TENON_TAG_SYMBOOL);
    case TENON_TYPE_STRING:
      return kMayBeText;
    case TENON_TYPE_DTYPE:
      return tags(TENON_TAG_DTYPE, TENON_TAG_INT);
    case TENON_TYPE_LAYOUT:
      return tags(TENON_TAG_LAYOUT, TENON_TAG_INT);
    case TENON_TYPE_MEMORY_FORMAT:
      return tags(TENON_TAG_MEMORY_FORMAT, TENON_TAG_INT);
    case TENON_TYPE_DEVICE:
      return tags(TENON_TAG_DEVICE);
    case TENON_TYPE_STREAM:
      return tags(TENON_TAG_STREAM);
    case TENON_TYPE_SYMINT:
      return tags(TENON_TAG_INT, TENON_TAG_SYMINT);
    case TENON_TYPE_SYMFLOAT:
      return tags(TENON_TAG_FLOAT, TENON_TAG_SYMFLOAT);
    case TENON_TYPE_SYMBOOL:
      return tags(TENON_TAG_BOOL, TENON_TAG_SYMBOOL);
    case TENON_TYPE_NONE:
      return tags(TENON_TAG_NONE);
    case TENON_TYPE_ANY:
    case TENON_TYPE_VARIABLE:
      return kEveryTag;
    case TENON_TYPE_OPTIONAL:
      return tags(TENON_TAG_NONE) | right_tags(*type.elements[0]);
    case TENON_TYPE_LIST:
      return list_tags(*type.elements[0]);
    default:
      // The tag is not enough: tuples, dicts, unions, and handles, which may be NULL or override.
      return 0;
  }
}

}  // namespace

ArgumentPlan plan_argument(const Type& type) {
  const ArgumentPlan plan = right_tags(type);
  switch (holds(type)) {
    case Holds::kNothing:
      return plan;
    case Holds::kTensors:
      return plan | kCarriesKeys;
    default:
      return plan | kCarriesKeys | kScanned;
  }
}

}  // namespace tenon::dispatch
