// SPDX-License-Identifier: Apache-2.0
// Whole calls of operators on small tensors: dispatch, checks, allocation, kernel, result.
#include "small_tensors.h"

#include <array>
#include <optional>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::Op;
using tenon::Scalar;
using tenon::Sizes;
using tenon::Tensor;
using tenon::TensorList;

// Returns a tensor of up to 64 ones, created once and never freed: rows only read it.
Tensor ones(std::initializer_list<int64_t> sizes) {
  static const auto* op =
      new auto(Op("aten::ones")
                   .typed<Tensor(Sizes, std::optional<tenon::Dtype>, std::optional<tenon::Layout>,
                                 std::optional<tenon::Device>, std::optional<bool>)>());
  return (*op)({sizes.begin(), sizes.size()}, std::nullopt, std::nullopt, std::nullopt,
               std::nullopt);
}

struct Tensors {
  Tensor a1 = ones({1}), b1 = ones({1});
  Tensor a64 = ones({64}), b64 = ones({64});
  Tensor scalar = ones({});
  Tensor a88 = ones({8, 8}), b88 = ones({8, 8}), row = ones({8});
  Tensor a22 = ones({2, 2}), b22 = ones({2, 2});
  Tensor a44 = ones({4, 4}), b44 = ones({4, 4});
  Tensor million = ones({1000000}), other_million = ones({1000000});
};

const Tensors& tensors() {
  static const auto* all = new Tensors;
  return *all;
}

template <class T>
void keep(const T& result) {
  asm volatile("" : : "r"(&result) : "memory");
}

// Calls `name` repeatedly under a C++ signature.
template <class Signature, class... A>
void repeat(int64_t calls, const char* name, const A&... arguments) {
  const auto op = Op(name).typed<Signature>();
  for (int64_t i = 0; i < calls; ++i) keep(op(arguments...));
}

using Alpha = Tensor(const Tensor&, const Tensor&, Scalar);
using Binary = Tensor(const Tensor&, const Tensor&);
using Unary = Tensor(const Tensor&);
using Fold = Tensor(const Tensor&, std::optional<tenon::Dtype>);
using FoldDims = Tensor(const Tensor&, std::optional<Sizes>, bool, std::optional<tenon::Dtype>);
using Shaped = Tensor(const Tensor&, Sizes);
using Slice = Tensor(const Tensor&, int64_t, std::optional<int64_t>, std::optional<int64_t>,
                     int64_t);
using List = Tensor(TensorList, int64_t);

void add(int64_t calls, const Tensor& a, const Tensor& b) {
  repeat<Alpha>(calls, "aten::add.Tensor", a, b, Scalar(1));
}
void binary(int64_t calls, const char* name, const Tensor& a, const Tensor& b) {
  repeat<Binary>(calls, name, a, b);
}
void fold(int64_t calls, const Tensor& a) { repeat<Fold>(calls, "aten::sum", a, std::nullopt); }
void list(int64_t calls, const char* name, const Tensor& a, const Tensor& b) {
  const std::array<tenon_tensor*, 2> both{a.get(), b.get()};
  repeat<List>(calls, name, TensorList(both.data(), 2), int64_t{0});
}

