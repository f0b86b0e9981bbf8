// SPDX-License-Identifier: Apache-2.0
// aten::uniform_ on the CPU. It draws the same numbers as PyTorch, in the order of memory: one for
// each element, two for a double, and the real part of a complex element before the imaginary part.
#include "kernels/ops/random/uniform.h"

#include "kernels/cpu/random/random.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// A random real element in [from, to). A value that rounds to `to` becomes `from`.
template <class T>
class Uniform {
 public:
  using C = Compute<T>;
  static constexpr int64_t kNumbers = kNumbersPerUniform<C>;

  Uniform(double from, double to)
      : place_(static_cast<C>(to) - static_cast<C>(from), from),
        from_(static_cast<C>(from)),
        to_(static_cast<C>(T(static_cast<C>(to)))) {}
  T operator()(const uint32_t* numbers) const {
    const C number = place_(unit_uniform<C>(numbers));
    return T(static_cast<C>(T(number)) == to_ ? from_ : number);
  }

 private:
  Affine<C> place_;
  C from_;
  C to_;
};

// Writes `parts` adjacent numbers for each of `count` elements. `uniform` is passed by value,
// because the loop would not be vectorized if the stores might change it.
template <class T>
void fill_row(char* out, int64_t stride, int64_t count, int64_t parts, Uniform<T> uniform,
              Draws<uint32_t>& draws) {
  constexpr int64_t kNumbers = Uniform<T>::kNumbers;
  constexpr int64_t kBytes = sizeof(T);
  for (int64_t i = 0; i < count * parts;) {
    const auto numbers = draws.take((count * parts - i) * kNumbers);
    const auto taken = static_cast<int64_t>(numbers.size()) / kNumbers;
    if (stride == parts * kBytes) {
      T* place = reinterpret_cast<T*>(out) + i;
      for (int64_t k = 0; k < taken; ++k) place[k] = uniform(numbers.data() + k * kNumbers);
    } else {
      for (int64_t k = 0; k < taken; ++k) {
        char* place = out + (i + k) / parts * stride + (i + k) % parts * kBytes;
        *reinterpret_cast<T*>(place) = uniform(numbers.data() + k * kNumbers);
      }
    }
    i += taken;
  }
}

void uniform_(const Call& call) {
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  const auto from = call.get<double>(1);
  const auto to = call.get<double>(2);
  check_uniform(call.op(), info, from, to);
  const Generator generator = generator_for(call.op(), call.get<std::optional<Generator>>(3));
  const Walk walk = walk_in_memory_order(info);
  visit(call.op(), "self", dtype_of_info(info), FloatAndComplexTypes(), [&]<class T>(Element<T>) {
    using Part = Real<T>;
    constexpr int64_t kParts = sizeof(T) / sizeof(Part);
    Draws<uint32_t> draws(generator, info.numel * kParts * Uniform<Part>::kNumbers);
    const Uniform<Part> uniform(from, to);
    char* base = walk.data(0);
    walk.rows<1>(&base, [&](char* const* data) {
      fill_row(data[0], walk.stride(0, 0), walk.size(0), kParts, uniform, draws);
    });
  });
}

}  // namespace

Operator operator_kUniformInPlace() { return routine_of<ops::kUniformInPlace, &uniform_>(); }

}  // namespace tenon::kernels::cpu
