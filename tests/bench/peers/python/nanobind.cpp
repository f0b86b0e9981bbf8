// SPDX-License-Identifier: Apache-2.0
// Nearly empty functions bound by nanobind, to compare calls from Python with.
#include <nanobind/nanobind.h>

namespace {

struct Box {
  float value = 1;
};

}  // namespace

NB_MODULE(tenon_bench_nanobind, m) {
  namespace nb = nanobind;
  nb::class_<Box>(m, "Box").def(nb::init<>());
  m.def("nothing", [](const Box&, const Box&) {});
  m.def(
      "first", [](Box& a, Box&) { return &a; }, nb::rv_policy::reference);
  m.def("fresh", [](const Box& a, const Box&) { return Box(a); });
}
