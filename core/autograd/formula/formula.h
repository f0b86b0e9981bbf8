// SPDX-License-Identifier: Apache-2.0
// Formula: how gradients of an operator's results become gradients of its arguments.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/forward/tangent_text.h"
#include "base/intrusive_ptr.h"
#include "base/reclaim.h"
#include "dispatch/operator_entry.h"
#include "schema/schema.h"
#include "tenon/autograd.h"
#include "tenon/value.h"

namespace tenon::autograd {

/// What of an argument or a result is saved.
enum class Attribute : uint8_t { kWhole, kSizes, kStrides, kOffset, kDtype };

/// One thing that a formula wants in backward.
struct Save {
  bool of_result = false;
  uint16_t position = 0;  // of the argument or result
  Attribute what = Attribute::kWhole;
  uint64_t needed_by = 0;  // bit i: for the gradient of input i
  bool is_tensor = false;  // a whole one: saved with its version
  uint16_t input = 0;      // its number among the inputs, of one without lists
};

/// An argument that holds tensors, or may. Inputs have edges in this order, one for each element of
/// a list.
struct Input {
  uint16_t position;
  bool is_list;
};

constexpr size_t kMaxInputs = 64;

/// What a new node is to have room for.
struct NodeShape {
  uint32_t edges = 0;
  uint32_t saved_tensors = 0;
  uint32_t saved_values = 0;
};

struct FunctionInput;

/// What a formula gets for results that no gradient came to.
enum class Absent : uint8_t {
  kSkipped,  // zeros, but it is not run where none came at all
  kZeros,
  kNothing
};

/// What a formula does with calls of one schema.
class CallbackFormula;
class Formula;
struct Plan {
  virtual ~Plan() = default;
  const Formula* formula = nullptr;
  schema::SchemaPtr schema;
  std::vector<Input> inputs;
  std::vector<Save> saves;
  uint64_t wanted = ~uint64_t{0};  // bit i: input i has a gradient
  bool has_lists = false;
  bool saves_lists = false;  // of tensors: nodes keep the sum of their versions as their last value
  bool is_quick = false;     // see quick_record.h
  NodeShape shape;           // of its nodes, but for the edges where there are lists
  std::unique_ptr<const TangentPlan> tangents;  // NULL where no text gives them
};

/// Whether values of a type may be tensors, or hold some.
bool may_hold_tensors(const schema::Type& type) noexcept;

/// What becomes of arguments that may hold tensors inside other values: no gradient is led there.
enum class Others { kRefused, kIgnored };

/// The arguments of a schema that hold tensors. Throws TENON_ERROR_NOT_SUPPORTED for more than
/// kMaxInputs, and for others that are refused.
std::vector<Input> inputs_of(const schema::Schema& schema, Others others = Others::kRefused);

/// A formula. What refers to it keeps it: nodes beyond the end of its registration.
class Formula {
 public:
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;
  virtual ~Formula();

  /// Of its nodes, such as "MulBackward0".
  const char* name() const noexcept { return name_.c_str(); }
  void set_name(std::string name) { name_ = std::move(name); }
  /// A text for the results' tangents. Throws TENON_ERROR_PARSE.
  void set_tangents(std::string text);

  /// Returns the formula's plan for the schema that the operator has now; made for the first call,
  /// and anew where the operator has been defined again. Throws what is wrong with formula and
  /// schema together, and what dispatch::schema_of_call() throws for a stack of an earlier
  /// definition.
  const Plan& plan_for(const tenon_op& op, const tenon_stack& stack) const;

  /// Writes an owned gradient, or nothing, for each input that is asked for. Grad mode is set;
  /// undefined gradients of results are NULL. Throws.
  virtual void run(const Plan& plan, tenon_backward_call* call) const = 0;
  /// Itself where it has a jvp, which gives tangents then.
  virtual const CallbackFormula* with_jvp() const noexcept { return nullptr; }
  /// Whether run() can be derived: tangents come from it where no text gives them.
  virtual bool is_derivable() const noexcept { return true; }
  /// Whether gradients that run() gives without recording a call are known to be constant.
  virtual bool records_all() const noexcept { return false; }

  Absent absent() const noexcept { return absent_; }
  /// Itself, where it was made for one call and keeps what that left: see function_context.h.
  virtual const tenon_function_context* context() const noexcept { return nullptr; }
  /// Looks at a call that its kernel has served, and makes the context that stands for the formula
  /// in the call's node; only where it `looks_at_calls`. Throws what its setup raised.
  bool looks_at_calls() const noexcept { return looks_at_calls_; }
  virtual base::IntrusivePtr<tenon_function_context> set_up(
      const tenon_stack& call, std::span<const FunctionInput> inputs) const;

  /// Keeps a formula, and the kernel that it is registered with, where there is one: only calls of
  /// that kernel retain it then. A new formula has one reference, which its kernel takes over.
  void retain() const noexcept {
    if (is_registered_) {
      pins_.take();
    } else {
      references_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void release() const noexcept {
    if (is_registered_) {
      pins_.drop();
    } else if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }
  /// The kernel, which frees it.
  void set_home(base::Pinnable* home) noexcept {
    is_registered_ = true;
    pins_.take_place();
    home->spread_pins = &pins_;
  }

 protected:
  Formula() = default;
  void set_absent(Absent absent) noexcept { absent_ = absent; }
  void set_looks_at_calls() noexcept { looks_at_calls_ = true; }

 private:
  virtual std::unique_ptr<Plan> make_plan(const schema::Schema& schema) const = 0;
  const Plan& find_plan(const schema::Schema& schema) const;
  void complete(const schema::Schema& schema, Plan* plan) const;

  std::string name_;
  std::unique_ptr<const TangentText> tangents_;
  mutable base::SpreadPins pins_;               // of what is registered
  mutable std::atomic<int64_t> references_{1};  // of others
  Absent absent_ = Absent::kSkipped;
  bool looks_at_calls_ = false;
  bool is_registered_ = false;
  struct Planned {
    std::unique_ptr<const Plan> plan;
    std::unique_ptr<const Planned> older;  // of an earlier definition: calls may be in it
  };
  mutable std::atomic<const Planned*> planned_{nullptr};
};

/// The one formula of a class, made for the first call that needs it and never freed: nodes may
/// outlive everything.
template <class T>
const T& immortal() {
  static constinit std::atomic<const T*> made{nullptr};
  const T* formula = made.load(std::memory_order_acquire);
  if (formula != nullptr) return *formula;
  auto fresh = std::make_unique<T>();
  if (made.compare_exchange_strong(formula, fresh.get(), std::memory_order_acq_rel)) {
    return *fresh.release();
  }
  return *formula;
}

/// Which argument or result of a schema a name stands for: `result`, `result0`, or as the schema
/// has it. Throws TENON_ERROR_INVALID_ARGUMENT; `what` names the formula in messages.
Save find_save(std::string_view what, const schema::Schema& schema, std::string_view name);

/// "MulBackward0" for "aten::mul_.Tensor".
std::string node_name(std::string_view full_name);

}  // namespace tenon::autograd
