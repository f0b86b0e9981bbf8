// SPDX-License-Identifier: Apache-2.0
// Implements aten::scaled_dot_product_attention by calling other operators.
#include "kernels/ops/attention/scaled_dot_product_attention.h"

#include <cmath>
#include <limits>

#include "kernels/common/promotion.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/symbolic/calls.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels::ops {

namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> product_of("aten::matmul");
constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> scaled_by("aten::mul.Scalar");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> hidden_where(
    "aten::masked_fill.Scalar");

// Returns the size of a dim, which counts from the end, as a word.
SymbolicSize size_at(const Tensor& tensor, int64_t dim) {
  const SymbolicTensor words(tensor.get());
  return words.sizes()[static_cast<size_t>(words.ndim() + dim)];
}

// Returns a mask that is true for keys after a query's position, which a causal query must not
// attend to.
Tensor later_keys(const Tensor& query, SymbolicSize row_count, SymbolicSize column_count) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> upper("aten::triu");
  if (!row_count.is_number() || !column_count.is_number()) {
    SymbolicDims sizes;
    sizes.insert(0, row_count);
    sizes.insert(1, column_count);
    return upper(new_ones(query.get(), sizes, Dtype::Bool), 1);
  }
  const int64_t rows = row_count.word(), columns = column_count.word();
  FactoryOptions options = options_like(kind_of(query), {});
  options.dtype = Dtype::Bool;
  Tensor all = call_empty(Dims{rows, columns}, options);
  call_fill(all, Scalar(true));
  return upper(all, 1);
}

// Repeats heads of keys and values that several adjacent heads of queries share.
Tensor shared_heads(const Call& call, const Tensor& query, const Tensor& heads, const char* name) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<int64_t>,
                                       std::optional<int64_t>)>
      repeated("aten::repeat_interleave.self_int");
  if (query.ndim() < 3 || heads.ndim() < 3) {
    fail_argument(call.op(), name, "have at least 3 dims", text_of(words_of(heads)));
  }
  const int64_t wanted = number_of(size_at(query, -3)), own = number_of(size_at(heads, -3));
  if (own == 0 || wanted % own != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", name, " must have a number of heads that divides ", wanted, ", got ",
          own});
  }
  return repeated(heads, wanted / own, -3, std::nullopt);
}

Tensor dropped(const Tensor& weights, double p) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> above("aten::ge.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> times("aten::mul.Tensor");
  Tensor drawn = call_empty_of_words(words_of(weights), options_like(kind_of(weights), {}));
  call_uniform(drawn, 0, 1, std::nullopt);
  return times(scaled_by(weights, Scalar(1 / (1 - p))), above(drawn, Scalar(p)));
}

}  // namespace

void scaled_dot_product_attention(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> transposed(
      "aten::transpose.int");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> softmax(
      "aten::softmax.int");
  static constinit const LazyOp<Tensor(const Tensor&)> inverted("aten::logical_not");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> add(
      "aten::add.Tensor");
  Tensor query = *call.get<Tensor>(0);
  Tensor key = *call.get<Tensor>(1), value = *call.get<Tensor>(2);
  const auto mask = call.get<std::optional<Tensor>>(3);
  const auto dropout = call.get<double>(4);
  const auto is_causal = call.get<bool>(5);
  for (int k = 0; k < 3; ++k) {
    const auto tensor = call.get<Tensor>(k);
    if (tensor->ndim() < 2) {
      fail_argument(call.op(), call.form.names[k], "have at least 2 dims",
                    text_of(words_of(*tensor)));
    }
    check_dtype_of(call.op(), call.form.names[k], tensor->dtype(), "query", query.dtype());
  }
  if (is_causal && mask)
    fail_argument(call.op(), "attn_mask", "None where is_causal is True", "a tensor");
  if (!(dropout >= 0 && dropout < 1)) {
    fail_argument(call.op(), "dropout_p", "in [0, 1)", Scalar(dropout));
  }
  if (call.get<bool>(7)) {
    key = shared_heads(call, query, key, "key");
    value = shared_heads(call, query, value, "value");
  }
  // On the CPU small floats are widened for products anyway, so intermediate results stay float.
  const Dtype dtype = query.dtype();
  const bool widens = is_half_precision(dtype) && query.device() == Device();
  if (widens) {
    query = cast(query, Dtype::F32);
    key = cast(key, Dtype::F32);
    value = cast(value, Dtype::F32);
  }
  const double size = static_cast<double>(number_of(size_at(query, -1)));
  const double scale = call.get<std::optional<double>>(6).value_or(1 / std::sqrt(size));
  // Multiplies both query and key by the root of the scale, not their product by the scale, so that
  // the product does not overflow in small floats.
  const Scalar root(std::sqrt(std::abs(scale)));
  const Tensor left = scaled_by(query, scale < 0 ? Scalar(-root.to_double()) : root);
  Tensor likeness = product_of(left, transposed(scaled_by(key, root), -2, -1));
  const Scalar none(-std::numeric_limits<double>::infinity());
  if (is_causal) {
    likeness =
        hidden_where(likeness, later_keys(query, size_at(query, -2), size_at(key, -2)), none);
  } else if (mask && mask->dtype() == Dtype::Bool) {
    likeness = hidden_where(likeness, inverted(*mask), none);
  } else if (mask) {
    likeness = add(likeness, *mask, Scalar(1));
  }
  Tensor weights = softmax(likeness, -1, std::nullopt);
  // A query that may attend to no key has a row of NaN, which is replaced by zeros.
  if (mask && mask->dtype() == Dtype::Bool) {
    static constinit const LazyOp<Tensor(const Tensor&, int64_t, bool)> any("aten::any.dim");
    weights = hidden_where(weights, inverted(any(*mask, -1, true)), Scalar(0));
  }
  if (dropout > 0) weights = dropped(weights, dropout);
  const Tensor result = product_of(weights, value);
  call.give(0, widens ? cast(result, dtype) : result);
}

}  // namespace tenon::kernels::ops
