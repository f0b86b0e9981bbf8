// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::embedding_bag, its implementation by other operators, and its gradients.
#include "kernels/ops/embedding/embedding_bag.h"

#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {
namespace {

BagMode bag_mode(const Call& call, int k) {
  const auto mode = call.get<int64_t>(k);
  if (mode < 0 || mode > 2) fail_argument(call.op(), "mode", "0 (sum), 1 (mean) or 2 (max)", mode);
  return static_cast<BagMode>(mode);
}

// Checks the dtypes of indices and offsets, one of which may be int32.
Dtype check_bag_indices(const Call& call, const tenon_tensor_info& indices,
                        const tenon_tensor_info& offsets) {
  bool is_wide = false;
  for (const auto& [name, info] :
       {std::pair("indices", &indices), std::pair("offsets", &offsets)}) {
    const Dtype dtype = dtype_of_info(*info);
    if (dtype != Dtype::I64 && dtype != Dtype::I32) {
      fail_argument(call.op(), name, "have dtype int64 or int32", dtype);
    }
    if (info->ndim != 1) fail_argument(call.op(), name, "a vector (1 dim)", sizes_of(*info));
    is_wide = is_wide || dtype == Dtype::I64;
  }
  return is_wide ? Dtype::I64 : Dtype::I32;
}

void check_sample_weights(const Call& call, const tenon_tensor_info& weight,
                          const tenon_tensor_info& indices, BagMode mode) {
  const auto given = call.get<std::optional<Tensor>>(6);
  if (!given) return;
  if (mode != BagMode::Sum) {
    fail_argument(call.op(), "per_sample_weights", "left out where mode is not 0 (sum)",
                  "a tensor");
  }
  check_dtype_of(call.op(), "per_sample_weights", given->dtype(), "weight", dtype_of_info(weight));
  if (given->sizes().size() != 1 || given->sizes()[0] != indices.numel) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": per_sample_weights must have an element for each of the ", indices.numel,
          " indices, got sizes ", given->sizes()});
  }
}

}  // namespace

EmbeddingBags embedding_bags(const Call& call) {
  const tenon_tensor_info weight = call.get<Tensor>(0)->info();
  const tenon_tensor_info indices = call.get<Tensor>(1)->info();
  const tenon_tensor_info offsets = call.get<Tensor>(2)->info();
  check_defined(call.op(), "weight", weight);
  check_floating(call.op(), "weight", dtype_of_info(weight));
  if (weight.ndim != 2) fail_argument(call.op(), "weight", "a matrix (2 dims)", sizes_of(weight));
  const Dtype index_dtype = check_bag_indices(call, indices, offsets);
  const BagMode mode = bag_mode(call, 4);
  check_sample_weights(call, weight, indices, mode);
  const bool includes_last = call.get<bool>(7);
  if (includes_last && offsets.numel == 0) {
    fail_argument(call.op(), "offsets", "have at least 1 element with include_last_offset", 0);
  }
  const int64_t count = offsets.numel - (includes_last ? 1 : 0);
  const int64_t width = weight.sizes[1];
  const Device device(weight.device);
  const Dims of_bags{count}, of_elements{count, width};
  EmbeddingBags made{result_for(call, of_elements, dtype_of_info(weight), device, nullptr, 0),
                     result_for(call, Dims{indices.numel}, index_dtype, device, nullptr, 1),
                     result_for(call, of_bags, index_dtype, device, nullptr, 2),
                     result_for(call, mode == BagMode::Max ? of_elements : of_bags, index_dtype,
                                device, nullptr, 3),
                     mode,
                     includes_last};
  if (!call.form.is_functional()) {
    const Tensor* const outs[] = {&made.rows, &made.bags, &made.counts, &made.max_indices};
    for (size_t k = 0; k < std::size(outs); ++k) {
      for (int arg = 0; arg < 3; ++arg) {
        check_no_overlap(call.op(), outs[k]->info(), call.get<Tensor>(arg)->info());
      }
      for (size_t other = 0; other < k; ++other) {
        check_outputs_apart(call.op(), outs[k]->info(), outs[other]->info());
      }
    }
  }
  return made;
}

void EmbeddingBags::give(const Call& call) {
  if (!call.form.is_functional()) return;
  call.give(0, std::move(rows));
  call.give(1, std::move(bags));
  call.give(2, std::move(counts));
  call.give(3, std::move(max_indices));
}

