// SPDX-License-Identifier: Apache-2.0
// aten::normal_: sets every element to a random sample of a normal distribution.
#include "kernels/ops/normal.h"

#include "kernels/common/overlap.h"
#include "kernels/common/registrar.h"
#include "kernels/ops/fill.h"

namespace tenon::kernels {
namespace {

Tensor& normal_meta(Tensor& self, double, double std, const std::optional<Generator>&) {
  check_normal(self.info(), std);
  return self;
}

}  // namespace

void check_normal(const tenon_tensor_info& self, double std) {
  check_fill_target(kNormal, self);
  check_no_internal_overlap(kNormal, self);
  check_dtype(kNormal, "self", dtype_of_info(self), FloatAndComplexTypes());
  if (!(std >= 0)) fail_argument(kNormal, "std", ">= 0", Scalar(std));  // NaN is not, either
}

void register_normal(Library& aten) {
  aten.def(
      "normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) "
      "-> Tensor(a!)",
      {"inplace", "nondeterministic_seeded"});
  aten.impl("normal_", TENON_KEY_META, &normal_meta, quick("normal_meta"));
}

}  // namespace tenon::kernels
