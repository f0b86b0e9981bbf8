// SPDX-License-Identifier: Apache-2.0
// Rules of operators that call others, for symbolic sizes.
#include "kernels/common/shape.h"
#include "kernels/common/shape_rules.h"
#include "kernels/common/stand_ins.h"
#include "kernels/ops/factory.h"
#include "kernels/ops/symbolic_rules.h"

namespace tenon::kernels {

namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> matrices("aten::mm");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> batched_matrices("aten::bmm");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> any_product("aten::matmul");
constinit const LazyOp<Tensor(const Tensor&)> transposed("aten::t");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> sum("aten::add.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> chosen(
    "aten::where.self");

// What no rule is written for gets numbers.
void run_with_numbers(const Call& call) {
  for (int k = 0; k < call.form.inputs; ++k) {
    if (call.args[k].tag != TENON_TAG_TENSOR) continue;
    check(tenon_tensor_specialize(call.tensor(k), call.form.names[k]));
  }
  call.facts().family->run(call);
}

SymbolicDims leading(const SymbolicTensor& tensor, int64_t count) {
  SymbolicDims sizes(tensor.sizes());
  sizes.resize(count);
  return sizes;
}

// Many rows of one matrix, whose dims in front are dims of the result.
Tensor rows_by_matrix(tenon_tensor* rows, tenon_tensor* matrix) {
  const SymbolicTensor a(rows);
  const int64_t last = a.ndim() - 1;
  SymbolicDims flat;
  flat.resize(2);
  flat[0] = -1;
  flat[1] = a.sizes()[static_cast<size_t>(last)];
  const Tensor product =
      matrices(call_with_sizes("aten::reshape", rows, flat), Tensor::retain(matrix));
  SymbolicDims sizes = leading(a, last + 1);
  sizes[last] = SymbolicTensor(matrix).sizes()[1];
  return call_with_sizes("aten::view", product.get(), sizes);
}

// A tensor as one batch of matrices, with the dims in front stretched to those of `batch`.
Tensor one_batch(tenon_tensor* tensor, const SymbolicDims& batch, SymbolicSize count) {
  const SymbolicTensor given(tensor);
  SymbolicDims sizes = batch;
  SymbolicDims flat;
  flat.insert(0, count);
  for (int64_t d = given.ndim() - 2; d < given.ndim(); ++d) {
    const SymbolicSize size = given.sizes()[static_cast<size_t>(d)];
    sizes.insert(sizes.size(), size);
    flat.insert(flat.size(), size);
  }
  const Tensor stretched = call_with_sizes("aten::expand", tensor, sizes, false);
  return call_with_sizes("aten::reshape", stretched.get(), flat);
}

// Matrices by matrices, all of whose dims in front are dims of the result.
Tensor batches(const Call& call, const SymbolicTensor& a, const SymbolicTensor& b) {
  SymbolicDims sizes = leading(a, a.ndim() - 2);
  const SymbolicDims of_b = leading(b, b.ndim() - 2);
  if (rules::broadcast_into(sizes, SymbolicSizes(of_b)) >= 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": dims in front of the matrices must broadcast, got sizes ",
          text_of(a.sizes()), " and ", text_of(b.sizes())});
  }
  SymbolicSize count = 1;
  for (const SymbolicSize size : sizes) count *= size;
  const Tensor product = batched_matrices(one_batch(call.tensor(0), sizes, count),
                                          one_batch(call.tensor(1), sizes, count));
  const SymbolicTensor made(product.get());
  sizes.insert(sizes.size(), made.sizes()[1]);
  sizes.insert(sizes.size(), made.sizes()[2]);
  return call_with_sizes("aten::_unsafe_view", product.get(), sizes);
}

void matmul(const Call& call) {
  const SymbolicTensor a(call.tensor(0));
  const SymbolicTensor b(call.tensor(1));
  if (b.ndim() < 2 || a.ndim() < 2) return run_with_numbers(call);
  if (b.ndim() > 2) return call.give(0, batches(call, a, b));
  if (a.ndim() == 2) {
    return call.give(0, matrices(Tensor::retain(call.tensor(0)), Tensor::retain(call.tensor(1))));
  }
  call.give(0, rows_by_matrix(call.tensor(0), call.tensor(1)));
}

void linear(const Call& call) {
  const SymbolicTensor weight(call.tensor(1));
  if (weight.ndim() != 2) return run_with_numbers(call);
  const Tensor turned = transposed(Tensor::retain(call.tensor(1)));
  Tensor product = any_product(Tensor::retain(call.tensor(0)), turned);
  const bool has_bias = call.args[2].tag == TENON_TAG_TENSOR;
  call.give(
      0, has_bias ? sum(product, Tensor::retain(call.tensor(2)), Scalar(1)) : std::move(product));
}

// Dims from one to another as one dim.
void flatten(const Call& call) {
  const SymbolicTensor self(call.tensor(0));
  const int64_t first = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  const int64_t last = wrap_dim(call.op(), call.get<int64_t>(2), self.ndim());
  if (self.ndim() == 0 || first >= last) return run_with_numbers(call);
  SymbolicDims sizes = leading(self, first + 1);
  for (int64_t d = first + 1; d < self.ndim(); ++d) {
    const SymbolicSize size = self.sizes()[static_cast<size_t>(d)];
    if (d <= last) {
      sizes[first] *= size;
    } else {
      sizes.insert(sizes.size(), size);
    }
  }
  call.give(0, call_with_sizes("aten::reshape", call.tensor(0), sizes));
}

// What asks nothing of sizes but through the operators that it calls.
void as_for_numbers(const Call& call) { call.facts().family->run(call); }

// Of a value that has no dims.
void masked_fill(const Call& call) {
  const Tensor like = StandIns(call).run()[0];
  const Tensor value = call_empty({}, options_like(like.info(), {}));
  call.give(0, chosen(Tensor::retain(call.tensor(1)), value, Tensor::retain(call.tensor(0))));
}

constexpr NamedRule kCompositeRules[] = {
    {"matmul", &matmul},
    {"linear", &linear},
    {"flatten.using_ints", &flatten},
    {"softmax.int", &as_for_numbers},
    {"log_softmax.int", &as_for_numbers},
    {"layer_norm", &as_for_numbers},
    {"rms_norm", &as_for_numbers},
    {"mse_loss", &as_for_numbers},
    {"l1_loss", &as_for_numbers},
    {"masked_fill.Scalar", &masked_fill},
    {"masked_fill.Tensor", &masked_fill},
};

}  // namespace

SymbolicRule symbolic_composite_rule(const Facts& facts, Forms form) {
  return find_rule(kCompositeRules, facts, form);
}

}  // namespace tenon::kernels
