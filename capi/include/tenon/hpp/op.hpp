// SPDX-License-Identifier: Apache-2.0
// Op: an operator that is called with boxed values and keywords. TypedOp: one with a C++ signature.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/op.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/frame.h"
#include "tenon/hpp/arguments.hpp"
#include "tenon/hpp/kernel.hpp"
#include "tenon/hpp/schema.hpp"
#include "tenon/op.h"

// Usage:
//
//   const tenon::Op add("aten::add.Tensor");
//   y = add(x, w)[0].tensor();
//   const auto relu = tenon::Op("aten::relu").typed<tenon::Tensor(const tenon::Tensor&)>();
//   y = relu(x);

namespace tenon::inline hpp {

template <class Signature>
class LazyOp;
template <class Signature>
class TypedOp;

// An operator. Cheap to copy and never invalid. Calls raise an error if its definition was removed.
class Op {
 public:
  explicit Op(const tenon_op* op) noexcept : op_(op) {}
  // Finds "ns::name" or "ns::name.overload".
  explicit Op(const std::string& name) : op_(nullptr) { check(tenon_op_find(name.c_str(), &op_)); }

  const tenon_op* get() const noexcept { return op_; }
  const char* name() const { return tenon_op_name(op_); }
  Schema schema() const {
    tenon_schema* schema = nullptr;
    check(tenon_op_copy_schema(op_, &schema));
    return Schema(schema);
  }

  // Calls the operator with positional arguments, followed by keywords. Defaults are filled in from
  // the schema, and arguments are converted if no information is lost (see tenon_schema_bind).
  template <class... A>
  std::vector<Value> operator()(A&&... arguments) const {
    return run(detail::Arguments::of(std::forward<A>(arguments)...));
  }
  std::vector<Value> call(std::vector<Value> positional, std::vector<Keyword> keywords = {}) const {
    return run(detail::Arguments{std::move(positional), std::move(keywords)});
  }

  // Returns the operator with a C++ signature: op.typed<Tensor(const Tensor&, int64_t)>(). Throws
  // unless the signature and the schema have the same lowered types.
  template <class Signature>
  TypedOp<Signature> typed() const {
    return TypedOp<Signature>(op_);
  }

 private:
  std::vector<Value> run(const detail::Arguments& arguments) const;

  const tenon_op* op_;
};

inline std::vector<Value> Op::run(const detail::Arguments& arguments) const {
  std::vector<tenon_value> rets(static_cast<size_t>(schema().return_count()));
  detail::ArgumentArrays(arguments).call(op_, &rets);
  std::vector<Value> results;
  results.reserve(rets.size());
  for (tenon_value& ret : rets) results.emplace_back(std::exchange(ret, tenon_value{}));
  return results;
}

// Finds operators with the function names of PyTorch's dispatcher.
class Dispatcher {
 public:
  static Dispatcher singleton() { return {}; }
  // `overload` is "" for the default overload.
  Op findSchemaOrThrow(const std::string& name, const std::string& overload) const {
    return Op(overload.empty() ? name : name + "." + overload);
  }
};

namespace detail {

// Returns the operator's schema. Throws an error with both signatures in its message unless the
// schema lowers to `letters`.
inline Schema check_letters(const tenon_op* op, const std::string& letters) {
  tenon_schema* handle = nullptr;
  check(tenon_op_copy_schema(op, &handle));
  const Schema schema(handle);
  const std::string expected = schema.signature();
  if (expected != letters) {
    throw Error(TENON_ERROR_TYPE, std::string(tenon_op_name(op)) +
                                      ": typed signature must lower to \"" + expected +
                                      "\", got \"" + letters + "\"; schema: " + schema.text());
  }
  return schema;
}

}  // namespace detail

// An operator with a C++ signature. Parameters are Tensor, OptionalTensor, numbers, Scalar, spans,
// TensorList, string_view, Device, Dtype and so on, and std::optional of them. The result is
// Tensor, std::optional<Tensor>, a number, Value, Scalar, std::string, void, or a tuple of those.
// Use void for an operator that returns an argument it wrote to: the caller already has that
// tensor.
template <class R, class... P>
class TypedOp<R(P...)> {
 public:
  explicit TypedOp(const tenon_op* op) : op_(op) {
    std::string letters;
    ((letters += detail::Lowering<detail::Parameter<P>>::letter), ...);
    letters += '>';
    letters += result_letters(static_cast<std::type_identity<R>*>(nullptr));
    const Schema schema = detail::check_letters(op, letters);
    // With a void signature, returned arguments are possible; only the schema has their number.
    if constexpr (std::is_void_v<R>) {
      returns_ = static_cast<uint32_t>(schema.return_count());
      if (returns_ > kMaxReturns) {
        throw Error(TENON_ERROR_NOT_SUPPORTED,
                    std::string(tenon_op_name(op)) + ": returns must be at most " +
                        std::to_string(kMaxReturns) + " for a void signature, got " +
                        std::to_string(returns_));
      }
    }
  }

