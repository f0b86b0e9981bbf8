// SPDX-License-Identifier: Apache-2.0
// Checks of windows, and at how many places they fit.
#include "kernels/common/window.h"

namespace tenon::kernels {
namespace {

void read_pair(const Call& call, int argument, int64_t least, int64_t Slide::*member,
               Window* window) {
  const auto numbers = call.get<Sizes>(argument);
  if (numbers.size() != 2)
    fail_argument(call.op(), call.form.names[argument], "two numbers", numbers);
  for (size_t d = 0; d < 2; ++d) {
    if (numbers[d] < least) {
      fail_argument(call.op(), call.form.names[argument],
                    least == 0 ? "two numbers of 0 or more" : "two numbers above 0", numbers);
    }
    window->along[d].*member = numbers[d];
  }
}

}  // namespace

Window Window::of(const Call& call, int kernel, int stride, int padding, int dilation) {
  Window window;
  read_pair(call, kernel, 1, &Slide::kernel, &window);
  read_pair(call, padding, 0, &Slide::padding, &window);
  read_pair(call, dilation, 1, &Slide::dilation, &window);
  if (call.args[stride].count == 0) {
    for (Slide& slide : window.along) slide.stride = slide.kernel;
  } else {
    read_pair(call, stride, 1, &Slide::stride, &window);
  }
  return window;
}

int64_t Window::places(const char* op, int d, int64_t size, bool ceil) const {
  const Slide& slide = along[d];
  const int64_t room = size + 2 * slide.padding - slide.reach();
  if (room < 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": the kernel must fit into the input and its padding, got one that reaches over ",
          slide.reach(), " of ", size + 2 * slide.padding, " elements"});
  }
  int64_t places = (room + (ceil ? slide.stride - 1 : 0)) / slide.stride + 1;
  if (ceil && (places - 1) * slide.stride >= size + slide.padding) --places;
  return places;
}

}  // namespace tenon::kernels
