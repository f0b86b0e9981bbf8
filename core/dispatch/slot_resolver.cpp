// SPDX-License-Identifier: Apache-2.0
#include "dispatch/slot_resolver.h"

#include <algorithm>

#include "base/error.h"
#include "base/small_vector.h"
#include "base/thread.h"
#include "dispatch/key_set.h"
#include "tenon/introspect.h"
#include "tenon/key.h"
#include "tenon/library.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::dispatch {

namespace {

using schema::Schema;
using schema::Type;

Resolved resolved(const Kernel* kernel, uint32_t provenance) {
  return {kernel, provenance, kernel->is_fallthrough()};
}

bool is_concerned(const tenon_op& op, const Fallback& fallback) {
  if (fallback.select == nullptr) return true;
  if (fallback.built_in != nullptr) {
    const auto& schema = op.definition()->schema;
    return fallback.select(nullptr, schema.get()) == TENON_SELECT_KERNEL;
  }
  for (const FallbackChoice& choice : op.definition()->choices) {
    if (choice.fallback == &fallback) return choice.concerned;
  }
  return true;
}

// The aliases in order of precedence.
struct AliasPrecedence {
  tenon_key alias;
  uint32_t provenance;
};
constexpr AliasPrecedence kAliasPrecedence[] = {
    {TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL, TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL},
    {TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL},
    {TENON_KEY_BATCHED_DECOMPOSITION, TENON_PROVENANCE_BATCHED_KERNEL},
    {TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, TENON_PROVENANCE_MATH_KERNEL},
    {TENON_KEY_AUTOGRAD, TENON_PROVENANCE_AUTOGRAD_KERNEL},
    {TENON_KEY_AUTOCAST, TENON_PROVENANCE_AUTOGRAD_KERNEL},
};

// The active kernels of an operator, indexed for resolving many slots.
class Resolver {
 public:
  Resolver(const tenon_op& op, const FallbackTable& fallbacks) : op_(op), fallbacks_(fallbacks) {
    for (const Kernel* active = op.kernels(); active != nullptr; active = active->next) {
      if (is_alias(active->key)) {
        aliases_ |= alias_bit(active->key);
        by_alias_[active->key - TENON_KEY_ALIAS_FIRST] = active;
      } else if (functionality_of(active->key) == TENON_FUNCTIONALITY_DENSE) {
        backends_ |= uint32_t{1} << backend_of(active->key);
      }
    }
  }

  Resolved resolve(uint32_t slot, const SlotInfo& info, const Kernel* direct) const {
    if (direct != nullptr) return resolved(direct, TENON_PROVENANCE_KERNEL);
    const uint8_t candidates = aliases_ & info.aliases;
    if (candidates != 0) {
      for (const AliasPrecedence& step : kAliasPrecedence) {
        if ((candidates & alias_bit(step.alias)) == 0) continue;
        if (step.alias == TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD && has_backend_kernel(info))
          continue;
        return resolved(by_alias_[step.alias - TENON_KEY_ALIAS_FIRST], step.provenance);
      }
    }
    const Fallback* fallback = slot != kUndefinedSlot ? fallbacks_.at(slot) : nullptr;
    if (fallback == nullptr) return {};
    Resolved found = resolved(fallback->kernel.get(), TENON_PROVENANCE_BACKEND_FALLBACK);
    if (!found.fallthrough && op_.definition() != nullptr && !is_concerned(op_, *fallback)) {
      found.fallthrough = true;
    }
    return found;
  }

  /// Returns true if some alias that covers the slot has a kernel.
  bool has_alias_for(const SlotInfo& info) const { return (aliases_ & info.aliases) != 0; }
  /// Returns the backends for which a kernel is registered directly.
  uint32_t backends() const { return backends_; }

 private:
  // Returns true if the slot's backend has a kernel, directly or by CompositeExplicitAutograd.
  // CompositeImplicitAutograd then leaves Autograd and the keys below it to that kernel. For a key
  // with one slot for all backends, any backend's kernel counts.
  bool has_backend_kernel(const SlotInfo& info) const {
    if ((aliases_ & alias_bit(TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD)) != 0) return true;
    if (info.key == TENON_KEY_UNDEFINED) return false;
    if (functionality_of(info.key) == TENON_FUNCTIONALITY_DENSE) return false;
    if (info.per_backend) return (backends_ >> backend_of(info.key) & 1) != 0;
    return backends_ != 0;
  }

