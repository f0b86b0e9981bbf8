// SPDX-License-Identifier: Apache-2.0
// Gradient checks over core/gradcheck; see tenon/check.h.
#include "tenon/check.h"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/read_struct.h"
#include "gradcheck/check.h"
#include "guard.h"
#include "not_null.h"
#include "value/value.h"

namespace gradcheck = tenon::gradcheck;
namespace base = tenon::base;
namespace value = tenon::value;
using tenon::capi::guarded;
using tenon::tensor::TensorPtr;
using Tensors = gradcheck::CheckedFunction::Tensors;

namespace {

void keep_tensor(tenon_tensor* tensor, Tensors& found) {
  if (tensor != nullptr && !tensor->is_undefined()) found.push_back(TensorPtr::share(tensor));
}

Tensors tensors_of(const tenon_value& result) {
  Tensors found;
  if (result.tag == TENON_TAG_TENSOR) {
    keep_tensor(result.as.tensor, found);
  } else if (result.tag == TENON_TAG_TENSOR_LIST) {
    for (uint32_t i = 0; i < result.count; ++i) keep_tensor(value::tensors(result)[i], found);
  } else if (result.tag == TENON_TAG_LIST || result.tag == TENON_TAG_TUPLE) {
    for (uint32_t i = 0; i < result.count; ++i) {
      const tenon_value& element = value::elements(result)[i];
      if (element.tag == TENON_TAG_TENSOR) keep_tensor(element.as.tensor, found);
    }
  }
  return found;
}

// Calls a tenon_callable.
struct Callable {
  const char* name;
  tenon_callable function;
  void* ctx;

  Tensors operator()(std::span<const tenon_value> inputs) const {
    std::vector<tenon_value> args(inputs.begin(), inputs.end());
    tenon_value result{};
    tenon_stack stack{};
    stack.args = args.data();
    stack.nargs = static_cast<uint32_t>(args.size());
    stack.rets = &result;
    stack.nrets = 1;
    const base::ErrorObject* before = base::peek_current_error();
    const tenon_status status = function(ctx, &stack);
    auto error = base::ErrorPtr::adopt(std::exchange(stack.error, nullptr));
    const value::OwnedValue owned(result);
    if (status != TENON_OK) {
      const bool raised = base::peek_current_error() != before;
      if (!error) error = base::adopt_current_error(name, "function", status, raised);
      throw tenon::Error(std::move(error));
    }
    Tensors found = tensors_of(owned.get());
    TENON_CHECK_ARG(!found.empty(), name,
                    ": function must return a tensor, or a list or tuple with tensors, got ",
                    value::print(owned.get()));
    return found;
  }
};

gradcheck::CheckOptions read_options(const char* function, const tenon_gradcheck_options* given) {
  gradcheck::CheckOptions options;
  if (given == nullptr) return options;
  constexpr size_t kFirstSize = 72;
  constexpr uint32_t kKnown = 2 * TENON_GRADCHECK_STRIDED_GRADS - 1;
  const auto whole = base::read_struct(function, kFirstSize, *given);
  base::check_reserved(function, 0, whole.reserved);
  TENON_CHECK_ARG((whole.flags & ~kKnown) == 0, function,
                  ": flags must be TENON_GRADCHECK_* bits, got ", whole.flags);
  const auto has = [&](uint32_t flag) { return (whole.flags & flag) != 0; };
  options.backward = has(TENON_GRADCHECK_BACKWARD);
  options.forward = has(TENON_GRADCHECK_FORWARD);
  options.undefined = has(TENON_GRADCHECK_UNDEFINED);
  options.batched = has(TENON_GRADCHECK_BATCHED);
  options.batched_forward = has(TENON_GRADCHECK_BATCHED_FORWARD);
  options.dtypes = has(TENON_GRADCHECK_DTYPES);
  options.fast = has(TENON_GRADCHECK_FAST);
  options.strided_grads = has(TENON_GRADCHECK_STRIDED_GRADS);
  TENON_CHECK_ARG(options.backward || options.forward, function,
                  ": flags must contain at least one of BACKWARD and FORWARD, got ", whole.flags);
  TENON_CHECK_ARG(options.backward || !options.batched, function,
                  ": flags must contain BACKWARD if they contain BATCHED, got ", whole.flags);
  TENON_CHECK_ARG(options.forward || !options.batched_forward, function,
                  ": flags must contain FORWARD if they contain BATCHED_FORWARD, got ",
                  whole.flags);
  const auto check_number = [&](const char* name, double number, bool fits, const char* what) {
    TENON_CHECK_ARG(std::isfinite(number) && fits, function, ": ", name, " must be ", what,
                    ", got ", number);
  };
  check_number("eps", whole.eps, whole.eps > 0, "above 0");
  check_number("atol", whole.atol, whole.atol >= 0, "at least 0");
  check_number("rtol", whole.rtol, whole.rtol >= 0, "at least 0");
  check_number("nondet_tol", whole.nondet_tol, whole.nondet_tol >= 0, "at least 0");
  options.step = whole.eps;
  options.tolerance = {whole.atol, whole.rtol};
  options.nondeterminism = whole.nondet_tol;
  return options;
}

void check_inputs(const char* name, tenon_callable function, const tenon_value* inputs,
                  int64_t ninputs) {
  TENON_CHECK_ARG(function != nullptr, name, ": function must be given, got NULL");
  TENON_CHECK_ARG(ninputs >= 0 && ninputs <= UINT16_MAX, name,
                  ": ninputs must be from 0 to 65535, got ", ninputs);
  TENON_CHECK_ARG(inputs != nullptr || ninputs == 0, name, ": inputs must be given, got NULL for ",
                  ninputs);
  for (int64_t i = 0; i < ninputs; ++i) {
    TENON_CHECK_ARG(inputs[i].tag != TENON_TAG_TENSOR || inputs[i].as.tensor != nullptr, name,
                    ": input ", i, " must be a value, got a tensor that is NULL");
  }
}

tenon_buffer* buffer_of(const std::string& report) {
  if (report.empty()) return nullptr;
  tenon_buffer* buffer = tenon_buffer::make(static_cast<int64_t>(report.size()));
  std::memcpy(buffer->data(), report.data(), report.size());
  return buffer;
}

}  // namespace

