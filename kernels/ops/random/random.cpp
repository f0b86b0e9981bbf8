// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::random_, and the implementation of aten::random and aten::randint.
#include "kernels/ops/random/random.h"

#include <limits>
#include <string_view>

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"
#include "kernels/ops/factories/fill.h"

namespace tenon::kernels {
namespace {

// Returns the largest integer up to which the type represents all integers.
template <class T>
constexpr int64_t counts_to() {
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::max();
  } else if constexpr (std::is_same_v<T, double>) {
    return int64_t{1} << 53;
  } else if constexpr (std::is_same_v<T, float>) {
    return int64_t{1} << 24;
  } else {
    return int64_t{1} << (std::is_same_v<T, BFloat16> ? 8 : 11);
  }
}
template <class T>
constexpr int64_t counts_from() {
  if constexpr (std::is_same_v<T, bool>) {
    return 0;
  } else if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::min();
  } else {
    return -counts_to<T>();
  }
}

}  // namespace

Drawn drawn_by(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_fill_target(call.op(), self);
  check_no_internal_overlap(call.op(), self);
  const std::string_view name = call.facts().name;
  Drawn drawn{};
  visit(call.op(), "self", dtype_of_info(self), Joined<BoolType, RealTypes>(),
        [&]<class T>(Element<T>) {
          constexpr int64_t kLast = counts_to<T>();
          if (name == "random") {
            drawn = {0, static_cast<uint64_t>(kLast) + 1, sizeof(T) == 8};
            return;
          }
          const int64_t from = name == "random.to" ? 0 : call.get<int64_t>(1);
          const bool is_open = name == "random.from" && call.args[2].tag == TENON_TAG_NONE;
          // Without an end, includes the largest number.
          const int64_t to = is_open ? 0 : call.get<int64_t>(name == "random.to" ? 1 : 2);
          if (is_open ? from > kLast : from >= to) {
            fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": to must be above from, ", from,
                                                ", got ", is_open ? Part("None") : Part(to)});
          }
          const int64_t last = is_open ? kLast : to - 1;
          if (from < counts_from<T>()) {
            fail_argument(call.op(), "from", "representable in the dtype of self", from);
          }
          if (last > kLast) {
            fail_argument(call.op(), "to - 1", "representable in the dtype of self", last);
          }
          const uint64_t count = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
          drawn = {from, count, count == 0 || count >= uint64_t{1} << 28};
        });
  return drawn;
}

namespace ops {
namespace {

using Source = std::optional<Generator>;

void draw_between(Tensor& made, int64_t from, int64_t to, const Source& source) {
  static constinit const LazyOp<void(const Tensor&, int64_t, std::optional<int64_t>, const Source&)>
      draw("aten::random_.from");
  draw(made, from, to, source);
}

}  // namespace

void random_meta(const Call& call) { drawn_by(call); }

void random(const Call& call) {
  static constinit const LazyOp<void(const Tensor&, const Source&)> draw_all("aten::random_");
  static constinit const LazyOp<void(const Tensor&, int64_t, std::optional<int64_t>, const Source&)>
      draw_from("aten::random_.from");
  static constinit const LazyOp<void(const Tensor&, int64_t, const Source&)> draw_to(
      "aten::random_.to");
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  Tensor made = empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}));
  const std::string_view name = call.facts().name;
  if (name == "random") {
    draw_all(made, call.get<Source>(1));
  } else if (name == "random.to") {
    draw_to(made, call.get<int64_t>(1), call.get<Source>(2));
  } else {
    draw_from(made, call.get<int64_t>(1), call.get<std::optional<int64_t>>(2), call.get<Source>(3));
  }
  call.give(0, std::move(made));
}

// The arguments are (low, ) high, size and perhaps a generator.
void randint(const Call& call) {
  const std::string_view name = call.facts().name;
  const bool has_low = name.find("low") != std::string_view::npos;
  const bool has_source = name.find("generator") != std::string_view::npos;
  const int size_at = has_low ? 2 : 1;
  const auto size = call.get<Sizes>(size_at);
  Tensor made;
  if (call.form.is_functional()) {
    FactoryOptions options = options_of(call);
    if (!options.dtype) options.dtype = Dtype::I64;
    made = call_empty(size, options);
  } else {
    made = Tensor::retain(call.written());
    check_writable(call, made.info());
    if (!std::ranges::equal(made.sizes(), size)) resize_out(call.op(), made, size);
  }
  draw_between(made, has_low ? call.get<int64_t>(0) : 0, call.get<int64_t>(has_low ? 1 : 0),
               has_source ? call.get<Source>(size_at + 1) : std::nullopt);
  end_factory(call, std::move(made));
}

void randint_like(const Call& call) {
  const bool has_low = std::string_view(call.facts().name) != "randint_like";
  Tensor made = begin_factory(call);
  draw_between(made, has_low ? call.get<int64_t>(1) : 0, call.get<int64_t>(has_low ? 2 : 1),
               std::nullopt);
  end_factory(call, std::move(made));
}

}  // namespace ops

}  // namespace tenon::kernels