  const tenon_op* get() const noexcept { return op_; }

  // Dispatches on the keys of the arguments and the calling thread.
  R operator()(const detail::Parameter<P>&... arguments) const {
    tenon_frame frame;
    const tenon_entry* entry = begin(&frame, arguments...);
    return finish(entry, &frame, arguments...);
  }

  R call(const detail::Parameter<P>&... arguments) const { return (*this)(arguments...); }

  // Calls the kernel that serves `keys`, from inside a kernel. The thread's keys are not consulted.
  R redispatch(KeySet keys, const detail::Parameter<P>&... arguments) const {
    tenon_frame frame;
    const tenon_entry* entry = tenon_frame_begin_keys(op_, keys.bits, &frame);
    return finish(entry, &frame, arguments...);
  }

 private:
  friend LazyOp<R(P...)>;
  // For a signature that was checked before.
  TypedOp(const tenon_op* op, uint32_t returns) noexcept : op_(op), returns_(returns) {}

  static constexpr size_t kMaxReturns = 16;
  static constexpr uint64_t kHash = detail::signature_hash<R, P...>();
  static constexpr size_t kTensors =
      (size_t{0} + ... + (detail::Lowering<detail::Parameter<P>>::letter == 'T' ? 1 : 0));
  static constexpr size_t kLists =
      (size_t{0} + ... + (detail::Lowering<detail::Parameter<P>>::letter == 'L' ? 1 : 0));

  template <class One>
  static std::string result_letters(std::type_identity<One>*) {
    return detail::Result<One>::letters;
  }
  template <class... Many>
  static std::string result_letters(std::type_identity<std::tuple<Many...>>*) {
    std::string letters;
    ((letters += detail::Result<Many>::letters), ...);
    return letters;
  }

  static void add_tensor(tenon_tensor**& end, const Tensor& tensor) { *end++ = tensor.get(); }
  static void add_tensor(tenon_tensor**& end, const OptionalTensor& tensor) {
    *end++ = tensor.get();
  }
  static void add_tensor(tenon_tensor**& end, const std::optional<Tensor>& tensor) {
    *end++ = tensor ? tensor->get() : nullptr;
  }
  template <class T>
  static void add_tensor(tenon_tensor**&, const T&) {}

  static void add_all(std::vector<tenon_tensor*>& all, const Tensor& tensor) {
    all.push_back(tensor.get());
  }
  static void add_all(std::vector<tenon_tensor*>& all, const OptionalTensor& tensor) {
    all.push_back(tensor.get());
  }
  static void add_all(std::vector<tenon_tensor*>& all, const std::optional<Tensor>& tensor) {
    all.push_back(tensor ? tensor->get() : nullptr);
  }
  static void add_all(std::vector<tenon_tensor*>& all, const TensorList& list) {
    all.insert(all.end(), list.data(), list.data() + list.size());
  }
  template <class T>
  static void add_all(std::vector<tenon_tensor*>&, const T&) {}

  static void find_list(const TensorList*& found, const TensorList& list) { found = &list; }
  template <class T>
  static void find_list(const TensorList*&, const T&) {}

  static void find_device(const tenon_device*& found, const Device& device) { found = &device; }
  static void find_device(const tenon_device*& found, const std::optional<Device>& device) {
    if (device) found = &*device;
  }
  template <class T>
  static void find_device(const tenon_device*&, const T&) {}

  const tenon_entry* begin(tenon_frame* frame, const detail::Parameter<P>&... arguments) const {
    if constexpr (kLists == 1 && kTensors == 0) {
      const TensorList* list = nullptr;
      (find_list(list, arguments), ...);
      return tenon_frame_begin_n(op_, list->data(), list->size(), frame);
    } else if constexpr (kLists != 0) {
      std::vector<tenon_tensor*> all;
      (add_all(all, arguments), ...);
      return tenon_frame_begin_n(op_, all.data(), static_cast<int64_t>(all.size()), frame);
    } else {
      std::array<tenon_tensor*, kTensors + 1> tensors;
      [[maybe_unused]] tenon_tensor** end = tensors.data();
      (add_tensor(end, arguments), ...);
      if constexpr (kTensors == 1) {
        return tenon_frame_begin1(op_, tensors[0], frame);
      } else if constexpr (kTensors == 2) {
        return tenon_frame_begin2(op_, tensors[0], tensors[1], frame);
      } else if constexpr (kTensors == 3) {
        return tenon_frame_begin3(op_, tensors[0], tensors[1], tensors[2], frame);
      } else if constexpr (kTensors == 0) {
        const tenon_device* device = nullptr;
        (find_device(device, arguments), ...);
        return tenon_frame_begin_factory(op_, device, frame);
      } else {
        return tenon_frame_begin_n(op_, tensors.data(), static_cast<int64_t>(kTensors), frame);
      }
    }
  }

