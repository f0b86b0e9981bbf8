// SPDX-License-Identifier: Apache-2.0
// Checks of boxed arguments and results against a schema, with messages that name what differs.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "base/reclaim.h"
#include "dispatch/operator_entry.h"
#include "tenon/value.h"

namespace tenon::dispatch {

/// RAII: keeps an operator's snapshot readable on this thread. `get()` returns NULL if the thread's
/// stack of running kernels has no room for one more call.
class SnapshotGuard {
 public:
  explicit SnapshotGuard(const tenon_op* op) noexcept : entered_(base::enter(op)) {
    if (entered_.place != nullptr) snapshot_ = op->snapshot.load(std::memory_order_acquire);
  }
  ~SnapshotGuard() {
    if (entered_.place != nullptr) base::leave(entered_.thread, entered_.place);
  }
  SnapshotGuard(const SnapshotGuard&) = delete;
  SnapshotGuard& operator=(const SnapshotGuard&) = delete;

  const Snapshot* get() const noexcept { return snapshot_; }
  /// Why `get()` returns NULL, for enter_error().
  const base::EnteredCall& entered() const noexcept { return entered_; }

 private:
  base::EnteredCall entered_;
  const Snapshot* snapshot_ = nullptr;
};

/// Returns true if a double can represent the number exactly.
bool is_exact_float(int64_t number) noexcept;

/// Returns true if a value is of a type.
bool value_matches(const tenon_value& value, const schema::Type& type) noexcept;

/// Returns the message for a value that is not of its argument's type, such as "f: x must be int,
/// got str at position 0; schema: ...". `position` is empty for a value passed by name.
std::string mismatch_message(const schema::Schema& schema, const schema::Argument& argument,
                             const tenon_value& actual, std::optional<size_t> position);

/// Returns what differs between arguments and schema, empty if nothing does. `schema` is NULL if
/// there is none.
base::ErrorPtr compare_arguments(const tenon_op& op, const schema::Schema* schema,
                                 const tenon_value* args, uint32_t nargs);

/// Returns what differs between results and schema, empty if nothing does. A return that the schema
/// annotates as a written argument must be that argument; if it is still NONE, it is filled in.
/// `args` may be NULL if the arguments are not known.
base::ErrorPtr compare_results(const tenon_op& op, const schema::Schema& schema,
                               const tenon_value* args, uint32_t nargs, tenon_value* rets,
                               uint32_t nrets);

inline bool is_null_tensor(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_TENSOR && value.as.tensor == nullptr;
}
/// Returns the error of a kernel that returned NULL for a result that must be a tensor.
base::ErrorPtr null_result_error(const tenon_op& op, const schema::Schema& schema, size_t index);

/// Returns a short text for messages: the tag of a value, or the type of an object.
const char* actual_type(const tenon_value& value) noexcept;
/// Like actual_type(), but for a value that is not of `type`: names the element of a list that is
/// not of its type, recursively. `depth` is the nesting depth of the lists around the value.
std::string describe_actual(const tenon_value& value, const schema::Type& type, int depth = 0);

/// Returns the word that the call path compares results with; see tenon_op::results.
uint64_t result_word(const schema::Schema& schema) noexcept;

}  // namespace tenon::dispatch
