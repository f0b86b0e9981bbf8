// SPDX-License-Identifier: Apache-2.0
// The operations that add to the registry: definitions, kernels, fallbacks and listeners. An
// operation that throws changes nothing.
#include <unordered_map>

#include "base/check.h"
#include "dispatch/key_set.h"
#include "dispatch/library.h"
#include "dispatch/selection.h"
#include "schema/inference.h"
#include "schema/parser.h"

namespace tenon::dispatch {

namespace {

const char* kind_name(uint32_t kind) {
  switch (kind) {
    case TENON_LIBRARY_DEF:
      return "DEF";
    case TENON_LIBRARY_IMPL:
      return "IMPL";
    default:
      return "FRAGMENT";
  }
}

std::string describe(const Library& library) {
  return base::concat(kind_name(library.kind), " library ", library.ns.view(), " opened",
                      at_place(library.file, library.line));
}

void check_open_locked(const Library& library) {
  if (library.closed) {
    fail(TENON_ERROR_STATE, describe(library), ": library must be open, got a closed one");
  }
}

void check_namespace(const Library& library, const schema::OperatorName& name) {
  if (name.ns() != library.ns.view()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, name.full(), ": namespace must be ", library.ns.view(),
         ", that of the ", describe(library), ", got ", name.ns());
  }
}

void link_locked(Library* library, const RegistrationPtr& registration) noexcept {
  TENON_DCHECK(!library->closed && registration->library == nullptr && !registration->removed);
  registration->library = library;
  registration->next = library->registrations;
  if (library->registrations != nullptr) library->registrations->previous = registration.get();
  library->registrations = RegistrationPtr(registration).detach();
  TENON_DCHECK(registration->next == nullptr || registration->next->previous == registration.get());
}

// Checks a kernel's inferred schema and typed signature against the definition.
void check_against_definition(const tenon_op& op, const Kernel& kernel,
                              const Definition& definition) {
  if (kernel.inferred != nullptr) {
    if (const auto reason = schema::find_mismatch(*kernel.inferred, *definition.schema)) {
      fail(TENON_ERROR_INVALID_ARGUMENT, op.name(), ": ", kernel.describe(), " for ",
           key_name(kernel.key), " must match the schema defined",
           at_place(definition.file, definition.line), ", got a mismatch: ", *reason,
           "; schema: ", definition.schema->text(), "; kernel: ", kernel.inferred->text());
    }
  }
  if (kernel.entry.typed != nullptr && kernel.entry.signature != definition.signature) {
    const std::string codes = schema::signature_codes(*definition.schema);
    fail(TENON_ERROR_INVALID_ARGUMENT, op.name(), ": ", kernel.describe(), " for ",
         key_name(kernel.key), " must have a typed function of signature \"", codes,
         "\", got another signature; schema: ", definition.schema->text());
  }
}

// Calls `use` with each registered kernel, active or not.
template <class Use>
void for_each_kernel(const tenon_op& op, const Use& use) {
  for (const Kernel* active = op.kernels(); active != nullptr; active = active->next) {
    for (const Kernel* kernel = active; kernel != nullptr; kernel = kernel->older) use(*kernel);
  }
}

// Checks that two kernels of an operator that is not defined yet agree.
void check_against_kernel(const tenon_op& op, const Kernel& kernel, const Kernel& other) {
  const bool typed = kernel.entry.typed != nullptr && other.entry.typed != nullptr;
  if (typed && kernel.entry.signature != other.entry.signature) {
    fail(TENON_ERROR_INVALID_ARGUMENT, op.name(), ": ", kernel.describe(), " for ",
         key_name(kernel.key), " must have the signature of ", other.describe(), " for ",
         key_name(other.key), ", got another one",
         kernel.inferred != nullptr && other.inferred != nullptr
             ? base::concat(": ", kernel.inferred->text(), " and ", other.inferred->text())
             : std::string());
  }
}

void check_kernel_locked(const tenon_op& op, const Kernel& kernel) {
  if (op.definition() != nullptr) {
    check_against_definition(op, kernel, *op.definition());
    return;
  }
  for_each_kernel(op, [&](const Kernel& other) { check_against_kernel(op, kernel, other); });
}

AliasAnalysis parse_alias_analysis(std::string_view name, std::string_view text) {
  if (text == "CONSERVATIVE") return AliasAnalysis::kConservative;
  if (text.empty() || text == "FROM_SCHEMA") return AliasAnalysis::kFromSchema;
  fail(TENON_ERROR_INVALID_ARGUMENT, name,
       ": alias_analysis must be \"\", FROM_SCHEMA or CONSERVATIVE, got \"", text, "\"");
}

tenon_key choose_key(const Library& library, std::string_view name, tenon_key key) {
  if (key == TENON_KEY_NONE) {
    return library.key != TENON_KEY_NONE ? library.key : TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD;
  }
  if (!is_alias(key) && !is_runtime_key(key)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, name, ": key must be a dispatch key, got ",
         key == TENON_KEY_UNDEFINED ? "Undefined" : base::concat(key));
  }
  if (library.key != TENON_KEY_NONE && library.key != key) {
    fail(TENON_ERROR_INVALID_ARGUMENT, name, ": key must be ", key_name(library.key),
         ", that of the ", describe(library), ", got ", key_name(key));
  }
  return key;
}

