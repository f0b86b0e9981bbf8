// SPDX-License-Identifier: Apache-2.0
// Tensors with symbolic sizes: their metadata, lifetimes and conversions.
#include "symbol/symbolic_tensor.h"

#include "base/live_count.h"
#include "symbol/symbolic_value.h"
#include "symbol_testing.h"
#include "tensor/printer.h"

namespace tenon::symbol {
namespace {

using SymbolicTensor = testing::SymbolTest;
using tensor::TensorPtr;
using value::OwnedValue;

TensorPtr tensor_of(std::vector<Word> sizes, const tensor::Tensor* alias_of = nullptr,
                    const int64_t* strides = nullptr) {
  return new_symbolic({TENON_DTYPE_F32, nullptr, alias_of, sizes, strides, 0});
}

OwnedValue dims(const tensor::Tensor& tensor, uint32_t what) {
  tenon_value value{};
  EXPECT_EQ(tenon_tensor_dims(&tensor, what, &value), TENON_OK);
  return OwnedValue(value);
}

TEST_F(SymbolicTensor, HasWordsForSizes) {
  const Word a = size(4);
  const TensorPtr tensor = tensor_of({a, 3});
  EXPECT_EQ(tenon_tensor_flags(tensor.get()), TENON_TENSOR_SYMBOLIC | TENON_TENSOR_CONTIGUOUS);
  EXPECT_EQ(tenon_tensor_sizes(tensor.get()), nullptr);
  EXPECT_EQ(tenon_tensor_numel(tensor.get()), -1);
  tenon_tensor_info info;
  EXPECT_EQ(tenon_tensor_describe(tensor.get(), &info), TENON_ERROR_NOT_SUPPORTED);
  tenon_tensor_describe_words(tensor.get(), &info);
  EXPECT_EQ(info.sizes[0], a);
  EXPECT_EQ(info.strides[0], 3);
  EXPECT_EQ(info.numel, mul(a, 3));
  EXPECT_EQ(value::print(dims(*tensor, TENON_DIMS_SIZES).get()), "[s0, 3]");
  EXPECT_EQ(value::print(dims(*tensor, TENON_DIMS_NUMEL).get()), "3*s0");
  EXPECT_EQ(value::print(dims(*tensor, TENON_DIMS_OFFSET).get()), "0");
  tensor->check_invariants();
}

TEST_F(SymbolicTensor, KeepsItsEnvironment) {
  const int64_t before = base::live_count(TENON_HANDLE_TENSOR);
  {
    const TensorPtr tensor = tensor_of({size(4), 3});
    OwnedValue sizes = dims(*tensor, TENON_DIMS_SIZES);
    env_.reset();
    EXPECT_EQ(value::print(sizes.get()), "[s0, 3]");
    const OwnedValue copied(value::copy(sizes.get()));
    sizes = OwnedValue();
    EXPECT_EQ(value::print(copied.get()), "[s0, 3]");
  }
  EXPECT_EQ(base::live_count(TENON_HANDLE_TENSOR), before);
}

TEST_F(SymbolicTensor, OfNumbersOnly_IsPlain) {
  const TensorPtr tensor = tensor_of({2, 3});
  EXPECT_EQ(tenon_tensor_flags(tensor.get()), TENON_TENSOR_CONTIGUOUS);
  EXPECT_EQ(tenon_tensor_numel(tensor.get()), 6);
  EXPECT_EQ(tensor->keys() >> (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_SYMBOLIC) & 1, 0u);
}

TEST_F(SymbolicTensor, View_SharesStorage) {
  const Word a = size(4);
  const TensorPtr whole = tensor_of({a, 3});
  const int64_t turned[] = {1, 3};
  const TensorPtr view = tensor_of({3, a}, whole.get(), turned);
  EXPECT_EQ(view->base(), whole.get());
  EXPECT_FALSE(view->is_contiguous());
  const TensorPtr row = tensor_of({3}, whole.get());
  EXPECT_FALSE(row->is_symbolic());
  EXPECT_EQ(row->numel(), 3);
  row->check_invariants();
  view->check_invariants();
}

TEST_F(SymbolicTensor, Specialized_IsPlain) {
  const TensorPtr tensor = tensor_of({size(4), 3});
  EXPECT_EQ(tenon_tensor_specialize(tensor.get(), "self"), TENON_OK);
  EXPECT_EQ(tenon_tensor_numel(tensor.get()), 12);
  EXPECT_EQ(tenon_tensor_sizes(tensor.get())[0], 4);
  EXPECT_EQ(guards(), std::vector<std::string>{"s0 == 4"});
  tensor->check_invariants();
  const TensorPtr unknown = tensor_of({unbacked()});
  EXPECT_EQ(tenon_tensor_specialize(unknown.get(), "self"), TENON_ERROR_DATA_DEPENDENT);
  const base::ErrorPtr error = base::take_current_error();
  EXPECT_NE(std::string(error->message()).find("u0 (of self)"), std::string::npos)
      << error->message();
  EXPECT_TRUE(unknown->is_symbolic());
}

TEST_F(SymbolicTensor, BadOnes_AreRefused) {
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { tensor_of({size(2), -1}); });
  const tenon_device cpu{TENON_DEVICE_CPU, 0};
  const Word sizes[] = {size(2)};
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] {
    new_symbolic({TENON_DTYPE_F32, &cpu, nullptr, sizes});
  });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { new_symbolic({99, nullptr, nullptr, sizes}); });
  const ShapeEnvPtr other = std::exchange(env_, ShapeEnvPtr::adopt(new Env));
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { tensor_of({sizes[0], size(3)}); });
}

TEST_F(SymbolicTensor, Values_AreCalculatedWith) {
  const OwnedValue a(value_of_word(size(4)));
  const auto calculate = [&](uint32_t function, tenon_value x, tenon_value y) {
    const tenon_value args[] = {x, y};
    return value::print(OwnedValue(apply(function, args)).get());
  };
  EXPECT_EQ(calculate(TENON_SYMBOL_ADD, a.get(), tenon_value_of_int(1)), "s0 + 1");
  EXPECT_EQ(calculate(TENON_SYMBOL_TRUEDIV, a.get(), tenon_value_of_int(8)), "s0 / 8");
  EXPECT_EQ(calculate(TENON_SYMBOL_LT, a.get(), tenon_value_of_int(9)), "s0 < 9");
  EXPECT_EQ(calculate(TENON_SYMBOL_GE, a.get(), tenon_value_of_int(2)), "True");
  EXPECT_EQ(calculate(TENON_SYMBOL_MUL, tenon_value_of_int(3), tenon_value_of_int(4)), "12");
  EXPECT_EQ(calculate(TENON_SYMBOL_TRUEDIV, tenon_value_of_int(1), tenon_value_of_int(4)), "0.25");
  error_of(TENON_ERROR_TYPE, [&] { calculate(TENON_SYMBOL_ADD, a.get(), {}); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { calculate(77, a.get(), a.get()); });
  error_of(TENON_ERROR_TYPE, [&] { calculate(TENON_SYMBOL_AND, a.get(), a.get()); });
}

}  // namespace
}  // namespace tenon::symbol
