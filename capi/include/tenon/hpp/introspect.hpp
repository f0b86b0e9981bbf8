// SPDX-License-Identifier: Apache-2.0
// Introspection: operators, tables, explanations of calls, profiles, a simulator. Not included by
// tenon.hpp, because only tools need it.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/introspect.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <string>
#include <utility>
#include <vector>

#include "tenon/buffer.h"
#include "tenon/hpp/keys.hpp"
#include "tenon/hpp/op.hpp"
#include "tenon/introspect.h"
#include "tenon/key.h"
#include "tenon/op.h"
#include "tenon/profile.h"
#include "tenon/simulator.h"
#include "tenon/value.h"

// Usage:
//
//   std::cout << tenon::introspect::dump_table(tenon::Op("aten::relu"));
//   std::cout << tenon::introspect::explain(tenon::Op("aten::relu"), x);

namespace tenon::inline hpp::introspect {

namespace detail {

// Owns a buffer while its content is copied.
template <class Fill>
auto with_buffer(Fill&& fill, auto&& read) {
  struct Owner {
    tenon_buffer* buffer = nullptr;
    ~Owner() { tenon_buffer_release(buffer); }
  } owner;
  check(fill(&owner.buffer));
  return read(static_cast<const char*>(tenon_buffer_data(owner.buffer)),
              static_cast<size_t>(tenon_buffer_size(owner.buffer)));
}

template <class Fill>
std::string text(Fill&& fill) {
  return with_buffer(fill, [](const char* data, size_t size) { return std::string(data, size); });
}

template <class T, class Fill>
std::vector<T> list(Fill&& fill) {
  return with_buffer(fill, [](const char* data, size_t size) {
    const T* first = reinterpret_cast<const T*>(data);
    return std::vector<T>(first, first + size / sizeof(T));
  });
}

template <class Fill>
tenon_slot_info slot(Fill&& fill) {
  tenon_slot_info info{};
  info.struct_size = sizeof info;
  check(fill(&info));
  return info;
}

inline std::vector<Op> ops(tenon_status (*fill)(tenon_buffer**)) {
  std::vector<Op> found;
  for (const tenon_op* op : list<const tenon_op*>(fill)) found.emplace_back(op);
  return found;
}

}  // namespace detail

// Returns the defined operators, sorted by name.
inline std::vector<Op> operators() { return detail::ops(&tenon_introspect_list_ops); }
// Returns the operators that have kernels but no definition.
inline std::vector<Op> dangling() { return detail::ops(&tenon_introspect_list_dangling); }
// Returns the runtime keys that have slots, highest last.
inline std::vector<tenon_key> keys() { return detail::list<tenon_key>(&tenon_key_list); }

// Returns an operator's tags, one per line.
inline std::string tags(const Op& op) {
  return detail::text([&](tenon_buffer** out) { return tenon_op_copy_tags(op.get(), out); });
}
// Returns an operator's registrations as text: name, schema, and one line per kernel with the place
// of its registration.
inline std::string dump(const Op& op) {
  return detail::text([&](tenon_buffer** out) { return tenon_introspect_dump(op.get(), out); });
}
// Returns an operator's computed table as text, one line per filled slot.
inline std::string dump_table(const Op& op) {
  return detail::text(
      [&](tenon_buffer** out) { return tenon_introspect_dump_table(op.get(), out); });
}
// Returns the slot of a runtime key. Its texts are never freed.
inline tenon_slot_info slot(const Op& op, tenon_key key) {
  return detail::slot(
      [&](tenon_slot_info* out) { return tenon_introspect_get_slot(op.get(), key, out); });
}

// Recomputes tables and compares them with those in use. Throws if they differ.
inline void check_invariants() { check(tenon_introspect_check(nullptr)); }
inline void check_invariants(const Op& op) { check(tenon_introspect_check(op.get())); }

// Returns the number of live handles of each kind in the process, with the names of the kinds.
inline std::vector<std::pair<std::string, int64_t>> live_handles() {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    counts.emplace_back(tenon_introspect_handle_name(kind), tenon_introspect_live_count(kind));
  }
  return counts;
}

// Explains in words what a call with these arguments would do, without making it. Arguments are
// positional, followed by keywords made by kw(); omitted ones have their defaults.
template <class... A>
std::string explain(const Op& op, A&&... arguments) {
  const auto given = tenon::detail::Arguments::of(std::forward<A>(arguments)...);
  const Schema schema = op.schema();
  const tenon::detail::BoundArguments args(schema, given);
  return detail::text([&](tenon_buffer** out) {
    return tenon_op_explain(op.get(), args.data(), args.size(), out);
  });
}

// Records the dispatches of the thread that created it, until end() is called or it is destroyed on
// that thread. Profiles can be nested.
class Profile {
 public:
  // `max_spans`: number of spans to keep, 0 for all.
  explicit Profile(int64_t max_spans = 0) { check(tenon_profile_begin(max_spans, &profile_)); }
  ~Profile() {
    if (records_ && tenon_profile_end(profile_) != TENON_OK)
      tenon_error_release(tenon_error_take());
    tenon_profile_release(profile_);
  }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  void end() {
    check(tenon_profile_end(profile_));
    records_ = false;
  }
  // Returns the spans recorded so far, in the order in which they began. Their texts are never
  // freed.
  std::vector<tenon_profile_span> spans() const {
    int64_t count = 0;
    int64_t dropped = 0;
    check(tenon_profile_span_count(profile_, &count, &dropped));
    std::vector<tenon_profile_span> spans(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      tenon_profile_span& span = spans[static_cast<size_t>(i)];
      span.struct_size = sizeof span;
      check(tenon_profile_get_span(profile_, i, &span));
    }
    return spans;
  }

 private:
  tenon_profile* profile_ = nullptr;
  bool records_ = true;
};

// An operator outside the registry, to try registrations on. It leaves nothing behind.
class Simulator {
 public:
  explicit Simulator(const std::string& schema = "f(Tensor x) -> Tensor") {
    check(tenon_simulator_new(schema.c_str(), &simulator_));
  }
  ~Simulator() { tenon_simulator_release(simulator_); }
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  // Registers a kernel "fn_KEY" on each key, given by name; all or none. `flags`: 0 or
  // TENON_KERNEL_FALLTHROUGH.
  void add(const std::vector<std::string>& keys, uint32_t flags = 0) {
    std::vector<const char*> names;
    for (const std::string& key : keys) names.push_back(key.c_str());
    check(tenon_simulator_register(simulator_, names.data(), static_cast<int64_t>(names.size()),
                                   flags));
  }
  void remove(const std::string& key) { check(tenon_simulator_remove(simulator_, key.c_str())); }
  tenon_slot_info slot(tenon_key key) const {
    return detail::slot(
        [&](tenon_slot_info* out) { return tenon_simulator_get_slot(simulator_, key, out); });
  }
  // `what` is TENON_SIMULATOR_*.
  std::string print(uint32_t what) const {
    return detail::text(
        [&](tenon_buffer** out) { return tenon_simulator_print(simulator_, what, out); });
  }
  std::string explain(KeySet keys) const {
    return detail::text(
        [&](tenon_buffer** out) { return tenon_simulator_explain(simulator_, keys.bits, out); });
  }

 private:
  tenon_simulator* simulator_ = nullptr;
};

}  // namespace tenon::inline hpp::introspect

#endif
