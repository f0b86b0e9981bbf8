// SPDX-License-Identifier: Apache-2.0
// The C++ interface: header-only C++20, which uses only the C interface.
#pragma once

#if __cplusplus <= 201703L
#error "tenon.hpp needs C++20: compile with -std=c++20 or later"
#else

// Usage:
//
//   tenon::Library shop(tenon::Library::Def, "shop");
//   shop.def("twice(Tensor x) -> Tensor");
//   shop.impl("twice", TENON_KEY_CPU, [](const tenon::Tensor& x) { return aten::add(x, x); });
//   tenon::Tensor two = tenon::Op("shop::twice")(tenon::Tensor::from({1.0f}, {1}))[0].tensor();

#include "tenon/hpp/arguments.hpp"
#include "tenon/hpp/autocast.hpp"
#include "tenon/hpp/autograd.hpp"
#include "tenon/hpp/error.hpp"
#include "tenon/hpp/fake.hpp"
#include "tenon/hpp/forward_ad.hpp"
#include "tenon/hpp/function.hpp"
#include "tenon/hpp/generator.hpp"
#include "tenon/hpp/introspect.hpp"
#include "tenon/hpp/keys.hpp"
#include "tenon/hpp/lazy_op.hpp"
#include "tenon/hpp/library.hpp"
#include "tenon/hpp/op.hpp"
#include "tenon/hpp/overrides.hpp"
#include "tenon/hpp/parallel.hpp"
#include "tenon/hpp/plugin.hpp"
#include "tenon/hpp/saved_tensors.hpp"
#include "tenon/hpp/schema.hpp"
#include "tenon/hpp/site.hpp"
#include "tenon/hpp/symbol.hpp"
#include "tenon/hpp/tensor.hpp"
#include "tenon/hpp/tensor_methods.hpp"
#include "tenon/hpp/thread_state.hpp"
#include "tenon/hpp/types.hpp"
#include "tenon/hpp/value.hpp"
#include "tenon/tenon.h"

#endif
