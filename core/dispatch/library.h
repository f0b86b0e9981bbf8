// SPDX-License-Identifier: Apache-2.0
// Library and Registration: the owners of definitions, kernels and fallbacks.
#pragma once

#include <atomic>
#include <string_view>

#include "base/intrusive_ptr.h"
#include "dispatch/registry.h"

/// A single registration. Its library holds a reference until it is removed.
struct tenon_registration final : tenon::base::RefCounted<tenon_registration> {
  enum class Kind : uint8_t { kDefinition, kKernel, kFallback, kListener };

  explicit tenon_registration(Kind kind) noexcept;
  ~tenon_registration();

  const Kind kind;
  std::atomic<bool> removed{false};  // read by calls, too; written under the registry's lock
  // The registry's lock guards the fields below.
  tenon_library* library = nullptr;  // NULL for a listener
  tenon_op* op = nullptr;
  union {  // by kind; the operator holds a definition itself
    tenon::dispatch::Kernel* kernel = nullptr;
    tenon::dispatch::Fallback* fallback;
    const tenon::dispatch::ListenerPtr* listener;  // owned
  };
  tenon_registration* previous = nullptr;  // in the library's list, or in a list being removed
  tenon_registration* next = nullptr;
};

namespace tenon::dispatch {
class OpenedLibraries;
}

/// An owner of registrations in one namespace.
struct tenon_library final : tenon::base::RefCounted<tenon_library> {
  tenon_library(uint32_t kind, std::string_view ns, tenon_key key, std::string_view file,
                int32_t line);
  ~tenon_library();
  static void destroy(tenon_library* library);

  const uint32_t kind;
  const tenon::base::InternedString ns;
  const tenon_key key;
  const tenon::base::InternedString file;
  const int32_t line;
  /// The group of the library's retired objects, which drain() waits for. Unlike the library's
  /// address, it is never reused.
  const void* const group;

  // The registry's lock guards the fields below.
  bool closed = false;
  tenon_registration* registrations = nullptr;
  tenon::dispatch::OpenedLibraries* opened_in = nullptr;  // NULL if not collected, or closed

  bool is_wildcard() const noexcept { return ns.view() == "_"; }
};

namespace tenon::dispatch {

using Library = ::tenon_library;
using Registration = ::tenon_registration;
using LibraryPtr = base::IntrusivePtr<Library>;
using RegistrationPtr = base::IntrusivePtr<Registration>;

/// See tenon/library.h for the contracts of these. If kernels ship for the namespace, they are
/// loaded first, so that the library's registrations take precedence over them.
LibraryPtr open_library(uint32_t kind, std::string_view ns, tenon_key key, std::string_view file,
                        int32_t line);

struct DefineOptions {
  std::vector<base::InternedString> tags;
  std::string_view alias_analysis;
  base::InternedString file;
  int32_t line = 0;
};
const tenon_op* define(Library* library, std::string_view schema_text,
                       const DefineOptions& options);

/// implement() and add_fallback() take over the kernel, even if they throw.
RegistrationPtr implement(Library* library, std::string_view name, tenon_key key, KernelPtr kernel);
RegistrationPtr add_fallback(Library* library, tenon_key key, KernelPtr kernel,
                             tenon_fallback_select select);

/// Debug builds: aborts unless the library's list and its registrations agree. Needs the registry's
/// lock.
void check_registrations_locked(const Library& library) noexcept;

/// Takes over ctx, even if this throws.
RegistrationPtr add_listener(tenon_registry_listener tell, void* ctx, tenon_deleter deleter);

/// Discards the answers of a fallback's selector. The caller holds the registry's lock.
void forget_choices_locked(Registry& registry, const Fallback* fallback) noexcept;

/// See tenon_registration_call_older.
tenon_status call_older(const Registration& registration, tenon_keyset keys, tenon_stack* stack);

void close_library(Library* library) noexcept;
void drain_library(Library* library, int64_t timeout_ns);
void remove_registration(Registration* registration) noexcept;

/// Waits until the retired objects of a group have been freed; `what` names them in messages. See
/// drain_library().
void drain_group(const void* group, std::string_view what, int64_t timeout_ns);

/// RAII: collects the libraries that this thread opens. If collectors nest, only the innermost
/// collects.
class OpenedLibraries {
 public:
  OpenedLibraries();
  ~OpenedLibraries();
  OpenedLibraries(const OpenedLibraries&) = delete;
  OpenedLibraries& operator=(const OpenedLibraries&) = delete;
  /// Closes the libraries that are still open. Returns their groups.
  std::vector<const void*> close_all();

 private:
  friend LibraryPtr open_library(uint32_t, std::string_view, tenon_key, std::string_view, int32_t);
  friend class LibraryCloser;
  std::vector<Library*> libraries_;  // needs the registry's lock; closing removes them
  void* outer_;
};

/// RAII: collects the groups of the libraries that this thread closes. Does not nest.
class ClosedLibraries {
 public:
  ClosedLibraries();
  ~ClosedLibraries();
  ClosedLibraries(const ClosedLibraries&) = delete;
  ClosedLibraries& operator=(const ClosedLibraries&) = delete;
  const std::vector<const void*>& groups() const { return groups_; }

 private:
  std::vector<const void*> groups_;
  void* outer_;
};

}  // namespace tenon::dispatch
