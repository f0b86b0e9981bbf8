// SPDX-License-Identifier: Apache-2.0
// Library: owns registrations; defines operators and registers C++ callables as kernels.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/library.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/autograd.h"
#include "tenon/fake.h"
#include "tenon/hpp/op.hpp"
#include "tenon/hpp/site.hpp"
#include "tenon/kernel.h"
#include "tenon/key.h"
#include "tenon/language.h"
#include "tenon/library.h"
#include "tenon/op.h"

// Usage:
//
//   tenon::Library shop(tenon::Library::Def, "shop");
//   shop.def("half(int x) -> int");
//   shop.impl("half", TENON_KEY_CPU, [](int64_t n) { return n / 2; });

namespace tenon::inline hpp {

// Options of a kernel besides operator, key and function.
struct KernelOptions {
  // Number of elements up to which the kernel is fast; bindings then keep their language's lock.
  // -1: it may wait.
  int64_t noblock_max_numel = -1;
  bool leaf = false;  // calls no operators: typed calls of operators that write stay typed
  // Accepts tensors and lists with symbolic sizes, like a kernel with a SymInt parameter.
  bool symbolic = false;
  uint32_t policy = TENON_REPLACE_LAYER;
  const char* name = nullptr;  // name of the function, for dumps, profiles and errors
};

// A registration that can be removed before its library is closed.
class Registration {
 public:
  Registration() noexcept = default;
  explicit Registration(tenon_registration* handle) noexcept : handle_(handle) {}
  Registration(Registration&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Registration& operator=(Registration&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Registration() { tenon_registration_release(handle_); }
  // Removes the registration. New calls are affected at once.
  void remove() { tenon_registration_remove(handle_); }

 private:
  tenon_registration* handle_ = nullptr;
};

// How backward treats calls of an operator without gradient formula.
enum class GradientPolicy : uint32_t {
  Error = TENON_GRADIENT_ERROR,
  Warn = TENON_GRADIENT_WARN,
  Stop = TENON_GRADIENT_STOP,  // calls are not recorded
};
// PyTorch's name for a kernel on Autograd that makes backward passes fail.
inline GradientPolicy autogradNotImplementedFallback() { return GradientPolicy::Error; }

// Marks an operator whose versions and views are tracked according to its schema, as Tenon does for
// every operator.
struct ByTheSchema {};
// PyTorch's name for the kernel on ADInplaceOrView that tracks versions and views.
inline ByTheSchema autogradNotImplementedInplaceOrViewFallback() { return {}; }

class Library {
 public:
  enum Kind : uint32_t {
    Def = TENON_LIBRARY_DEF,
    Impl = TENON_LIBRARY_IMPL,
    Fragment = TENON_LIBRARY_FRAGMENT,
  };

  Library(Kind kind, const std::string& ns, tenon_key key = TENON_KEY_NONE,
          Site site = Site::here())
      : handle_(nullptr) {
    check(tenon_library_new(kind, ns.c_str(), key, site.file, site.line, &handle_));
  }
  Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Library& operator=(Library&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  // Closes the library unless it has another reference.
  ~Library() { tenon_library_release(handle_); }

  tenon_library* get() const noexcept { return handle_; }

  // Defines an operator from a schema.
  Op def(const std::string& schema, std::vector<const char*> tags = {}, Site site = Site::here()) {
    tenon_define_options options{};
    options.struct_size = sizeof(options);
    options.tags = tags.data();
    options.tag_count = static_cast<uint32_t>(tags.size());
    options.file = site.file;
    options.line = site.line;
    const tenon_op* op = nullptr;
    check(tenon_library_define(handle_, schema.c_str(), &options, &op));
    return Op(op);
  }

  // Defines an operator and registers its kernel for the library's key, or for
  // CompositeImplicitAutograd. If only a name is given, the schema is inferred from the function.
  template <class F>
  requires detail::KernelCallable<std::decay_t<F>> Op def(const std::string& schema_or_name,
                                                          F&& kernel, KernelOptions options = {},
                                                          Site site = Site::here()) {
    std::string schema = schema_or_name;
    if (schema.find('(') == std::string::npos) {
      const std::string inferred = detail::AdapterOf<std::decay_t<F>>::schema();
      if (inferred.empty()) {
        throw Error(TENON_ERROR_INVALID_ARGUMENT,
                    schema + ": schema must be given, got a function whose types do not tell it");
      }
      schema += inferred;
    }
    Op op = def(schema, std::vector<const char*>{}, site);
    impl(tenon_op_name(op.get()), TENON_KEY_NONE, std::forward<F>(kernel), options, site);
    return op;
  }

  // Registers a C++ callable as the kernel of an operator for a key.
  template <class F>
  requires detail::KernelCallable<std::decay_t<F>> Registration impl(const std::string& name,
                                                                     tenon_key key, F&& kernel,
                                                                     KernelOptions options = {},
                                                                     Site site = Site::here()) {
    return give(std::forward<F>(kernel), options, site,
                [&](const tenon_kernel& description, tenon_registration** out_registration) {
                  return tenon_library_impl(handle_, name.c_str(), key, &description,
                                            out_registration);
                });
  }
  template <class F>
  requires detail::KernelCallable<std::decay_t<F>> Registration impl(const std::string& name,
                                                                     F&& kernel,
                                                                     KernelOptions options = {},
                                                                     Site site = Site::here()) {
    return impl(name, TENON_KEY_NONE, std::forward<F>(kernel), options, site);
  }

  // Registers a C++ callable as the fake kernel of an operator, which creates results of the right
  // shape, dtype and device without computing elements. It serves fake tensors and Meta.
  template <class F>
  requires detail::KernelCallable<std::decay_t<F>> Registration register_fake(
      const std::string& name, F&& kernel, KernelOptions options = {}, Site site = Site::here()) {
    return give(std::forward<F>(kernel), options, site,
                [&](const tenon_kernel& description, tenon_registration** out_registration) {
                  return tenon_library_register_fake(handle_, name.c_str(), &description,
                                                     out_registration);
                });
  }

  // Registers a boxed kernel: a function on the stack, with a context and its deleter.
  Registration impl_boxed(const std::string& name, tenon_key key, tenon_kernel_fn kernel,
                          void* ctx = nullptr, tenon_deleter deleter = nullptr,
                          KernelOptions options = {}, Site site = Site::here()) {
    tenon_kernel description = describe(options, site);
    description.boxed = kernel;
    description.ctx = ctx;
    description.deleter = deleter;
    tenon_registration* registration = nullptr;
    check(tenon_library_impl(handle_, name.c_str(), key, &description, &registration));
    return Registration(registration);
  }

  // Makes calls of an operator skip a key.
  Registration fallthrough(const std::string& name, tenon_key key, Site site = Site::here()) {
    tenon_kernel description = describe({}, site);
    description.flags |= TENON_KERNEL_FALLTHROUGH;
    tenon_registration* registration = nullptr;
    check(tenon_library_impl(handle_, name.c_str(), key, &description, &registration));
    return Registration(registration);
  }

  // Registers a boxed kernel for all operators at a key. NULL makes calls of all operators skip the
  // key.
  Registration fallback(tenon_key key, tenon_kernel_fn kernel, void* ctx = nullptr,
                        tenon_deleter deleter = nullptr, tenon_fallback_select select = nullptr,
                        KernelOptions options = {}, Site site = Site::here()) {
    tenon_kernel description = describe(options, site);
    description.boxed = kernel;
    if (kernel == nullptr) description.flags |= TENON_KERNEL_FALLTHROUGH;
    description.ctx = ctx;
    description.deleter = deleter;
    tenon_registration* registration = nullptr;
    check(tenon_library_fallback(handle_, key, &description, select, &registration));
    return Registration(registration);
  }

  // Sets how backward treats calls of an operator without gradient formula.
  Registration impl(const std::string& name, GradientPolicy policy) {
    tenon_registration* registration = nullptr;
    check(tenon_library_set_gradient_policy(handle_, name.c_str(), static_cast<uint32_t>(policy),
                                            &registration));
    return Registration(registration);
  }

  // Checks that the operator exists. There is nothing to register, because the schema determines
  // the behaviour already.
  Registration impl(const std::string& name, ByTheSchema) {
    const bool is_full = name.find("::") != std::string::npos;
    Op(is_full ? name : tenon_library_namespace(handle_) + ("::" + name)).schema();
    return Registration();
  }

  // Removes all registrations. New calls are affected at once; running ones are not waited for.
  void close() { tenon_library_close(handle_); }
  // Waits until no thread runs the library's kernels. `timeout_ns` is in nanoseconds; negative: no
  // limit.
  void drain(int64_t timeout_ns = -1) { check(tenon_library_drain(handle_, timeout_ns)); }

 private:
  // Passes ownership of a callable to `add(description, out_registration)`.
  template <class F, class Add>
  static Registration give(F&& kernel, const KernelOptions& options, Site site, const Add& add) {
    using Callable = std::decay_t<F>;
    using Adapter = detail::AdapterOf<Callable>;
    const std::string schema = Adapter::schema();
    tenon_kernel description = describe(options, site);
    description.boxed = &Adapter::boxed;
    description.typed = reinterpret_cast<tenon_typed_fn>(&Adapter::TypedCall::call);
    description.signature = Adapter::hash;
    if (Adapter::takes_symbols) description.flags |= TENON_KERNEL_SYMBOLIC;
    description.schema = schema.empty() ? nullptr : schema.c_str();
    if constexpr (std::is_pointer_v<Callable>) {
      description.ctx = reinterpret_cast<void*>(+kernel);
    } else {
      description.ctx = new Callable(std::forward<F>(kernel));
      description.deleter = [](void* ctx) { delete static_cast<Callable*>(ctx); };
    }
    tenon_registration* registration = nullptr;
    check(add(description, &registration));
    return Registration(registration);
  }

  static tenon_kernel describe(const KernelOptions& options, Site site) {
    tenon_kernel description{};
    description.struct_size = sizeof(description);
    description.language = TENON_LANGUAGE_CPP;
    description.policy = options.policy;
    if (options.leaf) description.flags |= TENON_KERNEL_LEAF;
    if (options.symbolic) description.flags |= TENON_KERNEL_SYMBOLIC;
    if (options.noblock_max_numel >= 0) {
      description.flags |= TENON_KERNEL_NOBLOCK;
      description.noblock_max_numel = options.noblock_max_numel;
    }
    description.name = options.name;
    description.file = site.file;
    description.line = site.line;
    return description;
  }

  tenon_library* handle_;
};

}  // namespace tenon::inline hpp

#endif
