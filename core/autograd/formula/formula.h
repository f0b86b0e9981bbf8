// SPDX-License-Identifier: Apache-2.0
// Formula: computes gradients of an operator's arguments from those of its results.
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

/// The part of an argument or a result that is saved.
enum class Attribute : uint8_t { kWhole, kSizes, kStrides, kOffset, kDtype };

/// One value that a formula needs in backward.
struct Save {
  bool of_result = false;
  uint16_t position = 0;  // of the argument or result
  Attribute what = Attribute::kWhole;
  uint64_t needed_by = 0;  // bit i: for the gradient of input i
  bool is_tensor = false;  // a whole tensor, saved with its version
  uint16_t input = 0;      // index among the inputs, if there are no lists
};

/// An argument that holds tensors, or may. Edges follow the order of the inputs, with one edge for
/// each element of a list.
struct Input {
  uint16_t position;
  bool is_list;
};

constexpr size_t kMaxInputs = 64;

/// The numbers of edges and saved values that a new node needs room for.
struct NodeShape {
  uint32_t edges = 0;
  uint32_t saved_tensors = 0;
  uint32_t saved_values = 0;
};

struct FunctionInput;

/// How results without a gradient are passed to a formula.
enum class MissingGradients : uint8_t {
  kSkipped,  // zeros, but the formula is not run if no result has a gradient
  kZeros,
  kNothing
};

class CallbackFormula;
class Formula;
/// How a formula handles the calls of one schema: inputs, saved values, and the layout of nodes.
struct Plan {
  virtual ~Plan() = default;
  const Formula* formula = nullptr;
  schema::SchemaPtr schema;
  std::vector<Input> inputs;
  std::vector<Save> saves;
  uint64_t wanted = ~uint64_t{0};  // bit i: input i has a gradient
  bool has_lists = false;
  // saves tensor lists: nodes keep the sum of their versions as their last value
  bool saves_lists = false;
  bool is_quick = false;  // see quick_record.h
  NodeShape shape;        // of its nodes; without the edges if there are lists
  std::unique_ptr<const TangentPlan> tangents;  // NULL without a tangent text
};

/// Returns true if values of a type may be tensors or contain some.
bool may_hold_tensors(const schema::Type& type) noexcept;

/// How to treat other arguments that may contain tensors, to which no gradient can flow.
enum class Others { kRefused, kIgnored };

/// Returns the arguments of a schema that hold tensors. Throws TENON_ERROR_NOT_SUPPORTED for more
/// than kMaxInputs, and for other arguments that may hold tensors if those are refused.
std::vector<Input> inputs_of(const schema::Schema& schema, Others others = Others::kRefused);

/// A gradient formula. Reference-counted: nodes can use it after its registration was removed.
class Formula {
 public:
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;
  virtual ~Formula();

  /// Returns the name of its nodes, such as "MulBackward0".
  const char* name() const noexcept { return name_.c_str(); }
  void set_name(std::string name) { name_ = std::move(name); }
  /// Sets the text of the tangents of the results. Throws TENON_ERROR_PARSE.
  void set_tangents(std::string text);

  /// Returns the formula's plan for the operator's current schema. The plan is made by the first
  /// call, and again after the operator was redefined. Throws if the formula does not fit the
  /// schema, and what dispatch::schema_of_call() throws for a stack of an earlier definition.
  const Plan& plan_for(const tenon_op& op, const tenon_stack& stack) const;

  /// Writes an owned gradient, or NULL, for each input whose gradient is needed. The grad mode is
  /// set by the caller; undefined gradients of results are NULL. Throws.
  virtual void run(const Plan& plan, tenon_backward_call* call) const = 0;
  /// Returns the formula itself if it has a jvp, which then computes tangents, and NULL otherwise.
  virtual const CallbackFormula* with_jvp() const noexcept { return nullptr; }
  /// Returns true if run() can be differentiated: tangents are derived from it if there is no
  /// tangent text.
  virtual bool is_derivable() const noexcept { return true; }
  /// Returns true if run() computes only with calls that can be recorded. A gradient without a node
  /// is then known to be constant.
  virtual bool records_all() const noexcept { return false; }

  MissingGradients absent() const noexcept { return missing_gradients_; }
  /// Returns the formula itself if it is the context of one call, see function_context.h; otherwise
  /// NULL.
  virtual const tenon_function_context* context() const noexcept { return nullptr; }
  /// Returns true if set_up() must run for each call. set_up() inspects a call after its kernel has
  /// returned, and returns the context that replaces the formula in the call's node. It throws the
  /// errors of the setup callback.
  bool looks_at_calls() const noexcept { return looks_at_calls_; }
  virtual base::IntrusivePtr<tenon_function_context> set_up(
      const tenon_stack& call, std::span<const FunctionInput> inputs) const;

  /// Adds a reference. A registered formula lives in its kernel: references pin the kernel, so only
  /// calls of that kernel pay for them. A new formula has one reference, which its kernel takes
  /// over.
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
  /// Registers the formula with the kernel that owns it and will free it.
  void set_home(base::Pinnable* home) noexcept {
    is_registered_ = true;
    pins_.take_place();
    home->spread_pins = &pins_;
  }

 protected:
  Formula() = default;
  void set_missing_gradients(MissingGradients absent) noexcept { missing_gradients_ = absent; }
  void set_looks_at_calls() noexcept { looks_at_calls_ = true; }

 private:
  virtual std::unique_ptr<Plan> make_plan(const schema::Schema& schema) const = 0;
  const Plan& find_plan(const schema::Schema& schema) const;
  void complete(const schema::Schema& schema, Plan* plan) const;

  std::string name_;
  std::unique_ptr<const TangentText> tangents_;
  mutable base::SpreadPins pins_;               // references to a registered formula
  mutable std::atomic<int64_t> references_{1};  // references to other formulas
  MissingGradients missing_gradients_ = MissingGradients::kSkipped;
  bool looks_at_calls_ = false;
  bool is_registered_ = false;
  struct PlanVersion {
    std::unique_ptr<const Plan> plan;
    // plan of an earlier definition, which running calls may still use
    std::unique_ptr<const PlanVersion> older;
  };
  mutable std::atomic<const PlanVersion*> planned_{nullptr};
};

/// Returns the single formula of a class. It is made on first use and never freed, because nodes
/// may outlive everything else.
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

/// Finds the argument or result of a schema that a name refers to: `result`, `result0`, or a name
/// from the schema. Throws TENON_ERROR_INVALID_ARGUMENT; `what` names the formula in messages.
Save find_save(std::string_view what, const schema::Schema& schema, std::string_view name);

/// Returns "MulBackward0" for "aten::mul_.Tensor" and 0.
std::string node_name(std::string_view full_name, uint32_t number);

}  // namespace tenon::autograd
