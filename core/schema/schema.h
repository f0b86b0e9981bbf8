// SPDX-License-Identifier: Apache-2.0
// An operator's schema: name, arguments, returns, alias annotations and defaults.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interned_string.h"
#include "base/intrusive_ptr.h"
#include "schema/type.h"
#include "tenon/device.h"
#include "tenon/schema.h"
#include "tenon/value.h"

namespace tenon::schema {

using base::InternedString;

/// "ns::name", and the overload ("" for the default overload).
struct OperatorName {
  InternedString name;
  InternedString overload;

  /// Return the part before "::" ("" if there is none), and the part after it.
  std::string_view ns() const;
  std::string_view base() const;
  /// Returns "ns::name.overload", without the dot if the overload is "".
  std::string full() const;
  friend bool operator==(const OperatorName&, const OperatorName&) = default;
};

/// The annotation of one level of a type: `(a! -> b)`. Optionals share the level of their element.
struct AliasInfo {
  std::vector<InternedString> before;  // set names, "*" is the wildcard
  std::vector<InternedString> after;   // equal to `before` unless written
  bool write = false;
  bool anonymous = false;                             // a bare `!`: a separate set without a name
  std::vector<std::unique_ptr<AliasInfo>> contained;  // by element of the type; entries may be NULL

  /// Returns true if this level or one inside it is written.
  bool writes() const;
  bool is_wildcard_after() const;
  /// Returns true if this level itself is annotated, not only one inside it.
  bool annotated() const { return anonymous || !before.empty(); }
  /// Returns true if a set with this name occurs at any level.
  bool mentions(InternedString set) const;
  /// Compares sets without order.
  friend bool operator==(const AliasInfo& a, const AliasInfo& b);
};

class Default;
struct DefaultDeleter {
  void operator()(const Default* value) const noexcept;
};
using DefaultPtr = std::unique_ptr<const Default, DefaultDeleter>;

/// A default value, and the memory that its lists and texts point into.
class Default {
 public:
  explicit Default(tenon_value value, bool as_int = false) : prints_as_int(as_int), value_(value) {}
  /// Replaces `value.as.list.data` by a copy of the elements; appends a NUL to strings.
  Default(tenon_value value, const void* elements, size_t size);
  /// Makes the default of a device. A name that is unknown to this layer is resolved later by
  /// set_device().
  static std::unique_ptr<Default> device(std::string_view text);

  /// Borrowed from this object.
  const tenon_value& value() const { return value_; }
  /// True for a float that was written like an int: it is printed as "1", as in PyTorch.
  const bool prints_as_int = false;
  /// Return the text of a device, such as "cuda:0", and whether value() has its device type
  /// already.
  const char* device_text() const { return device_text_.c_str(); }
  bool device_known() const { return device_known_; }
  /// Sets the device, whose backend was unknown when the schema was parsed. Several threads may
  /// call this, all with the same device.
  void set_device(tenon_device device) const;

  friend bool operator==(const Default& a, const Default& b);

 private:
  friend struct DefaultDeleter;
  friend DefaultPtr make_default(tenon_value value, bool as_int);

  bool shared_ = false;
  mutable std::atomic<bool> device_known_{false};
  mutable tenon_value value_;
  std::unique_ptr<char[]> memory_;
  InternedString device_text_;
};

/// Returns a default that needs no memory for elements. Common values (None, booleans, small ints)
/// are shared.
DefaultPtr make_default(tenon_value value, bool as_int = false);

/// An argument, or a return (whose name may be "").
struct Argument {
  InternedString name;
  const Type* type = nullptr;
  std::unique_ptr<const AliasInfo> alias;  // NULL without annotation
  DefaultPtr default_value;                // NULL without default
  int32_t list_size = -1;                  // N of `T[N]`, otherwise -1
  bool kwarg_only = false;

  bool is_written() const { return alias != nullptr && alias->writes(); }
  bool is_out() const { return kwarg_only && is_written(); }
  friend bool operator==(const Argument& a, const Argument& b);
};

}  // namespace tenon::schema

/// The schema of an operator. Immutable, and stored in one block with its arguments and returns.
struct tenon_schema final : tenon::base::RefCounted<tenon_schema> {
 public:
  using Arguments = std::span<const tenon::schema::Argument>;

  /// Moves the elements out of both lists. Throws std::bad_alloc.
  static tenon::base::IntrusivePtr<tenon_schema> make(tenon::schema::OperatorName name,
                                                      std::span<tenon::schema::Argument> arguments,
                                                      std::span<tenon::schema::Argument> returns,
                                                      bool vararg, bool varret);
  static void destroy(tenon_schema* schema) noexcept;

  const tenon::schema::OperatorName& name() const { return name_; }
  Arguments arguments() const { return {list(), narguments_}; }
  Arguments returns() const { return {list() + narguments_, nreturns_}; }
  bool is_vararg() const { return vararg_; }
  bool is_varret() const { return varret_; }

  /// Returns the canonical text, which is printed on first use.
  const char* text() const;
  uint64_t hash() const;
  friend bool operator==(const tenon_schema& a, const tenon_schema& b);

  /// Returns the index of the argument with this name, or -1.
  int64_t find_argument(std::string_view name) const;
  /// Returns the index of the first argument that shares an alias set with return `index`, or -1.
  int64_t aliased_argument(size_t index) const;

  /// Returns true if an argument is written.
  bool is_mutable() const;
  /// Returns true if nothing is written, no return aliases an argument, and something is returned.
  bool is_functional() const;

 private:
  tenon_schema(tenon::schema::OperatorName name, size_t arguments, size_t returns, bool vararg,
               bool varret) noexcept;
  ~tenon_schema();
  const tenon::schema::Argument* list() const {
    return reinterpret_cast<const tenon::schema::Argument*>(this + 1);
  }

  const tenon::schema::OperatorName name_;
  mutable std::atomic<const char*> text_{nullptr};
  uint16_t narguments_;
  uint16_t nreturns_;
  bool vararg_;
  bool varret_;
};
static_assert(sizeof(tenon_schema) % alignof(tenon::schema::Argument) == 0);

namespace tenon::schema {

using Schema = ::tenon_schema;
using SchemaPtr = base::IntrusivePtr<Schema>;

}  // namespace tenon::schema
