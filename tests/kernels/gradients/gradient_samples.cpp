// SPDX-License-Identifier: Apache-2.0
// The table of samples: one line per operator; pointwise operators have many shapes each.
#include "kernels/gradients/gradient_samples.h"

#include <limits>

namespace tenon::tests {
namespace {

constexpr bool kComplex = true;

Input any(Ints sizes) { return {std::move(sizes), -2.0, 2.0}; }
Input positive(Ints sizes) { return {std::move(sizes), 0.5, 2.0}; }

Tensor mask(const Ints& sizes) {
  Tensor numbers = Tensor::empty(sizes, Dtype::I64);
  for (int64_t i = 0; i < numbers.numel(); ++i) numbers.data<int64_t>()[i] = i % 3;
  return call("aten::gt.Scalar", numbers, 0);
}

Tensor indices(const Ints& numbers) {
  return Tensor::from<int64_t>(numbers, Ints{static_cast<int64_t>(numbers.size())});
}

class Table {
 public:
  void add(std::string op, std::vector<Argument> arguments, std::vector<Keyword> keywords = {},
           bool is_complex = false) {
    samples_.push_back({std::move(op), std::move(arguments), std::move(keywords), 0, is_complex});
  }
  void add_complex(std::string op, std::vector<Argument> arguments,
                   std::vector<Keyword> keywords = {}) {
    samples_.push_back({std::move(op), std::move(arguments), std::move(keywords), 0, true, false});
  }
  void add_random(std::string op, std::vector<Argument> arguments) {
    samples_.push_back({std::move(op), std::move(arguments), {}, 11});
  }
  // Adds samples of a unary pointwise operator with further arguments.
  void unary(const std::string& op, bool is_complex, double low = -2.0, double high = 2.0,
             const std::vector<Argument>& rest = {}) {
    for (const Ints& sizes : {Ints{2, 3}, Ints{}, Ints{0, 3}}) {
      std::vector<Argument> arguments{Input{sizes, low, high}};
      arguments.insert(arguments.end(), rest.begin(), rest.end());
      add(op, std::move(arguments), {}, is_complex);
    }
  }
  // Adds samples of a binary pointwise operator with broadcasting.
  void binary(const std::string& op, bool is_complex, const std::vector<Keyword>& keywords = {},
              double low = -2.0, double high = 2.0, const std::vector<Argument>& rest = {}) {
    const std::pair<Ints, Ints> shapes[] = {{{2, 3}, {2, 3}}, {{2, 3}, {3}},   {{2, 1}, {1, 3}},
                                            {{2, 3}, {}},     {{}, {2, 2}},    {{}, {}},
                                            {{0, 3}, {3}},    {{2, 0}, {2, 1}}};
    for (const auto& [self, other] : shapes) {
      std::vector<Argument> arguments{Input{self, low, high}, Input{other, low, high}};
      arguments.insert(arguments.end(), rest.begin(), rest.end());
      add(op, std::move(arguments), keywords, is_complex);
    }
  }
  std::vector<Sample> take() { return std::move(samples_); }