namespace ops {
namespace {

// Rows of the padding index get no gradient.
Tensor without_padding(const Tensor& numbers, const Tensor& indices, int64_t padding) {
  if (padding < 0) return numbers;
  Tensor is_padding = call_eq(indices, Scalar(padding));
  if (numbers.ndim() == 2) is_padding = call_unsqueeze(is_padding, 1);
  return call_masked_fill(numbers, is_padding, Scalar(0));
}

Tensor rows_at(const Tensor& matrix, const Tensor& indices) {
  tenon_tensor* const list[] = {indices.get()};
  return call_index(matrix, TensorList(list, 1));
}

}  // namespace

void embedding_bag_meta(const Call& call) { embedding_bags(call).give(call); }

void embedding_bag(const Call& call) {
  using Results = std::tuple<Tensor, Tensor, Tensor, Tensor>;
  static constinit const LazyOp<Results(const Tensor&, const Tensor&, const Tensor&, bool, int64_t,
                                        bool, const std::optional<Tensor>&, bool, int64_t)>
      bags("aten::_embedding_bag");
  const auto weight = call.get<Tensor>(0);
  int64_t padding = -1;
  if (call.form.arguments == 9) {
    const auto given = call.get<std::optional<int64_t>>(8);
    const int64_t count = weight->ndim() == 0 ? 0 : weight->sizes()[0];
    if (given) {
      if (*given < -count || *given >= count) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call.op(), ": padding_idx must be in [", -count, ", ", count - 1, "], got ", *given});
      }
      padding = *given < 0 ? *given + count : *given;
    }
  }
  auto [rows, bag_of, counts, max_indices] = bags(
      weight, call.get<Tensor>(1), call.get<Tensor>(2), call.get<bool>(3), call.get<int64_t>(4),
      call.get<bool>(5), call.get<std::optional<Tensor>>(6), call.get<bool>(7), padding);
  call.give(0, std::move(rows));
  call.give(1, std::move(bag_of));
  call.give(2, std::move(counts));
  call.give(3, std::move(max_indices));
}

void embedding_bag_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                       const Tensor&, int64_t, bool, int64_t,
                                       const std::optional<Tensor>&, int64_t)>
      dense("aten::_embedding_bag_dense_backward");
  if (call.get<bool>(9)) {
    fail(TENON_ERROR_NOT_SUPPORTED,
         {call.op(), ": sparse must be False, as gradients are dense, got True"});
  }
  call.give(
      0, dense(call.get<Tensor>(0), call.get<Tensor>(1), call.get<Tensor>(3), call.get<Tensor>(4),
               call.get<Tensor>(5), call.get<int64_t>(6), call.get<bool>(7), call.get<int64_t>(8),
               call.get<std::optional<Tensor>>(10), call.get<int64_t>(11)));
}

void embedding_bag_dense_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, int64_t, int64_t, bool)>
      added_rows("aten::embedding_dense_backward");
  const Tensor grad = *call.get<Tensor>(0), indices = *call.get<Tensor>(1);
  const Tensor bag_of = *call.get<Tensor>(2), counts = *call.get<Tensor>(3);
  const auto count = call.get<int64_t>(5);
  const BagMode mode = bag_mode(call, 7);
  if (grad.ndim() != 2) fail_argument(call.op(), "grad", "a matrix (2 dims)", grad.sizes());
  if (mode == BagMode::Max) {
    const Tensor is_empty = call_unsqueeze(call_eq(counts, Scalar(0)), 1);
    const Tensor zeros = call_zeros(Dims{count, grad.sizes()[1]}, options_like(kind_of(grad), {}));
    return call.give(0, call_scatter_add(zeros, 0, *call.get<Tensor>(4),
                                         call_masked_fill(grad, is_empty, Scalar(0))));
  }
  Tensor rows = rows_at(grad, bag_of);
  if (mode == BagMode::Mean) {
    const Tensor each = rows_at(counts, bag_of);
    // A bag that contains only padding has nothing to divide.
    const Tensor divisor = call_masked_fill(each, call_eq(each, Scalar(0)), Scalar(1));
    rows = call_div(rows, call_unsqueeze(cast(divisor, grad.dtype()), 1));
  }
  if (const auto weights = call.get<std::optional<Tensor>>(8)) {
    rows = call_mul(rows, call_unsqueeze(*weights, 1));
  }
  call.give(0, added_rows(rows, indices, count, call.get<int64_t>(9), call.get<bool>(6)));
}

void embedding_bag_weights_backward(const Call& call) {
  const Tensor indices = *call.get<Tensor>(2);
  if (bag_mode(call, 5) != BagMode::Sum) {
    fail_argument(call.op(), "mode", "0 (sum) if per_sample_weights are given",
                  call.get<int64_t>(5));
  }
  const Tensor products = call_mul(rows_at(*call.get<Tensor>(0), *call.get<Tensor>(4)),
                                   rows_at(*call.get<Tensor>(1), indices));
  call.give(0, without_padding(call_sum_of_dim(products, 1), indices, call.get<int64_t>(6)));
}

}  // namespace ops

}  // namespace tenon::kernels
