// SPDX-License-Identifier: Apache-2.0
// Call: one call of a registered operator, as a family's routine sees it.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels {

struct Call;

// The numbers that an enumeration has, by a bit each; 0 for a type that is no enumeration. Layouts
// are left out: check_options() refuses them with the reason.
template <class T>
inline constexpr uint64_t kCodes = 0;
template <class T>
inline constexpr uint64_t kCodes<std::optional<T>> = kCodes<T>;
template <>
inline constexpr uint64_t kCodes<Dtype> = [] {
  uint64_t codes = 0;
  for (tenon_dtype code = 0; code < 64; ++code) {
    if (size_of(static_cast<Dtype>(code)) != 0) codes |= uint64_t{1} << code;
  }
  return codes;
}();
template <>
inline constexpr uint64_t kCodes<MemoryFormat> = (uint64_t{1}
                                                  << (TENON_MEMORY_FORMAT_CHANNELS_LAST_3D + 1)) -
                                                 1;

// Serves a call with symbolic sizes: gives the results, or calls other operators for them.
using SymbolicRule = void (*)(const Call& call);

// One form of an operator as one device serves it: what the ctx of its kernel points to.
struct OperatorForm {
  const Facts* facts;
  const void* kernel;  // the device's own part, of the family's type; NULL without a device
  std::string name;    // "aten::add_.Tensor"
  Schema schema;
  Forms kind;
  int arguments;  // of the schema, written ones included
  int results;
  int inputs;  // tensors that the arguments begin with, apart from those that are written only
  // The first argument that is written, -1 in the functional form. In place there is one; the outs
  // of the out form are the last arguments.
  int written;
  // The arguments of these names, -1 where there is none.
  int dim = -1;
  int keepdim = -1;
  int dtype = -1;
  // The same form of Facts::tensor_form; of the copies of a view the view.
  const tenon_op* target = nullptr;
  int target_arguments = 0;
  static constexpr int kMaxArguments = 16;
  const char* names[kMaxArguments] = {};  // of the arguments; borrowed from the schema

  int options = -1;        // the first of a factory's options; -1 without
  int memory_format = -1;  // the argument of that name; -1 without
  bool is_small = false;   // no out, one or two tensors, none a mask, one result

  SymbolicRule symbolic = nullptr;  // NULL: the form gets numbers

  bool is_functional() const { return written < 0; }
  bool is_copy() const { return (kind & (kCopy | kCopyOut)) != 0; }
  bool is_out() const { return written > 0; }
};

// Arguments stand in schema order, and are borrowed. The routine of a functional form writes each
// result, owned; the results of the others are their written arguments, which nobody need write.
struct Call {
  const OperatorForm& form;
  const tenon_value* args;
  tenon_value* results;

  const Facts& facts() const { return *form.facts; }
  const char* op() const { return form.name.c_str(); }
  // Argument k, which the schema says is a tensor.
  tenon_tensor* tensor(int k) const {
    if (args[k].tag != TENON_TAG_TENSOR) [[unlikely]] {
      refuse_tag(k);
    }
    return args[k].as.tensor;
  }
  [[noreturn, gnu::cold]] void refuse_tag(int k) const;
  // Calls the target with its first arguments from `args`. The result is the caller's to clear.
  tenon_value call_target(const tenon_value* args) const;
  // Refuses the number of argument k, which its enumeration does not have. Returns if the argument
  // is no number.
  [[gnu::cold]] void refuse_code(int k) const;
  // Returns argument k as a C++ type of tenon.hpp: Sizes, std::optional<Dtype>, TensorList and so
  // on. Refuses a number that is no dtype or memory format: typed and boxed calls pass any int64.
  template <class T>
  decltype(auto) get(int k) const {
    if constexpr (constexpr uint64_t kAll = kCodes<T>; kAll != 0) {
      const auto code = static_cast<uint64_t>(args[k].as.i);
      if (code >= 64 || (kAll >> code & 1) == 0) [[unlikely]] {
        refuse_code(k);
      }
    }
    return tenon::detail::Lowering<T>::from_value(args[k], static_cast<size_t>(k));
  }
  // Where results go: NULL in the functional form.
  tenon_tensor* written(int k = 0) const {
    return form.is_functional() ? nullptr : tensor(form.written + k);
  }
  void give(int k, Tensor result) const {
    // In place, part by part: see put_head in entry.cpp.
    results[k].tag = TENON_TAG_TENSOR;
    results[k].flags = TENON_VALUE_OWNED;
    results[k].count = 0;
    results[k].as.tensor = result.release();
  }
  void give(int k, const std::vector<Tensor>& tensors) const {
    results[k] = Value(tensors).release();
  }
};

}  // namespace tenon::kernels
