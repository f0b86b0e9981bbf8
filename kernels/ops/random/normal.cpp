// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::normal, and the operators that it calls.
#include "kernels/ops/random/normal.h"

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/factories/fill.h"

namespace tenon::kernels {
void check_normal(const char* op, const tenon_tensor_info& self, double std) {
  check_fill_target(op, self);
  check_no_internal_overlap(op, self);
  check_dtype(op, "self", dtype_of_info(self), FloatAndComplexTypes());
  if (!(std >= 0)) fail_argument(op, "std", ">= 0", Scalar(std));  // refuses NaN as well
}

namespace ops {
namespace {

using Source = std::optional<Generator>;

// Returns the tensor to fill: a new row-major one with the dtype and device of `like`, or the
// call's `out`, which is resized.
Tensor begin(const Call& call, const Tensor& like, Sizes sizes) {
  if (call.form.is_functional()) {
    return call_empty(sizes, options_like(kind_of(like), {}));
  }
  const Tensor out = Tensor::retain(call.written());
  check_writable(call, out.info());
  if (!std::ranges::equal(out.sizes(), sizes)) resize_out(call.op(), out, sizes);
  return out;
}

void scale_by(Tensor& made, const Tensor& std) {
  static constinit const LazyOp<void(const Tensor&, const Tensor&)> multiply("aten::mul_.Tensor");
  multiply(made, std);
}

void move_by(Tensor& made, const Tensor& mean) {
  static constinit const LazyOp<void(const Tensor&, const Tensor&, const Scalar&)> add(
      "aten::add_.Tensor");
  add(made, mean, Scalar(1));
}

void check_stds(const Call& call, const Tensor& std) {
  if (is_complex(std.dtype())) fail_argument(call.op(), "std", "have a real dtype", std.dtype());
  if (numel_of(std) == 0 || !has_data(kind_of(std))) return;
  static constinit const LazyOp<Tensor(const Tensor&)> smallest("aten::min");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  const Scalar least = item(smallest(std));
  if (!(least.to_double() >= 0)) fail_argument(call.op(), "std", ">= 0 in all elements", least);
}

}  // namespace

void normal_like(const Call& call) {
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  Tensor made = empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}));
  call_normal(made, call.get<double>(1), call.get<double>(2), call.get<Source>(3));
  call.give(0, std::move(made));
}

void normal_numbers(const Call& call) {
  const auto size = call.get<Sizes>(2);
  Tensor made;
  if (call.form.is_functional()) {
    made = call_empty(size, options_of(call));
  } else {
    made = Tensor::retain(call.written());
    check_writable(call, made.info());
    if (!std::ranges::equal(made.sizes(), size)) resize_out(call.op(), made, size);
  }
  call_normal(made, call.get<double>(0), call.get<double>(1), call.get<Source>(3));
  end_factory(call, std::move(made));
}

void normal_of_means(const Call& call) {
  const Tensor mean = *call.get<Tensor>(0);
  const auto std = call.get<double>(1);
  Dims sizes(mean.sizes());
  // An `out` may be larger than the means.
  if (!call.form.is_functional() && TensorRef(call.written())->numel() != 0) {
    sizes = broadcast(call.op(), mean.sizes(), TensorRef(call.written())->sizes());
  }
  Tensor made = begin(call, mean, sizes);
  call_normal(made, 0, std, call.get<Source>(2));
  move_by(made, mean);
  end_factory(call, std::move(made));
}

void normal_of_stds(const Call& call) {
  const Tensor std = *call.get<Tensor>(1);
  check_stds(call, std);
  Tensor made = begin(call, std, std.sizes());
  call_normal(made, 0, 1, call.get<Source>(2));
  scale_by(made, std);
  static constinit const LazyOp<void(const Tensor&, const Scalar&, const Scalar&)> add(
      "aten::add_.Scalar");
  add(made, Scalar(call.get<double>(0)), Scalar(1));
  end_factory(call, std::move(made));
}

void normal_of_both(const Call& call) {
  const Tensor mean = *call.get<Tensor>(0);
  const Tensor std = *call.get<Tensor>(1);
  check_stds(call, std);
  Tensor made = begin(call, mean, broadcast(call.op(), mean.sizes(), std.sizes()));
  call_normal(made, 0, 1, call.get<Source>(2));
  scale_by(made, std);
  move_by(made, mean);
  end_factory(call, std::move(made));
}

}  // namespace ops

}  // namespace tenon::kernels
