// SPDX-License-Identifier: Apache-2.0
// aten::normal_ on the CPU, with the same samples as PyTorch: 16 or more contiguous elements are
// made from uniform numbers in blocks of 16, all others from pairs of doubles.
#include "kernels/ops/random/normal.h"

#include <cmath>
#include <numbers>

#include "kernels/cpu/random/random.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

constexpr int64_t kBlock = 16;

// Box and Muller (1958): uniform numbers j and j + 8 of a block become normal.
template <class Float>
void transform_block(Float* block) {
  constexpr Float kTwoPi = static_cast<Float>(2.0 * std::numbers::pi);
  for (int64_t j = 0; j < kBlock / 2; ++j) {
    const Float uniform = Float{1} - block[j];  // (0, 1], for the logarithm
    const Float radius = std::sqrt(Float{-2} * std::log(uniform));
    const Float angle = kTwoPi * block[j + kBlock / 2];
    block[j] = radius * std::cos(angle);
    block[j + kBlock / 2] = radius * std::sin(angle);
  }
}

template <class T>
void fill_block(T* out, const Affine<Compute<T>>& place, Draws<uint32_t>& draws) {
  using C = Compute<T>;
  C block[kBlock];
  for (int64_t i = 0; i < kBlock;) {
    const auto numbers = draws.take((kBlock - i) * kNumbersPerUniform<C>);
    for (size_t k = 0; k < numbers.size(); k += kNumbersPerUniform<C>) {
      block[i++] = unit_uniform<C>(&numbers[k]);
    }
  }
  transform_block(block);
  for (int64_t i = 0; i < kBlock; ++i) out[i] = T(place(block[i]));
}

// The elements after the last whole block are overwritten by one more block, with new numbers, that
// ends at the last element. To match PyTorch, floats and doubles first skip the numbers of `count`
// % 16 elements.
template <class T>
void fill_blocks(T* data, int64_t count, const Affine<Compute<T>>& place,
                 const Generator& generator) {
  constexpr int64_t kNumbers = kNumbersPerUniform<Compute<T>>;
  const int64_t rest = count % kBlock;
  int64_t unused = is_small_float<T> ? 0 : rest * kNumbers;
  const int64_t blocks = count / kBlock + (rest != 0 ? 1 : 0);
  Draws<uint32_t> draws(generator, blocks * kBlock * kNumbers + unused);
  for (int64_t i = 0; i < count - rest; i += kBlock) fill_block(data + i, place, draws);
  if (rest == 0) return;
  while (unused > 0) unused -= static_cast<int64_t>(draws.take(unused).size());
  fill_block(data + count - kBlock, place, draws);
}

// Writes `parts` adjacent numbers for each of `count` elements.
template <class T>
void fill_row(char* out, int64_t stride, int64_t count, int64_t parts, const Affine<double>& place,
              Draws<double>& draws) {
  for (int64_t i = 0; i < count * parts;) {
    for (const double sample : draws.take(count * parts - i)) {
      char* element = out + i / parts * stride + i % parts * int64_t{sizeof(T)};
      *reinterpret_cast<T*>(element) = T(static_cast<Compute<T>>(place(sample)));
      ++i;
    }
  }
}

void normal_(const Call& call) {
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  const auto mean = call.get<double>(1);
  const auto std = call.get<double>(2);
  check_normal(call.op(), info, std);
  const Generator generator = generator_for(call.op(), call.get<std::optional<Generator>>(3));
  visit(call.op(), "self", dtype_of_info(info), FloatAndComplexTypes(), [&]<class T>(Element<T>) {
    using Part = Real<T>;
    constexpr int64_t kParts = sizeof(T) / sizeof(Part);
    // The variance of a complex number is split between its two parts.
    const double std_of_part = kParts == 2 ? std / std::numbers::sqrt2 : std;
    const int64_t count = info.numel * kParts;
    if (count >= kBlock && is_contiguous(info)) {
      fill_blocks(static_cast<Part*>(info.data), count, {std_of_part, mean}, generator);
      return;
    }
    const Walk walk = walk_in_memory_order(info);
    Draws<double> draws(generator, count);
    char* base = walk.data(0);
    walk.rows<1>(&base, [&](char* const* data) {
      fill_row<Part>(data[0], walk.stride(0, 0), walk.size(0), kParts, {std_of_part, mean}, draws);
    });
  });
}

}  // namespace

Operator operator_kNormalInPlace() { return routine_of<ops::kNormalInPlace, &normal_>(); }

}  // namespace tenon::kernels::cpu
