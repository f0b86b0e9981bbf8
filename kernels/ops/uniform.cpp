// SPDX-License-Identifier: Apache-2.0
// aten::uniform_: sets every element to a random number of [from, to).
#include "kernels/ops/uniform.h"

#include "kernels/common/overlap.h"
#include "kernels/common/registrar.h"
#include "kernels/ops/fill.h"

namespace tenon::kernels {
namespace {

// NaN is out of every range.
void check_bound(const char* name, double bound, double largest, Dtype dtype) {
  if (!(bound >= -largest && bound <= largest)) {
    fail_argument(kUniform, name, std::string("within the range of ") + name_of(dtype),
                  Scalar(bound));
  }
}

Tensor& uniform_meta(Tensor& self, double from, double to, const std::optional<Generator>&) {
  check_uniform(self.info(), from, to);
  return self;
}

}  // namespace

void check_uniform(const tenon_tensor_info& self, double from, double to) {
  check_fill_target(kUniform, self);
  check_no_internal_overlap(kUniform, self);
  const Dtype dtype = dtype_of_info(self);
  visit(kUniform, "self", dtype, FloatAndComplexTypes(), [&]<class T>(Element<T>) {
    constexpr double kLargest = largest_finite<Real<T>>();
    check_bound("from", from, kLargest, dtype);
    check_bound("to", to, kLargest, dtype);
    if (from > to) {
      fail_argument(kUniform, "from", std::string("at most to, ") + Part(Scalar(to)).text(),
                    Scalar(from));
    }
    if (to - from > kLargest) {
      fail_argument(kUniform, "to - from", std::string("within the range of ") + name_of(dtype),
                    Scalar(to - from));
    }
  });
}

void register_uniform(Library& aten) {
  aten.def(
      "uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) "
      "-> Tensor(a!)",
      {"inplace", "nondeterministic_seeded"});
  aten.impl("uniform_", TENON_KEY_META, &uniform_meta, quick("uniform_meta"));
}

}  // namespace tenon::kernels
