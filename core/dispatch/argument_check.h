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

/// Keeps an operator's snapshot readable on this thread while it lives. `get()` is NULL where the
/// call stack has no place left.
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
  /// Why `get()` is NULL, for enter_error().
  const base::Entered& entered() const noexcept { return entered_; }

 private:
  base::Entered entered_;
  const Snapshot* snapshot_ = nullptr;
};

/// Tells whether a double equals the number.
bool is_exact_float(int64_t number) noexcept;

/// Tells whether a value is one of a type.
bool value_matches(const tenon_value& value, const schema::Type& type) noexcept;

/// Says that a value is none of its argument's type: "f: x must be int, got str at position 0;
/// schema: ...". Without position for a value given by name.
std::string mismatch_message(const schema::Schema& schema, const schema::Argument& argument,
                             const tenon_value& actual, std::optional<size_t> position);

/// What differs between arguments and schema, empty when nothing. `schema` NULL: there is none.
base::ErrorPtr compare_arguments(const tenon_op& op, const schema::Schema* schema,
                                 const tenon_value* args, uint32_t nargs);

/// What differs between results and schema, empty when nothing. Returns that the schema annotates
/// as written arguments must be those; where one is still NONE, it is filled in. `args` may be NULL
/// where the arguments are not known.
base::ErrorPtr compare_results(const tenon_op& op, const schema::Schema& schema,
                               const tenon_value* args, uint32_t nargs, tenon_value* rets,
                               uint32_t nrets);

/// A value that says tensor and holds none.
inline bool is_null_tensor(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_TENSOR && value.as.tensor == nullptr;
}
/// A kernel gave NULL for a result that must be a tensor.
base::ErrorPtr null_result_error(const tenon_op& op, const schema::Schema& schema, size_t index);

/// Short text of a value for messages: its tag, or the type of an object.
const char* actual_type(const tenon_value& value) noexcept;
/// The same of a value that is not of `type`: tells which element of a list is another one, and
/// goes on inside it. `depth` is that of the lists around it.
std::string describe_actual(const tenon_value& value, const schema::Type& type, int depth = 0);

/// What the call path compares results with; see tenon_op::results.
uint64_t result_word(const schema::Schema& schema) noexcept;

}  // namespace tenon::dispatch
