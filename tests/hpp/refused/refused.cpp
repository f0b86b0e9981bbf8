// SPDX-License-Identifier: Apache-2.0
// Kernels and handles that the compiler must refuse with one sentence; CASE picks one.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tenon/tenon.hpp>

#if CASE != 99  // the header alone
using tenon::Tensor;

#if CASE == 0
using Kernel = int64_t (*)(const Tensor&, int64_t, double, std::optional<Tensor>);
#elif CASE == 1
using Kernel = Tensor (*)(const Tensor&, int);
#elif CASE == 2
using Kernel = Tensor (*)(const Tensor&, float);
#elif CASE == 3
using Kernel = Tensor (*)(long long);
#elif CASE == 4
using Kernel = Tensor (*)(uint64_t);
#elif CASE == 5
using Kernel = Tensor (*)(const std::vector<int64_t>&);
#elif CASE == 6
using Kernel = Tensor (*)(const std::string&);
#elif CASE == 7
using Kernel = Tensor (*)(const char*);
#elif CASE == 8
using Kernel = Tensor (*)(std::optional<int>);
#elif CASE == 9
using Kernel = Tensor (*)(std::vector<Tensor>);
#elif CASE == 10
using Kernel = int (*)(const Tensor&);
#elif CASE == 11
using Kernel = float (*)(const Tensor&);
#elif CASE == 12
using Kernel = std::string_view (*)(const Tensor&);
#elif CASE == 13
using Kernel = std::map<int, int> (*)(const Tensor&);
#elif CASE == 14
using Kernel = std::tuple<Tensor, int> (*)(const Tensor&);
#elif CASE == 15
using Kernel = std::vector<float> (*)(const Tensor&);
#endif

#ifdef HANDLE
auto handle(tenon::Op op) { return op.typed<tenon::detail::CallableOf<Kernel>::type>(); }
#else
void add(tenon::Library& library, Kernel kernel) { library.impl("f", TENON_KEY_CPU, kernel); }
#endif
#endif
