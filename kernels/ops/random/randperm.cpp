// SPDX-License-Identifier: Apache-2.0
// aten::randperm, with the same numbers as PyTorch: one of 32 bits for each position except the
// last.
#include "kernels/ops/random/randperm.h"

#include <numeric>
#include <string_view>

#include "kernels/common/allocation.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// From this length on positions are drawn from 64 bits.
constexpr int64_t kWide = 0xFFFFFFFF / 20;

std::vector<int64_t> random_order(int64_t count, const Generator& generator) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t i = 0; i + 1 < count; ++i) {
    uint32_t drawn[2] = {};
    generator.random(std::span(drawn, count < kWide ? 1 : 2));
    const uint64_t number = count < kWide ? drawn[0] : uint64_t{drawn[0]} << 32 | drawn[1];
    const auto other = i + static_cast<int64_t>(number % static_cast<uint64_t>(count - i));
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(other)]);
  }
  return order;
}

}  // namespace

void randperm(const Call& call) {
  const auto count = call.get<int64_t>(0);
  if (count < 0) fail_argument(call.op(), "n", "at least 0", count);
  std::optional<Generator> source;
  if (std::string_view(call.facts().name) == "randperm.generator") {
    source = call.get<std::optional<Generator>>(1);
  }
  Tensor made;
  if (call.form.is_functional()) {
    FactoryOptions options = options_of(call);
    if (!options.dtype) options.dtype = Dtype::I64;
    made = call_empty(Dims{count}, options);
  } else {
    made = Tensor::retain(call.written());
    check_writable(call, made.info());
    if (!std::ranges::equal(made.sizes(), Dims{count})) resize_out(call.op(), made, Dims{count});
  }
  if (has_data(kind_of(made))) {
    const Generator generator = source ? *source : Generator::default_of();
    call_copy(made, Tensor::adopt(random_order(count, generator), Dims{count}));
  }
  end_factory(call, std::move(made));
}

}  // namespace tenon::kernels::ops
