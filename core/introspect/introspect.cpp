// SPDX-License-Identifier: Apache-2.0
#include "introspect/introspect.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/key_set.h"
#include "dispatch/lookup.h"
#include "dispatch/registry.h"
#include "dispatch/slot_resolver.h"

namespace tenon::introspect {

namespace {

using dispatch::Kernel;
using dispatch::Registry;
using dispatch::Resolved;
using dispatch::Snapshot;

std::vector<const tenon_op*> list(bool defined) {
  std::vector<const tenon_op*> found;
  Registry& registry = Registry::get();
  {
    const auto lock = registry.lock();
    for (const tenon_op* op : registry.ops().all()) {
      const bool dangling = op->definition() == nullptr && op->kernels() != nullptr;
      if (defined ? op->definition() != nullptr : dangling) found.push_back(op);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const tenon_op* a, const tenon_op* b) { return a->full_name() < b->full_name(); });
  return found;
}

std::vector<tenon_key> table_keys() {
  std::vector<tenon_key> keys = list_keys();
  keys.insert(keys.begin(), TENON_KEY_UNDEFINED);
  return keys;
}

// Returns the kernel that the snapshot in use has for a slot, and its name for messages.
std::string slot_text(const Snapshot& snapshot, uint32_t slot, const Kernel** out_kernel) {
  *out_kernel = nullptr;
  *out_kernel = dispatch::kernel_of_slot(snapshot, slot);
  if (*out_kernel != nullptr) return (*out_kernel)->describe();
  // Calls never reach slots beyond the end of the table: the mask excludes their keys.
  const bool skipped = slot >= snapshot.nslots || snapshot.slots[slot] == dispatch::kSkipped;
  return skipped ? "a fallthrough" : "no kernel";
}

void check_locked(const tenon_op& op) {
  const Registry& registry = Registry::get();
  const Snapshot* used = op.snapshot.load(std::memory_order_acquire);
  const Snapshot* right = dispatch::build_snapshot(op, const_cast<Registry&>(registry).fallbacks());
  struct Free {
    const Snapshot* snapshot;
    ~Free() {
      if (snapshot != dispatch::empty_snapshot()) dispatch::free_snapshot(snapshot);
    }
  } const free_right{right};
  for (const Kernel* active = op.kernels(); active != nullptr; active = active->next) {
    TENON_CHECK(active->key != TENON_KEY_UNDEFINED && op.active_kernel(active->key) == active,
                TENON_ERROR_INTERNAL, op.name(), ": ", dispatch::key_name(active->key),
                " must have one active kernel, got another");
  }
  const size_t plans = right->schema != nullptr ? right->nargs() : 0;
  TENON_CHECK(used->counts == right->counts && used->pair_counts == right->pair_counts &&
                  used->mask == right->mask && used->include == right->include &&
                  used->plain == right->plain && used->below == right->below &&
                  used->below_number == right->below_number && used->front == right->front &&
                  used->looked_at == right->looked_at && used->flags == right->flags &&
                  used->schema == right->schema && used->nslots == right->nslots &&
                  std::equal(used->plans(), used->plans() + plans, right->plans()),
              TENON_ERROR_INTERNAL, op.name(), ": table must follow from the registrations, got ",
              "another head");
  const uint32_t nslots = op.definition() != nullptr ? right->nslots : 0;
  for (uint32_t slot = 0; slot < nslots; ++slot) {
    const Kernel* a;
    const Kernel* b;
    const std::string actual = slot_text(*used, slot, &a);
    const std::string expected = slot_text(*right, slot, &b);
    TENON_CHECK(a == b && actual == expected, TENON_ERROR_INTERNAL, op.name(), ": slot of ",
                dispatch::key_name(dispatch::key_of_slot(slot)), " must have ", expected, ", got ",
                actual);
  }
}

}  // namespace

const char* provenance_name(uint32_t provenance) noexcept {
  switch (provenance) {
    case TENON_PROVENANCE_KERNEL:
      return "kernel";
    case TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL:
      return "default backend kernel";
    case TENON_PROVENANCE_MATH_KERNEL:
      return "math kernel";
    case TENON_PROVENANCE_AUTOGRAD_KERNEL:
      return "autograd kernel";
    case TENON_PROVENANCE_BATCHED_KERNEL:
      return "batched kernel";
    case TENON_PROVENANCE_BACKEND_FALLBACK:
      return "backend fallback";
    default:
      return "missing";
  }
}

tenon_slot_info slot_info(const tenon_op& op, tenon_key key) {
  const auto lock = Registry::get().lock();
  return slot_info_locked(op, key);
}

tenon_slot_info slot_info_locked(const tenon_op& op, tenon_key key) {
  TENON_CHECK_ARG(key == TENON_KEY_UNDEFINED || dispatch::is_runtime_key(key), op.name(),
                  ": key must be a runtime key or Undefined, got ", dispatch::key_name(key), " (",
                  key, ")");
  const Resolved found = dispatch::resolve_slot(op, key, Registry::get().fallbacks());
  tenon_slot_info info{};
  info.struct_size = sizeof info;
  info.provenance = found.provenance;
  info.key = key;
  info.source_key = key;
  info.name = info.file = "";
  if (found.kernel == nullptr) return info;
  info.source_key = found.kernel->key;
  info.fallthrough = found.fallthrough ? 1 : 0;
  info.language = found.kernel->entry.language;
  info.name = found.kernel->name.c_str();
  info.file = found.kernel->file.c_str();
  info.line = found.kernel->line;
  info.typed = found.kernel->entry.typed != nullptr ? 1 : 0;
  return info;
}

std::vector<tenon_key> list_keys() {
  std::vector<tenon_key> keys = dispatch::runtime_keys();
  std::sort(keys.begin(), keys.end(), [](tenon_key a, tenon_key b) {
    const uint32_t first = dispatch::functionality_of(a);
    const uint32_t second = dispatch::functionality_of(b);
    return first != second ? first < second : a < b;
  });
  return keys;
}

std::vector<const tenon_op*> list_operators() { return list(true); }

std::vector<const tenon_op*> list_dangling() { return list(false); }

std::string print_tags(const tenon_op& op) {
  const auto lock = Registry::get().lock();
  std::string text;
  const dispatch::Definition* definition = op.definition();
  if (definition == nullptr) return text;
  for (const base::InternedString tag : definition->tags) {
    if (!text.empty()) text += '\n';
    text += tag.view();
  }
  return text;
}

std::string dump_registrations(const tenon_op& op) {
  const auto lock = Registry::get().lock();
  return dump_registrations_locked(op);
}

std::string dump_registrations_locked(const tenon_op& op) {
  std::string text = base::concat("name: ", op.name(), "\n");
  if (const dispatch::Definition* definition = op.definition(); definition == nullptr) {
    text += base::concat("schema: (none)", dispatch::near_operators_locked(op.full_name()), "\n");
  } else {
    text +=
        base::concat("schema: ", definition->schema->text(),
                     "\ndefined: ", dispatch::place_text(definition->file, definition->line), "\n");
    const bool conservative = definition->alias_analysis == dispatch::AliasAnalysis::kConservative;
    text += base::concat("alias analysis: ", conservative ? "CONSERVATIVE" : "FROM_SCHEMA", "\n");
  }
  std::vector<const Kernel*> actives;
  for (const Kernel* each = op.kernels(); each != nullptr; each = each->next) {
    actives.push_back(each);
  }
  std::sort(actives.begin(), actives.end(), [](const Kernel* a, const Kernel* b) {
    return std::string_view(dispatch::key_name(a->key)) < dispatch::key_name(b->key);
  });
  for (const Kernel* active : actives) {
    for (const Kernel* each = active; each != nullptr; each = each->older) {
      const Kernel& kernel = *each;
      text += base::concat(dispatch::key_name(kernel.key),
                           dispatch::is_alias(kernel.key) ? "[alias]" : "", ": ", kernel.describe(),
                           kernel.is_fallthrough() ? " [fallthrough]" : "",
                           kernel.entry.typed != nullptr ? " [typed]" : " [boxed]",
                           each == active ? "" : " [inactive]",
                           kernel.policy == TENON_REPLACE_OVERRIDE ? " [override]" : "", "\n");
    }
  }
  return text;
}

std::string dump_table(const tenon_op& op) {
  const auto lock = Registry::get().lock();
  return dump_table_locked(op);
}

std::string dump_table_locked(const tenon_op& op) {
  const dispatch::FallbackTable& fallbacks = Registry::get().fallbacks();
  std::string text;
  for (const tenon_key key : table_keys()) {
    const Resolved found = dispatch::resolve_slot(op, key, fallbacks);
    if (found.kernel == nullptr) continue;
    text += base::concat(dispatch::key_name(key), ": ",
                         found.fallthrough ? std::string("fallthrough") : found.kernel->describe(),
                         " [", provenance_name(found.provenance), "]\n");
  }
  return text;
}

void check_invariants(const tenon_op* op) {
  Registry& registry = Registry::get();
  const auto lock = registry.lock();
  registry.ops().check_invariants();
  if (op != nullptr) {
    check_locked(*op);
    return;
  }
  for (const tenon_op* each : registry.ops().all()) check_locked(*each);
}

}  // namespace tenon::introspect
