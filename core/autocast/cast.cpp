// SPDX-License-Identifier: Apache-2.0
#include "autocast/cast.h"

#include "autocast/operators.h"
#include "base/check.h"
#include "dispatch/call_path.h"
#include "dispatch/key_tls.h"
#include "dispatch/lazy_operator.h"
#include "dispatch/own_arguments.h"
#include "dispatch/transform.h"
#include "tensor/dtype.h"
#include "value/value.h"

namespace tenon::autocast {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

constinit Gradients gradients{[](const Tensor&) noexcept { return false; },
                              [](const Tensor&) noexcept { return false; }};

constinit dispatch::LazyOperator to_copy(kToCopy);

TensorPtr convert(Tensor& tensor, tenon_dtype dtype) {
  tenon_value args[] = {tenon_value_of_tensor(&tensor), tenon_value_of_dtype(dtype),
                        tenon_value_of_none(),          tenon_value_of_none(),
                        tenon_value_of_none(),          tenon_value_of_bool(0),
                        tenon_value_of_none()};
  return to_copy.call_tensor(args);
}

// RAII: turns grad mode on, even in inference mode, while a cast for the cache is made: later calls
// in any mode may reuse it.
class GradModeScope {
 public:
  GradModeScope() : before_(dispatch::key_state()) {
    base::require_thread_record();
    dispatch::KeyState state = before_;
    state.grad_mode = TENON_GRAD_MODE_ON;
    state.include |= dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
    dispatch::set_key_state(state);
  }
  ~GradModeScope() { dispatch::set_key_state(before_); }
  GradModeScope(const GradModeScope&) = delete;
  GradModeScope& operator=(const GradModeScope&) = delete;

 private:
  const dispatch::KeyState before_;
};

// Returns the state whose cache may keep a cast, or NULL if the cast must not be kept. Casts of a
// transform's tensors are not kept, because the transform may end before the region.
State* keeper(const Tensor& tensor, tenon_dtype dtype, int32_t device_type) noexcept {
  State* state = thread_state();
  const bool keeps = state != nullptr && state->depth != 0 && state->settings.caches &&
                     tensor.dtype() == TENON_DTYPE_F32 &&
                     dtype == state->settings.dtypes[device_type] && tensor.base() == nullptr &&
                     gradients.is_asking_leaf(tensor) && dispatch::level_tensor(tensor) == nullptr;
  return keeps ? state : nullptr;
}

// Calls `see` for each tensor of a value.
template <class See>
void each_tensor(const tenon_value& value, const See& see, int depth = 0) {
  constexpr int kMaxNesting = 64;  // the depth that key extraction searches, too
  if (value.tag == TENON_TAG_TENSOR) {
    if (value.as.tensor != nullptr) see(*value.as.tensor);
  } else if (value.tag == TENON_TAG_TENSOR_LIST) {
    for (uint32_t i = 0; i < value.count; ++i) {
      if (const Tensor* tensor = value::tensors(value)[i]) see(*tensor);
    }
  } else if (value::is_value_list(value.tag) && depth < kMaxNesting) {
    for (uint64_t i = 0; i < value::element_count(value); ++i) {
      each_tensor(value::elements(value)[i], see, depth + 1);
    }
  }
}

void widen(const char* who, tenon_dtype lower, tenon_dtype next, tenon_dtype* widest) {
  if (next == TENON_DTYPE_F64) return;
  TENON_CHECK_TYPE(next == TENON_DTYPE_F32 || next == lower, who,
                   ": tensors must be float32, float64 or ", tensor::dtype_name(lower),
                   ", the region's lower precision, got ", tensor::dtype_name(next));
  if (next == TENON_DTYPE_F32) *widest = next;
}

}  // namespace

void set_gradients(const Gradients& given) noexcept { gradients = given; }

bool is_eligible(const Tensor& tensor, int32_t device_type) noexcept {
  return !tensor.is_undefined() && tensor.device().type == device_type &&
         tensor.dtype() != TENON_DTYPE_F64 && tensor::is_floating(tensor.dtype());
}

TensorPtr cast(Tensor& tensor, tenon_dtype dtype, int32_t device_type) {
  if (!is_eligible(tensor, device_type) || tensor.dtype() == dtype) return {};
  State* state = keeper(tensor, dtype, device_type);
  if (state == nullptr) return convert(tensor, dtype);
  if (TensorPtr kept = state->cache.find(tensor, dtype)) return kept;
  TensorPtr made;
  {
    const GradModeScope grad;
    made = convert(tensor, dtype);
  }
  // A cast that was not recorded, as in a kernel below Autograd, must not be reused by later calls.
  // Look up the state again, because the conversion may have run arbitrary code.
  state = gradients.requires_grad(*made) ? keeper(tensor, dtype, device_type) : nullptr;
  if (state != nullptr) state->cache.keep(tensor, made);
  return made;
}

tenon_value cast_value(const tenon_value& value, tenon_dtype dtype, int32_t device_type) {
  tenon_value given = value;
  tenon_stack stack{};
  stack.args = &given;
  stack.nargs = 1;
  dispatch::OwnArguments own(stack);
  const auto guard = dispatch::KeyGuard::exclude(kAutocast);
  own.replace_tensors([&](Tensor& tensor) { return cast(tensor, dtype, device_type); });
  return value::copy(own.stack_for(stack).args[0]);
}

tenon_dtype promote(const char* who, tenon_dtype initial, std::span<const tenon_value> values,
                    int32_t device_type) {
  const tenon_dtype lower = lower_precision(device_type);
  TENON_CHECK_TYPE(initial == TENON_DTYPE_F32 || initial == lower, who,
                   ": initial must be float32 or ", tensor::dtype_name(lower),
                   ", the lower precision, got ", tensor::dtype_name(initial));
  tenon_dtype widest = initial;
  for (const tenon_value& value : values) {
    each_tensor(value, [&](const Tensor& tensor) {
      if (is_eligible(tensor, device_type)) widen(who, lower, tensor.dtype(), &widest);
    });
  }
  return widest;
}

}  // namespace tenon::autocast
