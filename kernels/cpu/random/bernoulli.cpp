// SPDX-License-Identifier: Apache-2.0
// aten::bernoulli_ on the CPU. It draws the same numbers as PyTorch, in the order of memory: two of
// 32 bits for an element, or one if probabilities are a tensor of floats.
#include "kernels/ops/random/bernoulli.h"

#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/random/random.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

using BernoulliTypes = Joined<BoolType, RealTypes>;

template <class T>
void draw_number(const Walk& walk, double p, Draws<uint32_t>& draws) {
  char* base = walk.data(0);
  walk.rows<1>(&base, [&](char* const* data) {
    for (int64_t i = 0; i < walk.size(0); ++i) {
      const bool is_one = unit_uniform<double>(draws.take(2).data()) < p;
      store<T>(data[0] + i * walk.stride(0, 0), is_one ? 1 : 0);
    }
  });
}

void bernoulli_of_number(const Call& call) {
  ops::check_bernoulli(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const Generator generator = generator_for(call.op(), call.get<std::optional<Generator>>(2));
  const Walk walk = walk_in_memory_order(self);
  Draws<uint32_t> draws(generator, self.numel * 2);
  visit(call.op(), "self", dtype_of_info(self), BernoulliTypes(),
        [&]<class T>(Element<T>) { draw_number<T>(walk, call.get<double>(1), draws); });
}

template <class T, class P>
void draw_each(const Walk& walk, Draws<uint32_t>& draws) {
  using C = Compute<P>;
  walk.steps<0, 2>(walk.raw_data(), [&](char* const* data) {
    const C u = unit_uniform<C>(draws.take(kNumbersPerUniform<C>).data());
    store<T>(data[0], u < load<P>(data[1]) ? 1 : 0);
  });
}

void check_probabilities(const Call& call, const tenon_tensor_info& p) {
  visit(call.op(), "p", dtype_of_info(p), FloatTypes(), [&]<class P>(Element<P>) {
    Walk walk;
    int64_t perm[kMaxDims];
    row_major_order(p.ndim, perm);
    walk.begin(sizes_of(p), perm, 1);
    walk.set(0, p.data, sizeof(P), p.strides);
    walk.steps<0, 1>(walk.raw_data(), [&](char* const* data) {
      const auto number = static_cast<double>(load<P>(data[0]));
      if (!(number >= 0 && number <= 1)) {
        fail_argument(call.op(), "p", "have elements in [0, 1]", Scalar(number));
      }
    });
  });
}

void bernoulli_of_tensor(const Call& call) {
  ops::check_bernoulli_tensor(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info(), p = call.get<Tensor>(1)->info();
  check_probabilities(call, p);
  const Generator generator = generator_for(call.op(), call.get<std::optional<Generator>>(2));
  int64_t perm[kMaxDims];
  order_dims(sizes_of(self), &self.strides, 1, perm);
  Dims strides = Dims::filled(self.ndim, 0);
  for (int32_t d = 0; d < p.ndim; ++d) {
    if (p.sizes[d] != 1) strides[self.ndim - p.ndim + d] = p.strides[d];
  }
  Walk walk;
  walk.begin(sizes_of(self), perm, 2);
  walk.set(0, self.data, size_of(dtype_of_info(self)), self.strides);
  walk.set(1, p.data, size_of(dtype_of_info(p)), strides.begin());
  const int64_t each = dtype_of_info(p) == Dtype::F64 ? 2 : 1;
  Draws<uint32_t> draws(generator, self.numel * each);
  visit(call.op(), "self", dtype_of_info(self), BernoulliTypes(), [&]<class T>(Element<T>) {
    visit(call.op(), "p", dtype_of_info(p), FloatTypes(),
          [&]<class P>(Element<P>) { draw_each<T, P>(walk, draws); });
  });
}

}  // namespace

Operator operator_kBernoulliFloatInPlace() {
  return routine_of<ops::kBernoulliFloatInPlace, &bernoulli_of_number>();
}
Operator operator_kBernoulliTensorInPlace() {
  return routine_of<ops::kBernoulliTensorInPlace, &bernoulli_of_tensor>();
}

}  // namespace tenon::kernels::cpu
