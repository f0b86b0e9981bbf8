// SPDX-License-Identifier: Apache-2.0
// Extreme int64 and double values, and extreme strides and sizes, in typed and boxed calls of all
// operators: sizes are numbers whatever their bits are, and each call ends with a result or an
// error.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "tenon/hpp/introspect.hpp"
#include "tenon/tenon.hpp"

namespace tenon::tests {
namespace {

// Numbers below -2^62 have the bits of symbols.
constexpr int64_t kExtremes[] = {INT64_MIN,
                                 INT64_MIN + 1,
                                 -(int64_t{1} << 62) - 1,
                                 -(int64_t{1} << 62),
                                 -(int64_t{1} << 62) + 1,
                                 int64_t{1} << 62,
                                 INT64_MAX - 1,
                                 INT64_MAX};

// Makes a call with tensors of several shapes, plain and tracked; returns the number of calls.
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

// Calls an operator with one of the usual typed signatures; returns the number of calls.
int64_t call_typed(const Op& op) {
  const Schema schema = op.schema();
  const std::string_view signature = schema.signature();
  int64_t calls = 0;
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
  static_cast<void>(Op("aten::add.Tensor"));  // loads the operators
  int64_t calls = 0;
  for (const Op& op : introspect::operators()) calls += call_typed(op);
  EXPECT_GT(calls, 1000);
}

// Makes an argument of a schema type.
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

// Calls an operator with an extreme number in place of each integer; returns the number of calls.
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
  static_cast<void>(Op("aten::add.Tensor"));
  int64_t calls = 0;
  for (const Op& op : introspect::operators()) calls += call_boxed(op);
  EXPECT_GT(calls, 10000);
}

// Calls an operator with the same tensor for all tensor arguments, and usual other arguments.
void call_with(const Op& op, const Schema& schema, const Tensor& tensor) {
  std::vector<Value> arguments;
  for (int64_t k = 0; k < schema.argument_count(); ++k) {
    arguments.push_back(argument_of(schema.argument(k).type_text, tensor));
  }
  try {
    op.call(arguments);
  } catch (const Error& error) {
    EXPECT_NE(error.code(), TENON_ERROR_INTERNAL) << error.what();
  }
}

// Returns ones whose dims of size 1 have an arbitrary stride, which no element depends on.
Tensor with_stride(const std::vector<int64_t>& shape, int64_t stride) {
  const Op as_strided("aten::as_strided");
  const Tensor ones = Op("aten::ones").call({Value(shape)})[0].tensor();
  std::vector<int64_t> strides;
  for (int64_t d = 0; d < ones.ndim(); ++d) {
    const auto at = static_cast<size_t>(d);
    strides.push_back(shape[at] == 1 ? stride : ones.strides()[at]);
  }
  return as_strided.call({Value(ones), Value(shape), Value(strides)})[0].tensor();
}

TEST(BoxedCalls, WithStridesThatNoElementUses_EndInResultsOrErrors) {
  int64_t calls = 0;
  static_cast<void>(Op("aten::add.Tensor"));
  for (const Op& op : introspect::operators()) {
    const Schema schema = op.schema();
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{1}, {1, 1}, {1, 4}, {4, 1}, {1, 1, 4}, {1, 1, 4, 4}}) {
      for (const int64_t stride : {int64_t{1} << 61, INT64_MAX}) {
        call_with(op, schema, with_stride(shape, stride));
        ++calls;
      }
    }
  }
  EXPECT_GT(calls, 10000);
}

TEST(BoxedCalls, WithSizesThatNoMemoryHolds_EndInResultsOrErrors) {
  int64_t calls = 0;
  static_cast<void>(Op("aten::add.Tensor"));
  constexpr int64_t kHuge = int64_t{1} << 61;
  for (const Op& op : introspect::operators()) {
    const Schema schema = op.schema();
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{kHuge}, {1, kHuge}, {kHuge, 1}, {0, kHuge}, {1, 1, kHuge}}) {
      const Device meta(TENON_DEVICE_META, 0);
      call_with(op, schema, Tensor::empty(shape, Dtype::U8, meta));
      ++calls;
    }
  }
  EXPECT_GT(calls, 5000);
}

TEST(BoxedCalls, WithExtremeFloats_EndInResultsOrErrors) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kFloats[] = {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                                1e308,     -1e308,     5e-324,
                                0x1.0p63,  -0x1.0p64,  0.0};
  int64_t calls = 0;
  static_cast<void>(Op("aten::add.Tensor"));
  for (const Op& op : introspect::operators()) {
    const Schema schema = op.schema();
    for (int64_t at = 0; at < schema.argument_count(); ++at) {
      const std::string_view type = schema.argument(at).type_text;
      const bool is_list = type.starts_with("float[");
      if (!is_list && !type.starts_with("float") && type != "Scalar" && type != "Scalar?") continue;
      for (const double extreme : kFloats) {
        calls += with_tensors([&](const Tensor& x) {
          std::vector<Value> arguments;
          for (int64_t k = 0; k < schema.argument_count(); ++k) {
            if (k != at) arguments.push_back(argument_of(schema.argument(k).type_text, x));
            if (k == at && is_list) arguments.emplace_back(std::vector<double>{extreme, extreme});
            if (k == at && !is_list) arguments.emplace_back(extreme);
          }
          op.call(arguments);
        });
      }
    }
  }
  EXPECT_GT(calls, 10000);
}

}  // namespace
}  // namespace tenon::tests
