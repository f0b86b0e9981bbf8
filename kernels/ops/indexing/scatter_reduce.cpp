// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::scatter_reduce, and its gradients.
#include "kernels/ops/indexing/scatter_reduce.h"

#include <string_view>

#include "kernels/common/maths/element.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/filled_like.h"
#include "kernels/ops/indexing/scatter.h"

namespace tenon::kernels {
namespace {

struct ReduceWord {
  std::string_view word;
  ReduceBy reduction;
};

constexpr ReduceWord kReduceWords[] = {{"sum", ReduceBy::Sum},
                                       {"prod", ReduceBy::Prod},
                                       {"mean", ReduceBy::Mean},
                                       {"amax", ReduceBy::Amax},
                                       {"amin", ReduceBy::Amin}};
constexpr ReduceWord kScatterWords[] = {{"add", ReduceBy::Sum}, {"multiply", ReduceBy::Prod}};

std::optional<ReduceBy> find_reduction(std::span<const ReduceWord> words, std::string_view word) {
  for (const ReduceWord& each : words) {
    if (each.word == word) return each.reduction;
  }
  return std::nullopt;
}

void check_reduced(const char* op, ReduceBy reduction, Dtype dtype) {
  switch (reduction) {
    case ReduceBy::Mean:
      return check_dtype(op, "self", dtype, ReducedTypes<ReduceBy::Mean>());
    case ReduceBy::Amax:
    case ReduceBy::Amin:
      return check_dtype(op, "self", dtype, ReducedTypes<ReduceBy::Amax>());
    default:
      return check_dtype(op, "self", dtype, ReducedTypes<ReduceBy::Sum>());
  }
}

}  // namespace

ScatterReduction scatter_reduction(const Call& call) {
  const bool is_own = std::string_view(call.facts().name) == "scatter_reduce.two";
  const auto word = call.get<std::string_view>(4);
  const auto reduction =
      is_own ? find_reduction(kReduceWords, word) : find_reduction(kScatterWords, word);
  if (!reduction) {
    fail_argument(call.op(), "reduce",
                  is_own ? "'sum', 'prod', 'mean', 'amax' or 'amin'" : "'add' or 'multiply'", word);
  }
  check_reduced(call.op(), *reduction, call.get<Tensor>(0)->dtype());
  auto dim = call.get<int64_t>(1);
  Tensor result = scatter_result(call, dim);
  return {std::move(result), dim, *reduction, !is_own || call.get<bool>(5)};
}

namespace ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Scalar&)> scatter_value(
    "aten::scatter.value");
constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Tensor&,
                              std::string_view, bool)>
    scatter_reduce("aten::scatter_reduce.two");

// The arguments of a backward operator.
struct BackwardArguments {
  Tensor grad;
  Tensor self;
  int64_t dim;
  Tensor index;
  Tensor src;
  ReduceBy reduction;
  bool includes_self;
  Tensor result;

  explicit BackwardArguments(const Call& call)
      : grad(*call.get<Tensor>(0)),
        self(*call.get<Tensor>(1)),
        dim(call.get<int64_t>(2)),
        index(*call.get<Tensor>(3)),
        src(*call.get<Tensor>(4)),
        includes_self(call.get<bool>(6)),
        result(*call.get<Tensor>(7)) {
    const auto word = call.get<std::string_view>(5);
    auto found = find_reduction(kReduceWords, word);
    if (!found) found = find_reduction(kScatterWords, word);
    if (!found) fail_argument(call.op(), "reduce", "a reduction of aten::scatter_reduce", word);
    reduction = *found;
  }

