// SPDX-License-Identifier: Apache-2.0
#include "introspect/simulator.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/live_count.h"
#include "dispatch/dispatch_key.h"
#include "dispatch/registry.h"
#include "dispatch/selection.h"
#include "introspect/explain.h"
#include "introspect/introspect.h"
#include "schema/parser.h"

namespace {

namespace dispatch = tenon::dispatch;
namespace introspect = tenon::introspect;
using tenon::base::concat;

constexpr std::string_view kNamespace = "simulated";
constexpr tenon_key kComposites[] = {TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
                                     TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD};

struct Row {
  std::string key;
  std::string kernel;
};

// Prints a title, a header and one line per row, in two columns.
std::string print_rows(std::string_view title, std::vector<Row> rows) {
  rows.insert(rows.begin(), {"key", "kernel"});
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.key.size() + 2);
  std::string text = concat(title, "\n");
  for (size_t i = 0; i < rows.size(); ++i) {
    text += concat(rows[i].key, std::string(width - rows[i].key.size(), ' '), rows[i].kernel, "\n");
    if (i == 0) text += concat(std::string(width + 12, '-'), "\n");
  }
  return text;
}

dispatch::KernelPtr make_kernel(tenon_key key, uint32_t flags) {
  auto kernel = std::make_unique<dispatch::Kernel>();
  kernel->key = key;
  kernel->name = tenon::base::InternedString(concat("fn_", dispatch::key_name(key)));
  kernel->entry.flags = flags;
  return kernel;
}

}  // namespace

tenon_simulator::tenon_simulator(std::string_view schema)
    : schema_(tenon::schema::parse_schema(schema, kNamespace)),
      op_(tenon_op::make_scratch(schema_->name().full())) {
  dispatch::Definition definition;
  definition.schema = schema_;
  op_->set_definition(std::move(definition));
  tenon::base::count_live(TENON_HANDLE_SIMULATOR, 1);
}

tenon_simulator::~tenon_simulator() { tenon::base::count_live(TENON_HANDLE_SIMULATOR, -1); }

void tenon_simulator::add(const std::vector<std::string_view>& names, uint32_t flags) {
  TENON_CHECK_ARG((flags & ~uint32_t{TENON_KERNEL_FALLTHROUGH}) == 0,
                  "simulator: flags must be 0 or TENON_KERNEL_FALLTHROUGH, got ", flags);
  const auto lock = dispatch::Registry::get().lock();
  const size_t before = kernels_.size();
  try {
    for (const std::string_view name : names) {
      const tenon_key key = dispatch::parse_key(name);
      TENON_CHECK_ARG(key != TENON_KEY_UNDEFINED,
                      "simulator: key must be a runtime key or an alias, got Undefined");
      TENON_CHECK_ARG(op_->active_kernel(key) == nullptr,
                      "simulator: each key must be given only once, got ", name, " twice");
      kernels_.push_back(make_kernel(key, flags));
      op_->push_kernel(kernels_.back().get());
    }
    TENON_CHECK_ARG(op_->active_kernel(kComposites[0]) == nullptr ||
                        op_->active_kernel(kComposites[1]) == nullptr,
                    "simulator: keys must not contain both ", dispatch::key_name(kComposites[0]),
                    " and ", dispatch::key_name(kComposites[1]));
  } catch (...) {
    while (kernels_.size() > before) drop(kernels_.back().get());
    throw;
  }
}

void tenon_simulator::drop(dispatch::Kernel* kernel) noexcept {
  op_->remove_kernel(kernel);
  std::erase_if(kernels_, [kernel](const auto& each) { return each.get() == kernel; });
}

void tenon_simulator::remove(std::string_view name) {
  const auto lock = dispatch::Registry::get().lock();
  const tenon_key key = dispatch::parse_key(name);
  const dispatch::Kernel* kernel = op_->active_kernel(key);
  TENON_CHECK(kernel != nullptr, TENON_ERROR_NOT_FOUND, "simulator: key must be registered, got ",
              name, ", which is not registered");
  drop(const_cast<dispatch::Kernel*>(kernel));
}

// Calls `use` with the operator as if it were defined now. Takes the lock only after all selectors
// have been called without it.
template <class Use>
auto tenon_simulator::look(const Use& use) const {
  dispatch::Registry& registry = dispatch::Registry::get();
  dispatch::Selection selection(*schema_);
  while (true) {
    {
      const auto lock = registry.lock();
      if (selection.is_complete_locked(registry)) {
        op_->definition()->choices = selection.choices_locked(registry);
        return use(*op_);
      }
    }
    selection.ask();
  }
}

tenon_slot_info tenon_simulator::slot_info(tenon_key key) const {
  return look([&](const tenon_op& op) { return introspect::slot_info_locked(op, key); });
}

std::string tenon_simulator::print_registrations_locked() const {
  std::vector<Row> rows;
  for (const dispatch::Kernel* kernel = op_->kernels(); kernel != nullptr; kernel = kernel->next) {
    rows.push_back({dispatch::key_name(kernel->key),
                    concat(kernel->name.view(), kernel->is_fallthrough() ? " [fallthrough]" : "")});
  }
  return print_rows("Registered Kernels", std::move(rows));
}

std::string tenon_simulator::print_table_locked() const {
  std::vector<Row> rows;
  std::vector<tenon_key> keys = introspect::list_keys();
  keys.insert(keys.begin(), TENON_KEY_UNDEFINED);
  for (const tenon_key key : keys) {
    const tenon_slot_info slot = introspect::slot_info_locked(*op_, key);
    if (slot.provenance == TENON_PROVENANCE_MISSING ||
        slot.provenance == TENON_PROVENANCE_BACKEND_FALLBACK) {
      continue;
    }
    rows.push_back(
        {dispatch::key_name(key), concat(slot.fallthrough != 0 ? "fallthrough" : slot.name, " [",
                                         introspect::provenance_name(slot.provenance), "]")});
  }
  return print_rows("Computed Dispatch Table", std::move(rows));
}

std::string tenon_simulator::print(uint32_t what) const {
  return look([&](const tenon_op& op) { return print_locked(op, what); });
}

std::string tenon_simulator::print_locked(const tenon_op& op, uint32_t what) const {
  switch (what) {
    case TENON_SIMULATOR_REGISTRATIONS:
      return print_registrations_locked();
    case TENON_SIMULATOR_TABLE:
      return print_table_locked();
    case TENON_SIMULATOR_RAW_REGISTRATIONS:
      return introspect::dump_registrations_locked(op);
    case TENON_SIMULATOR_RAW_TABLE:
      return introspect::dump_table_locked(op);
    default:
      tenon::fail(TENON_ERROR_INVALID_ARGUMENT,
                  "tenon_simulator_print: what must be a TENON_SIMULATOR_* number, got ", what);
  }
}

std::string tenon_simulator::explain(tenon_keyset keys) const {
  return look([&](const tenon_op& op) { return introspect::explain_keys_locked(op, keys); });
}
