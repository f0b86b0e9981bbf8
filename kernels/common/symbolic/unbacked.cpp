// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/symbolic/unbacked.h"

#include <memory>

#include "kernels/common/check.h"
#include "kernels/common/promotion.h"
#include "tenon/fake.h"

namespace tenon::kernels {

namespace {

struct ReleaseEnv {
  void operator()(tenon_shape_env* env) const { tenon_shape_env_release(env); }
};
using Env = std::unique_ptr<tenon_shape_env, ReleaseEnv>;

tenon_symbol* new_symbol(uint16_t tag, int64_t least, int64_t most) {
  const Env env(tenon_fake_copy_given_env());
  tenon_symbol* symbol = nullptr;
  check(tenon_symbol_new(env.get(), tag, nullptr, nullptr, least, most, &symbol));
  return symbol;
}

}  // namespace

bool makes_symbols(const tenon_tensor_info& self) {
  return Device(self.device).is_fake() && Env(tenon_fake_copy_given_env()) != nullptr;
}

SymbolicSize new_size(int64_t most) {
  tenon_symbol* const symbol = new_symbol(TENON_TAG_SYMINT, 0, most);
  const int64_t word = tenon_dim_of_symbol(symbol);
  tenon_symbol_release(symbol);  // its environment keeps it
  return SymbolicSize::of_word(word);
}

tenon_value new_number(Dtype dtype) {
  tenon_value number{};
  number.tag = dtype == Dtype::Bool ? TENON_TAG_SYMBOOL
               : is_floating(dtype) ? TENON_TAG_SYMFLOAT
                                    : TENON_TAG_SYMINT;
  number.as.symbol = new_symbol(number.tag, INT64_MIN, INT64_MAX);
  return tenon_value_give(number);
}

}  // namespace tenon::kernels
