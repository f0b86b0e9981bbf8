// SPDX-License-Identifier: Apache-2.0
// Large tensors in the layouts that select a kernel's loop: rows, columns, short inner dimensions,
// transposed operands, mixed dtypes. Results are written into existing tensors, so that no page
// faults are measured.
#include "layouts.h"

#include <array>
#include <optional>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::Dtype;
using tenon::Op;
using tenon::Scalar;
using tenon::Sizes;
using tenon::Tensor;

using Dims = std::vector<int64_t>;

Tensor ones(const Dims& sizes, Dtype dtype = Dtype::F32) {
  static const auto* op =
      new auto(Op("aten::ones")
                   .typed<Tensor(Sizes, std::optional<Dtype>, std::optional<tenon::Layout>,
                                 std::optional<tenon::Device>, std::optional<bool>)>());
  return (*op)(sizes, dtype, std::nullopt, std::nullopt, std::nullopt);
}

Tensor turned(const Tensor& tensor) {
  static const auto* op = new auto(Op("aten::t").typed<Tensor(const Tensor&)>());
  return (*op)(tensor);
}

void add(int64_t calls, const Tensor& a, const Tensor& b, const Tensor& out) {
  const auto op =
      Op("aten::add.out").typed<void(const Tensor&, const Tensor&, Scalar, const Tensor&)>();
  for (int64_t i = 0; i < calls; ++i) op(a, b, Scalar(1), out);
}

void unary(int64_t calls, const char* name, int64_t count) {
  const auto op = Op(name).typed<void(const Tensor&, const Tensor&)>();
  const Tensor self = ones({count}), out = ones({count});
  for (int64_t i = 0; i < calls; ++i) op(self, out);
}

void sum(int64_t calls, int64_t size, int64_t dim) {
  const auto op = Op("aten::sum.IntList_out")
                      .typed<void(const Tensor&, std::optional<Sizes>, bool, std::optional<Dtype>,
                                  const Tensor&)>();
  const Tensor self = ones({size, size}), out = ones({size});
  const std::array<int64_t, 1> dims{dim};
  for (int64_t i = 0; i < calls; ++i) op(self, Sizes(dims), false, std::nullopt, out);
}

void amax(int64_t calls, int64_t size, int64_t dim) {
  const auto op = Op("aten::amax.out").typed<void(const Tensor&, Sizes, bool, const Tensor&)>();
  const Tensor self = ones({size, size}), out = ones({size});
  const std::array<int64_t, 1> dims{dim};
  for (int64_t i = 0; i < calls; ++i) op(self, Sizes(dims), false, out);
}

void add_sizes(int64_t calls, const Dims& left, const Dims& right) {
  add(calls, ones(left), ones(right), ones(left));
}

void add_turned(int64_t calls, int64_t size) {
  add(calls, ones({size, size}), turned(ones({size, size})), ones({size, size}));
}

void add_dtypes(int64_t calls, Dtype left, Dtype right, Dtype result) {
  constexpr int64_t kCount = 65536;
  add(calls, ones({kCount}, left), ones({kCount}, right), ones({kCount}, result));
}

const tenon_bench_peer rows[] = {
    {"layout/sum_dim0_512", [](int64_t n) { sum(n, 512, 0); }},
    {"layout/sum_dim0_2048", [](int64_t n) { sum(n, 2048, 0); }},
    {"layout/sum_dim1_512", [](int64_t n) { sum(n, 512, 1); }},
    {"layout/amax_dim0_512", [](int64_t n) { amax(n, 512, 0); }},
    {"layout/amax_dim0_2048", [](int64_t n) { amax(n, 2048, 0); }},
    {"layout/amax_dim1_512", [](int64_t n) { amax(n, 512, 1); }},
    {"layout/add_row_512",
     [](int64_t n) {
       add_sizes(n, {512, 512}, {512});
     }},
    {"layout/add_column_512",
     [](int64_t n) {
       add_sizes(n, {512, 512}, {512, 1});
     }},
    {"layout/add_100000x3_and_3",
     [](int64_t n) {
       add_sizes(n, {100000, 3}, {3});
     }},
    {"layout/add_37500x8_and_8",
     [](int64_t n) {
       add_sizes(n, {37500, 8}, {8});
     }},
    {"layout/add_9375x32_and_32",
     [](int64_t n) {
       add_sizes(n, {9375, 32}, {32});
     }},
    {"layout/add_turned_512", [](int64_t n) { add_turned(n, 512); }},
    {"layout/add_turned_2048", [](int64_t n) { add_turned(n, 2048); }},
    {"layout/exp_64k", [](int64_t n) { unary(n, "aten::exp.out", 65536); }},
    {"layout/tanh_64k", [](int64_t n) { unary(n, "aten::tanh.out", 65536); }},
    {"layout/sigmoid_64k", [](int64_t n) { unary(n, "aten::sigmoid.out", 65536); }},
    {"layout/add_f16_64k", [](int64_t n) { add_dtypes(n, Dtype::F16, Dtype::F16, Dtype::F16); }},
    {"layout/add_bf16_64k",
     [](int64_t n) { add_dtypes(n, Dtype::BF16, Dtype::BF16, Dtype::BF16); }},
    {"layout/add_i64_f32_64k",
     [](int64_t n) { add_dtypes(n, Dtype::I64, Dtype::F32, Dtype::F32); }},
    {nullptr, nullptr},
};

}  // namespace

const tenon_bench_peer* layout_rows() { return rows; }
