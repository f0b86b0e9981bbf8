// SPDX-License-Identifier: Apache-2.0
// Args: the view of a call's arguments, by position, that an operator's rules and functors read.
#pragma once

#include "tenon/value.h"

namespace tenon::kernels {

class Args {
 public:
  // `op` is the operator's name for messages. number() converts to elements of `dtype`. Bit k of
  // `singles` is set if tensor k has exactly one element.
  Args(const char* op, const tenon_value* values, tenon_dtype dtype = TENON_DTYPE_NONE,
       uint32_t singles = 0)
      : op_(op), values_(values), dtype_(dtype), singles_(singles) {}

  const char* op() const { return op_; }
  tenon_dtype dtype() const { return dtype_; }
  bool is_single(int k) const { return (singles_ >> k & 1) != 0; }
  const tenon_value& operator[](int k) const { return values_[k]; }
  bool is_none(int k) const { return values_[k].tag == TENON_TAG_NONE; }
  // Returns true if argument k is the integer 1.
  bool is_one(int k) const { return values_[k].tag == TENON_TAG_INT && values_[k].as.i == 1; }

  // Returns argument k, called `name`, as an element of `dtype` in its compute type T. Throws if
  // the number does not fit `dtype`.
  template <class T>
  T number(int k, const char* name) const;
  // Like number(), but for a number that takes part in the computation without being an element, so
  // T may be any type.
  template <class T>
  T factor(int k, const char* name) const;

  // Returns 1 if argument k, called `name`, is `first`, 2 if it is `second`, and 0 if it is None.
  // Throws for any other value.
  int choice(int k, const char* name, const char* first, const char* second) const;

 private:
  const char* op_;
  const tenon_value* values_;
  tenon_dtype dtype_;
  uint32_t singles_;
};

// Throws "<op>: <argument> must be <expected>, got <actual>".
[[noreturn, gnu::cold]] void refuse_argument(const char* op, const char* argument,
                                             const char* expected, const char* actual);

// Refuses a number `name` that `dtype` cannot represent without loss: a bool requires a bool dtype,
// a float a floating or complex dtype, and a complex number a complex dtype.
void check_other_number(const Args& args, int k, const char* name, tenon_dtype dtype);
// Refuses a complex number `name` if `dtype` is not complex.
void check_factor(const Args& args, int k, const char* name, tenon_dtype dtype);
inline void check_number(const Args& args, int k, const char* name, tenon_dtype dtype) {
  if (args[k].tag != TENON_TAG_INT) check_other_number(args, k, name, dtype);
}

}  // namespace tenon::kernels