  Tensor at_places(const Tensor& tensor) const { return call_gather(tensor, dim, index); }
  Tensor product(const Tensor& of_self, const Tensor& of_src) const {
    return scatter_reduce(of_self, dim, index, of_src, "prod", includes_self);
  }
  // Returns the number of elements that each result is the mean of.
  Tensor counts() const {
    const Tensor counted = call_scatter_add(
        (includes_self ? call_ones_like : call_zeros_like)(grad), dim, index, call_ones_like(src));
    return call_masked_fill(counted, call_eq(counted, Scalar(0)), Scalar(1));
  }
  Tensor truth(const Tensor& condition) const { return cast(condition, self.dtype()); }
  // Returns grad divided by the number of elements that equal the extreme.
  Tensor shared() const {
    const Tensor of_self = truth(call_eq(self, result));
    const Tensor of_src = truth(call_eq(src, at_places(result)));
    return call_div(grad, call_scatter_add(of_self, dim, index, of_src));
  }
};

}  // namespace

void scatter_reduce_meta(const Call& call) {
  ScatterReduction plan = scatter_reduction(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void scatter_reduce_self_backward(const Call& call) {
  const BackwardArguments of(call);
  Tensor grad = of.grad;
  switch (of.reduction) {
    case ReduceBy::Sum:
      break;
    case ReduceBy::Prod: {
      // Zeros are replaced by 1 in the product, to avoid dividing by them.
      const Tensor masked = call_masked_fill(of.self, call_eq(of.self, Scalar(0)), Scalar(1));
      grad = call_mul(grad, call_conj(call_div(of.product(masked, of.src), masked)));
      break;
    }
    case ReduceBy::Mean:
      grad = call_div(grad, of.counts());
      break;
    case ReduceBy::Amax:
    case ReduceBy::Amin:
      grad = call_mul(of.truth(call_eq(of.self, of.result)), of.shared());
      break;
  }
  if (!of.includes_self) grad = scatter_value(grad, of.dim, of.index, Scalar(0));
  call.give(0, grad);
}

void scatter_reduce_src_backward(const Call& call) {
  const BackwardArguments of(call);
  switch (of.reduction) {
    case ReduceBy::Sum:
      return call.give(0, of.at_places(of.grad));
    case ReduceBy::Prod: {
      const Tensor is_zero = call_eq(of.src, Scalar(0));
      const Tensor zeros = of.at_places(
          call_scatter_add(call_zeros_like(of.self), of.dim, of.index, of.truth(is_zero)));
      // For factors of 0 in src, the gradient is the product of the other factors, which does not
      // follow from the result. It is the product of the nonzero factors, times the other 0 if
      // there are two. The latter matters for the next derivative.
      const Tensor others = of.product(of.self, call_masked_fill(of.src, is_zero, Scalar(1)));
      const Tensor sum = call_scatter_add(call_zeros_like(of.self), of.dim, of.index,
                                          call_mul(of.src, of.truth(is_zero)));
      const Tensor other_zero = call_sub(of.at_places(sum), of.src);
      const Tensor factor =
          call_where(call_eq(zeros, Scalar(2)), other_zero, of.truth(call_eq(zeros, Scalar(1))));
      const Tensor divisor = call_conj(call_masked_fill(of.src, is_zero, Scalar(1)));
      const Tensor divided =
          call_div(of.at_places(call_mul(of.grad, call_conj(of.result))), divisor);
      const Tensor of_zeros =
          call_mul(of.at_places(call_mul(of.grad, call_conj(others))), call_conj(factor));
      return call.give(0, call_where(is_zero, of_zeros, divided));
    }
    case ReduceBy::Mean:
      return call.give(0, call_div(of.at_places(of.grad), of.at_places(of.counts())));
    case ReduceBy::Amax:
    case ReduceBy::Amin:
      return call.give(0, call_mul(of.truth(call_eq(of.src, of.at_places(of.result))),
                                   of.at_places(of.shared())));
  }
}

void scatter_value_reduce_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Scalar&,
                                       std::string_view)>
      scatter("aten::scatter.value_reduce");
  const auto grad = call.get<Tensor>(0);
  const auto word = call.get<std::string_view>(4);
  if (word == "add") return call.give(0, Tensor(*grad));
  auto value = call.get<Scalar>(3);
  if (value.is_complex()) value = Scalar(std::conj(value.to_complex()));
  call.give(0, scatter(grad, call.get<int64_t>(1), call.get<Tensor>(2), value, word));
}

}  // namespace ops

}  // namespace tenon::kernels
