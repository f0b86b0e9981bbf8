// SPDX-License-Identifier: Apache-2.0
// Implements aten::pad and aten::constant_pad_nd by calling other operators.
#include "kernels/ops/padding/pad.h"

#include <string_view>
#include <vector>

#include "kernels/common/checked_size.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// The padding of dim `d`. Numbers are listed from the last dim on, with the start before the end.
struct Padding {
  int64_t before;
  int64_t behind;
};

std::vector<Padding> ends_of(const Call& call, int64_t ndim) {
  const auto pad = call.get<Sizes>(1);
  if (pad.size() % 2 != 0 || static_cast<int64_t>(pad.size()) > 2 * ndim) {
    fail_argument(call.op(), "pad",
                  "an even number of numbers, at most " + std::to_string(2 * ndim), pad);
  }
  std::vector<Padding> ends(static_cast<size_t>(ndim), Padding{0, 0});
  for (size_t k = 0; k < pad.size(); k += 2) {
    static_cast<void>(CheckedSize(call.op(), 0) - pad[k]);  // negated below
    static_cast<void>(CheckedSize(call.op(), 0) - pad[k + 1]);
    ends[ends.size() - 1 - k / 2] = {pad[k], pad[k + 1]};
  }
  return ends;
}

// Removes the elements that negative numbers cut off.
Tensor shortened(Tensor tensor, const std::vector<Padding>& ends) {
  for (size_t d = 0; d < ends.size(); ++d) {
    const int64_t first = std::max<int64_t>(-ends[d].before, 0);
    const int64_t end = tensor.sizes()[d] - std::max<int64_t>(-ends[d].behind, 0);
    if (first == 0 && end == tensor.sizes()[d]) continue;
    tensor = call_slice(tensor, static_cast<int64_t>(d), first, end);
  }
  return tensor;
}

MemoryFormat format_of(const char* op, const tenon_tensor_info& info) {
  if ((info.ndim != 4 && info.ndim != 5) || is_contiguous(info)) return MemoryFormat::Contiguous;
  const auto last = info.ndim == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  return has_memory_format(op, info, last) ? last : MemoryFormat::Contiguous;
}

}  // namespace

void constant_pad_nd(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const tenon_tensor_info info = self.info();
  check_defined(call.op(), "self", info);
  const std::vector<Padding> ends = ends_of(call, info.ndim);
  Dims sizes(sizes_of(info));
  for (int64_t d = 0; d < sizes.size(); ++d) {
    const auto [before, behind] = ends[static_cast<size_t>(d)];
    sizes[d] = (CheckedSize(call.op(), sizes[d]) + before + behind).value();
    if (sizes[d] < 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": pad must not remove more than the size of dim ", d, " of sizes ",
            sizes_of(info), ", got ", before, " and ", behind});
    }
  }
  const Tensor source = shortened(self, ends);
  const bool adds = std::ranges::any_of(
      ends, [](const Padding& each) { return each.before > 0 || each.behind > 0; });
  if (!adds) return call.give(0, call_clone(source, MemoryFormat::Preserve));
  Tensor result = call_empty(sizes, options_like(info, {}), format_of(call.op(), info));
  call_fill(result, call.get<Scalar>(2));
  Tensor inside = result;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    const auto [before, behind] = ends[static_cast<size_t>(d)];
    const int64_t first = std::max<int64_t>(before, 0);
    const int64_t end = std::max(sizes[d] - std::max<int64_t>(behind, 0), first);
    if (first != 0 || end != sizes[d]) inside = call_slice(inside, d, first, end);
  }
  // If more is cut off from both ends than there is, nothing remains.
  if (numel_of(inside) != 0 && numel_of(source) != 0) call_copy(inside, source);
  call.give(0, std::move(result));
}

void constant_pad_nd_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, const Scalar&)> padded(
      "aten::constant_pad_nd");
  std::vector<int64_t> less;
  for (const int64_t number : call.get<Sizes>(1))
    less.push_back((CheckedSize(call.op(), 0) - number).value());
  call.give(0, padded(call.get<Tensor>(0), less, Scalar(int64_t{0})));
}

void pad_circular(const Call& call) {
  static constinit const LazyOp<Tensor(TensorList, int64_t)> cat("aten::cat");
  const Tensor self = *call.get<Tensor>(0);
  const std::vector<Padding> ends = ends_of(call, self.ndim());
  Tensor result = shortened(self, ends);
  for (size_t d = 0; d < ends.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    const int64_t size = result.sizes()[d];
    const int64_t before = std::max<int64_t>(ends[d].before, 0);
    const int64_t behind = std::max<int64_t>(ends[d].behind, 0);
    if (before > size || behind > size) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": pad must be at most the size of the dim, ",
                                          size, ", got ", before, " and ", behind});
    }
    if (before == 0 && behind == 0) continue;
    const Tensor first = call_slice(result, dim, size - before, size);
    const Tensor last = call_slice(result, dim, 0, behind);
    std::vector<tenon_tensor*> parts;
    if (before > 0) parts.push_back(first.get());
    parts.push_back(result.get());
    if (behind > 0) parts.push_back(last.get());
    result = cat(TensorList(parts.data(), parts.size()), dim);
  }
  call.give(0, std::move(result));
}

void pad(const Call& call) {
  using Pad = LazyOp<Tensor(const Tensor&, Sizes)>;
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, const Scalar&)> constant(
      "aten::constant_pad_nd");
  static constinit const Pad circular("aten::_pad_circular");
  static constinit const Pad reflected[] = {
      Pad("aten::reflection_pad1d"), Pad("aten::reflection_pad2d"), Pad("aten::reflection_pad3d")};
  static constinit const Pad repeated[] = {Pad("aten::replication_pad1d"),
                                           Pad("aten::replication_pad2d"),
                                           Pad("aten::replication_pad3d")};
  const auto self = call.get<Tensor>(0);
  const auto numbers = call.get<Sizes>(1);
  const auto mode = call.get<std::string_view>(2);
  const auto value = call.get<std::optional<double>>(3);
  if (mode == "constant") {
    return call.give(0, constant(self, numbers, Scalar(value.value_or(0))));
  }
  if (value && *value != 0) {
    fail_argument(call.op(), "value", "None where mode is not 'constant'", Scalar(*value));
  }
  if (mode != "reflect" && mode != "replicate" && mode != "circular") {
    fail_argument(call.op(), "mode", "'constant', 'reflect', 'replicate' or 'circular'",
                  std::string(mode));
  }
  const auto dims = static_cast<int64_t>(numbers.size()) / 2;
  const bool fits = numbers.size() % 2 == 0 && dims >= 1 && dims <= 3 &&
                    (self->ndim() == dims + 1 || self->ndim() == dims + 2);
  if (!fits) {
    fail(TENON_ERROR_NOT_SUPPORTED, {call.op(), ": pad must be 2, 4 or 6 numbers for mode '", mode,
                                     "', and self must have 1 or 2 dims more than are padded, got ",
                                     numbers, " for sizes ", self->sizes()});
  }
  if (mode == "circular") return call.give(0, circular(self, numbers));
  const Pad& mirror = (mode == "reflect" ? reflected : repeated)[dims - 1];
  call.give(0, mirror(self, numbers));
}

}  // namespace tenon::kernels::ops
