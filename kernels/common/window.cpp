// SPDX-License-Identifier: Apache-2.0
// Checks of windows, and the number of positions at which they fit.
#include "kernels/common/window.h"

#include "kernels/common/checked_size.h"

namespace tenon::kernels {

std::optional<Dims> channels_last_like(const char* op, const tenon_tensor_info& self, Sizes sizes) {
  if ((self.ndim != 4 && self.ndim != 5) || is_contiguous(self)) return std::nullopt;
  const auto format = self.ndim == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  const Dims wanted = channels_last_strides(op, sizes_of(self), format);
  for (int32_t d = 0; d < self.ndim; ++d) {
    if (self.sizes[d] != 1 && self.strides[d] != wanted[d]) return std::nullopt;
  }
  return channels_last_strides(op, sizes, format);
}

void check_count(const Call& call, int argument, int64_t count) {
  const auto numbers = call.get<Sizes>(argument);
  if (static_cast<int64_t>(numbers.size()) == count) return;
  fail_argument(call.op(), call.form.names[argument], std::to_string(count) + " numbers", numbers);
}

void read_slides(const Call& call, int argument, int64_t least, int64_t count,
                 int64_t Slide::*member, Slide* along) {
  const auto numbers = call.get<Sizes>(argument);
  const bool fits = numbers.size() == 1 || static_cast<int64_t>(numbers.size()) == count;
  const bool is_good =
      fits && std::ranges::all_of(numbers, [&](int64_t number) { return number >= least; });
  if (!is_good) {
    const std::string many =
        count == 1 ? "one number" : std::to_string(count) + " numbers, or one,";
    fail_argument(call.op(), call.form.names[argument],
                  many + (least == 0 ? " of 0 or more" : " above 0"), numbers);
  }
  for (int64_t d = 0; d < count; ++d) {
    along[d].*member = numbers.size() == 1 ? numbers[0] : numbers[static_cast<size_t>(d)];
  }
}

void Slide::check(const char* op) const {
  static_cast<void>(CheckedSize(op, kernel - 1) * dilation + 1);
  static_cast<void>(CheckedSize(op, padding) * 2);
}

Window Window::of(const Call& call, int kernel, int stride, int padding, int dilation, int dims) {
  Window window;
  read_slides(call, kernel, 1, dims, &Slide::kernel, window.along);
  read_slides(call, padding, 0, dims, &Slide::padding, window.along);
  if (dilation >= 0) read_slides(call, dilation, 1, dims, &Slide::dilation, window.along);
  if (call.args[stride].count == 0) {
    for (Slide& slide : window.along) slide.stride = slide.kernel;
  } else {
    read_slides(call, stride, 1, dims, &Slide::stride, window.along);
  }
  for (const Slide& slide : window.along) slide.check(call.op());
  return window;
}

int64_t Slide::places(const char* op, int64_t size, bool ceil) const {
  const int64_t padded = (CheckedSize(op, padding) * 2 + size).value();
  const int64_t over = (CheckedSize(op, kernel - 1) * dilation + 1).value();
  const int64_t room = (CheckedSize(op, padded) - over).value();
  if (room < 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": the kernel must not be larger than the padded input, got a kernel that spans ",
          over, " of ", padded, " elements"});
  }
  // Rounded down, or up if `ceil`.
  const int64_t count =
      (CheckedSize(op, ceil ? ceil_quotient(room, stride) : room / stride) + 1).value();
  // The last window must not start after the input and its leading padding.
  const bool is_behind = ceil && ceil_quotient(size + padding, stride) < count;
  return is_behind ? count - 1 : count;
}

}  // namespace tenon::kernels