extern "C" {

tenon_status tenon_gradcheck(tenon_callable function, void* ctx, const tenon_value* inputs,
                             int64_t ninputs, const tenon_gradcheck_options* options,
                             tenon_buffer** out_report) {
  TENON_REQUIRE(out_report);
  *out_report = nullptr;
  return guarded([&] {
    constexpr const char* kName = "tenon_gradcheck";
    check_inputs(kName, function, inputs, ninputs);
    const gradcheck::CheckOptions read = read_options(kName, options);
    const gradcheck::CheckedFunction checked(kName, Callable{kName, function, ctx},
                                             {inputs, static_cast<size_t>(ninputs)});
    *out_report = buffer_of(gradcheck::check_gradients(checked, read));
  });
}

tenon_status tenon_gradgradcheck(tenon_callable function, void* ctx, const tenon_value* inputs,
                                 int64_t ninputs, tenon_tensor* const* grad_outputs,
                                 int64_t ngrad_outputs, const tenon_gradcheck_options* options,
                                 tenon_buffer** out_report) {
  TENON_REQUIRE(out_report);
  *out_report = nullptr;
  return guarded([&] {
    constexpr const char* kName = "tenon_gradgradcheck";
    check_inputs(kName, function, inputs, ninputs);
    TENON_CHECK_ARG(ngrad_outputs == 0 || (ngrad_outputs > 0 && grad_outputs != nullptr), kName,
                    ": grad_outputs must be given, got ", ngrad_outputs,
                    grad_outputs == nullptr ? " at NULL" : "");
    const gradcheck::CheckOptions read = read_options(kName, options);
    const gradcheck::CheckedFunction checked(kName, Callable{kName, function, ctx},
                                             {inputs, static_cast<size_t>(ninputs)});
    *out_report = buffer_of(gradcheck::check_second_gradients(
        checked, {grad_outputs, static_cast<size_t>(ngrad_outputs)}, read));
  });
}

}  // extern "C"
