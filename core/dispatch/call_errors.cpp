// SPDX-License-Identifier: Apache-2.0
#include "dispatch/call_errors.h"

#include <new>
#include <utility>

#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/carry_results.h"
#include "dispatch/fallback.h"
#include "dispatch/key_set.h"
#include "dispatch/key_tls.h"
#include "dispatch/registry.h"

namespace tenon::dispatch {

namespace {

using base::ErrorObject;
using base::ErrorPtr;

template <class... Parts>
ErrorPtr make_error(tenon_status code, const Parts&... parts) {
  return ErrorPtr::adopt(ErrorObject::make(code, {}, base::concat(parts...)));
}

// Runs a function that may throw, for instance if memory is short; returns what it throws.
template <class Body>
ErrorPtr guarded(Body body) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    return error.object();
  } catch (const std::exception&) {
    return ErrorPtr::adopt(ErrorObject::out_of_memory());
  }
}

// Lists the keys for which the operator has kernels, such as "CPU, Autograd".
std::string registered_keys_locked(const tenon_op& op) {
  std::string text;
  for (const Kernel* active = op.kernels(); active != nullptr; active = active->next) {
    if (!text.empty()) text += ", ";
    text += key_name(active->key);
  }
  return text.empty() ? "none" : text;
}

std::string hint(tenon_key key) {
  if (key == TENON_KEY_UNDEFINED) {
    return "; pass a tensor, or register a CompositeExplicitAutograd kernel";
  }
  if (functionality_of(key) != TENON_FUNCTIONALITY_DENSE) {
    return base::concat("; register a kernel or a fallback for ", key_name(key));
  }
  return base::concat("; register a kernel for ", key_name(key),
                      " or CompositeExplicitAutograd, or move the arguments to another device");
}

// Explains why the plugin with a device's kernels was not loaded, if the user can act on it.
std::string not_loaded(const ErrorPtr& cause) {
  if (!cause) return {};
  const bool is_file =
      cause->code() == TENON_ERROR_NOT_FOUND || cause->code() == TENON_ERROR_SYSTEM;
  return is_file ? base::concat("; ", cause->message()) : std::string();
}

// Returns the functionalities that the thread's guards exclude, without those excluded by default.
tenon_keyset excluded_here() {
  return key_state().exclude & ~functionality_bit(TENON_FUNCTIONALITY_AUTOCAST) &
         kFunctionalityMask;
}

// Returns the error of a call whose keys no kernel serves. Returns an empty pointer if `is_served`
// finds a kernel in the current table.
template <class IsServed>
ErrorPtr missing_error(const tenon_op& op, tenon_keyset keys, const ErrorPtr& cause,
                       IsServed&& is_served) {
  const tenon_key key = highest_key(keys);
  std::string registered;
  bool takes_tensors;
  {
    // Under one lock, so that the message never lists a kernel that it says is missing.
    const auto lock = Registry::get().lock();
    const Snapshot& snapshot = *op.snapshot.load(std::memory_order_acquire);
    if (snapshot.schema == nullptr) {
      return make_error(TENON_ERROR_NOT_FOUND, op.name(), ": operator must be defined, got none");
    }
    if (is_served(snapshot)) return {};
    registered = registered_keys_locked(op);
    takes_tensors = (snapshot.traits & kHasNoTensors) == 0;
  }
  const bool has_backend = (keys & kBackendMask) != 0;
  if (key == TENON_KEY_UNDEFINED && has_backend) {
    const tenon_keyset excluded = excluded_here();
    if ((excluded & functionality_bit(TENON_FUNCTIONALITY_DENSE)) != 0) {
      return make_error(TENON_ERROR_NO_KERNEL, op.name(),
                        ": arguments must have a key that the thread does not exclude, got only "
                        "keys that its guards exclude, ",
                        print_keys(excluded | (keys & kBackendMask)), "; kernels: ", registered);
    }
    return make_error(
        TENON_ERROR_NO_KERNEL, op.name(),
        ": arguments must have a key with a kernel, got only keys that fall through; kernels: ",
        registered);
  }
  if (key == TENON_KEY_UNDEFINED && takes_tensors) {
    return make_error(TENON_ERROR_NO_KERNEL, op.name(),
                      ": arguments must include a tensor, got no tensor arguments to dispatch on",
                      "; kernels: ", registered, hint(key));
  }
  return make_error(TENON_ERROR_NO_KERNEL, op.name(), ": key must have a kernel, got ",
                    key_name(key), "; kernels: ", registered,
                    cause ? not_loaded(cause) : std::string(), hint(key));
}

}  // namespace

