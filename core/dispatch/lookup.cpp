// SPDX-License-Identifier: Apache-2.0
#include "dispatch/lookup.h"

#include "base/error.h"
#include "dispatch/argument_check.h"
#include "dispatch/auto_load.h"
#include "dispatch/registry.h"

namespace tenon::dispatch {

namespace {

// Callable at this moment: a lookup must not wait for the lock that guards the definition.
bool is_defined(const tenon_op& op) noexcept {
  return op.results.load(std::memory_order_acquire) != kUnknownResults;
}

std::string_view without_overload(std::string_view full_name) {
  return full_name.substr(0, full_name.find('.'));
}

base::ErrorPtr lookup_error(std::string_view full_name) {
  Registry& registry = Registry::get();
  const auto lock = registry.lock();
  const tenon_op* entry = OperatorTable::find(full_name);
  std::string text;
  if (entry != nullptr && entry->kernels() != nullptr) {
    text = base::concat(full_name,
                        ": operator must be defined, got kernels without a schema; is the "
                        "library that defines it loaded?");
  } else {
    std::string overloads;
    const std::string_view base_name = without_overload(full_name);
    for (const tenon_op* op : registry.ops().all()) {
      if (op->definition() == nullptr || op->base_name() != base_name) continue;
      if (!overloads.empty()) overloads += ", ";
      overloads += op->overload().empty() ? std::string_view("default") : op->overload();
    }
    if (overloads.empty()) {
      text = base::concat(full_name, ": operator must exist, got an unknown name",
                          full_name.find("::") == std::string_view::npos
                              ? "; full names look like ns::name or ns::name.overload"
                              : "");
    } else {
      const std::string_view overload = full_name.size() > base_name.size()
                                            ? full_name.substr(base_name.size() + 1)
                                            : std::string_view("default");
      text = base::concat(full_name, ": overload must be one of ", overloads, ", got ", overload);
    }
  }
  return base::ErrorPtr::adopt(base::ErrorObject::make(TENON_ERROR_NOT_FOUND, {}, text));
}

// Not there, or without a schema: what may define it is loaded first.
[[gnu::noinline]] const tenon_op* find_after_loading(std::string_view full_name) {
  base::ErrorPtr cause = load_for_namespace(full_name.substr(0, full_name.find("::")));
  // Also where nothing was loaded: another thread's loading may have ended since the last look.
  const tenon_op* op = OperatorTable::find(full_name);
  if (op != nullptr && is_defined(*op)) return op;
  base::ErrorPtr error = lookup_error(full_name);
  if (cause) error->set_cause(cause.detach());
  throw Error(std::move(error));
}

schema::SchemaPtr share_schema(const schema::Schema* schema) {
  return schema::SchemaPtr::share(const_cast<schema::Schema*>(schema));
}

}  // namespace

const tenon_op* find_operator(std::string_view full_name) {
  const tenon_op* op = OperatorTable::find(full_name);
  if (op != nullptr && is_defined(*op)) [[likely]] {
    return op;
  }
  return find_after_loading(full_name);
}

schema::SchemaPtr schema_of(const tenon_op& op) {
  const SnapshotGuard guard(&op);
  if (guard.get() == nullptr) {
    const auto lock = Registry::get().lock();
    return op.definition() != nullptr ? op.definition()->schema : schema::SchemaPtr();
  }
  return share_schema(guard.get()->schema);
}

}  // namespace tenon::dispatch