 private:
  std::vector<Sample> samples_;
};

void add_pointwise(Table& table) {
  table.unary("aten::abs", kComplex);
  table.unary("aten::alias", kComplex);
  table.unary("aten::clone", kComplex);
  table.unary("aten::conj", kComplex);
  table.unary("aten::conj_physical", kComplex);
  table.unary("aten::cos", kComplex);
  table.unary("aten::exp", kComplex);
  table.unary("aten::log", kComplex, 0.5, 2.0);
  table.unary("aten::neg", kComplex);
  table.unary("aten::reciprocal", kComplex, 0.5, 2.0);
  table.unary("aten::relu", false);
  table.unary("aten::sgn", kComplex);
  table.unary("aten::sigmoid", kComplex);
  table.unary("aten::sign", false);
  table.unary("aten::sin", kComplex);
  table.unary("aten::sqrt", kComplex, 0.5, 2.0);
  table.unary("aten::tanh", kComplex, -0.6, 0.6);
  table.unary("aten::zero", kComplex);
  table.unary("aten::zero_", kComplex);
  table.unary("aten::_to_copy", kComplex);
  table.unary("tenon::skeleton_op", false);
  table.unary("aten::fill.Scalar", kComplex, -2.0, 2.0, {1.5});
  table.unary("aten::fill_.Scalar", kComplex, -2.0, 2.0, {1.5});
  table.unary("aten::pow.Tensor_Scalar", kComplex, 0.5, 2.0, {2.5});
  table.unary("aten::pow.Tensor_Scalar", kComplex, -2.0, 2.0, {3});
  table.unary("aten::pow.Tensor_Scalar", kComplex, -2.0, 2.0, {2});
  table.unary("aten::pow.Tensor_Scalar", kComplex, -2.0, 2.0, {1});
  table.unary("aten::pow.Tensor_Scalar", kComplex, -2.0, 2.0, {0});
  table.unary("aten::pow.Tensor_Scalar", kComplex, 0.0, 0.0, {0.0});
  table.unary("aten::pow.Tensor_Scalar", false, 0.0, 0.0, {2});
  table.unary("aten::pow_.Scalar", kComplex, 0.5, 2.0, {-1.5});
  table.add("aten::pow.Scalar", {1.5, any({2, 3})}, {}, kComplex);
  table.add("aten::pow.Scalar", {0.0, positive({2, 3})});
  table.binary("aten::add.Tensor", kComplex, {kw("alpha", 2.5)});
  const std::complex<double> number(1.5, -0.5);
  table.add_complex("aten::add.Tensor", {any({2, 3}), any({3})}, {kw("alpha", number)});
  table.add_complex("aten::sub.Tensor", {any({2, 3}), any({3})}, {kw("alpha", number)});
  table.add_complex("aten::rsub.Tensor", {any({2, 3}), any({3})}, {kw("alpha", number)});
  table.add_complex("aten::lerp.Scalar", {any({2, 3}), any({3}), number});
  table.add_complex("aten::pow.Tensor_Scalar", {positive({2, 3}), number});
  table.add_complex("aten::addcmul", {any({2}), any({2}), any({2})}, {kw("value", number)});
  table.add_complex("aten::addcdiv", {any({2}), any({2}), positive({2})}, {kw("value", number)});
  table.add_complex("aten::masked_fill.Scalar", {any({3}), mask({3}), number});
  const auto value = kw("value", 2.5);
  table.add("aten::addcdiv", {any({2, 3}), any({3}), positive({2, 1})}, {value}, kComplex);
  table.add("aten::addcdiv", {any({}), any({2}), positive({})}, {value});
  table.add("aten::addcmul", {any({2, 3}), any({3}), any({2, 1})}, {value}, kComplex);
  table.add("aten::addcmul", {any({}), any({2}), any({})}, {value});
  table.add("aten::copy", {any({2, 3}), any({3})}, {}, kComplex);
  table.add("aten::copy", {any({0, 3}), any({})});
  table.unary("aten::frexp.Tensor", false, 0.6, 3.0);
  table.add("aten::lerp.Scalar", {any({2, 3}), any({3}), 0.3}, {}, kComplex);
  table.add("aten::lerp.Tensor", {any({2, 3}), any({3}), any({2, 1})}, {}, kComplex);
  table.add("aten::lerp.Tensor", {any({2}), any({}), any({2})});
  table.binary("aten::div.Tensor", kComplex, {}, 0.5, 2.0);
  table.binary("aten::div.Tensor_mode", false, {kw("rounding_mode", Value())}, 0.5, 2.0);
  table.binary("aten::div.Tensor_mode", false, {kw("rounding_mode", "floor")}, 0.5, 2.0);
  table.binary("aten::div.Tensor_mode", false, {kw("rounding_mode", "trunc")}, 0.5, 2.0);
  table.binary("aten::maximum", false);
  table.binary("aten::minimum", false);
  table.binary("aten::mul.Tensor", kComplex);
  table.binary("aten::pow.Tensor_Tensor", kComplex, {}, 0.5, 2.0);
  table.add("aten::pow_.Tensor", {positive({2, 3}), any({3})}, {}, kComplex);
  table.binary("aten::rsub.Tensor", kComplex, {kw("alpha", 2.5)});
  table.binary("aten::sigmoid_backward", kComplex);
  table.binary("aten::sub.Tensor", kComplex, {kw("alpha", 2.5)});
  table.binary("aten::tanh_backward", kComplex);
  table.binary("aten::threshold_backward", false, {}, -2.0, 2.0, {0.25});
  table.add("aten::copy_", {any({2, 3}), any({3})}, {}, kComplex);
  table.add("aten::masked_fill.Scalar", {any({2, 3}), mask({2, 3}), 1.5}, {}, kComplex);
  table.add("aten::masked_fill.Scalar", {any({2, 1}), mask({3}), 1.5});
  table.add("aten::masked_fill.Tensor", {any({2, 3}), mask({2, 3}), any({})}, {}, kComplex);
  table.add("aten::masked_fill.Tensor", {any({3}), mask({2, 1}), any({})});
  table.add("aten::where.self", {mask({2, 3}), any({2, 3}), any({3})}, {}, kComplex);
  table.add("aten::where.self", {mask({3}), any({2, 1}), any({})});
  table.add("aten::fill.Tensor", {any({2, 3}), any({})});
  table.add("aten::max", {any({2, 3})});
  table.add("aten::min", {any({2, 3})});
  table.add_random("aten::normal_", {any({2, 3})});
  table.add_random("aten::normal_functional", {any({2, 3})});
  table.add_random("aten::uniform_", {any({2, 3})});
  table.add_random("aten::bernoulli_.float", {any({2, 3})});
  table.add_random("aten::poisson", {Input{{2, 3}, 0.1, 0.9}});
  table.add_random("aten::bernoulli", {Input{{2, 3}, 0.1, 0.9}});
  table.add_random("aten::bernoulli.p", {any({2, 3}), 0.5});
  table.add_random("aten::bernoulli.Tensor", {any({2, 3}), Input{{3}, 0.1, 0.9}});
  table.add_random("aten::exponential_", {any({2, 3}), 2.0});
  table.add_random("aten::cauchy_", {any({2, 3})});
  table.add_random("aten::geometric_", {any({2, 3}), 0.5});
  table.add_random("aten::log_normal_", {any({2, 3})});
}

void add_maths(Table& table) {
  table.unary("aten::acos", kComplex, -0.7, 0.7);
  table.unary("aten::acosh", kComplex, 1.3, 3.0);
  table.unary("aten::asin", kComplex, -0.7, 0.7);
  table.unary("aten::asinh", kComplex, -0.7, 0.7);
  table.unary("aten::atan", kComplex, -0.7, 0.7);
  table.unary("aten::atanh", kComplex, -0.7, 0.7);
  table.unary("aten::cosh", kComplex);
  table.unary("aten::erf", false);
  table.unary("aten::erfc", false);
  table.unary("aten::exp2", kComplex);
  table.unary("aten::expm1", kComplex);
  table.unary("aten::frac", false, 0.1, 0.9);
  table.unary("aten::log10", kComplex, 0.5, 2.0);
  table.unary("aten::log1p", kComplex, 0.5, 2.0);
  table.unary("aten::log2", kComplex, 0.5, 2.0);
  table.unary("aten::nan_to_num", kComplex);
  table.unary("aten::rsqrt", kComplex, 0.5, 2.0);
  table.unary("aten::sinh", kComplex);
  table.unary("aten::tan", kComplex, -0.6, 0.6);
  table.binary("aten::atan2", false, {}, 0.5, 2.0);
  table.binary("aten::fmax", false);
  table.binary("aten::fmin", false);
  table.binary("aten::hypot", false, {}, 0.5, 2.0);
  table.binary("aten::logaddexp", kComplex);
  table.binary("aten::logaddexp2", false);
  table.binary("aten::xlogy.Tensor", false, {}, 0.5, 2.0);
  table.add("aten::fmod.Tensor", {any({2, 3}), positive({3})});
}

void add_views(Table& table) {
  table.add("aten::as_strided", {any({10}), Ints{2, 3}, Ints{4, 1}, 1}, {}, kComplex);
  table.add("aten::as_strided", {any({10}), Ints{4, 3}, Ints{1, 2}});
  table.add("aten::as_strided", {any({4}), Ints{3, 2}, Ints{0, 1}, 2});
  table.add("aten::expand", {any({2, 1}), Ints{4, -1, 3}}, {}, kComplex);
  table.add("aten::expand", {any({}), Ints{2}});
  table.add("aten::movedim.int", {any({2, 3, 2}), 0, 2});
  table.add("aten::permute", {any({2, 3, 4}), Ints{2, 0, -2}}, {}, kComplex);
  table.add("aten::reshape", {any({2, 3}), Ints{3, 2}});
  table.add("aten::select.int", {any({2, 3, 2}), -2, 1}, {}, kComplex);
  table.add("aten::select.int", {any({3}), 0, -1});
  table.add("aten::slice.Tensor", {any({4, 5}), 1, 1, 5, 2}, {}, kComplex);
  table.add("aten::slice.Tensor", {any({4, 2})});
  table.add("aten::slice.Tensor", {any({4, 2}), -2, Value(), -1});
  table.add("aten::slice.Tensor", {any({3}), 0, 2, 1});
  table.add("aten::squeeze", {any({1, 2, 1})}, {}, kComplex);
  table.add("aten::squeeze.dim", {any({1, 2, 1}), -1}, {}, kComplex);
  table.add("aten::squeeze.dims", {any({1, 2, 1}), Ints{0, 1}}, {}, kComplex);
  table.add("aten::t", {any({2, 3})}, {}, kComplex);
  table.add("aten::t", {any({3})});
  table.add("aten::transpose.int", {any({2, 3, 2}), 0, -1}, {}, kComplex);
  table.add("aten::transpose.int", {any({}), 0, -1});
  table.add("aten::_unsafe_view", {any({2, 3}), Ints{2, -1, 1}}, {}, kComplex);
  table.add("aten::unsqueeze", {any({2, 3}), -2}, {}, kComplex);
  table.add("aten::view", {any({2, 3}), Ints{2, 1, 3}}, {}, kComplex);
  table.add("aten::view", {any({0, 3}), Ints{0, 3, 1}});
  table.add("aten::chunk", {any({2, 5}), 3, 1});
  table.add("aten::split.Tensor", {any({5, 2}), 2}, {}, kComplex);
  table.add("aten::split_with_sizes", {any({2, 5}), Ints{2, 0, 3}, -1});
  table.add("aten::unbind.int", {any({2, 3}), 1}, {}, kComplex);
}

void add_reductions(Table& table) {
  table.add("aten::amax", {any({2, 3, 2}), Ints{0, -1}});
  table.add("aten::amax", {any({2, 3}), Ints{1}, true});
  table.add("aten::amax", {any({2, 3})});
  table.add("aten::amax", {any({})});
  table.add("aten::amin", {any({2, 3, 2}), Ints{0, -1}});
  table.add("aten::amin", {any({2, 3})});
  table.add("aten::prod", {any({2, 3})}, {}, kComplex);
  table.add("aten::prod", {any({})});
  table.add("aten::prod", {Input{{3}, 0.0, 0.0}});
  table.add("aten::prod.dim_int", {any({2, 5}), 1}, {}, kComplex);
  table.add("aten::prod.dim_int", {any({3, 2, 2}), 0, true});
  table.add("aten::square", {any({2, 3})}, {}, kComplex);
  table.add("aten::max.dim", {any({2, 3, 2}), -2});
  table.add("aten::max.dim", {any({2, 3}), 0, true});
  table.add("aten::max.dim", {any({}), 0});
  table.add("aten::min.dim", {any({2, 3, 2}), 1});
  table.add("aten::min.dim", {any({2, 3}), -1, true});
  for (const Ints& sizes : {Ints{2, 3}, Ints{}, Ints{0, 3}}) {
    table.add("aten::mean", {any(sizes)}, {}, sizes.size() == 2 && sizes[0] == 2);
    table.add("aten::sum", {any(sizes)}, {}, kComplex);
    table.add("aten::sum_to_size", {any(sizes), Ints{}});
  }
  for (const bool keeps : {false, true}) {
    table.add("aten::mean.dim", {any({2, 3, 2}), Ints{0, -1}, keeps}, {}, kComplex);
    table.add("aten::mean.dim", {any({2, 3}), Value(), keeps});
    table.add("aten::mean.dim", {any({}), Ints{0}, keeps});
    table.add("aten::sum.dim_IntList", {any({2, 3, 2}), Ints{1}, keeps}, {}, kComplex);
    table.add("aten::sum.dim_IntList", {any({2, 3}), Ints{}, keeps});
    table.add("aten::sum.dim_IntList", {any({0, 3}), Ints{0}, keeps});
  }
  table.add("aten::sum_to_size", {any({2, 2, 3}), Ints{2, 1}});
}

void add_products_and_lists(Table& table) {
  table.add("aten::bmm", {any({2, 2, 3}), any({2, 3, 2})}, {}, kComplex);
  table.add("aten::addmm", {any({2, 2}), any({2, 3}), any({3, 2})}, {}, kComplex);
  table.add("aten::addmm", {any({2}), any({2, 3}), any({3, 2})},
            {kw("beta", 0.5), kw("alpha", -2.0)});
  table.add("aten::mm", {any({2, 3}), any({3, 2})}, {}, kComplex);
  table.add("aten::mm", {any({0, 3}), any({3, 2})});
  table.add("aten::mm", {any({2, 0}), any({0, 2})});
  table.add("aten::matmul", {any({2, 3}), any({3})}, {}, kComplex);
  table.add("aten::linear", {any({2, 3}), any({4, 3}), any({4})}, {}, kComplex);
  table.add("aten::linear", {any({2, 2, 3}), any({4, 3})});
  table.add("aten::linear", {any({3}), any({3}), any({})});
  table.add("aten::outer", {any({2}), any({3})}, {}, kComplex);
  table.add("aten::softmax.int", {any({2, 3}), 1});
  table.add("aten::log_softmax.int", {any({2, 3}), 0});
  table.add("aten::_softmax", {any({2, 3}), 0, false});
  table.add("aten::_log_softmax", {any({3, 2, 2}), 1, false});
  table.add("aten::_softmax_backward_data", {any({2, 3}), any({2, 3}), 1, Dtype::F64});
  table.add("aten::_log_softmax_backward_data", {any({2, 3}), any({2, 3}), 0, Dtype::F64});
  table.add("aten::cat", {std::vector{any({2, 3}), any({2, 1})}, 1}, {}, kComplex);
  table.add("aten::cat", {std::vector{any({0}), any({2, 3}), any({1, 3})}});
  table.add("aten::cat", {std::vector{any({0}), any({2, 1}), any({2, 3})}, 1});
  table.add("aten::stack", {std::vector{any({2, 3}), any({2, 3})}, -1}, {}, kComplex);
  table.add("aten::stack", {std::vector{any({}), any({}), any({})}});
  table.add("aten::select_backward", {any({2, 2}), Ints{2, 3, 2}, 1, -1}, {}, kComplex);
  table.add("aten::slice_backward", {any({2, 2}), Ints{5, 2}, 0, 1, 5, 2}, {}, kComplex);
}

void add_indexing(Table& table) {
  const std::vector<Tensor> second{Tensor(), indices({2, 0, 2})};
  const std::vector<Tensor> places{indices({1, 0}), indices({-1, 2})};
  table.add("aten::index.Tensor", {any({2, 3}), second}, {}, kComplex);
  table.add("aten::index.Tensor", {any({2, 3}), places});
  table.add("aten::index.Tensor", {any({2, 3}), std::vector<Tensor>{mask({2, 3})}});
  table.add("aten::index_put", {any({2, 3}), second, any({2, 3}), true}, {}, kComplex);
  table.add("aten::index_put", {any({2, 3}), places, any({2})}, {}, kComplex);
  table.add("aten::index_put", {any({2, 3}), std::vector<Tensor>{mask({2, 3})}, any({})});
  const Tensor rows = indices({1, 1});
  const Tensor columns = indices({2, 0});
  const Tensor at = call("aten::stack", std::vector{columns, rows});
  table.add("aten::index_select", {any({2, 3}), 0, rows}, {}, kComplex);
  table.add("aten::index_select", {any({}), 0, indices({0})});
  table.add("aten::index_add", {any({2, 3}), 0, rows, any({2, 3})}, {kw("alpha", 2.5)}, kComplex);
  table.add("aten::index_copy", {any({2, 3}), 1, columns, any({2, 2})}, {}, kComplex);
  table.add("aten::index_fill.int_Scalar", {any({2, 3}), 1, columns, 1.5}, {}, kComplex);
  table.add("aten::index_fill.int_Tensor", {any({2, 3}), 1, columns, any({})}, {}, kComplex);
  table.add("aten::take", {any({2, 3}), at}, {}, kComplex);
  table.add("aten::gather", {any({2, 3}), 1, at}, {}, kComplex);
  table.add("aten::gather", {any({3}), 0, rows});
  table.add("aten::scatter.src", {any({2, 3}), 1, call("aten::t", at), any({2, 2})});
  table.add("aten::scatter.src", {any({3}), 0, columns, any({2})}, {}, kComplex);
  table.add("aten::scatter.value", {any({2, 3}), 1, at, 1.5}, {}, kComplex);
  table.add("aten::scatter_add", {any({2, 3}), 1, at, any({2, 2})}, {}, kComplex);
  for (const char* word : {"sum", "prod", "mean", "amax", "amin"}) {
    const bool is_complex = word[0] != 'a';
    for (const bool own : {true, false}) {
      table.add("aten::scatter_reduce.two", {any({2, 3}), 1, at, any({2, 2}), word},
                {kw("include_self", own)}, is_complex);
    }
  }
  for (const char* word : {"add", "multiply"}) {
    table.add("aten::scatter.reduce", {any({2, 3}), 1, at, any({2, 2})}, {kw("reduce", word)},
              kComplex);
    table.add("aten::scatter.value_reduce", {any({2, 3}), 1, at, 1.5}, {kw("reduce", word)},
              kComplex);
  }
  table.add("aten::masked_select", {any({2, 3}), mask({2, 3})}, {}, kComplex);
  table.add("aten::masked_select", {any({3}), mask({2, 3})});
  table.add("aten::masked_scatter", {any({2, 3}), mask({2, 3}), any({5})}, {}, kComplex);
  table.add("aten::embedding", {any({3, 2}), at}, {}, kComplex);
  const Tensor named = indices({0, 1, 1, 3, 2, 0});
  const Tensor starts = indices({0, 2, 2, 5});
  for (const int64_t padding : {-1, 1}) {
    for (const int64_t mode : {0, 1, 2}) {
      table.add("aten::_embedding_bag",
                {any({4, 3}), named, starts, false, mode, false, Value(), false, padding});
    }
    table.add("aten::_embedding_bag",
              {any({4, 3}), named, starts, false, 0, false, any({6}), false, padding});
  }
}

void add_order(Table& table) {
  for (const char* op : {"aten::floor", "aten::ceil", "aten::trunc", "aten::round"}) {
    table.unary(op, false, 0.1, 0.4);
  }
  table.add("aten::round.decimals", {any({2, 3})}, {kw("decimals", -3)});
  const auto above = kw("max", 0.75);
  table.add("aten::clamp", {any({2, 3}), -0.5, 1.0});
  table.add("aten::clamp", {any({3})}, {above});
  table.add("aten::clamp.Tensor", {any({2, 3}), any({3}), any({2, 1})});
  table.add("aten::clamp.Tensor", {any({2, 3}), any({})});
  table.add("tenon::clamp_between", {any({2, 3}), any({3}), any({2, 1})});
  for (const std::string op : {"aten::clamp_min", "aten::clamp_max"}) {
    table.add(op, {any({2, 3}), 0.25});
    table.add(op + ".Tensor", {any({2, 3}), any({3})});
  }
  table.add("aten::remainder.Tensor", {any({2, 3}), positive({3})});
  table.add("aten::cumsum", {any({2, 3}), 1}, {}, kComplex);
  table.add("aten::cumsum", {any({}), 0});
  table.add("aten::flip", {any({2, 3}), Ints{1}}, {}, kComplex);
  table.add("aten::roll", {any({2, 3}), Ints{1}, Ints{-1}}, {}, kComplex);
  table.add("aten::roll", {any({2, 3}), Ints{2}});
  table.add_complex("aten::view_as_real", {any({2, 3})});
  table.add_complex("aten::real", {any({2, 3})});
  table.add_complex("aten::imag", {any({2, 3})});
  for (const bool descending : {false, true}) {
    table.add("aten::sort", {any({2, 3}), 1, descending});
    table.add("aten::topk", {any({3, 2}), 2, 0, descending});
  }
  table.add("aten::sort.stable", {any({3, 2})}, {kw("stable", true), kw("dim", 0)});
}

void add_activations(Table& table) {
  for (const char* approximate : {"none", "tanh"}) {
    const auto how = kw("approximate", approximate);
    table.add("aten::gelu", {any({2, 3})}, {how});
    table.add("aten::gelu", {any({})}, {how});
    table.add("aten::gelu_backward", {any({2, 3}), any({3})}, {how});
  }
  for (const char* op : {"aten::silu", "aten::mish", "aten::hardsigmoid", "aten::hardswish"}) {
    table.unary(op, false);
  }
  for (const char* op : {"aten::silu_backward", "aten::hardswish_backward"}) {
    table.binary(op, false);
  }
  table.binary("aten::hardsigmoid_backward", false);
  table.unary("aten::elu", false, -2.0, 2.0, {1.5, 2.0, 0.5});
  table.add("tenon::elu_slope", {any({2, 3}), any({3}), 1.5, 2.0, 0.5});
  table.unary("aten::hardtanh", false, -2.0, 2.0, {-0.75, 1.25});
  table.binary("aten::hardtanh_backward", false, {}, -2.0, 2.0, {-0.75, 1.25});
  table.unary("aten::leaky_relu", false, -2.0, 2.0, {0.25});
  table.binary("aten::leaky_relu_backward", false, {}, -2.0, 2.0, {0.25, false});
  table.unary("aten::softplus", false, -2.0, 2.0, {2.0, 1.5});
  table.binary("aten::softplus_backward", false, {}, -2.0, 2.0, {2.0, 1.5});
  table.unary("aten::log_sigmoid", false);
  table.unary("aten::celu", false, -2.0, 2.0, {1.5});
  for (const std::string op : {"aten::hardshrink", "aten::softshrink"}) {
    table.unary(op, false, -2.0, 2.0, {0.75});
    table.binary(op + "_backward", false, {}, -2.0, 2.0, {0.75});
  }
  const Input vectors = any({2, 3, 2});
  table.add("aten::scaled_dot_product_attention", {vectors, vectors, vectors});
  table.add("aten::scaled_dot_product_attention", {vectors, vectors, vectors},
            {kw("is_causal", true)});
}

void add_arranging(Table& table) {
  table.add("aten::diagonal", {any({3, 4}), 1}, {}, kComplex);
  table.add("aten::diagonal", {any({2, 3, 4}), -1, 2, 0});
  table.add("aten::diagonal_backward", {any({2}), Ints{3, 4}, 2, 0, 1}, {}, kComplex);
  table.add("aten::diag_embed", {any({2, 3}), -1}, {}, kComplex);
  table.add("aten::diag", {any({3})}, {}, kComplex);
  table.add("aten::unfold", {any({2, 5}), 1, 3, 1}, {}, kComplex);
  table.add("aten::unfold", {any({5}), 0, 2, 3});
  table.add("aten::unfold_backward", {any({2, 3}), Ints{4}, 0, 3, 1}, {}, kComplex);
  table.add("aten::diagonal_scatter", {any({3, 4}), any({3}), 1}, {}, kComplex);
  table.add("aten::select_scatter", {any({3, 4}), any({3}), 1, -1}, {}, kComplex);
  table.add("aten::slice_scatter", {any({4, 2}), any({2, 2}), 0, 0, 4, 2}, {}, kComplex);
  table.add("aten::repeat", {any({2, 3}), Ints{2, 1, 3}}, {}, kComplex);
  table.add("aten::repeat_interleave.self_int", {any({2, 3}), 2, 1});
  table.add("aten::rot90", {any({2, 3}), 1, Ints{0, 1}});
  table.add("aten::tril", {any({2, 3, 4}), 1}, {}, kComplex);
  table.add("aten::triu", {any({3, 3}), -1}, {}, kComplex);
}

void add_measures(Table& table) {
  for (const std::string op : {"aten::var", "aten::std"}) {
    table.add(op + ".correction", {any({2, 3, 2}), Ints{0, -1}}, {}, kComplex);
    table.add(op + ".correction", {any({3, 2}), Ints{0}}, {kw("correction", 0)});
    table.add(op + ".correction", {any({3, 2})}, {kw("keepdim", true)});
    table.add(op + "_mean.correction", {any({3, 2}), Ints{1}});
  }
  table.add("aten::logsumexp", {any({2, 3}), Ints{1}}, {}, kComplex);
  table.add("aten::logsumexp", {any({2, 3}), Ints{0, 1}, true});
  for (const char* op : {"aten::random", "aten::random.to", "aten::random.from"}) {
    std::vector<Argument> arguments{any({2, 3})};
    if (std::string(op) != "aten::random") arguments.push_back(5);
    if (std::string(op) == "aten::random.from") arguments.push_back(9);
    table.add_random(op, arguments);
  }
  for (const double p : {0.0, 1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
    table.add("aten::_cdist_forward", {any({3, 2}), any({2, 2}), p, Value()});
    table.add("aten::_pdist_forward", {any({4, 2}), p});
  }
  table.add("aten::_cdist_forward", {any({2, 1, 3, 2}), any({2, 2, 2}), 2.0, Value()});
}

void add_special(Table& table) {
  table.unary("aten::angle", false);
  table.add_complex("aten::angle", {positive({2, 3})});
  table.unary("aten::deg2rad", false);
  table.unary("aten::digamma", false, 0.5, 3.0);
  table.unary("aten::erfinv", false, -0.7, 0.7);
  table.unary("aten::i0", false);
  table.unary("aten::lgamma", false, 0.5, 3.0);
  table.unary("aten::logit", false, 0.2, 0.8, {Value()});
  table.unary("aten::logit", false, 0.2, 0.8, {0.1});
  table.unary("aten::rad2deg", false);
  table.unary("aten::sinc", kComplex, 0.3, 1.5);
  table.unary("aten::special_bessel_j0", false);
  table.unary("aten::special_bessel_j1", false, 0.3, 2.0);
  table.unary("aten::special_bessel_y0", false, 0.5, 2.0);
  table.unary("aten::special_bessel_y1", false, 0.5, 2.0);
  table.unary("aten::special_entr", false, 0.3, 2.0);
  table.unary("aten::special_erfcx", false);
  table.unary("aten::special_log_ndtr", false);
  table.unary("aten::special_ndtr", false);
  table.unary("aten::special_ndtri", false, 0.2, 0.8);
  table.unary("aten::special_i0e", false, 0.3, 2.0);
  table.unary("aten::special_i1", false, 0.3, 2.0);
  table.unary("aten::special_i1e", false, 0.3, 2.0);
  table.unary("tenon::polygamma_of", false, 0.5, 3.0, {1});
  table.binary("aten::copysign.Tensor", false, {}, 0.5, 2.0);
  table.binary("aten::special_xlog1py", false, {}, 0.5, 2.0);
}

void add_searching(Table& table) {
  table.add("aten::cummax", {any({2, 3}), 1});
  table.add("aten::cummin", {any({2, 3}), 0});
  table.add("aten::cumprod", {any({2, 3}), 1}, {}, kComplex);
  table.add("aten::cumprod", {any({}), 0});
  table.add("aten::nextafter", {any({2, 3}), any({3})});
  table.add("aten::logcumsumexp", {any({2, 3}), 1});
  table.add("aten::kthvalue", {any({2, 3}), 2, 1});
  table.add("aten::kthvalue", {any({2, 3}), 1, 0, true});
  for (const std::string op : {"aten::median", "aten::nanmedian"}) {
    table.add(op, {any({2, 3})});
    table.add(op + ".dim", {any({2, 3}), 1});
    table.add(op + ".dim", {any({2, 3}), 0, true});
  }
  table.add("aten::mode", {any({2, 3}), 1});
  const Tensor lengths = indices({2, 0, 3});
  for (const char* word : {"max", "mean", "min", "sum"}) {
    table.add("aten::segment_reduce", {positive({5, 2}), word},
              {kw("lengths", lengths), kw("initial", 1.5)});
  }
  const Tensor ones = call("aten::ones", Ints{5}, kw("dtype", Dtype::F64));
  const Tensor sums = call("aten::segment_reduce", ones, "sum", kw("lengths", lengths));
  table.add("aten::_segment_reduce_backward", {any({3}), sums, ones, "mean"},
            {kw("lengths", lengths)});
  table.add_random(
      "aten::rrelu_with_noise_functional",
      {any({2, 3}), call("aten::ones", Ints{2, 3}, kw("dtype", Dtype::F64)), 0.1, 0.4, true});
  for (const double ord : {1.0, 2.0, 3.0, 1.5}) {
    table.add("aten::linalg_vector_norm", {positive({2, 3}), ord, Ints{1}}, {}, kComplex);
  }
  table.add("aten::linalg_vector_norm", {any({2, 3})}, {}, kComplex);
  table.add("aten::linalg_vector_norm", {any({2, 3}), std::numeric_limits<double>::infinity()});
  table.add("aten::linalg_vector_norm", {any({}), 2, Value(), true});
}

void add_linear_algebra(Table& table) {
  const Input square = any({2, 2, 2}), numbers = positive({2, 1, 1});
  table.add("aten::linalg_inv_ex", {square}, {}, kComplex);
  table.add("aten::linalg_inv_ex", {numbers});
  table.add("aten::linalg_solve", {any({2, 2}), any({2, 1})}, {}, kComplex);
  table.add("aten::linalg_solve", {any({2, 2}), any({2})});
  table.add("aten::linalg_solve", {square, any({1, 3, 2})}, {kw("left", false)});
  table.add("aten::linalg_det", {square}, {}, kComplex);
  table.add("aten::linalg_slogdet", {square});
  table.add("aten::linalg_qr", {any({3, 2})}, {}, kComplex);
  table.add("aten::linalg_qr", {any({2, 3})});
  table.add("aten::_linalg_svd", {any({3, 2})});
  table.add("aten::_linalg_svd", {any({2, 3})});
  table.add("aten::linalg_solve_triangular", {positive({2, 2}), any({2, 1})}, {kw("upper", true)},
            kComplex);
  table.add("aten::linalg_solve_triangular", {positive({2, 2}), any({3, 2})},
            {kw("upper", false), kw("left", false)});
  table.add("aten::linalg_solve_triangular", {positive({2, 2}), any({2, 1})},
            {kw("upper", false), kw("unitriangular", true)});
  table.add("aten::linalg_pinv.atol_rtol_tensor", {any({3, 2})}, {}, kComplex);
  table.add("aten::linalg_pinv.atol_rtol_tensor", {any({2, 3})});
  table.add("aten::linalg_lstsq", {any({3, 2}), any({3, 1})});
  table.add("aten::linalg_lstsq", {any({4, 2}), any({4, 2})}, {kw("driver", "gels")});
  table.add("aten::linalg_lu_factor_ex", {square}, {}, kComplex);
  table.add("aten::linalg_lu_factor_ex", {any({2, 2, 4})});
  table.add("aten::linalg_lu_factor_ex", {any({4, 2})});
  const Tensor pivots = call("aten::_to_copy", indices({2, 2}), kw("dtype", Dtype::I32));
  for (const bool left : {true, false}) {
    for (const bool other : {true, false}) {
      table.add("aten::linalg_lu_solve", {positive({2, 2}), pivots, any({2, 2, 2})},
                {kw("left", left), kw("adjoint", other)}, kComplex);
      table.add("aten::ormqr", {any({3, 2}), any({2}), any({3, 3}), left, other}, {}, kComplex);
    }
  }
  table.add("aten::linalg_householder_product", {any({2, 4, 3}), any({2, 2})}, {}, kComplex);
  table.add("aten::linalg_householder_product", {any({3, 2}), any({2})});
  table.add("aten::linalg_matrix_exp", {square}, {}, kComplex);
  table.add("aten::linalg_matrix_exp", {positive({3, 3})});
  const Tensor shapes = Tensor::from<double>({0.7, 3.5}, {2});
  table.add("aten::igamma", {shapes, positive({3, 2})});
  table.add("aten::igammac", {shapes, positive({3, 2})});
  table.add("aten::special_zeta", {Tensor::from<double>({2.5, 4.0}, {2}), positive({3, 2})});
  table.add_complex("aten::_linalg_eigvals", {positive({2, 3, 3})});
}

void add_transforms(Table& table) {
  table.add_complex("aten::_fft_c2c", {any({2, 3}), Ints{1}, 0, true});
  table.add_complex("aten::_fft_c2c", {any({2, 3}), Ints{0, 1}, 1, false});
  table.add_complex("aten::_fft_c2r", {any({2, 3}), Ints{1}, 0, 4});
  table.add_complex("aten::_fft_c2r", {any({2, 3}), Ints{0, 1}, 2, 5});
}

void add_windows(Table& table) {
  const Ints kernel{2, 2}, one{1, 1}, none{0, 0};
  const Input image = any({2, 2, 3, 4});
  table.add("aten::im2col", {image, kernel, one, one, Ints{2, 1}}, {}, kComplex);
  table.add("aten::im2col", {any({1, 3, 3}), kernel, Ints{2, 1}, none, one});
  table.add("aten::col2im", {any({1, 4, 6}), Ints{3, 4}, kernel, one, none, one}, {}, kComplex);
  table.add("aten::conv2d", {any({1, 2, 3, 3}), any({2, 1, 2, 2}), any({2}), one, one, one, 2});
  table.add("aten::max_pool2d_with_indices", {image, kernel, one});
  table.add("aten::max_pool2d", {any({1, 3, 4}), kernel, kernel, one});
}

void add_images(Table& table) {
  const Ints one{1, 1}, none{0, 0}, two{2, 2};
  const Input image = any({2, 2, 3, 4}), line = any({1, 2, 4}), volume = any({1, 1, 2, 3, 2});
  const Input weight = any({2, 1, 2, 2});
  table.add("aten::convolution", {image, weight, any({2}), Ints{1, 2}, one, one, false, none, 2},
            {}, kComplex);
  table.add("aten::convolution",
            {image, any({3, 2, 2, 2}), Value(), two, none, one, false, none, 1});
  table.add("aten::convolution", {image, weight, any({2}), two, none, one, true, one, 2}, {},
            kComplex);
  table.add("aten::convolution",
            {line, any({2, 3, 2}), Value(), Ints{2}, Ints{1}, Ints{2}, true, Ints{1}, 1});
  table.add("aten::convolution", {volume, any({2, 1, 1, 2, 2}), any({2}), Ints{1, 1, 1},
                                  Ints{0, 0, 1}, Ints{1, 2, 1}, false, Ints{0, 0, 0}, 1});
  table.add("tenon::convolution_backward_weight",
            {any({2, 2, 2, 3}), image, Ints{2, 1, 2, 2}, one, none, one, false, 2});
  table.add("tenon::convolution_backward_weight",
            {any({1, 1, 4, 5}), any({1, 2, 3, 4}), Ints{2, 1, 2, 2}, one, none, one, true, 1});
  table.add("aten::max_pool3d_with_indices", {volume, Ints{1, 2, 2}, Ints{1, 1, 1}});
  table.add("aten::adaptive_max_pool2d", {image, two});
  table.add("aten::adaptive_max_pool3d", {volume, Ints{1, 2, 2}});
  const Ints ones{1, 1, 1}, zeros{0, 0, 0};
  table.add("aten::avg_pool2d", {image, two, one, one, false, false, Value()});
  table.add("aten::avg_pool2d_backward",
            {any({1, 2, 2, 3}), any({1, 2, 3, 4}), two, one, none, false, true, 3});
  table.add("aten::avg_pool3d", {volume, Ints{1, 2, 2}, ones});
  table.add("aten::avg_pool3d_backward",
            {any({1, 1, 2, 2, 1}), volume, Ints{1, 2, 2}, ones, zeros, false, true, Value()});
  table.add("aten::_adaptive_avg_pool2d", {image, Ints{2, 3}});
  table.add("aten::_adaptive_avg_pool2d_backward", {any({2, 2, 2, 3}), image});
  table.add("aten::_adaptive_avg_pool3d", {volume, Ints{1, 2, 1}});
  table.add("aten::_adaptive_avg_pool3d_backward", {any({1, 1, 1, 2, 1}), volume});
  table.add("aten::constant_pad_nd", {image, Ints{1, -1, 0, 2}, 1.5}, {}, kComplex);
  for (const std::string op : {"aten::reflection_pad", "aten::replication_pad"}) {
    table.add(op + "1d", {line, Ints{1, 2}}, {}, kComplex);
    table.add(op + "1d_backward", {any({1, 2, 7}), line, Ints{1, 2}}, {}, kComplex);
    table.add(op + "2d", {image, Ints{1, 0, -1, 2}});
    table.add(op + "2d_backward", {any({2, 2, 4, 5}), image, Ints{1, 0, -1, 2}});
    table.add(op + "3d", {volume, Ints{1, 1, 0, 1, 0, 0}});
    table.add(op + "3d_backward", {any({1, 1, 2, 4, 4}), volume, Ints{1, 1, 0, 1, 0, 0}});
  }
  for (const std::string op : {"aten::upsample_nearest", "aten::_upsample_nearest_exact"}) {
    table.add(op + "1d", {line, Ints{6}});
    table.add(op + "1d_backward", {any({1, 2, 6}), Ints{6}, Ints{1, 2, 4}});
    table.add(op + "2d", {image, Ints{2, 7}});
    table.add(op + "2d_backward", {any({2, 2, 2, 7}), Ints{2, 7}, Ints{2, 2, 3, 4}});
    table.add(op + "3d", {volume, Ints{3, 2, 4}});
    table.add(op + "3d_backward", {any({1, 1, 3, 2, 4}), Ints{3, 2, 4}, Ints{1, 1, 2, 3, 2}});
  }
  table.add("aten::upsample_linear1d", {line, Ints{6}, true});
  table.add("aten::upsample_linear1d_backward", {any({1, 2, 6}), Ints{6}, Ints{1, 2, 4}, false});
  for (const std::string op : {"aten::upsample_bilinear2d", "aten::upsample_bicubic2d"}) {
    table.add(op, {image, Ints{2, 7}, false});
    table.add(op + "_backward", {any({2, 2, 2, 7}), Ints{2, 7}, Ints{2, 2, 3, 4}, true});
  }
  table.add("aten::upsample_trilinear3d", {volume, Ints{3, 2, 4}, false});
  table.add("aten::upsample_trilinear3d_backward",
            {any({1, 1, 3, 2, 4}), Ints{3, 2, 4}, Ints{1, 1, 2, 3, 2}, false});
}

void add_grids(Table& table) {
  const Input image = any({2, 2, 3, 4}), places = any({2, 2, 3, 2}), sampled = any({2, 2, 2, 3});
  for (const int64_t mode : {0, 1, 2}) {
    for (const int64_t padding : {0, 1, 2}) {
      const bool aligns = (mode + padding) % 2 == 0;
      table.add("aten::grid_sampler_2d", {image, places, mode, padding, aligns});
      table.add("tenon::grid_sampler_2d_backward_input",
                {sampled, places, Ints{2, 2, 3, 4}, mode, padding, aligns, 0, 0});
      table.add("tenon::grid_sampler_2d_slope", {image, places, mode, padding, aligns, 0, 1});
    }
  }
  const Input volume = any({1, 2, 2, 3, 2}), spots = any({1, 2, 1, 2, 3});
  for (const int64_t mode : {0, 1, 2}) {
    for (const int64_t padding : {0, 1, 2}) {
      const bool aligns = (mode + padding) % 2 == 0;
      table.add("aten::grid_sampler_3d", {volume, spots, mode, padding, aligns});
    }
  }
  table.add("tenon::grid_sampler_3d_backward_input",
            {any({1, 2, 2, 1, 2}), spots, Ints{1, 2, 2, 3, 2}, 0, 0, true, 0, 0, 0});
  table.add("tenon::grid_sampler_3d_slope", {volume, spots, 2, 0, false, 0, 1, 1});
  const Tensor frames =
      call("aten::_log_softmax",
           call("aten::reshape",
                call("aten::_to_copy", indices({1, 5, 2, 4, 0, 3, 6, 1, 2, 2, 0, 1}),
                     kw("dtype", Dtype::F64)),
                Ints{4, 1, 3}),
           2, false);
  const Tensor spelled = call("aten::reshape", indices({1, 2}), Ints{1, 2});
  const Tensor loss = call("aten::ctc_loss.IntList", frames, spelled, Ints{4}, Ints{2}, 0, 0);
  table.add("aten::_ctc_loss_backward",
            {any({1}), frames, spelled, Ints{4}, Ints{2}, loss,
             call("aten::zeros", Ints{1, 4, 5}, kw("dtype", Dtype::F64)), 0});
  table.add("aten::affine_grid_generator", {any({2, 2, 3}), Ints{2, 1, 2, 3}, false});
  table.add("aten::affine_grid_generator", {any({1, 3, 4}), Ints{1, 1, 2, 1, 3}, true});
  const Tensor found = call("aten::reshape", indices({1, 4, 7, 2}), Ints{1, 2, 2});
  table.add("aten::max_unpool2d", {any({1, 2, 2}), found, Ints{3, 3}});
}

void add_normalization_and_losses(Table& table) {
  const Ints row{3};
  table.add("aten::layer_norm", {any({2, 3}), row, any({3}), any({3})});
  table.add("aten::layer_norm", {any({2, 3}), Ints{2, 3}});
  table.add("aten::group_norm", {any({2, 4, 3}), 2, any({4}), any({4})});
  table.add("aten::group_norm", {any({1, 4}), 1});
  table.add("aten::rms_norm", {any({2, 3}), row, any({3})});
  table.add("aten::rms_norm", {any({2, 3}), Ints{2, 3}});
  for (const char* op : {"aten::mse_loss", "aten::l1_loss"}) {
    for (const int reduction : {0, 1, 2}) table.add(op, {any({2, 3}), positive({3}), reduction});
  }
  const Input probable{{2, 3}, 0.1, 0.9};
  for (const int reduction : {0, 1, 2}) {
    table.add("aten::binary_cross_entropy", {probable, probable, any({3}), reduction});
    table.add("aten::binary_cross_entropy", {probable, probable, Value(), reduction});
  }
  for (const char* op : {"aten::smooth_l1_loss", "aten::huber_loss"}) {
    for (const double bound : {0.3, 4.0}) {
      table.add(op, {any({2, 3}), positive({2, 3}), 0, bound});
      table.add(op, {any({2, 3}), positive({3}), 1, bound});
    }
  }
  for (const int64_t reduction : {0, 1, 2}) {
    table.add("aten::nll_loss_forward",
              {any({3, 4}), indices({1, -100, 3}), Value(), reduction, -100});
    const Tensor pixels = call("aten::reshape", indices({1, 0, -100, 1}), Ints{1, 2, 2});
    table.add("aten::nll_loss2d_forward", {any({1, 2, 2, 2}), pixels, Value(), reduction, -100});
  }
}

}  // namespace

std::vector<Sample> gradient_samples() {
  Table table;
  add_pointwise(table);
  add_maths(table);
  add_views(table);
  add_reductions(table);
  add_products_and_lists(table);
  add_indexing(table);
  add_order(table);
  add_special(table);
  add_searching(table);
  add_linear_algebra(table);
  add_transforms(table);
  add_windows(table);
  add_images(table);
  add_grids(table);
  add_activations(table);
  add_arranging(table);
  add_measures(table);
  add_normalization_and_losses(table);
  return table.take();
}

}  // namespace tenon::tests
