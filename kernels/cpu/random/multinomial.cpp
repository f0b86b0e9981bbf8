// SPDX-License-Identifier: Apache-2.0
// aten::multinomial on the CPU, with the same numbers as PyTorch. Without replacement, or for one
// sample, it takes the largest of the probabilities divided by exponential numbers, which are drawn
// in the order of memory. With replacement it searches the cumulative sums of probabilities for one
// uniform double per sample.
#include "kernels/ops/random/multinomial.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/common/allocation.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/random/random.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// A tensor of one or two dims as lines along the last dim.
class ChanceLines {
 public:
  explicit ChanceLines(const tenon_tensor_info& info)
      : data_(static_cast<char*>(info.data)),
        size_(size_of(dtype_of_info(info))),
        lines_(info.ndim == 2 ? info.sizes[0] : 1),
        length_(info.sizes[info.ndim - 1]),
        line_stride_(info.ndim == 2 ? info.strides[0] : 0),
        stride_(info.strides[info.ndim - 1]) {}

  int64_t lines() const { return lines_; }
  int64_t length() const { return length_; }
  char* at(int64_t line, int64_t i) const {
    return data_ + (line * line_stride_ + i * stride_) * size_;
  }

 private:
  char* data_;
  int64_t size_;
  int64_t lines_;
  int64_t length_;
  int64_t line_stride_;
  int64_t stride_;
};

template <class T>
void check_chances(const Call& call, const ChanceLines& chances) {
  for (int64_t line = 0; line < chances.lines(); ++line) {
    bool is_any = false;
    for (int64_t i = 0; i < chances.length(); ++i) {
      const Compute<T> chance = load<T>(chances.at(line, i));
      if (!(chance >= 0 && std::isfinite(chance))) {
        fail_argument(call.op(), "self", "have finite elements >= 0",
                      Scalar(static_cast<double>(chance)));
      }
      is_any = is_any || chance > 0;
    }
    if (!is_any) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": self must have an element > 0 in each row, got none in row ", line});
    }
  }
}

// Returns each probability divided by an exponential number, both rounded to the dtype; the largest
// ones are the sample. The result is dense, with the order of self's dims.
template <class T>
Tensor raced(const tenon_tensor_info& self, const Generator& generator) {
  const Dims strides = preserving_strides(sizes_of(self), strides_of(self));
  Tensor race = allocate(sizes_of(self), dtype_of_info(self), Device(self.device), strides.begin());
  const tenon_tensor_info info = race.info();
  int64_t perm[kMaxDims];
  order_dims(sizes_of(info), &info.strides, 1, perm);
  Walk walk;
  walk.begin(sizes_of(info), perm, 2);
  walk.set(0, info.data, sizeof(T), info.strides);
  walk.set(1, self.data, sizeof(T), self.strides);
  Draws<uint32_t> draws(generator, info.numel * 2);
  walk.steps<0, 2>(walk.raw_data(), [&](char* const* data) {
    store<T>(data[0], -std::log1p(-unit_uniform<double>(draws.take(2).data())));
    store<T>(data[0], load<T>(data[1]) / load<T>(data[0]));
  });
  return race;
}

template <class T>
void draw_apart(const Call& call, const tenon_tensor_info& self, const ChanceLines& result,
                const Generator& generator) {
  check_chances<T>(call, ChanceLines(self));
  const Tensor race = raced<T>(self, generator);
  const ChanceLines lines(race.info());
  std::vector<int64_t> order(static_cast<size_t>(lines.length()));
  for (int64_t line = 0; line < lines.lines(); ++line) {
    std::iota(order.begin(), order.end(), int64_t{0});
    const auto is_before = [&](int64_t a, int64_t b) {
      const Compute<T> x = load<T>(lines.at(line, a)), y = load<T>(lines.at(line, b));
      if (x != x || y != y) return x != x && (y == y || a < b);
      return x > y || (x == y && a < b);
    };
    std::partial_sort(order.begin(), order.begin() + result.length(), order.end(), is_before);
    for (int64_t k = 0; k < result.length(); ++k) {
      store<int64_t>(result.at(line, k), order[static_cast<size_t>(k)]);
    }
  }
}

template <class T>
void draw_again(const Call& call, const tenon_tensor_info& self, const ChanceLines& result,
                const Generator& generator) {
  const ChanceLines chances(self);
  check_chances<T>(call, chances);
  Draws<uint32_t> draws(generator, chances.lines() * result.length() * 2);
  std::vector<Compute<T>> sums(static_cast<size_t>(chances.length()));
  for (int64_t line = 0; line < chances.lines(); ++line) {
    Compute<T> sum = 0;
    for (int64_t i = 0; i < chances.length(); ++i) {
      sum += load<T>(chances.at(line, i));
      sums[static_cast<size_t>(i)] = sum;
    }
    for (Compute<T>& each : sums) each /= sum;
    sums.back() = 1;
    for (int64_t k = 0; k < result.length(); ++k) {
      const double u = unit_uniform<double>(draws.take(2).data());
      const auto found = std::lower_bound(
          sums.begin(), sums.end(), u,
          [](Compute<T> each, double drawn) { return static_cast<double>(each) < drawn; });
      store<int64_t>(result.at(line, k), found - sums.begin());
    }
  }
}

void multinomial(const Call& call) {
  Tensor result = multinomial_result(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info(), info = result.info();
  if (info.numel != 0) {
    const Generator generator = generator_for(call.op(), call.get<std::optional<Generator>>(3));
    const bool draws_again = call.get<bool>(2) && call.get<int64_t>(1) != 1;
    visit(call.op(), "self", dtype_of_info(self), FloatTypes(), [&]<class T>(Element<T>) {
      if (draws_again) {
        draw_again<T>(call, self, ChanceLines(info), generator);
      } else {
        draw_apart<T>(call, self, ChanceLines(info), generator);
      }
    });
  }
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kMultinomial() { return routine_of<ops::kMultinomial, &multinomial>(); }

}  // namespace tenon::kernels::cpu
