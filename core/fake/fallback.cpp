// SPDX-License-Identifier: Apache-2.0
#include "fake/fallback.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/fallback.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/key_tls.h"
#include "dispatch/lookup.h"
#include "dispatch/own_arguments.h"
#include "dispatch/replace_results.h"
#include "fake/conversion.h"
#include "fake/mode.h"
#include "tensor/device.h"
#include "value/value.h"

namespace tenon::fake {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

constexpr tenon_keyset kMetaKeys = dispatch::functionality_bit(TENON_FUNCTIONALITY_DENSE) |
                                   dispatch::backend_bit(TENON_BACKEND_META);
constexpr int kMaxNesting = 64;  // the depth that key extraction searches, too

// A summary of a call's arguments.
struct Arguments {
  const Tensor* fake = nullptr;          // the first fake tensor
  const tenon_device* device = nullptr;  // the first device argument
  bool has_real = false;

  void add(const Tensor* tensor) noexcept {
    if (tensor == nullptr || tensor->is_undefined()) return;
    if (!tensor->is_fake()) {
      has_real = true;
    } else if (fake == nullptr) {
      fake = tensor;
    }
  }

  void add(const tenon_value& value, int depth = 0) noexcept {
    if (value.tag == TENON_TAG_TENSOR) {
      add(value.as.tensor);
    } else if (value.tag == TENON_TAG_DEVICE) {
      if (device == nullptr) device = &value.as.device;
    } else if (value.tag == TENON_TAG_TENSOR_LIST) {
      for (uint32_t i = 0; i < value.count; ++i) add(value::tensors(value)[i]);
    } else if (value::is_value_list(value.tag) && value.count != 0 && depth < kMaxNesting) {
      const uint64_t count = value::element_count(value);
      for (uint64_t i = 0; i < count; ++i) add(value::elements(value)[i], depth + 1);
    }
  }

  explicit Arguments(const tenon_stack& stack) noexcept {
    for (uint32_t i = 0; i < stack.nargs; ++i) add(stack.args[i]);
  }