// Returns the operator to be defined. Throws if the definition conflicts with what is registered.
tenon_op* find_definable_locked(Registry& registry, const Library& library,
                                const Definition& definition) {
  check_open_locked(library);
  tenon_op* op = registry.ops().find_or_make(definition.schema->name().full());
  if (const Definition* first = op->definition()) {
    const std::string place = at_place(first->file, first->line);
    fail(TENON_ERROR_ALREADY_EXISTS, op->name(),
         ": operator must be defined only once, got a second", " definition",
         at_place(definition.file, definition.line), place.empty() ? "" : "; the first is", place);
  }
  for_each_kernel(*op,
                  [&](const Kernel& kernel) { check_against_definition(*op, kernel, definition); });
  return op;
}

void check_no_fallback_locked(Registry& registry, const Fallback& fallback) {
  for (const tenon_key key : fallback.keys) {
    if (const Fallback* other = registry.fallbacks().registered_at(slot_of_key(key))) {
      fail(TENON_ERROR_ALREADY_EXISTS, "fallback: ", key_name(key),
           " must not have a fallback yet, got ", other->kernel->describe(), "; the new one is ",
           fallback.kernel->describe());
    }
  }
}

// The answers of a new fallback's selector about all defined operators.
class SelectorSurvey {
 public:
  SelectorSurvey(tenon_fallback_select select, const Kernel& kernel)
      : select_(select), kernel_(kernel) {}

  /// Returns true if the selector has been asked about the current definition of each operator.
  bool is_complete_locked(Registry& registry) {
    unasked_.clear();
    if (select_ == nullptr) return true;
    for (const tenon_op* op : registry.ops().all()) {
      const Definition* definition = op->definition();
      if (definition == nullptr) continue;
      const auto answer = answers_.find(op);
      if (answer != answers_.end() && answer->second.schema == definition->schema) continue;
      unasked_.emplace_back(op, definition->schema);
    }
    return unasked_.empty();
  }
  /// Asks about the operators that the last check found missing. No lock is held.
  void ask() {
    for (const auto& [op, schema] : unasked_) {
      answers_[op] = {schema, ask_selector(select_, kernel_, *schema)};
    }
  }
  bool concerns(const tenon_op* op) const { return answers_.at(op).concerned; }

 private:
  struct SelectorAnswer {
    schema::SchemaPtr schema;  // held so that its address is not reused
    bool concerned;
  };
  const tenon_fallback_select select_;
  const Kernel& kernel_;
  std::vector<std::pair<const tenon_op*, schema::SchemaPtr>> unasked_;
  std::unordered_map<const tenon_op*, SelectorAnswer> answers_;
};