ErrorPtr enter_error(const tenon_op& op, const base::EnteredCall& entered) noexcept {
  if (entered.thread == nullptr) return ErrorPtr::adopt(ErrorObject::out_of_memory());
  return guarded([&] {
    return make_error(TENON_ERROR_RECURSION, op.name(), ": nested calls must be at most ",
                      base::kMaxDepth, " and fit on the thread's stack, got one more at depth ",
                      base::call_depth(),
                      "; does a kernel call its own operator without excluding its key?");
  });
}

ErrorPtr missing_kernel_error(const tenon_op& op, tenon_keyset keys, ErrorPtr cause) noexcept {
  ErrorPtr error = guarded([&] {
    return missing_error(op, keys, cause, [&](const Snapshot& snapshot) {
      return pick(snapshot, keys & snapshot.mask).kernel != nullptr;
    });
  });
  if (error && cause) error->set_cause(cause.detach());
  return error;
}

ErrorPtr missing_slot_error(const tenon_op& op, tenon_key key) noexcept {
  return guarded([&] {
    return missing_error(op, keyset_of(key), {}, [&](const Snapshot& snapshot) {
      return kernel_of_slot(snapshot, slot_of_key(key)) != nullptr;
    });
  });
}

ErrorPtr adopt_slot_error(const tenon_op& op, const base::RunningPlace* place,
                          tenon_status status) noexcept {
  return base::adopt_current_error(op.name(), "kernel", status, base::raised_since(place));
}

void add_kernel_frame(ErrorObject* error, const tenon_op& op, const Kernel& kernel) noexcept {
  const uint32_t language = kernel.entry.language;
  if (language != TENON_LANGUAGE_C && language != TENON_LANGUAGE_CPP) return;
  const char* function = kernel.name.empty() ? op.name() : kernel.name.c_str();
  error->add_known_frame(language, function, kernel.file.c_str(), kernel.line);
}

ErrorPtr arguments_error(const tenon_op& op, const schema::Schema* schema, const tenon_value* args,
                         uint32_t nargs) noexcept {
  return guarded([&] {
    if (ErrorPtr error = compare_arguments(op, schema, args, nargs)) return error;
    return make_error(TENON_ERROR_INTERNAL, op.name(), ": arguments match ", schema->text(),
                      " but were rejected; please report this");
  });
}

ErrorPtr stack_error(const tenon_op& op, const Snapshot& snapshot,
                     const tenon_stack& stack) noexcept {
  return guarded([&] {
    if (ErrorPtr error = compare_arguments(op, snapshot.schema, stack.args, stack.nargs))
      return error;
    return make_error(TENON_ERROR_TYPE, op.name(), ": number of results must be ",
                      snapshot.schema->returns().size(), ", got ", stack.nrets,
                      "; schema: ", snapshot.schema->text());
  });
}

ErrorPtr results_error(const tenon_op& op, const tenon_value* args, uint32_t nargs,
                       tenon_value* rets, uint32_t nrets) noexcept {
  const SnapshotGuard guard(&op);
  // Without a schema there is nothing to compare: the definition was removed while the kernel ran.
  if (guard.get() == nullptr || guard.get()->schema == nullptr) return {};
  return guarded(
      [&] { return compare_results(op, *guard.get()->schema, args, nargs, rets, nrets); });
}

ErrorPtr missing_result_error(const tenon_op& op, int64_t index) noexcept {
  const SnapshotGuard guard(&op);
  const schema::Schema* schema = guard.get() != nullptr ? guard.get()->schema : nullptr;
  return guarded([&] {
    if (schema == nullptr || index < 0 || std::cmp_greater_equal(index, schema->returns().size())) {
      return make_error(TENON_ERROR_TYPE, op.name(), ": result ", index,
                        " must be a tensor, got NULL");
    }
    return null_result_error(op, *schema, static_cast<size_t>(index));
  });
}

ErrorPtr carried_results_error(const tenon_op& op, tenon_stack* stack) noexcept {
  const SnapshotGuard guard(&op);
  if (guard.get() == nullptr || guard.get()->schema == nullptr) return {};
  return guarded([&] { return carry_results(op, *guard.get()->schema, stack); });
}

ErrorPtr override_closed_error(const tenon_op& op) noexcept {
  return guarded([&] {
    return make_error(TENON_ERROR_TYPE, op.name(),
                      ": arguments must not override operators while Override is excluded or falls "
                      "through, got an object or carrier that does");
  });
}

ErrorPtr key_error(const tenon_op& op, tenon_key key) noexcept {
  return guarded([&] {
    return make_error(TENON_ERROR_INVALID_ARGUMENT, op.name(), ": key must be a runtime key, got ",
                      key_name(key), " (", key, ")");
  });
}

ErrorPtr device_error(const tenon_op& op, const tenon_device& device) noexcept {
  return guarded([&] {
    return make_error(TENON_ERROR_INVALID_ARGUMENT, op.name(),
                      ": device must be of a known type, got type number ", device.type);
  });
}

}  // namespace tenon::dispatch