const tenon_bench_peer rows[] = {
    {"small/add_1", [](int64_t n) { add(n, tensors().a1, tensors().b1); }},
    {"small/add_64", [](int64_t n) { add(n, tensors().a64, tensors().b64); }},
    {"small/add_8x8", [](int64_t n) { add(n, tensors().a88, tensors().b88); }},
    {"small/add_8x8_and_row", [](int64_t n) { add(n, tensors().a88, tensors().row); }},
    {"small/add_64_and_0dim", [](int64_t n) { add(n, tensors().a64, tensors().scalar); }},
    {"small/add_inplace_1",
     [](int64_t n) {
       const auto op = Op("aten::add_.Tensor").typed<void(const Tensor&, const Tensor&, Scalar)>();
       const Tensor self = ones({1});
       for (int64_t i = 0; i < n; ++i) op(self, tensors().b1, Scalar(1));
     }},
    {"small/mul_1", [](int64_t n) { binary(n, "aten::mul.Tensor", tensors().a1, tensors().b1); }},
    {"small/mul_64",
     [](int64_t n) { binary(n, "aten::mul.Tensor", tensors().a64, tensors().b64); }},
    {"small/lt_64", [](int64_t n) { binary(n, "aten::lt.Tensor", tensors().a64, tensors().b64); }},
    {"small/relu_64", [](int64_t n) { repeat<Unary>(n, "aten::relu", tensors().a64); }},
    {"small/sqrt_1", [](int64_t n) { repeat<Unary>(n, "aten::sqrt", tensors().a1); }},
    {"small/fill_64",
     [](int64_t n) {
       const auto op = Op("aten::fill_.Scalar").typed<void(const Tensor&, Scalar)>();
       const Tensor self = ones({64});
       for (int64_t i = 0; i < n; ++i) op(self, Scalar(2.0));
     }},
    {"small/sum_1", [](int64_t n) { fold(n, tensors().a1); }},
    {"small/sum_64", [](int64_t n) { fold(n, tensors().a64); }},
    {"small/sum_8x8_dim1",
     [](int64_t n) {
       const std::array<int64_t, 1> dim{1};
       repeat<FoldDims>(n, "aten::sum.dim_IntList", tensors().a88, std::optional<Sizes>(Sizes(dim)),
                        false, std::nullopt);
     }},
    {"small/mm_2x2", [](int64_t n) { binary(n, "aten::mm", tensors().a22, tensors().b22); }},
    {"small/mm_8x8", [](int64_t n) { binary(n, "aten::mm", tensors().a88, tensors().b88); }},
    {"small/view_64",
     [](int64_t n) {
       const std::array<int64_t, 2> size{8, 8};
       repeat<Shaped>(n, "aten::view", tensors().a64, Sizes(size));
     }},
    {"small/reshape_64",
     [](int64_t n) {
       const std::array<int64_t, 2> size{8, -1};
       repeat<Shaped>(n, "aten::reshape", tensors().a64, Sizes(size));
     }},
    {"small/slice_64",
     [](int64_t n) {
       repeat<Slice>(n, "aten::slice.Tensor", tensors().a64, int64_t{0}, std::optional<int64_t>(8),
                     std::optional<int64_t>(32), int64_t{1});
     }},
    {"small/select_8x8",
     [](int64_t n) {
       repeat<Tensor(const Tensor&, int64_t, int64_t)>(n, "aten::select.int", tensors().a88,
                                                       int64_t{0}, int64_t{3});
     }},
    {"small/transpose_8x8",
     [](int64_t n) {
       repeat<Tensor(const Tensor&, int64_t, int64_t)>(n, "aten::transpose.int", tensors().a88,
                                                       int64_t{0}, int64_t{1});
     }},
    {"small/unsqueeze_64",
     [](int64_t n) {
       repeat<Tensor(const Tensor&, int64_t)>(n, "aten::unsqueeze", tensors().a64, int64_t{0});
     }},
    {"small/expand_8",
     [](int64_t n) {
       const std::array<int64_t, 2> size{8, 8};
       repeat<Tensor(const Tensor&, Sizes, bool)>(n, "aten::expand", tensors().row, Sizes(size),
                                                  false);
     }},
    {"small/cat_2x1", [](int64_t n) { list(n, "aten::cat", tensors().a1, tensors().b1); }},
    {"small/cat_2x64", [](int64_t n) { list(n, "aten::cat", tensors().a64, tensors().b64); }},
    {"small/stack_2x64", [](int64_t n) { list(n, "aten::stack", tensors().a64, tensors().b64); }},
    {"small/clone_64",
     [](int64_t n) {
       repeat<Tensor(const Tensor&, std::optional<tenon::MemoryFormat>)>(
           n, "aten::clone", tensors().a64, std::nullopt);
     }},
    {"large/add_1M", [](int64_t n) { add(n, tensors().million, tensors().other_million); }},
    {"large/mul_1M",
     [](int64_t n) { binary(n, "aten::mul.Tensor", tensors().million, tensors().other_million); }},
    {"large/sum_1M", [](int64_t n) { fold(n, tensors().million); }},
    {nullptr, nullptr},
};

}  // namespace

const tenon_bench_peer* small_tensor_rows() { return rows; }