  const tenon_op& op_;
  const FallbackTable& fallbacks_;
  uint8_t aliases_ = 0;    // aliases with a kernel
  uint32_t backends_ = 0;  // with a directly registered kernel
  const Kernel* by_alias_[kAliasCount] = {};
};

// Returns true if each written argument has a fixed number among the tensors of a typed call: it is
// a tensor, and arguments that may hold several tensors come after it.
bool written_by_number(const Schema& schema) {
  bool in_front = true;
  bool found = false;
  for (const schema::Argument& argument : schema.arguments()) {
    const Type& type = *argument.type;
    const bool optional = type.kind == TENON_TYPE_OPTIONAL;
    const bool is_tensor = (optional ? *type.elements[0] : type).kind == TENON_TYPE_TENSOR;
    if (!is_tensor && (plan_argument(type) & kCarriesKeys) != 0) in_front = false;
    if (argument.is_written() && !(is_tensor && in_front)) return false;
    found = found || argument.is_written();
  }
  return found && !schema.is_vararg();
}

bool returns_views(const Schema& schema) {
  return std::ranges::any_of(schema.returns(), [](const schema::Argument& result) {
    return result.alias != nullptr && !result.is_written();
  });
}

bool is_tagged(const Definition& definition, std::string_view tag) {
  return std::ranges::any_of(definition.tags,
                             [&](const base::InternedString& one) { return one.view() == tag; });
}

// Records the positions and kinds of the arguments that carry keys.
void describe_arguments(const Schema& schema, Snapshot* snapshot) {
  const auto& arguments = schema.arguments();
  snapshot->counts = arguments.size() | uint64_t{schema.returns().size()} << 32;
  if (schema.is_vararg()) snapshot->traits |= kHasVararg;
  if (schema.is_varret()) snapshot->traits |= kHasVarret;
  ArgumentPlan* plans = snapshot->plans();
  size_t carrying = 0;
  size_t front = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    plans[i] = plan_argument(*arguments[i].type);
    if (arguments[i].is_written()) plans[i] |= kWritten;
    if ((plans[i] & plan_tag(TENON_TAG_DEVICE)) != 0) snapshot->traits |= kHasDevice;
    if ((plans[i] & kCarriesKeys) == 0) continue;
    ++carrying;
    snapshot->looked_at = static_cast<uint16_t>(i + 1);
    if (arguments[i].type->kind == TENON_TYPE_TENSOR && front == i && i < UINT8_MAX) ++front;
  }
  snapshot->front = static_cast<uint8_t>(front);
  if (carrying == 0 && !schema.is_vararg()) snapshot->traits |= kHasNoTensors;
  if (returns_views(schema)) snapshot->traits |= kReturnsViews;
  const bool plain = front == carrying && !schema.is_vararg() && !schema.is_varret();
  if (plain && (front == 1 || front == 3)) snapshot->flags |= kOneOrThree;
  snapshot->pair_counts = plain && front == 2 ? snapshot->counts : kNoCounts;
}

// Returns Autograd if it runs for untracked tensors, too: if the operator has a kernel for it that
// is not limited to tracked tensors.
tenon_keyset included_keys(const tenon_op& op) {
  for (const Kernel* active = op.kernels(); active != nullptr; active = active->next) {
    const bool own = !active->is_fallthrough() && !active->is_for_tracked();
    if (own && is_autograd(active->key)) return base::kAutogradBit;
  }
  return 0;
}

// The kernels of a table, each once, and the slots that they serve.
class TableBuilder {
 public:
  TableBuilder(const tenon_op& op, const FallbackTable& fallbacks)
      : op_(op), fallbacks_(fallbacks), resolver_(op, fallbacks), numbers_(slot_count()) {
    for (const Kernel* active = op.kernels(); active != nullptr; active = active->next) {
      if (!is_alias(active->key)) direct_.push_back({slot_of_key(active->key), active});
    }
    const SlotInfo* infos = slot_infos();
    for (uint32_t slot = 0; slot < numbers_.size();) {
      const uint32_t width = infos[slot].per_backend ? kBackendCount : 1;
      const bool skipped = fill_row(slot, width, infos);
      slot += width;
      if (!skipped) nslots_ = slot;
    }
  }

  const base::SmallVector<int8_t, 160>& numbers() const { return numbers_; }
  /// Returns the number of slots that the table needs: the mask keeps calls from those above.
  uint32_t nslots() const { return nslots_; }
  const base::SmallVector<const Kernel*, 16>& kernels() const { return kernels_; }
  /// Functionalities whose slots all fall through.
  tenon_keyset skipped() const { return skipped_; }
  /// Returns the lowest backend for which a kernel is registered directly, CPU without one.
  uint32_t first_backend() const {
    return static_cast<uint32_t>(__builtin_ctz(resolver_.backends() | 1u << kBackendCount)) %
           kBackendCount;
  }

