// SPDX-License-Identifier: Apache-2.0
// Checks of arguments, keys and results without a call.
#include "dispatch/argument_check.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/explicit_keys.h"
#include "dispatch/key_extract.h"

namespace tenon::dispatch {

using base::ErrorPtr;

namespace {

// Moves the error of a check, if any, to the thread's error slot, and returns its status.
tenon_status status_of(ErrorPtr error) noexcept {
  if (!error) return TENON_OK;
  const tenon_status status = error->code();
  base::set_current_error(std::move(error));
  return status;
}

}  // namespace

tenon_status check_arguments(const tenon_op* op, const tenon_value* args, int64_t nargs) noexcept {
  const uint32_t count = narrow_count(nargs);
  ErrorPtr error;
  {
    const SnapshotGuard guard(op);
    tenon_keyset keys;
    if (guard.get() == nullptr) {
      error = enter_error(*op, guard.entered());
    } else if (!(count == guard.get()->nargs() &&
                 scan_keys<Checks::kAll>(*guard.get(), args, &keys)) &&
               !extract_keys<Checks::kAll>(*guard.get(), args, count, &keys)) {
      error = arguments_error(*op, guard.get()->schema, args, count);
    }
  }
  return status_of(std::move(error));
}

tenon_status check_keys(const tenon_op* op, tenon_keyset keys, const tenon_value* args,
                        int64_t nargs) noexcept {
  const uint32_t count = narrow_count(nargs);
  ErrorPtr error;
  {
    const SnapshotGuard guard(op);
    tenon_keyset carried;
    if (guard.get() == nullptr) {
      error = enter_error(*op, guard.entered());
    } else if (!extract_keys<Checks::kTensors>(*guard.get(), args, count, &carried)) {
      error = arguments_error(*op, guard.get()->schema, args, count);
    } else {
      error = unreadable_argument(*op, *guard.get(), keys, args, count);
    }
  }
  return status_of(std::move(error));
}

tenon_status check_results(const tenon_op* op, const tenon_value* rets, int64_t nrets) noexcept {
  // `rets` is only read: results are filled in only if the arguments are passed, too.
  ErrorPtr error =
      results_error(*op, nullptr, 0, const_cast<tenon_value*>(rets), narrow_count(nrets));
  return status_of(std::move(error));
}

}  // namespace tenon::dispatch