  // Returns the fake device for results that a kernel makes on Meta.
  tenon_device claimed() const noexcept {
    if (device != nullptr) return tensor::fake_device(*device);
    return fake != nullptr ? fake->device() : tensor::fake_device({TENON_DEVICE_CPU, 0});
  }
};

// Returns true for 0-dim CPU tensors, which may be mixed with tensors on any device.
bool is_number(const Tensor& tensor) noexcept {
  return tensor.ndim() == 0 && tensor.device().type == TENON_DEVICE_CPU;
}

// Returns the name of the argument that holds a tensor.
std::string argument_name(const tenon_op& op, const tenon_stack& stack, const Tensor& wanted) {
  const schema::SchemaPtr schema = dispatch::schema_of(op);
  for (uint32_t i = 0; schema != nullptr && i < stack.nargs; ++i) {
    if (i >= schema->arguments().size()) break;
    const tenon_value& arg = stack.args[i];
    bool found = arg.tag == TENON_TAG_TENSOR && arg.as.tensor == &wanted;
    if (arg.tag == TENON_TAG_TENSOR_LIST) {
      for (uint32_t k = 0; k < arg.count; ++k) found |= value::tensors(arg)[k] == &wanted;
    }
    if (found) return std::string(schema->arguments()[i].name.view());
  }
  return "argument";
}

[[noreturn]] void refuse_real(const tenon_op& op, const tenon_stack& stack, const Tensor& tensor) {
  fail(TENON_ERROR_INVALID_ARGUMENT, op.name(), ": ", argument_name(op, stack, tensor),
       " must be a fake tensor ", thread_mode() != nullptr ? "in a fake mode" : "beside fake ones",
       ", got a real one on ", tensor::print_device(tensor.device()), " of sizes ",
       tensor::print_dims(tensor.size_span()),
       "; convert it to a fake tensor (tenon_tensor_copy_fake, from_tensor) or set "
       "allow_non_fake_inputs=True (TENON_FAKE_ALLOW_REAL)");
}

bool is_written(const tenon_op& op, const tenon_stack& stack, const Tensor& tensor) noexcept {
  uint64_t left = op.written.load(std::memory_order_relaxed);
  for (; left != 0; left &= left - 1) {
    const auto position = static_cast<uint32_t>(__builtin_ctzll(left));
    if (position < stack.nargs && stack.args[position].tag == TENON_TAG_TENSOR &&
        stack.args[position].as.tensor == &tensor) {
      return true;
    }
  }
  return false;
}

// Calls the Meta kernel with fake devices, and with fake tensors in place of real ones. Throws for
// real tensors that must not be mixed with fake ones.
tenon_status call_converted(const tenon_op& op, tenon_stack* stack) {
  dispatch::OwnArguments arguments(*stack);
  Mode* const mode = thread_mode();
  const bool allows_real = mode != nullptr && (mode->flags & TENON_FAKE_ALLOW_REAL) != 0;
  arguments.replace_tensors([&](Tensor& tensor) -> TensorPtr {
    if (tensor.is_fake() || tensor.is_undefined()) return {};
    if (is_written(op, *stack, tensor)) refuse_real(op, *stack, tensor);
    if (allows_real) return copy_fake(tensor, mode);
    if (!is_number(tensor) || !tensor.has_storage()) refuse_real(op, *stack, tensor);
    return fake_like(tensor, tensor.device());
  });
  for (tenon_value& value : arguments.values()) {
    if (value.tag == TENON_TAG_DEVICE) value.as.device = tensor::fake_device(value.as.device);
  }
  tenon_stack inner = arguments.stack_for(*stack);
  const tenon_status status = dispatch::redispatch(&op, kMetaKeys, &inner);
  stack->error = inner.error;
  return status;
}

bool lacks_kernel(const tenon_op& op) noexcept {
  const dispatch::SnapshotGuard guard(&op);
  return guard.get() != nullptr &&
         dispatch::kernel_of_slot(*guard.get(), dispatch::slot_of_key(TENON_KEY_META)) == nullptr;
}

// Improves the error of a call on fake tensors: names the cause and a remedy.
void explain_failure(const tenon_op& op, const Arguments& arguments, tenon_status status,
                     tenon_stack* stack) {
  const std::string where = tensor::print_device(arguments.claimed());
  if (status == TENON_ERROR_NO_KERNEL && lacks_kernel(op)) {
    base::ErrorPtr older = base::ErrorPtr::adopt(std::exchange(stack->error, nullptr));
    base::ErrorPtr error = base::ErrorPtr::adopt(base::ErrorObject::make(
        status, {},
        base::concat(op.name(),
                     ": operator must have a fake kernel or a Meta kernel to run on fake tensors, "
                     "got neither; register one (tenon_library_register_fake, register_fake)")));
    error->set_cause(older.detach());
    stack->error = error.detach();
  } else if (status == TENON_ERROR_DATA_DEPENDENT && stack->error != nullptr &&
             stack->error->note_count() == 0) {
    stack->error->add_note(
        base::concat("fake tensors, here on ", where, ", have no elements: ", op.name(),
                     " depends on them; call it with real tensors outside of the fake mode, or "
                     "register a fake kernel that computes the metadata of its results"));
  }
}

// Makes a result that a kernel made on Meta claim the call's device, in place if possible. Returns
// the fake tensor that must replace the result, or NULL if the result stays.
TensorPtr claimed_result(const tenon_op& op, Tensor& result, const tenon_device& device) {
  if (result.is_fake() || !result.has_storage()) return {};
  TENON_CHECK(!result.has_memory(), TENON_ERROR_STATE, op.name(),
              ": result must be fake, got a real tensor on ", tensor::print_device(result.device()),
              "; a fake kernel must create its results with operators on its arguments");
  if (result.has_one_reference() && result.base() == nullptr) {
    result.claim_device(device);
    return {};
  }
  return fake_like(result, device);
}

tenon_status run_fake(void*, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&]() -> tenon_status {
    const Arguments arguments(*stack);
    const bool as_given = !arguments.has_real && arguments.device == nullptr;
    const tenon_status status =
        as_given ? dispatch::redispatch(op, kMetaKeys, stack) : call_converted(*op, stack);
    if (status != TENON_OK) [[unlikely]] {
      explain_failure(*op, arguments, status, stack);
      return status;
    }
    const tenon_device device = arguments.claimed();
    dispatch::replace_results(stack,
                              [&](Tensor& result) { return claimed_result(*op, result, device); });
    return TENON_OK;
  });
}

dispatch::Explanation explain_fake(const dispatch::Arguments* arguments) {
  std::string kernel;
  if (arguments != nullptr) {
    const dispatch::SnapshotGuard guard(&arguments->op);
    const dispatch::Kernel* serving =
        guard.get() != nullptr
            ? dispatch::kernel_of_slot(*guard.get(), dispatch::slot_of_key(TENON_KEY_META))
            : nullptr;
    if (serving == nullptr) {
      return {"the operator has no fake, Meta or composite kernel: the call fails", true};
    }
    kernel = base::concat(", ", serving->describe(), ",");
  }
  return {base::concat("it calls the kernel for Meta", kernel,
                       " on the fake tensors; results report the device of the arguments"),
          true};
}

constexpr dispatch::BuiltIn kBuiltIns[] = {
    {"run_fake", TENON_KEY_FAKE, &run_fake, nullptr, &explain_fake},
};

}  // namespace

std::span<const dispatch::BuiltIn> built_ins() noexcept { return kBuiltIns; }

bool runs_fake(const tenon_stack& stack) noexcept {
  return Arguments(stack).fake != nullptr || (dispatch::included_keys() & kFake) != 0;
}

}  // namespace tenon::fake
