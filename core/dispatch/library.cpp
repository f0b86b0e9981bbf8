// SPDX-License-Identifier: Apache-2.0
// Opening, closing and draining of libraries, and the removal of registrations.
#include "dispatch/library.h"

#include <atomic>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/live_count.h"
#include "dispatch/argument_check.h"
#include "dispatch/built_in.h"
#include "dispatch/key_set.h"

using tenon::dispatch::Registration;

namespace {

const void* next_group() {
  static std::atomic<uintptr_t> counter{0};
  return reinterpret_cast<const void*>(2 * counter.fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace

tenon_registration::tenon_registration(Kind registration_kind) noexcept : kind(registration_kind) {
  tenon::base::count_live(TENON_HANDLE_REGISTRATION, 1);
}

tenon_registration::~tenon_registration() {
  tenon::base::count_live(TENON_HANDLE_REGISTRATION, -1);
}

tenon_library::tenon_library(uint32_t library_kind, std::string_view library_ns,
                             tenon_key library_key, std::string_view library_file,
                             int32_t library_line)
    : kind(library_kind),
      ns(library_ns),
      key(library_key),
      file(library_file),
      line(library_line),
      group(next_group()) {
  tenon::base::count_live(TENON_HANDLE_LIBRARY, 1);
}

tenon_library::~tenon_library() { tenon::base::count_live(TENON_HANDLE_LIBRARY, -1); }

void tenon_library::destroy(tenon_library* library) {
  // Also for a closed library: close_library() takes the registry's lock, and so waits for a thread
  // that is closing the library at this moment.
  tenon::dispatch::close_library(library);
  delete library;
}

namespace tenon::dispatch {

namespace {

bool is_namespace(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char letter : text) {
    const bool good = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9') || letter == '_';
    if (!good) return false;
  }
  return true;
}

// Detaches one registration from the registry. Puts what must be announced or freed later into
// `changes`, including the kernel of a fallback.
void unlink_locked(Registry& registry, Registration* registration, Changes& changes) noexcept {
  TENON_DCHECK(!registration->removed);
  registration->removed = true;
  const Library* library = registration->library;
  switch (registration->kind) {
    case Registration::Kind::kDefinition:
      registration->op->set_definition({});
      changes.touch(registration->op);
      if (!registry.listeners()->empty()) {
        registration->op->events().add(registry.take_spare_event(), TENON_EVENT_OP_REMOVED,
                                       registry.listeners());
      }
      break;
    case Registration::Kind::kKernel: {
      tenon_op* op = registration->op;
      Kernel* kernel = registration->kernel;
      op->remove_kernel(kernel);
      TENON_DCHECK(kernel->op() == op);
      kernel->retired.group = library->group;
      kernel->retired.label = op->name();
      changes.retire(&kernel->retired);
      changes.touch(op);
      break;
    }
    case Registration::Kind::kFallback: {
      Fallback* fallback = registration->fallback;
      registry.fallbacks().remove(fallback);
      forget_choices_locked(registry, fallback);
      for (tenon_op* op : registry.ops().all()) {
        if (op->definition() != nullptr) changes.touch(op);
      }
      Kernel* kernel = fallback->kernel.release();
      kernel->retired.any_owner = 1;
      kernel->retired.group = library->group;
      kernel->retired.label = key_name(kernel->key);
      changes.retire(&kernel->retired);
      delete fallback;
      break;
    }
    case Registration::Kind::kListener:
      (*registration->listener)->removed.store(true, std::memory_order_release);
      registry.drop_removed_listeners();
      break;
  }
}

void remove_from_list(Registration* registration) noexcept {
  TENON_DCHECK(registration->next == nullptr || registration->next->previous == registration);
  TENON_DCHECK(registration->previous != nullptr ||
               registration->library->registrations == registration);
  if (registration->previous != nullptr) {
    registration->previous->next = registration->next;
  } else {
    registration->library->registrations = registration->next;
  }
  if (registration->next != nullptr) registration->next->previous = registration->previous;
  registration->previous = registration->next = nullptr;
}

// Announces the removed definitions and releases the list's references.
void let_go(Registration* list) noexcept {
  while (list != nullptr) {
    Registration* next = list->next;
    if (list->kind == Registration::Kind::kDefinition) notify_listeners(list->op);
    list->next = nullptr;
    if (list->kind == Registration::Kind::kListener) {
      delete std::exchange(list->listener, nullptr);
    }
    list->release();
    list = next;
  }
}

// Reports the library to the collector of this thread, if there is one.
void note_closed(const Library& library) noexcept {
  void* place = base::current_thread()->locals[base::kLocalClosed];
  if (place == nullptr) return;
  try {
    static_cast<std::vector<const void*>*>(place)->push_back(library.group);
  } catch (const std::bad_alloc&) {
    // The collector will not wait for this library. Its kernels are still freed only once unused.
  }
}

}  // namespace

// Closes libraries in one step.
class LibraryCloser {
 public:
  /// Closes one library. The caller holds the lock; finish() announces and frees later.
  void close_locked(Registry& registry, Library* library) noexcept {
    if (library->closed) return;
    check_registrations_locked(*library);
    library->closed = true;
    if (OpenedLibraries* opened = std::exchange(library->opened_in, nullptr)) {
      std::erase(opened->libraries_, library);
    }
    *end_ = std::exchange(library->registrations, nullptr);
    for (; *end_ != nullptr; end_ = &(*end_)->next) unlink_locked(registry, *end_, changes_);
    if (library->kind == TENON_LIBRARY_DEF) registry.namespaces().erase(library->ns.view());
  }
  void publish_locked(Registry& registry) noexcept { registry.publish_noexcept(changes_); }
  /// Announces and frees what was removed. Called without the lock.
  void finish() noexcept {
    Registry::finish(changes_);
    let_go(removed_);
  }

 private:
  Changes changes_;
  Registration* removed_ = nullptr;
  Registration** end_ = &removed_;
};

LibraryPtr open_library(uint32_t kind, std::string_view ns, tenon_key key, std::string_view file,
                        int32_t line) {
  if (kind > TENON_LIBRARY_FRAGMENT) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "library: kind must be DEF, IMPL or FRAGMENT, got ", kind);
  }
  if (!is_namespace(ns)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "library: namespace must be an identifier, got \"", ns,
         "\"");
  }
  if (ns == "_" && kind != TENON_LIBRARY_IMPL) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "library: kind must be IMPL for namespace \"_\", got ",
         kind == TENON_LIBRARY_DEF ? "DEF" : "FRAGMENT");
  }
  if (key != TENON_KEY_NONE && !is_alias(key) && !is_runtime_key(key)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "library ", ns, ": key must be a dispatch key, got ", key);
  }
  // Kernels loaded later than the library's would take precedence over them. A failure to load is
  // reported by later lookups, not here.
  layers().loader.for_namespace(ns);
  auto library = base::make_intrusive<Library>(kind, ns, key, file, line);
  auto* opened = static_cast<OpenedLibraries*>(base::current_thread()->locals[base::kLocalOpened]);
  if (kind != TENON_LIBRARY_DEF && opened == nullptr) return library;
  library->closed = true;  // until it is registered below, its destructor must not close it
  Registry& registry = Registry::get();
  const auto lock = registry.lock();
  if (opened != nullptr) opened->libraries_.reserve(opened->libraries_.size() + 1);
  if (kind == TENON_LIBRARY_DEF) {
    const auto [place, inserted] =
        registry.namespaces().try_emplace(library->ns.view(), library.get());
    if (!inserted) {
      const std::string first = at_place(place->second->file, place->second->line);
      const std::string second = at_place(library->file, line);
      fail(TENON_ERROR_ALREADY_EXISTS, "library ", ns,
           ": namespace must have only one DEF library, got a second one", second,
           first.empty() ? "" : "; the first is", first, "; use FRAGMENT to add to it");
    }
  }
  if (opened != nullptr) opened->libraries_.push_back(library.get());
  library->opened_in = opened;
  library->closed = false;
  return library;
}

