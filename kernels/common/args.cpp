// SPDX-License-Identifier: Apache-2.0
// Number arguments: checks, and conversion to elements.
#include "kernels/common/args.h"

#include "kernels/common/maths/element.h"

namespace tenon::kernels {
namespace {

Scalar scalar_of(const Args& args, int k, const char* name) {
  const tenon_value& value = args[k];
  if (value.tag < TENON_TAG_BOOL || value.tag > TENON_TAG_COMPLEX) [[unlikely]] {
    fail(TENON_ERROR_TYPE,
         {args.op(), ": ", name, " must be Scalar, got ", tenon_tag_name(value.tag)});
  }
  return Scalar(value);
}

}  // namespace

template <class T>
T Args::number(int k, const char* name) const {
  const Scalar scalar = scalar_of(*this, k, name);
  return visit(op_, name, static_cast<Dtype>(dtype_), StoredTypes(), [&]<class E>(Element<E>) -> T {
    if constexpr (std::is_same_v<Compute<E>, T> ||
                  (is_wide_unsigned<E> && std::is_same_v<T, int64_t>)) {
      return static_cast<T>(checked_element_of<E>(op_, name, scalar));
    } else {
      fail(TENON_ERROR_INTERNAL,
           {op_, ": ", name, " must be read in the dtype of the computation"});
    }
  });
}

template <class T>
T Args::factor(int k, const char* name) const {
  return checked_element_of<T>(op_, name, scalar_of(*this, k, name));
}

int Args::choice(int k, const char* name, const char* first, const char* second) const {
  const tenon_value& value = values_[k];
  if (value.tag == TENON_TAG_NONE) return 0;
  if (value.tag != TENON_TAG_STRING) {
    fail(TENON_ERROR_TYPE, {op_, ": ", name, " must be str, got ", tenon_tag_name(value.tag)});
  }
  const std::string_view text(static_cast<const char*>(value.as.list.data), value.count);
  if (text == first) return 1;
  if (text == second) return 2;
  fail(TENON_ERROR_INVALID_ARGUMENT,
       {op_, ": ", name, " must be None, \"", first, "\" or \"", second, "\", got ", text});
}

void refuse_argument(const char* op, const char* argument, const char* expected,
                     const char* actual) {
  fail_argument(op, argument, expected, actual);
}

template bool Args::number(int, const char*) const;
template uint8_t Args::number(int, const char*) const;
template uint8_t Args::factor(int, const char*) const;
template int8_t Args::number(int, const char*) const;
template int8_t Args::factor(int, const char*) const;
template int16_t Args::number(int, const char*) const;
template int16_t Args::factor(int, const char*) const;
template int32_t Args::number(int, const char*) const;
template int32_t Args::factor(int, const char*) const;
template int64_t Args::number(int, const char*) const;
template int64_t Args::factor(int, const char*) const;
template float Args::number(int, const char*) const;
template float Args::factor(int, const char*) const;
template double Args::number(int, const char*) const;
template double Args::factor(int, const char*) const;
template Complex64 Args::number(int, const char*) const;
template Complex64 Args::factor(int, const char*) const;
template Complex128 Args::number(int, const char*) const;
template Complex128 Args::factor(int, const char*) const;

void check_other_number(const Args& args, int k, const char* name, tenon_dtype dtype) {
  const Scalar number = scalar_of(args, k, name);
  const uint32_t traits = tenon_dtype_traits(dtype);
  if (number.is_bool() && dtype != TENON_DTYPE_BOOL) {
    fail_argument(args.op(), name, "a number for tensors that are not bool", number);
  }
  if (number.is_float() && (traits & (TENON_DTYPE_IS_FLOATING | TENON_DTYPE_IS_COMPLEX)) == 0) {
    fail_argument(args.op(), name, "an integer for tensors that are not floating", number);
  }
  check_factor(args, k, name, dtype);
}

void check_factor(const Args& args, int k, const char* name, tenon_dtype dtype) {
  const Scalar number = scalar_of(args, k, name);
  if (number.is_complex() && (tenon_dtype_traits(dtype) & TENON_DTYPE_IS_COMPLEX) == 0) {
    fail_argument(args.op(), name, "a real number for tensors that are not complex", number);
  }
}

}  // namespace tenon::kernels