 private:
  struct DirectKernel {
    uint32_t slot;
    const Kernel* kernel;
  };

  // Resolves the slots of one functionality. Backends without a direct kernel all resolve alike,
  // unless fallbacks differ: they are resolved once, and every other backend by itself. Returns
  // true if all slots fall through.
  bool fill_row(uint32_t row, uint32_t width, const SlotInfo* infos) {
    const uint32_t all = (uint32_t{1} << width) - 1;
    uint32_t apart = fallbacks_.is_uniform(row) ? 0 : all;
    if (width > 1) apart |= resolver_.backends();
    for (const DirectKernel& direct : direct_) {
      if (direct.slot >= row && direct.slot < row + width)
        apart |= uint32_t{1} << (direct.slot - row);
    }
    apart &= all;
    bool all_skipped = true;
    if (apart != all) {
      const auto first = static_cast<uint32_t>(__builtin_ctz(~apart));
      const int8_t number = resolve(row + first, infos, &all_skipped);
      std::fill_n(numbers_.begin() + row, width, number);
    }
    for (; apart != 0; apart &= apart - 1) {
      const uint32_t slot = row + static_cast<uint32_t>(__builtin_ctz(apart));
      numbers_[slot] = resolve(slot, infos, &all_skipped);
    }
    if (row == kUndefinedSlot || !all_skipped) return false;
    skipped_ |= functionality_bit(functionality_of(infos[row].key));
    return true;
  }

  int8_t resolve(uint32_t slot, const SlotInfo* infos, bool* all_skipped) {
    const Kernel* direct = nullptr;
    for (const DirectKernel& each : direct_) {
      if (each.slot == slot) direct = each.kernel;
    }
    const Fallback* fallback = slot != kUndefinedSlot ? fallbacks_.at(slot) : nullptr;
    // Most slots have only a fallback for all operators, or nothing.
    const bool simple = direct == nullptr && !resolver_.has_alias_for(infos[slot]) &&
                        (fallback == nullptr || fallback->select == nullptr);
    Resolved found;
    if (!simple) {
      found = resolver_.resolve(slot, infos[slot], direct);
    } else if (fallback != nullptr) {
      found = resolved(fallback->kernel.get(), TENON_PROVENANCE_BACKEND_FALLBACK);
    }
    if (!found.fallthrough) *all_skipped = false;
    if (found.kernel == nullptr) return kMissing;
    // Nothing is below Undefined.
    if (found.fallthrough) return slot == kUndefinedSlot ? kMissing : kSkipped;
    if (fallback != nullptr && fallback->shared && found.kernel == fallback->kernel.get()) {
      return kShared;
    }
    return number_of(found.kernel);
  }

  int8_t number_of(const Kernel* kernel) {
    size_t number = 0;
    while (number < kernels_.size() && kernels_[number] != kernel) ++number;
    if (number == kMaxKernels) {
      fail(TENON_ERROR_STATE, op_.name(), ": number of kernels must be at most ", kMaxKernels,
           ", got one more");
    }
    if (number == kernels_.size()) kernels_.push_back(kernel);
    return kernel_number(number);
  }

  const tenon_op& op_;
  const FallbackTable& fallbacks_;
  const Resolver resolver_;
  base::SmallVector<DirectKernel, 16> direct_;
  base::SmallVector<int8_t, 160> numbers_;
  base::SmallVector<const Kernel*, 16> kernels_;
  tenon_keyset skipped_ = 0;
  uint32_t nslots_ = 0;
};

// Returns true if the built-in fallback for all operators serves a key.
bool is_built_in(const base::SmallVector<int8_t, 160>& numbers, const FallbackTable& fallbacks,
                 tenon_key key) {
  const uint32_t slot = slot_of_key(key);
  return numbers[slot] == kShared && fallbacks.at(slot)->built_in != nullptr;
}

// Makes a kernel the first one, with the number -1.
void put_first(int8_t number, Snapshot* snapshot) {
  if (number == -1) return;
  std::swap(snapshot->kernel(-1), snapshot->kernel(number));
  for (uint32_t slot = 0; slot < snapshot->nslots; ++slot) {
    int8_t& each = snapshot->slots[slot];
    if (each == number || each == -1) each = each == -1 ? number : int8_t{-1};
  }
}

// Returns a plain set that contains the Autograd that the operator includes, so that a call from
// which a grad mode removed Autograd does not match it; see user_autograd_key(). If no kernel
// serves Autograd, nothing is included.
tenon_keyset with_own_autograd(tenon_keyset plain, Snapshot* snapshot) {
  snapshot->include &= snapshot->mask;
  if ((snapshot->include & ~plain) == 0) return plain;
  const uint32_t row = slot_of_key(TENON_KEY_AUTOGRAD_CPU);
  for (uint32_t slot = row; slot < row + kBackendCount; ++slot) {
    if (snapshot->slots[slot] < 0) return keyset_of(key_of_slot(slot)) & snapshot->mask;
  }
  snapshot->include = 0;
  return plain;
}

