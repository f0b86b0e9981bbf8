// SPDX-License-Identifier: Apache-2.0
// The plugin libtenon_cpu.so: all operators and their CPU kernels. Nothing runs before load.
#include <memory>

#include "kernels/common/registrar.h"
#include "kernels/cpu/bind.h"
#include "kernels/cpu/openmp_fork.h"
#include "kernels/cpu/operators.h"
#include "kernels/cpu/run.h"
#include "kernels/cpu/vector_level.h"
#include "kernels/ops/copy/copy.h"
#include "kernels/ops/factories/fill.h"
#include "kernels/ops/factories/zero.h"
#include "kernels/ops/indexing/gather.h"
#include "kernels/ops/indexing/index.h"
#include "kernels/ops/matmul/bmm.h"
#include "kernels/ops/matmul/mm.h"
#include "kernels/ops/normalization/layer_norm.h"
#include "kernels/ops/registry.h"
#include "kernels/ops/shape/cat.h"
#include "tenon/plugin.h"

namespace tenon::kernels::cpu {

namespace {

using Libraries = std::vector<Library>;

// Returns the function that plans calls of an operator; NULL if there is none.
tenon_bind_fn bind_of(const Facts& facts) {
  if (facts.family == &kPointwise) return &bind_pointwise;
  if (facts.family == &kFold) return &bind_fold;
  if (&facts == &ops::kMm) return &bind_mm;
  if (&facts == &ops::kBmm) return &bind_bmm;
  if (&facts == &ops::kCat) return &bind_cat;
  if (&facts == &ops::kGather) return &bind_gather;
  if (&facts == &ops::kIndexTensor) return &bind_index;
  if (&facts == &ops::kNativeLayerNorm) return &bind_layer_norm;
  if (&facts == &ops::kCopyInPlace) return &bind_copy;
  if (&facts == &ops::kFillInPlace || &facts == &ops::kZeroInPlace) return &bind_fill;
  if (const tenon_bind_fn bind = bind_of_triangle(facts); bind != nullptr) return bind;
  return bind_of_softmax(facts);
}

tenon_status load(tenon_plugin*, void** out_state) {
  tenon_error* error = nullptr;
  const tenon_status status = tenon::detail::guarded(&error, [&] {
    detect_forks();
    auto libraries = std::make_unique<Libraries>(register_ops());
    Library aten(Library::Impl, "aten", TENON_KEY_CPU);
    Library tenon(Library::Impl, "tenon", TENON_KEY_CPU);
    choose_vector_level();
    for (const Operator& op : operators()) {
      Library& library = op.ns == std::string_view("aten") ? aten : tenon;
      implement(library, TENON_KEY_CPU, "cpu", *op.facts, op.kernel,
                op.quick_numel != 0 ? op.quick_numel : kQuickNumel, bind_of(*op.facts));
    }
    libraries->push_back(std::move(aten));
    libraries->push_back(std::move(tenon));
    *out_state = libraries.release();
  });
  return status == TENON_OK ? TENON_OK : tenon_error_set(error);
}

void unload(void* state) { delete static_cast<Libraries*>(state); }

const tenon_plugin_descriptor kDescriptor = {
    .struct_size = sizeof(tenon_plugin_descriptor),
    .abi_version = TENON_ABI_VERSION,
    .name = "tenon_cpu",
    .version = TENON_KERNELS_VERSION,
    .build_id = "",
    .sanitizer = TENON_SANITIZER_CURRENT,
    .requirement_count = 0,
    .requirements = nullptr,
    .load = &load,
    .unload = &unload,
    .reserved = {},
};

}  // namespace
}  // namespace tenon::kernels::cpu

extern "C" TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                                          uint32_t host_abi_max) {
  const bool fits = TENON_ABI_VERSION >= host_abi_min && TENON_ABI_VERSION <= host_abi_max;
  return fits ? &tenon::kernels::cpu::kDescriptor : nullptr;
}