void check_registrations_locked(const Library& library) noexcept {
#if !defined(NDEBUG)
  TENON_DCHECK(!library.closed || library.registrations == nullptr);
  const Registration* previous = nullptr;
  for (const Registration* each = library.registrations; each != nullptr; each = each->next) {
    TENON_DCHECK(each->library == &library && each->previous == previous && !each->removed);
    TENON_DCHECK(each->kind != Registration::Kind::kListener);
    TENON_DCHECK((each->kind == Registration::Kind::kFallback) == (each->op == nullptr));
    TENON_DCHECK(each->kind != Registration::Kind::kDefinition ||
                 each->op->definition() != nullptr);
    TENON_DCHECK(each->kind != Registration::Kind::kKernel ||
                 each->op->active_kernel(each->kernel->key) != nullptr);
    previous = each;
  }
#else
  static_cast<void>(library);
#endif
}

void forget_choices_locked(Registry& registry, const Fallback* fallback) noexcept {
  if (fallback->select == nullptr) return;
  for (tenon_op* op : registry.ops().all()) {
    if (Definition* definition = op->definition()) {
      definition->choices.erase_if(
          [&](const FallbackChoice& choice) { return choice.fallback == fallback; });
    }
  }
}

void remove_registration(Registration* registration) noexcept {
  Registry& registry = Registry::get();
  Changes changes;
  {
    const auto lock = registry.lock();
    if (registration->removed) return;
    if (registration->library != nullptr) remove_from_list(registration);
    unlink_locked(registry, registration, changes);
    registry.publish_noexcept(changes);
  }
  Registry::finish(changes);
  let_go(registration);
}

