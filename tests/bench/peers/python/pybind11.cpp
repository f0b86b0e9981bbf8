// SPDX-License-Identifier: Apache-2.0
// Nearly empty functions bound by pybind11, to compare calls from Python with.
#include <pybind11/pybind11.h>

namespace {

struct Box {
  float value = 1;
};

}  // namespace

PYBIND11_MODULE(tenon_bench_pybind11, m) {
  namespace py = pybind11;
  py::class_<Box>(m, "Box").def(py::init<>());
  m.def("nothing", [](const Box&, const Box&) {});
  m.def(
      "first", [](Box& a, Box&) { return &a; }, py::return_value_policy::reference);
  m.def("fresh", [](const Box& a, const Box&) { return Box(a); });
}
