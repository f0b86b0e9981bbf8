// SPDX-License-Identifier: Apache-2.0
#include "dispatch/lookup.h"

#include "base/check.h"
#include "base/error.h"
#include "base/near_names.h"
#include "dispatch/argument_check.h"
#include "dispatch/built_in.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/registry.h"

namespace tenon::dispatch {

namespace {

// Returns true if an operator can be called now. Lookups must not wait for the definitions' lock.
bool is_defined(const tenon_op& op) noexcept {
  return op.results.load(std::memory_order_acquire) != kUnknownResults;
}

std::string_view without_overload(std::string_view full_name) {
  return full_name.substr(0, full_name.find('.'));
}

std::vector<const tenon_op*> overloads_now(std::string_view base_name) {
  Registry& registry = Registry::get();
  const auto lock = registry.lock();
  std::vector<const tenon_op*> found;
  for (const tenon_op* op : registry.ops().all()) {
    if (op->definition() != nullptr && op->base_name() == base_name) found.push_back(op);
  }
  return found;
}

base::ErrorPtr lookup_error(std::string_view full_name) {
  Registry& registry = Registry::get();
  const auto lock = registry.lock();
  const tenon_op* entry = OperatorTable::find(full_name);
  std::string text;
  if (entry != nullptr && entry->kernels() != nullptr) {
    const std::string near = near_operators_locked(full_name);
    text = base::concat(full_name, ": operator must be defined, got kernels without a schema",
                        near.empty() ? "; is the library that defines it loaded?" : near);
  } else {
    std::string overloads;
    std::vector<std::string_view> names;
    const std::string_view base_name = without_overload(full_name);
    for (const tenon_op* op : registry.ops().all()) {
      if (op->definition() == nullptr || op->base_name() != base_name) continue;
      names.push_back(op->overload().empty() ? std::string_view("default") : op->overload());
      overloads += base::concat(overloads.empty() ? "" : ", ", names.back());
    }
    if (overloads.empty()) {
      text = base::concat(full_name, ": operator must exist, got an unknown name",
                          full_name.find("::") == std::string_view::npos
                              ? "; full names look like ns::name or ns::name.overload"
                              : "",
                          near_operators_locked(full_name));
    } else {
      const std::string_view overload = full_name.size() > base_name.size()
                                            ? full_name.substr(base_name.size() + 1)
                                            : std::string_view("default");
      text = base::concat(full_name, ": overload must be one of ", overloads, ", got ", overload,
                          base::did_you_mean(overload, names));
    }
  }
  return base::ErrorPtr::adopt(base::ErrorObject::make(TENON_ERROR_NOT_FOUND, {}, text));
}

// Handles a name that is unknown or has no schema: loads what may define it, then looks again.
[[gnu::noinline]] const tenon_op* find_after_loading(std::string_view full_name) {
  base::ErrorPtr cause = layers().loader.for_namespace(full_name.substr(0, full_name.find("::")));
  // Look again even if nothing was loaded: another thread may have finished loading it.
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

std::vector<const tenon_op*> find_overloads(std::string_view base_name) {
  std::vector<const tenon_op*> found = overloads_now(base_name);
  if (!found.empty()) return found;
  layers().loader.for_namespace(base_name.substr(0, base_name.find("::")));
  return overloads_now(base_name);
}

std::string near_operators_locked(std::string_view full_name) {
  const std::string_view given = without_overload(full_name);
  const std::string_view ns = given.substr(0, given.find("::"));
  std::vector<std::string_view> inside, everywhere;
  for (const tenon_op* op : Registry::get().ops().all()) {
    if (op->definition() == nullptr) continue;
    everywhere.push_back(op->base_name());
    if (op->ns() == ns) inside.push_back(op->base_name());
  }
  // The namespace exists, so compare only the parts after it: equal namespaces would make all names
  // look similar.
  if (inside.empty() || ns.size() == given.size()) return base::did_you_mean(given, everywhere);
  const size_t start = ns.size() + 2;
  for (std::string_view& name : inside) name = name.substr(start);
  return base::did_you_mean(given.substr(start), inside, given.substr(0, start));
}

const tenon_op* running_operator() noexcept {
  const base::ThreadRecord* thread = base::current_thread();
  const base::RunningPlace* top = thread->top.load(std::memory_order_relaxed);
  if (top == thread->running) return nullptr;
  const uintptr_t word = base::shown_at(top[-1], std::memory_order_relaxed);
  if (word == 0) return nullptr;
  if ((word & base::kPicking) != 0) return reinterpret_cast<const tenon_op*>(word - base::kPicking);
  return reinterpret_cast<const Kernel*>(word)->op();
}

schema::SchemaPtr schema_of(const tenon_op& op) {
  const SnapshotGuard guard(&op);
  if (guard.get() == nullptr) {
    const auto lock = Registry::get().lock();
    return op.definition() != nullptr ? op.definition()->schema : schema::SchemaPtr();
  }
  return share_schema(guard.get()->schema);
}

schema::SchemaPtr schema_of_call(const tenon_op& op, const tenon_stack& stack) {
  base::ErrorPtr error;
  {
    const SnapshotGuard guard(&op);
    tenon_keyset keys;
    if (guard.get() == nullptr) {
      error = enter_error(op, guard.entered());
    } else if (counts_fit(*guard.get(), stack) &&
               extract_keys<Checks::kTensors>(*guard.get(), stack.args, stack.nargs, &keys)) {
      return share_schema(guard.get()->schema);
    } else {
      error = stack_error(op, *guard.get(), stack);
    }
  }
  throw Error(std::move(error));
}

schema::SchemaPtr require_schema(const tenon_op& op) {
  schema::SchemaPtr schema = schema_of(op);
  TENON_CHECK(schema != nullptr, TENON_ERROR_NOT_FOUND, op.name(),
              ": operator must be defined, got none");
  return schema;
}

}  // namespace tenon::dispatch