void close_library(Library* library) noexcept {
  Registry& registry = Registry::get();
  LibraryCloser closer;
  {
    const auto lock = registry.lock();
    if (library->closed) return;
    closer.close_locked(registry, library);
    closer.publish_locked(registry);
  }
  closer.finish();
  note_closed(*library);
}

OpenedLibraries::OpenedLibraries() {
  base::ThreadRecord* thread = base::require_thread_record();
  outer_ = std::exchange(thread->locals[base::kLocalOpened], static_cast<void*>(this));
}

OpenedLibraries::~OpenedLibraries() {
  base::current_thread()->locals[base::kLocalOpened] = outer_;
  const auto lock = Registry::get().lock();
  for (Library* library : libraries_) library->opened_in = nullptr;
}

std::vector<const void*> OpenedLibraries::close_all() {
  Registry& registry = Registry::get();
  LibraryCloser closer;
  std::vector<const void*> groups;
  {
    // Another thread may be about to free one of them, but must close it first, under this lock.
    const auto lock = registry.lock();
    groups.reserve(libraries_.size());
    while (!libraries_.empty()) {
      Library* library = libraries_.back();
      groups.push_back(library->group);
      closer.close_locked(registry, library);  // removes it from the list
    }
    closer.publish_locked(registry);
  }
  closer.finish();
  return groups;
}

ClosedLibraries::ClosedLibraries() {
  base::ThreadRecord* thread = base::require_thread_record();
  outer_ = std::exchange(thread->locals[base::kLocalClosed], static_cast<void*>(&groups_));
}

ClosedLibraries::~ClosedLibraries() { base::current_thread()->locals[base::kLocalClosed] = outer_; }

void drain_group(const void* group, std::string_view what, int64_t timeout_ns) {
  base::Blocker blocker;
  switch (base::drain(group, timeout_ns, &blocker)) {
    case base::DrainResult::kDone:
      return;
    case base::DrainResult::kTimeout:
      if (blocker.pinned) {
        fail(TENON_ERROR_BUSY, what,
             ": all recorded calls of its kernels must have been released, got ", blocker.label,
             " still used by one");
      }
      fail(TENON_ERROR_BUSY, what,
           ": kernels and deleters must have returned before the timeout, got ",
           blocker.label != nullptr ? blocker.label : "a deleter", " still running on thread ",
           blocker.thread_id);
    case base::DrainResult::kInsideKernel:
      fail(TENON_ERROR_STATE, what,
           ": drain must be called outside of kernels, got a call from inside one");
  }
}

void drain_library(Library* library, int64_t timeout_ns) {
  {
    const auto lock = Registry::get().lock();
    if (!library->closed) {
      fail(TENON_ERROR_STATE, "library ", library->ns.view(),
           ": library must be closed before it is drained, got an open one");
    }
  }
  drain_group(library->group, base::concat("library ", library->ns.view()), timeout_ns);
}

}  // namespace tenon::dispatch