// Chooses the key sets of most calls and redispatches, with which the fast path compares before it
// looks up a slot. `plain` is the set of plain tensors on a thread without guards; `below` is the
// set with which layers redispatch such a call to the backend.
void choose_sets(uint32_t backend, Snapshot* snapshot) {
  if (snapshot->nkernels == 0) {
    snapshot->serve_no_set();
    return;
  }
  const bool has_tensors = (snapshot->traits & kHasNoTensors) == 0;
  const tenon_keyset chosen = functionality_bit(TENON_FUNCTIONALITY_DENSE) | backend_bit(backend);
  tenon_keyset plain = has_tensors ? tensor::plain_keys(static_cast<int32_t>(backend)) : 0;
  plain =
      (plain | snapshot->include | base::kDefaultInclude) & ~base::kDefaultExclude & snapshot->mask;
  if ((snapshot->flags & kSelectsBackend) != 0) {
    plain = (plain & ~functionality_bit(TENON_FUNCTIONALITY_BACKEND_SELECT)) | chosen;
  }
  tenon_keyset below = chosen & snapshot->mask;
  const auto is_served = [&](tenon_keyset keys) { return snapshot->slots[slot_of(keys)] < 0; };
  if (!is_served(below)) below = plain;
  if (!is_served(plain)) plain = below;
  for (uint32_t slot = 0; !is_served(plain); ++slot) {
    if (snapshot->slots[slot] >= 0) continue;
    plain = below = slot == kUndefinedSlot ? 0 : keyset_of(key_of_slot(slot)) & snapshot->mask;
  }
  plain = with_own_autograd(plain, snapshot);
  put_first(snapshot->slots[slot_of(plain)], snapshot);
  snapshot->plain = plain;
  snapshot->below = below;
  snapshot->below_number = snapshot->slots[slot_of(below)];
}

}  // namespace

Resolved resolve_slot(const tenon_op& op, tenon_key key, const FallbackTable& fallbacks) {
  const uint32_t slot = slot_of_key(key);
  const Kernel* direct = key != TENON_KEY_UNDEFINED ? op.active_kernel(key) : nullptr;
  return Resolver(op, fallbacks).resolve(slot, slot_infos()[slot], direct);
}

const Snapshot* build_snapshot(const tenon_op& op, const FallbackTable& fallbacks) {
  if (op.definition() == nullptr) return empty_snapshot();
  const Definition& definition = *op.definition();
  const TableBuilder table(op, fallbacks);
  const auto& numbers = table.numbers();
  const auto& kernels = table.kernels();
  Snapshot* snapshot =
      allocate_snapshot(table.nslots(), static_cast<uint32_t>(kernels.size()),
                        static_cast<uint32_t>(definition.schema->arguments().size()));
  for (size_t i = 0; i < kernels.size(); ++i) snapshot->kernel(kernel_number(i)) = kernels[i];
  std::copy_n(numbers.begin(), table.nslots(), snapshot->slots);
  snapshot->include = included_keys(op);
  snapshot->mask = ~table.skipped();
  snapshot->schema = schema::SchemaPtr(definition.schema).detach();
  describe_arguments(*snapshot->schema, snapshot);
  if (is_tagged(definition, "nondeterministic_seeded")) snapshot->traits |= kIsRandom;
  if (is_tagged(definition, "dynamic_output_shape")) snapshot->traits |= kHasDynamicShape;
  if (is_tagged(definition, "inplace_view")) snapshot->traits |= kIsInPlaceView;
  if (is_built_in(numbers, fallbacks, TENON_KEY_BACKEND_SELECT)) snapshot->flags |= kSelectsBackend;
  if (is_built_in(numbers, fallbacks, TENON_KEY_AD_INPLACE_OR_VIEW)) {
    // Calls that return views go to the fallback, which also marks multi-output views.
    const bool views = (snapshot->traits & kReturnsViews) != 0;
    if (!views) snapshot->flags |= kCountsWrites;
    if (!views && written_by_number(*snapshot->schema)) snapshot->flags |= kWritesByNumber;
  }
  choose_sets(table.first_backend(), snapshot);
  if (snapshot->include != 0) snapshot->flags |= kHasUserAutograd;
  check_invariants(*snapshot);
  retired_node(snapshot)->owner = &op;
  return snapshot;
}

}  // namespace tenon::dispatch
