// SPDX-License-Identifier: Apache-2.0
// Numbers that are not valid dtypes, memory formats or layouts, in typed and boxed calls of all
// operators.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/hpp/introspect.hpp"
#include "tenon/tenon.hpp"

namespace tenon::tests {
namespace {

// Numbers between and beyond the dtypes, and numbers whose lower halves are those of float32.
constexpr int64_t kWildCodes[] = {13,        12,
                                  14,        22,
                                  25,        63,
                                  64,        99,
                                  -2,        INT32_MAX,
                                  INT32_MIN, (int64_t{1} << 32) + TENON_DTYPE_F32,
                                  -1,        -(int64_t{1} << 32) + TENON_DTYPE_F32,
                                  INT64_MIN, INT64_MAX};

struct Enumeration {
  std::string_view type;
  uint16_t tag;
  int64_t valid;
  std::string_view refusal;  // part of the message
};
constexpr Enumeration kEnumerations[] = {
    {"ScalarType", TENON_TAG_DTYPE, TENON_DTYPE_F32, "dtype"},
    {"MemoryFormat", TENON_TAG_MEMORY_FORMAT, TENON_MEMORY_FORMAT_CONTIGUOUS, "memory"},
    {"Layout", TENON_TAG_LAYOUT, TENON_LAYOUT_STRIDED, "layout"},
};

// Makes an argument of a schema type; `tensor` is used for all tensors.
Value usual_value(const tenon_argument_info& argument, const Tensor& tensor) {
  const std::string_view type = argument.type_text;
  if (argument.default_value != nullptr) {
    tenon_value copy{};
    check(tenon_value_copy(argument.default_value, &copy));
    return Value(copy);
  }
  if (type.starts_with("Tensor[]")) return Value(std::vector<Tensor>{tensor});
  if (type.starts_with("Tensor")) return Value(tensor);
  if (type.starts_with("int[") || type.starts_with("SymInt[")) {
    return Value(std::vector<int64_t>(static_cast<size_t>(std::max<int64_t>(tensor.ndim(), 1)), 1));
  }
  if (type.starts_with("int") || type.starts_with("SymInt") || type.starts_with("Scalar ") ||
      type == "Scalar") {
    return Value(int64_t{1});
  }
  if (type.starts_with("ScalarType")) return Value(Dtype::F32);
  if (type == "MemoryFormat") return Value(MemoryFormat::Contiguous);
  if (type == "Device") return Value(Device());
  if (type.starts_with("float")) return Value(1.0);
  if (type.starts_with("bool")) return Value(false);
  return Value();
}

// The shape and device of a call's tensors.
struct Kind {
  std::vector<int64_t> shape;
  int32_t device;

  Tensor make() const {
    Tensor tensor = Tensor::empty(shape, Dtype::F32, Device(device, 0));
    if (device == TENON_DEVICE_CPU) std::fill_n(tensor.data<float>(), tensor.numel(), 1.0F);
    return tensor;
  }
};

// Calls an operator with `code` as its argument `at`; returns the message of its error.
std::optional<std::string> error_of(const Op& op, const Schema& schema, int64_t at,
                                    const Kind& kind, const tenon_value& code) {
  const Tensor tensor = kind.make();  // new for each call, which may resize it
  std::vector<tenon_value> args;
  std::vector<Value> owners;
  for (int64_t k = 0; k < schema.argument_count(); ++k) {
    owners.push_back(k == at ? Value(code) : usual_value(schema.argument(k), tensor));
  }
  for (const Value& owner : owners) {
    args.push_back(owner.get());
    args.back().flags &= static_cast<uint16_t>(~TENON_VALUE_OWNED);
  }
  std::vector<tenon_value> rets(static_cast<size_t>(schema.return_count()), tenon_value{});
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = static_cast<uint32_t>(args.size());
  stack.rets = rets.data();
  stack.nrets = static_cast<uint32_t>(rets.size());
  try {
    check(tenon_op_call(op.get(), &stack));
  } catch (const Error& error) {
    return error.what();
  }
  for (tenon_value& ret : rets) tenon_value_clear(&ret);
  return std::nullopt;
}

tenon_value value_of(uint16_t tag, int64_t code) {
  tenon_value value{};
  value.tag = tag;
  value.as.i = code;
  return value;
}

// Tries all invalid codes of an argument with each tensor that a valid code works with; returns the
// number of calls.
int64_t try_argument(const Op& op, const Schema& schema, int64_t at, const Enumeration& kind) {
  int64_t calls = 0;
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{}, {1}, {2, 2}, {1, 2, 2, 2}, {1, 1, 2, 2, 2}}) {
    for (const int32_t device : {TENON_DEVICE_CPU, TENON_DEVICE_META}) {
      const Kind tensors{shape, device};
      if (error_of(op, schema, at, tensors, value_of(kind.tag, kind.valid))) continue;
      for (const int64_t code : kWildCodes) {
        for (const uint16_t tag : {kind.tag, uint16_t{TENON_TAG_INT}}) {
          const auto message = error_of(op, schema, at, tensors, value_of(tag, code));
          ++calls;
          EXPECT_TRUE(message) << schema.text() << " takes " << code << " as "
                               << schema.argument(at).name;
          if (!message) continue;
          EXPECT_NE(message->find(kind.refusal), std::string::npos)
              << schema.text() << ", " << code << ": " << *message;
        }
      }
    }
  }
  return calls;
}

TEST(BoxedCalls, WithCodesOfNoEnumeration_AreRefused) {
  static_cast<void>(Op("aten::add.Tensor"));  // loads the operators
  int64_t arguments[std::size(kEnumerations)] = {};
  for (const Op& op : introspect::operators()) {
    const Schema schema = op.schema();
    for (int64_t at = 0; at < schema.argument_count(); ++at) {
      const std::string_view type = schema.argument(at).type_text;
      for (size_t k = 0; k < std::size(kEnumerations); ++k) {
        if (!type.starts_with(kEnumerations[k].type)) continue;
        if (try_argument(op, schema, at, kEnumerations[k]) > 0) ++arguments[k];
      }
    }
  }
  EXPECT_GT(arguments[0], 100);  // dtypes
  EXPECT_GT(arguments[1], 15);   // memory formats
  EXPECT_GT(arguments[2], 50);   // layouts
}

TEST(TypedCalls, WithCodesOfNoDtype_AreRefused) {
  const auto view = Op("aten::view.dtype").typed<Tensor(const Tensor&, Dtype)>();
  const auto cast =
      Op("aten::to.dtype")
          .typed<Tensor(const Tensor&, Dtype, bool, bool, std::optional<MemoryFormat>)>();
  const auto can_cast = Op("aten::can_cast").typed<bool(Dtype, Dtype)>();
  const int64_t shape[] = {2, 2};
  const Tensor tensor = Tensor::empty(shape, Dtype::F32);
  for (const int64_t code : kWildCodes) {
    if (code != static_cast<int32_t>(code)) continue;  // Dtype has 32 bits
    const auto dtype = static_cast<Dtype>(code);
    EXPECT_THROW(view(tensor, dtype), Error) << code;
    EXPECT_THROW(cast(tensor, dtype, false, false, std::nullopt), Error) << code;
    EXPECT_THROW(can_cast(dtype, Dtype::F32), Error) << code;
    EXPECT_THROW(can_cast(Dtype::F32, dtype), Error) << code;
  }
}

}  // namespace
}  // namespace tenon::tests
