// SPDX-License-Identifier: Apache-2.0
// A C++ plugin with the namespace that the tests wrap: its operators return their arguments as
// text, in the same format as namespace.py.
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::Dtype;
using tenon::Scalar;
using tenon::Tensor;
using tenon::Value;

constexpr std::array kSchemas{
#include "schemas.inc"
};

std::string text_of(double number) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%g", number);
  return text.data();
}

std::string text_of(const tenon_value& value);

template <class Element>
std::string list_of(const tenon_value& value, std::string (*text)(Element)) {
  std::string all;
  for (uint32_t i = 0; i < value.count; ++i) {
    all += (i != 0 ? "," : "") + text(static_cast<const Element*>(value.as.list.data)[i]);
  }
  return "[" + all + "]";
}

std::string tensor_text(tenon_tensor* handle) {
  if (handle == nullptr) return "None";
  const Tensor tensor = Tensor::retain(handle);
  std::string all;
  for (const float element : tensor.elements<float>()) {
    all += (all.empty() ? "" : ",") + text_of(static_cast<double>(element));
  }
  return "Tensor[" + all + "]";
}

std::string dict_text(const tenon_value& value) {
  std::string all;
  const auto* const elements = static_cast<const tenon_value*>(value.as.list.data);
  for (uint32_t i = 0; i < value.count; ++i) {
    all += (i != 0 ? "," : "") + text_of(elements[2 * i]) + ":" + text_of(elements[2 * i + 1]);
  }
  return "{" + all + "}";
}

std::string text_of(const tenon_value& value) {
  switch (value.tag) {
    case TENON_TAG_NONE:
      return "None";
    case TENON_TAG_BOOL:
      return value.as.i != 0 ? "True" : "False";
    case TENON_TAG_FLOAT:
      return text_of(value.as.f);
    case TENON_TAG_COMPLEX:
      return "(" + text_of(value.as.c.real) + "," + text_of(value.as.c.imag) + ")";
    case TENON_TAG_STRING:
      return {static_cast<const char*>(value.as.list.data), value.count};
    case TENON_TAG_DEVICE:
      return tenon::Device(value.as.device).str();
    case TENON_TAG_GENERATOR:
      return "Generator(" + std::to_string(tenon_generator_initial_seed(value.as.generator)) + ")";
    case TENON_TAG_TENSOR:
      return tensor_text(value.as.tensor);
    case TENON_TAG_INT_LIST:
      return list_of<int64_t>(value, [](int64_t one) { return std::to_string(one); });
    case TENON_TAG_FLOAT_LIST:
      return list_of<double>(value, [](double one) { return text_of(one); });
    case TENON_TAG_BOOL_LIST:
      return list_of<uint8_t>(
          value, [](uint8_t one) -> std::string { return one != 0 ? "True" : "False"; });
    case TENON_TAG_TENSOR_LIST:
      return list_of<tenon_tensor*>(value, &tensor_text);
    case TENON_TAG_LIST:
    case TENON_TAG_TUPLE:
      return list_of<tenon_value>(value, [](tenon_value one) { return text_of(one); });
    case TENON_TAG_DICT:
      return dict_text(value);
    default:
      return std::to_string(value.as.i);
  }
}

tenon_status told(void*, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  try {
    const tenon::Schema schema = tenon::Op(op).schema();
    std::string all;
    for (uint32_t i = 0; i < stack->nargs; ++i) {
      all += (i != 0 ? " " : "") + std::string(schema.argument(i).name) + "=";
      all += text_of(stack->args[i]);
    }
    stack->rets[0] = Value(all).release();
    return TENON_OK;
  } catch (const tenon::Error& error) {
    return tenon_error_raise(error.code(), error.what());
  }
}

tenon_status give_numbers(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const std::array<Value, 6> numbers{Value(2),          Value(0.5),
                                     Value(true),       Value(std::complex<double>(1, 2)),
                                     Value(Dtype::F64), Value(tenon::Device())};
  for (size_t i = 0; i < numbers.size(); ++i) stack->rets[i] = numbers[i].get();
  return TENON_OK;
}

void fill(const Tensor& tensor, float number) {
  for (float& element : tensor.elements<float>()) element = number;
}

Tensor one_more(const Tensor& self, float factor, float offset) {
  Tensor out = Tensor::empty(self.sizes(), Dtype::F32);
  const std::span<float> from = self.elements<float>();
  for (size_t i = 0; i < from.size(); ++i) out.data<float>()[i] = factor * from[i] + offset;
  return out;
}

void add_kernels(tenon::Library& m) {
  constexpr tenon_key kKey = TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD;
  m.impl("fill_", kKey, [](Tensor& self, const Scalar& value) -> Tensor& {
    fill(self, static_cast<float>(value.to_double()));
    return self;
  });
  m.impl("twice.out", kKey, [](const Tensor& self, Tensor& out) -> Tensor& {
    const Tensor twice = one_more(self, 2, 0);
    for (int64_t i = 0; i < self.numel(); ++i) out.data<float>()[i] = twice.data<float>()[i];
    return out;
  });
  m.impl("twice", kKey, [](const Tensor& self) { return one_more(self, 2, 0); });
  m.impl("both_", kKey, [](Tensor& self, Tensor& other) -> std::tuple<Tensor&, Tensor&> {
    fill(self, 1);
    fill(other, 2);
    return {self, other};
  });
  m.impl("counted_", kKey, [](Tensor& self) -> std::tuple<Tensor&, int64_t> {
    fill(self, 3);
    return {self, self.numel()};
  });
  m.impl("row", kKey, [](const Tensor& self, int64_t index) {
    return self.alias(self.sizes().subspan(1), self.strides().subspan(1),
                      index * self.strides()[0]);
  });
  m.impl("nothing", kKey, [] {});
  m.impl("several", kKey, [](const Tensor& self) {
    return std::tuple<Tensor, int64_t, std::string, std::optional<Tensor>>(
        one_more(self, 1, 1), self.numel(), "third", std::nullopt);
  });
  m.impl_boxed("numbers", kKey, &give_numbers);
  m.impl("listed", kKey, [] {
    return std::tuple<std::vector<int64_t>, Value, std::vector<Tensor>>(
        {1, 2}, std::vector<double>{0.5},
        {Tensor::from({1.0f}, {1}), Tensor::from({0.0f, 0.0f}, {2})});
  });
  m.impl("maybe", kKey, [](bool there) {
    return there ? std::tuple<Value, std::optional<Tensor>>(7, Tensor::from({1.0f}, {1}))
                 : std::tuple<Value, std::optional<Tensor>>(std::nullopt, std::nullopt);
  });
  m.impl("any", kKey, [](const Value& value) { return value; });
  m.impl("class", kKey, [](int64_t first, int64_t second, int64_t self) {
    return 100 * first + 10 * second + self;
  });
  m.impl("lambda", kKey, [](int64_t match) { return match + 1; });
}

}  // namespace

TENON_LIBRARY(wrapped, m) {
  for (const std::string_view schema : kSchemas) {
    m.def(std::string(schema));
    if (schema.ends_with("-> str")) {
      m.impl_boxed(std::string(schema.substr(0, schema.find('('))),
                   TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &told);
    }
  }
  add_kernels(m);
}

TENON_PLUGIN("wrapped", "1");