  R finish(const tenon_entry* entry, tenon_frame* frame,
           const detail::Parameter<P>&... arguments) const {
    if (entry == nullptr) [[unlikely]] {
      detail::throw_last_error();
    }
    if (entry->signature == kHash) [[likely]] {
      return call_typed(entry, frame, std::index_sequence_for<P...>(), arguments...);
    }
    return call_boxed(frame, arguments...);
  }

  using Adapter = detail::Adapter<R (*)(P...), false, R, P...>;
  using TypedFn = typename Adapter::TypedCall::Fn;

  template <size_t... I>
  R call_typed(const tenon_entry* entry, tenon_frame* frame, std::index_sequence<I...>,
               const detail::Parameter<P>&... arguments) const {
    [[maybe_unused]] std::array<tenon_value, sizeof...(P) + 1> temps;
    auto lowered =
        std::tuple_cat(std::tuple<const tenon_frame*>(frame),
                       detail::Lowering<detail::Parameter<P>>::to_c(arguments, temps[I])...);
    const auto typed = reinterpret_cast<TypedFn>(entry->typed);
    if constexpr (std::is_void_v<R>) {
      settle(std::apply(typed, lowered), frame);
    } else if constexpr (requires { std::tuple_size<R>::value; }) {
      return call_tuple(typed, lowered, frame, static_cast<R*>(nullptr),
                        std::make_index_sequence<std::tuple_size_v<R>>());
    } else {
      typename detail::Result<R>::Storage cell{};
      settle(std::apply(typed, std::tuple_cat(lowered, std::make_tuple(&cell))), frame);
      return detail::Result<R>::take(cell);
    }
  }
  template <class Lowered, class... E, size_t... I>
  static R call_tuple(TypedFn typed, Lowered& lowered, tenon_frame* frame, std::tuple<E...>*,
                      std::index_sequence<I...>) {
    std::tuple<typename detail::Result<E>::Storage...> cells{};
    settle(std::apply(typed, std::tuple_cat(lowered, std::make_tuple(&std::get<I>(cells)...))),
           frame);
    return R(detail::Result<E>::take(std::get<I>(cells))...);
  }
  static void settle(tenon_status status, tenon_frame* frame) {
    if (status != TENON_OK) [[unlikely]] {
      fail(status, frame);
    }
    tenon_frame_leave(frame);
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void fail(tenon_status status, tenon_frame* frame) {
    tenon_frame_end(frame, status);
    detail::throw_last_error();
  }

  [[gnu::noinline]] R call_boxed(tenon_frame* frame,
                                 const detail::Parameter<P>&... arguments) const {
    std::array<tenon_value, sizeof...(P) + 1> args{
        detail::Lowering<detail::Parameter<P>>::box(arguments)...};
    std::array<tenon_value, kMaxReturns> rets;
    for (uint32_t i = 0; i < returns_; ++i) rets[i] = tenon_value{};
    tenon_stack stack{};
    stack.args = args.data();
    stack.nargs = static_cast<uint32_t>(sizeof...(P));
    stack.rets = rets.data();
    stack.nrets = returns_;
    const tenon_status status = tenon_frame_call(frame, &stack);
    if (status != TENON_OK) [[unlikely]] {
      fail(status, frame);
    }
    tenon_frame_leave(frame);
    if constexpr (std::is_void_v<R>) {
      tenon_value_clear_n(rets.data(), stack.nrets);
    } else if constexpr (requires { std::tuple_size<R>::value; }) {
      return unbox_tuple(rets, static_cast<R*>(nullptr),
                         std::make_index_sequence<std::tuple_size_v<R>>());
    } else {
      return detail::Result<R>::unbox(std::move(rets[0]));
    }
  }
  template <class... E, size_t... I>
  static R unbox_tuple(std::array<tenon_value, kMaxReturns>& rets, std::tuple<E...>*,
                       std::index_sequence<I...>) {
    return R(detail::Result<E>::unbox(std::move(rets[I]))...);
  }

  const tenon_op* op_;
  uint32_t returns_ = static_cast<uint32_t>(detail::Returns<R>::count);
};

}  // namespace tenon::inline hpp

#endif