// Installs a fallback and publishes all tables, or throws and changes nothing.
void install_locked(Registry& registry, Fallback* fallback, const SelectorSurvey& survey,
                    Changes& changes) {
  try {
    registry.fallbacks().install(fallback);
    for (tenon_op* op : registry.ops().all()) {
      Definition* definition = op->definition();
      if (definition == nullptr) continue;
      if (fallback->select != nullptr) {
        definition->choices.push_back({fallback, survey.concerns(op)});
      }
      changes.touch(op);
    }
    registry.publish(changes);
  } catch (...) {
    Registry::forget(changes);
    registry.fallbacks().remove(fallback);
    forget_choices_locked(registry, fallback);
    throw;
  }
}

}  // namespace

const tenon_op* define(Library* library, std::string_view schema_text,
                       const DefineOptions& options) {
  if (library->kind == TENON_LIBRARY_IMPL) {
    fail(TENON_ERROR_INVALID_ARGUMENT, describe(*library),
         ": define must be called on a DEF or FRAGMENT library, got an IMPL library");
  }
  Definition definition;
  definition.schema = schema::parse_schema(schema_text, library->ns.view());
  const schema::OperatorName& name = definition.schema->name();
  check_namespace(*library, name);
  definition.tags = base::CompactVector<base::InternedString>(options.tags);
  definition.alias_analysis = parse_alias_analysis(name.full(), options.alias_analysis);
  definition.file = options.file;
  definition.line = options.line;
  const std::string codes = schema::signature_codes(*definition.schema);
  definition.signature = codes.empty() ? 0 : schema::signature_hash(codes);
  auto registration = base::make_intrusive<Registration>(Registration::Kind::kDefinition);

  Registry& registry = Registry::get();
  Selection selection(*definition.schema);
  Changes changes;
  for (bool done = false; !done;) {
    {
      const auto lock = registry.lock();
      tenon_op* op = find_definable_locked(registry, *library, definition);
      done = selection.is_complete_locked(registry);
      if (done) {
        definition.choices = selection.choices_locked(registry);
        EventPtr defined;
        if (!registry.listeners()->empty()) {
          defined = std::make_unique<Event>();
          registry.spare_events().push_back(std::make_unique<Event>());
        }
        op->set_definition(std::move(definition));
        changes.touch(op);
        try {
          registry.publish(changes);
        } catch (...) {
          op->set_definition({});
          throw;
        }
        if (defined != nullptr) {
          op->events().add(std::move(defined), TENON_EVENT_OP_DEFINED, registry.listeners());
        }
        registration->op = op;
        link_locked(library, registration);
      }
    }
    if (!done) selection.ask();
  }
  Registry::finish_later(changes);
  notify_listeners(registration->op);
  return registration->op;
}

RegistrationPtr implement(Library* library, std::string_view name, tenon_key key,
                          KernelPtr kernel) {
  if (library->is_wildcard()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, name,
         ": kernel must be registered in a library of its namespace, got the wildcard \"_\", which "
         "is for fallbacks only");
  }
  const schema::OperatorName parsed = schema::parse_operator_name(name, library->ns.view());
  check_namespace(*library, parsed);
  const std::string full_name = parsed.full();
  kernel->key = choose_key(*library, full_name, key);
  if (kernel->is_for_tracked() && !is_autograd(kernel->key)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, full_name,
         ": kernel with TENON_KERNEL_WHEN_TRACKED must be on Autograd, got ",
         key_name(kernel->key));
  }
  auto registration = base::make_intrusive<Registration>(Registration::Kind::kKernel);

  Registry& registry = Registry::get();
  Changes changes;
  {
    const auto lock = registry.lock();
    check_open_locked(*library);
    tenon_op* op = registry.ops().find_or_make(full_name);
    const Kernel* active = op->active_kernel(kernel->key);
    if (active != nullptr && kernel->policy == TENON_REPLACE_ERROR) {
      fail(TENON_ERROR_ALREADY_EXISTS, op->name(), ": ", key_name(kernel->key),
           " must not have a kernel yet, got ", active->describe());
    }
    if (op->definition() != nullptr && op->definition()->signature == 0) {
      kernel->entry.typed = nullptr;  // no caller can use it: the schema has no typed form
      kernel->entry.signature = 0;
    }
    check_kernel_locked(*op, *kernel);
    op->push_kernel(kernel.get());
    changes.touch(op);
    try {
      registry.publish(changes);
    } catch (...) {
      op->remove_kernel(kernel.get());
      throw;
    }
    registration->op = op;
    registration->kernel = kernel.release();
    link_locked(library, registration);
  }
  Registry::finish_later(changes);
  return registration;
}

