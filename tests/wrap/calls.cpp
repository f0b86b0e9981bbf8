// SPDX-License-Identifier: Apache-2.0
// Calls the C++ wrappers of the namespace `wrapped`; returns the number of wrong results.
#include <iostream>

#include "aten.hpp"
#include "wrapped.hpp"

namespace {

using tenon::Dtype;
using tenon::Generator;
using tenon::Tensor;
using tenon::Value;
namespace aten = tenon::ops::aten;
namespace wrapped = tenon::ops::wrapped;

int failures;

void is_text(const std::string& got, const std::string& expected) {
  if (got == expected) return;
  std::cerr << "must be\n  " << expected << ", got\n  " << got << "\n";
  ++failures;
}

void is_true(const char* what, bool truth) {
  if (truth) return;
  std::cerr << what << ": must hold\n";
  ++failures;
}

float first(const Tensor& tensor) { return *tensor.data<float>(); }

void call_all_types(const Tensor& x) {
  const Generator generator(11);
  is_text(wrapped::plain(x, 2.5, 3, 4, 0.25, true, "text", {1, 2}),
          "a=Tensor[1,2] b=2.5 c=3 d=4 e=0.25 f=True g=text h=(1,2)");
  const std::vector<uint8_t> bools{1, 0};
  is_text(wrapped::lists({x}, {x, Tensor()}, {1, 2, 3}, std::vector<int64_t>{1}, {0.5, 1.5}, bools,
                         {1, 2}),
          "a=[Tensor[1,2]] b=[Tensor[1,2],None] c=[1,2,3] d=[1] e=[0.5,1.5] f=[True,False] "
          "g=[1,2]");
  is_text(wrapped::codes(Dtype::F64, tenon::Layout::Strided, tenon::MemoryFormat::Preserve, {},
                         generator, 5),
          "a=7 b=0 c=1 d=cpu e=Generator(11) f=5");
  is_text(wrapped::absent({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::nullopt, std::nullopt),
          "a=None b=None c=None d=None e=None f=None g=None h=None i=None j=None k=None l=None "
          "m=None");
  is_text(wrapped::absent(x, 2, 1, 0.5, true, "t", Dtype::F32, {}, {}, tenon::Device(), generator,
                          std::vector<int64_t>{}, {0.5}),
          "a=Tensor[1,2] b=2 c=1 d=0.5 e=True f=t g=6 h=None i=None j=cpu k=Generator(11) l=[] "
          "m=[0.5]");
}

void call_defaults(const Tensor& x) {
  is_text(wrapped::defaults(1),
          "a=1 b=-2 c=[0.5,1] d=0.001 e=say \"a\\b\" f=6 g=cpu h=[1,1] i=True j=2.5 k=(0,1) l=None "
          "m=None n=inf o=-9223372036854775808");
  is_text(wrapped::defaults(1, 7, {2.0}, {.e = "other", .h = {3, 4}, .i = false, .m = x}),
          "a=1 b=7 c=[2] d=0.001 e=other f=6 g=cpu h=[3,4] i=False j=2.5 k=(0,1) l=None "
          "m=Tensor[1,2] n=inf o=-9223372036854775808");
  is_text(wrapped::named(x, 0.5), "self=Tensor[1,2] slope=0.5 again=False");
  is_text(wrapped::closer(1), "x=1 y=2");
  is_text(wrapped::closer(1, 5), "x=1 y=5");
  is_text(wrapped::closer(1, 5, 6), "x=1 y=5 z=6");
}

void call_results(const Tensor& x) {
  const auto [made, count, text, absent] = wrapped::several(x);
  is_true("several", first(made) == 2 && count == 2 && text == "third" && !absent);
  const auto [scalar, real, truth, complex, dtype, device] = wrapped::numbers();
  is_true("numbers", scalar.to_int() == 2 && real == 0.5 && truth && complex.imag() == 2 &&
                         dtype == Dtype::F64 && device == tenon::Device());
  const auto [ints, floats, tensors] = wrapped::listed();
  is_true("listed", ints == std::vector<int64_t>{1, 2} && floats == std::vector<double>{0.5} &&
                        tensors.size() == 2 && first(tensors[0]) == 1);
  const auto [number, tensor] = wrapped::maybe(true);
  is_true("maybe", number == 7 && tensor && first(*tensor) == 1);
  const auto [no_number, no_tensor] = wrapped::maybe(false);
  is_true("maybe not", !no_number && !no_tensor);
  is_true("any", wrapped::any(1.5).to_double() == 1.5);
  wrapped::nothing();
}

void call_writers(const Tensor& x, const Tensor& y) {
  is_true("fill_", first(wrapped::fill_(x, 4)) == 4 && first(x) == 4);
  is_true("twice_out", wrapped::twice_out(y, x).get() == y.get() && first(y) == 8);
  const auto [one, two] = wrapped::both_(x, y);
  is_true("both_", one.get() == x.get() && two.get() == y.get() && first(x) == 1 && first(y) == 2);
  is_true("counted_", std::get<1>(wrapped::counted_(x)) == 2 && first(x) == 3);
  is_true("twice", first(wrapped::twice(x)) == 6);
  is_true("row", wrapped::row(x).ndim() == 0);
}

void call_names() {
  is_true("class", wrapped::class_(1, 2, 5) == 125);
  is_true("lambda", wrapped::lambda(1) == 2);
  is_text(wrapped::clash(1), "x=1");
  is_text(wrapped::clash_second(1), "y=1");
  is_text(wrapped::clash_first(1), "x=1");
}

void call_aten(const Tensor& x) {
  // [quote.begin cpp]
  const Tensor ones = aten::ones({2}, {.dtype = Dtype::F32});
  const Tensor sum = aten::add(ones, x, 10);
  aten::add_out(ones, ones, x);
  const Tensor total = aten::sum(aten::cat({ones, ones}), {0}, true);
  // [quote.end]
  is_true("add", first(sum) == 31 && first(ones) == 4 && first(total) == 16);
  is_true("arange", aten::arange(0, 10, 3).numel() == 4 && aten::arange(2).numel() == 2);
  try {
    aten::mm(x, x);
    is_true("mm of vectors throws", false);
  } catch (const tenon::Error& error) {
    is_true("mm", std::string(error.what()).find("aten::mm") == 0);
  }
}

}  // namespace

extern "C" int run_calls() {
  failures = 0;
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  const Tensor y = Tensor::from({0.0f, 0.0f}, {2});
  try {
    call_all_types(x);
    call_defaults(x);
    call_results(x);
    call_writers(x, y);
    call_names();
    call_aten(x);
  } catch (const tenon::Error& error) {
    std::cerr << error.what() << "\n";
    ++failures;
  }
  return failures;
}
