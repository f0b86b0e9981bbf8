// SPDX-License-Identifier: Apache-2.0
#include "symbol/fallback.h"

#include <algorithm>
#include <vector>

#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/fallback.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/lookup.h"
#include "symbol/symbolic_tensor.h"
#include "symbol/symbolic_value.h"
#include "value/value.h"

namespace tenon::symbol {

namespace {

using dispatch::Kernel;
using tensor::Tensor;

constexpr int kMaxNesting = 64;  // the depth that key extraction searches, too

// Returns true if the kernel that serves fake tensors accepts symbols: a Fake kernel, a composite,
// or a Meta kernel.
bool takes_symbols(const dispatch::Snapshot& snapshot) noexcept {
  const Kernel* kernel = dispatch::kernel_of_slot(snapshot, dispatch::slot_of_key(TENON_KEY_FAKE));
  if (kernel == nullptr || kernel->op() == nullptr) {
    kernel = dispatch::kernel_of_slot(snapshot, dispatch::slot_of_key(TENON_KEY_META));
  }
  // If there is no kernel, pass the call on, so that it fails with a clear error.
  return kernel == nullptr || (kernel->entry.flags & TENON_KERNEL_SYMBOLIC) != 0;
}

bool takes_symbols(const tenon_op* op) noexcept {
  const dispatch::SnapshotGuard guard(op);
  // nested too deeply: redispatch reports it
  return guard.get() == nullptr || takes_symbols(*guard.get());
}

// Returns true if a call computes no data: it has a fake or Meta tensor, or creates one on Meta.
bool is_abstract(tenon_keyset keys, const tenon_stack& stack) noexcept {
  constexpr tenon_keyset kFake = dispatch::functionality_bit(TENON_FUNCTIONALITY_FAKE);
  constexpr tenon_keyset kMeta = tenon_keyset{1} << TENON_BACKEND_META;
  if ((keys & (kFake | kMeta)) != 0) return true;
  for (uint32_t k = 0; k < stack.nargs; ++k) {
    const tenon_value& value = stack.args[k];
    if (value.tag == TENON_TAG_DEVICE && value.as.device.type == TENON_DEVICE_META) return true;
  }
  return false;
}

// RAII: replaces the symbols in a call's arguments by numbers. Symbolic tensors are made plain in
// place.
class Numbers {
 public:
  Numbers(const tenon_op& op, tenon_stack* stack) : stack_(stack), given_(stack->args) {
    GuardLocation place = GuardLocation::current();
    place.op = op.name();
    const schema::SchemaPtr schema = dispatch::schema_of(op);
    for (uint32_t k = 0; k < stack->nargs; ++k) {
      const bool is_named = schema.get() != nullptr && k < schema->arguments().size();
      place.argument = is_named ? schema->arguments()[k].name.view() : std::string_view();
      specialize_symbols(stack->args[k], place, 0);
      if (is_symbolic(stack->args[k])) replace(k, place);
    }
  }
  ~Numbers() { stack_->args = given_; }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

 private:
  static bool is_symbolic(const tenon_value& value) noexcept {
    return (value.tag >= TENON_TAG_SYMINT && value.tag <= TENON_TAG_SYMBOOL) ||
           (value.tag == TENON_TAG_INT_LIST && (value.flags & TENON_VALUE_HAS_SYMBOLIC) != 0);
  }

  static void specialize_symbols(const tenon_value& value, const GuardLocation& place, int depth) {
    if (value.tag == TENON_TAG_TENSOR) {
      if (value.as.tensor != nullptr) specialize(*value.as.tensor, &place);
    } else if (value.tag == TENON_TAG_TENSOR_LIST) {
      for (uint32_t i = 0; i < value.count; ++i) {
        if (Tensor* tensor = value::tensors(value)[i]) specialize(*tensor, &place);
      }
    } else if (value::is_value_list(value.tag) && depth < kMaxNesting) {
      for (uint64_t i = 0; i < value::element_count(value); ++i) {
        specialize_symbols(value::elements(value)[i], place, depth + 1);
      }
    }
  }

  void replace(uint32_t k, const GuardLocation& place) {
    if (own_.empty()) {
      own_.assign(given_, given_ + stack_->nargs);
      owners_.reserve(stack_->nargs);
      stack_->args = own_.data();
    }
    owners_.emplace_back(concrete(own_[k], &place));
    own_[k] = owners_.back().get();
    own_[k].flags = 0;
  }

  tenon_stack* const stack_;
  tenon_value* const given_;
  std::vector<tenon_value> own_;
  std::vector<value::OwnedValue> owners_;
};

tenon_status run_symbolic(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    keys &= dispatch::keys_below(TENON_KEY_SYMBOLIC);
    if (is_abstract(keys, *stack) && takes_symbols(op)) {
      return dispatch::redispatch(op, keys, stack);
    }
    const Numbers numbers(*op, stack);
    return dispatch::redispatch(op, keys, stack);
  });
}

dispatch::Explanation explain_symbolic(const dispatch::Arguments*) {
  return {"replaces symbols by numbers for kernels that do not accept symbols, and records guards",
          false};
}

constexpr dispatch::BuiltIn kBuiltIns[] = {
    {"run_symbolic", TENON_KEY_SYMBOLIC, &run_symbolic, nullptr, &explain_symbolic},
};

}  // namespace

std::span<const dispatch::BuiltIn> built_ins() noexcept { return kBuiltIns; }

}  // namespace tenon::symbol