RegistrationPtr add_fallback(Library* library, tenon_key key, KernelPtr kernel,
                             tenon_fallback_select select) {
  if (library->kind != TENON_LIBRARY_IMPL || !library->is_wildcard()) {
    fail(
        TENON_ERROR_INVALID_ARGUMENT, describe(*library),
        ": fallback must be registered in an IMPL library of namespace \"_\", got another library");
  }
  const tenon_key chosen =
      key != TENON_KEY_NONE ? choose_key(*library, "fallback", key) : library->key;
  const bool composite = chosen == TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD ||
                         chosen == TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD ||
                         chosen == TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL;
  if (chosen == TENON_KEY_NONE || composite) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         "fallback: key must be a runtime key, Autograd, Autocast or BatchedDecomposition, got ",
         composite ? key_name(chosen) : "none");
  }
  kernel->key = chosen;
  auto fallback = std::make_unique<Fallback>();
  fallback->select = select;
  fallback->keys = expand_key(chosen);
  fallback->kernel = std::move(kernel);
  auto registration = base::make_intrusive<Registration>(Registration::Kind::kFallback);

  Registry& registry = Registry::get();
  SelectorSurvey survey(select, *fallback->kernel);
  Changes changes;
  for (bool done = false; !done;) {
    {
      const auto lock = registry.lock();
      check_open_locked(*library);
      check_no_fallback_locked(registry, *fallback);
      done = survey.is_complete_locked(registry);
      if (done) {
        install_locked(registry, fallback.get(), survey, changes);
        registration->fallback = fallback.release();
        link_locked(library, registration);
      }
    }
    if (!done) survey.ask();
  }
  Registry::finish(changes);
  return registration;
}

RegistrationPtr add_listener(tenon_registry_listener tell, void* ctx, tenon_deleter deleter) {
  std::shared_ptr<const Listener> listener;
  try {
    listener = std::make_shared<const Listener>(tell, ctx, deleter);
  } catch (const std::bad_alloc&) {
    if (deleter != nullptr) deleter(ctx);
    throw;
  }
  if (tell == nullptr) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "listener: function must be given, got NULL");
  }
  auto registration = base::make_intrusive<Registration>(Registration::Kind::kListener);
  auto owned = std::make_unique<const ListenerPtr>(listener);
  const auto alone = std::make_shared<const Listeners>(Listeners{listener});
  std::vector<std::pair<tenon_op*, EventPtr>> known;
  Registry& registry = Registry::get();
  {
    const auto lock = registry.lock();
    for (tenon_op* op : registry.ops().all()) {
      if (op->definition() == nullptr) continue;
      known.emplace_back(op, std::make_unique<Event>());
    }
    std::vector<EventPtr>& spare = registry.spare_events();
    while (spare.size() < known.size()) spare.push_back(std::make_unique<Event>());
    auto with = std::make_shared<Listeners>(*registry.listeners());
    with->push_back(listener);
    registration->listener = owned.release();
    registry.listeners() = std::move(with);
    registration->retain();  // the registry's own reference
    // Queued under the lock, so that these events precede all later ones of the same operators.
    for (auto& [op, event] : known) {
      op->events().add(std::move(event), TENON_EVENT_OP_DEFINED, alone);
    }
  }
  for (const auto& [op, event] : known) notify_listeners(op);
  return registration;
}

}  // namespace tenon::dispatch
