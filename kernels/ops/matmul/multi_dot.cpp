// SPDX-License-Identifier: Apache-2.0
// Implements aten::linalg_multi_dot and aten::chain_matmul by calling other operators.
#include "kernels/ops/matmul/multi_dot.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

class Chain {
 public:
  explicit Chain(std::vector<Tensor> matrices)
      : matrices_(std::move(matrices)), count_(matrices_.size()), split_(count_ * count_) {
    // https://en.wikipedia.org/wiki/Matrix_chain_multiplication, by increasing lengths of
    // subchains.
    std::vector<double> cost(count_ * count_);
    const auto size = [&](size_t k) {
      return static_cast<double>(k < count_ ? matrices_[k].size(0) : matrices_[k - 1].size(1));
    };
    for (size_t length = 1; length < count_; ++length) {
      for (size_t first = 0; first + length < count_; ++first) {
        const size_t last = first + length;
        for (size_t at = first; at < last; ++at) {
          const double here = cost[first * count_ + at] + cost[(at + 1) * count_ + last] +
                              size(first) * size(at + 1) * size(last + 1);
          if (at == first || here < cost[first * count_ + last]) {
            cost[first * count_ + last] = here;
            split_[first * count_ + last] = at;
          }
        }
      }
    }
  }
  Tensor product(size_t first, size_t last) const {
    if (first == last) return matrices_[first];
    const size_t at = split_[first * count_ + last];
    return call_mm(product(first, at), product(at + 1, last));
  }
  Tensor product() const { return product(0, count_ - 1); }

 private:
  std::vector<Tensor> matrices_;
  size_t count_;
  std::vector<size_t> split_;
};

void check_chain(const Call& call, const std::vector<Tensor>& matrices) {
  for (size_t k = 0; k < matrices.size(); ++k) {
    const Tensor& one = matrices[k];
    if (one.ndim() != 2) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": ", call.form.names[0], " must be matrices (2 dims), got sizes ",
            one.sizes(), " at position ", k});
    }
    check_dtype_of(call.op(), call.form.names[0], one.dtype(), "the first one",
                   matrices[0].dtype());
    if (k > 0 && matrices[k - 1].size(1) != one.size(0)) {
      fail(
          TENON_ERROR_INVALID_ARGUMENT,
          {call.op(), ": a matrix must have as many rows as the one before has columns, got sizes ",
           matrices[k - 1].sizes(), " and ", one.sizes()});
    }
  }
}

}  // namespace

void linalg_multi_dot(const Call& call) {
  std::vector<Tensor> matrices = tensors_of(call.get<TensorList>(0));
  if (matrices.size() < 2) {
    fail_argument(call.op(), "tensors", "a list of at least two tensors",
                  static_cast<int64_t>(matrices.size()));
  }
  // Vectors at the ends are a row and a column.
  const bool is_row = matrices.front().ndim() == 1, is_column = matrices.back().ndim() == 1;
  if (is_row) matrices.front() = call_unsqueeze(matrices.front(), 0);
  if (is_column) matrices.back() = call_unsqueeze(matrices.back(), 1);
  check_chain(call, matrices);
  Tensor product = Chain(std::move(matrices)).product();
  if (is_column) product = call_squeeze(product, 1);
  if (is_row) product = call_squeeze(product, 0);
  call.give(0, std::move(product));
}

void chain_matmul(const Call& call) {
  std::vector<Tensor> matrices = tensors_of(call.get<TensorList>(0));
  if (matrices.empty())
    fail_argument(call.op(), "matrices", "a list of at least one tensor", "an empty list");
  check_chain(call, matrices);
  call.give(0, Chain(std::move(matrices)).product());
}

}  // namespace tenon::kernels::ops
