// SPDX-License-Identifier: Apache-2.0
// Forward mode over core/autograd; see tenon/forward_ad.h.
#include "tenon/forward_ad.h"

#include "autograd/forward/dual_level.h"
#include "autograd/forward/tangent.h"
#include "base/check.h"
#include "guard.h"
#include "not_null.h"

namespace autograd = tenon::autograd;
using autograd::DualLevel;
using tenon::capi::guarded;
using tenon::tensor::TensorPtr;

namespace {

void check_level(const char* function, int64_t level) {
  TENON_CHECK(DualLevel::current() != nullptr, TENON_ERROR_STATE, function,
              ": forward AD requires a level to be entered on this thread, got none");
  TENON_CHECK(level == DualLevel::number(), TENON_ERROR_STATE, function,
              ": level must be the thread's, ", DualLevel::number(), ", got ", level);
}

tenon_tensor& checked(const char* function, const char* what, tenon_tensor* tensor) {
  TENON_CHECK_ARG(tensor != nullptr, function, ": ", what, " must be given, got NULL");
  TENON_CHECK_ARG(!tensor->is_undefined(), function, ": ", what,
                  " must be defined, got the undefined tensor");
  return *tensor;
}

}  // namespace

extern "C" {

tenon_status tenon_dual_enter(int64_t* out_level) {
  TENON_REQUIRE(out_level);
  *out_level = -1;
  return guarded([&] { *out_level = DualLevel::enter(); });
}

tenon_status tenon_dual_leave(int64_t level) {
  return guarded([&] { DualLevel::leave(level); });
}

int64_t tenon_dual_level(void) {
  return DualLevel::current() != nullptr ? DualLevel::number() : -1;
}

tenon_status tenon_dual_make(int64_t level, tenon_tensor* primal, tenon_tensor* tangent,
                             tenon_tensor** out_dual) {
  TENON_REQUIRE(out_dual);
  *out_dual = nullptr;
  return guarded([&] {
    constexpr const char* kMake = "tenon_dual_make";
    check_level(kMake, level);
    *out_dual =
        autograd::make_dual(checked(kMake, "primal", primal), checked(kMake, "tangent", tangent))
            .detach();
  });
}

tenon_status tenon_dual_unpack(int64_t level, tenon_tensor* dual, tenon_tensor** out_primal,
                               tenon_tensor** out_tangent) {
  TENON_REQUIRE(out_primal, out_tangent);
  TENON_REQUIRE(out_tangent, out_primal);
  *out_primal = nullptr;
  *out_tangent = nullptr;
  return guarded([&] {
    constexpr const char* kUnpack = "tenon_dual_unpack";
    check_level(kUnpack, level);
    tenon_tensor& tensor = checked(kUnpack, "dual", dual);
    TensorPtr primal = autograd::primal_of(tensor);
    *out_tangent = autograd::tangent_of(tensor).detach();
    *out_primal = primal.detach();
  });
}

}  // extern "C"
