// SPDX-License-Identifier: Apache-2.0
// Extremes of int64 in typed and boxed calls of all operators: sizes are numbers whatever their
// bits, and a call ends in a result or an error.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tenon/hpp/introspect.hpp"
#include "tenon/tenon.hpp"

namespace tenon::tests {
namespace {

// The bits of those below -2^62 are the bits of symbols.
constexpr int64_t kExtremes[] = {INT64_MIN,
                                 INT64_MIN + 1,
                                 -(int64_t{1} << 62) - 1,
                                 -(int64_t{1} << 62),
                                 -(int64_t{1} << 62) + 1,
                                 int64_t{1} << 62,
                                 INT64_MAX - 1,
                                 INT64_MAX};

// Makes a call with tensors of several shapes, plain and tracked; returns how often.
template <class Call>
int64_t with_tensors(const Call& call) {
  int64_t calls = 0;
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{}, {4}, {4, 4}, {1, 4, 4}, {1, 1, 4, 4}}) {
    for (const bool tracked : {false, true}) {
      Tensor tensor = Tensor::empty(shape, Dtype::F32);
      if (tensor.numel() > 0) {
        std::fill_n(static_cast<float*>(tensor.raw_data()), tensor.numel(), 1.0F);
      }
      tensor.set_requires_grad(tracked);
      try {
        call(tensor);
      } catch (const Error& error) {
        EXPECT_NE(error.code(), TENON_ERROR_INTERNAL) << error.what();
      }
      ++calls;
    }
  }
  return calls;
}

// Dtypes and the like cross as integers, too, and are left out.
bool has_enumerations(const Schema& schema) {
  for (int64_t k = 0; k < schema.argument_count(); ++k) {
    const std::string_view type = schema.argument(k).type_text;
    for (const char* name : {"ScalarType", "Layout", "MemoryFormat"}) {
      if (type.starts_with(name)) return true;
    }
  }
  return false;
}

// Builds with AddressSanitizer have UndefinedBehaviorSanitizer, too, which ends the process at the
// first signed overflow. Not all routines calculate with CheckedSize yet.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kStopsAtOverflow = true;
#else
constexpr bool kStopsAtOverflow = false;
#endif

// Calls an operator of one of the usual typed signatures with extremes; returns how often.
int64_t call_typed(const Op& op) {
  const Schema schema = op.schema();
  const std::string_view signature = schema.signature();
  int64_t calls = 0;
  if (has_enumerations(schema)) return calls;
  for (const int64_t extreme : kExtremes) {
    const int64_t one[] = {extreme}, two[] = {1, extreme}, both[] = {extreme, extreme};
    if (signature == "TI>T") {
      for (const Sizes list : {Sizes(one), Sizes(two), Sizes(both)}) {
        calls += with_tensors(
            [&](const Tensor& x) { op.typed<Tensor(const Tensor&, Sizes)>()(x, list); });
      }
    } else if (signature == "Ti>T") {
      calls += with_tensors(
          [&](const Tensor& x) { op.typed<Tensor(const Tensor&, int64_t)>()(x, extreme); });
    } else if (signature == "Tii>T") {
      const auto typed = op.typed<Tensor(const Tensor&, int64_t, int64_t)>();
      calls += with_tensors([&](const Tensor& x) { typed(x, 0, extreme); });
      calls += with_tensors([&](const Tensor& x) { typed(x, extreme, 1); });
    } else if (signature == "Tiii>T") {
      const auto typed = op.typed<Tensor(const Tensor&, int64_t, int64_t, int64_t)>();
      calls += with_tensors([&](const Tensor& x) { typed(x, 0, 0, extreme); });
      calls += with_tensors([&](const Tensor& x) { typed(x, 0, extreme, 1); });
    } else if (signature == "TTI>T") {
      const auto typed = op.typed<Tensor(const Tensor&, const Tensor&, Sizes)>();
      for (const Sizes list : {Sizes(one), Sizes(two), Sizes(both)}) {
        calls += with_tensors([&](const Tensor& x) { typed(x, x, list); });
      }
    } else if (signature == "TII>T") {
      const auto typed = op.typed<Tensor(const Tensor&, Sizes, Sizes)>();
      for (const Sizes list : {Sizes(one), Sizes(two), Sizes(both)}) {
        calls += with_tensors([&](const Tensor& x) { typed(x, list, list); });
      }
    }
  }
  return calls;
}

TEST(TypedCalls, WithExtremeIntegers_EndInResultsOrErrors) {
  if (kStopsAtOverflow) GTEST_SKIP() << "some routines still overflow signed integers";
  static_cast<void>(Op("aten::add.Tensor"));  // loads the operators
  int64_t calls = 0;
  for (const Op& op : introspect::operators()) calls += call_typed(op);
  EXPECT_GT(calls, 1000);
}

// An argument that a schema's type asks for.
Value argument_of(std::string_view type, const Tensor& tensor) {
  if (type.starts_with("Tensor[]") || type.starts_with("Tensor?[]")) {
    return Value(std::vector<Tensor>{tensor});
  }
  if (type.starts_with("Tensor")) return Value(tensor);
  if (type.starts_with("int[") || type.starts_with("SymInt["))
    return Value(std::vector<int64_t>{1, 1});
  if (type.starts_with("float[")) return Value(std::vector<double>{1});
  if (type.starts_with("int") || type.starts_with("SymInt") || type.starts_with("Scalar")) {
    return Value(int64_t{1});
  }
  if (type.starts_with("float")) return Value(1.0);
  if (type.starts_with("bool")) return Value(false);
  if (type.starts_with("str")) return Value("mean");
  return Value();
}

// Calls an operator with an extreme in the place of each integer; returns how often.
int64_t call_boxed(const Op& op) {
  const Schema schema = op.schema();
  int64_t calls = 0;
  for (int64_t at = 0; at < schema.argument_count(); ++at) {
    const std::string_view type = schema.argument(at).type_text;
    const bool is_list = type.starts_with("SymInt[") || type.starts_with("int[");
    if (!is_list && !type.starts_with("SymInt") && !type.starts_with("int")) continue;
    for (const int64_t extreme : kExtremes) {
      calls += with_tensors([&](const Tensor& x) {
        std::vector<Value> arguments;
        for (int64_t k = 0; k < schema.argument_count(); ++k) {
          if (k != at) arguments.push_back(argument_of(schema.argument(k).type_text, x));
          if (k == at && is_list) arguments.emplace_back(std::vector<int64_t>{1, extreme});
          if (k == at && !is_list) arguments.emplace_back(extreme);
        }
        op.call(arguments);
      });
    }
  }
  return calls;
}

TEST(BoxedCalls, WithExtremeIntegers_EndInResultsOrErrors) {
  if (kStopsAtOverflow) GTEST_SKIP() << "some routines still overflow signed integers";
  static_cast<void>(Op("aten::add.Tensor"));
  int64_t calls = 0;
  for (const Op& op : introspect::operators()) calls += call_boxed(op);
  EXPECT_GT(calls, 10000);
}

}  // namespace
}  // namespace tenon::tests
