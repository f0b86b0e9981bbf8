// SPDX-License-Identifier: Apache-2.0
// The plugin libtenon_cpu.so: all operators and their CPU kernels. Nothing runs before load.
#include <memory>

#include "kernels/common/registrar.h"
#include "kernels/cpu/lost_team.h"
#include "kernels/cpu/operators.h"
#include "kernels/cpu/run.h"
#include "kernels/cpu/vector_level.h"
#include "kernels/ops/registry.h"
#include "tenon/plugin.h"

// X(stem) for each file kernels/cpu/<stem>.cpp with a function register_<stem>.
// clang-format off
#define TENON_CPU_KERNELS(X) \
  X(add) X(amax) X(arange) X(argmax) X(bmm) X(cat) X(copy) X(div) X(empty) \
  X(empty_strided) X(eq) X(fill) X(full) X(ge) X(gt) X(le) X(local_scalar_dense) \
  X(lt) X(maximum) X(mean) X(minimum) X(mm) X(mul) X(ne) X(nonzero) \
  X(normal) X(sub) X(sum) X(uniform) X(where) \
  X(zero) X(zeros)
// clang-format on
#define TENON_CPU_TENON_KERNELS(X) X(skeleton_op)

namespace tenon::kernels::cpu {

#define TENON_DECLARE(stem) void register_##stem(Library& library);
TENON_CPU_KERNELS(TENON_DECLARE)
TENON_CPU_TENON_KERNELS(TENON_DECLARE)
#undef TENON_DECLARE

namespace {

using Libraries = std::vector<Library>;

tenon_status load(tenon_plugin*, void** out_state) {
  tenon_error* error = nullptr;
  const tenon_status status = tenon::detail::guarded(&error, [&] {
    watch_forks();
    auto libraries = std::make_unique<Libraries>(register_ops());
    Library& aten = libraries->emplace_back(Library::Impl, "aten", TENON_KEY_CPU);
#define TENON_REGISTER(stem) register_##stem(aten);
    TENON_CPU_KERNELS(TENON_REGISTER)
#undef TENON_REGISTER
    Library& tenon = libraries->emplace_back(Library::Impl, "tenon", TENON_KEY_CPU);
#define TENON_REGISTER(stem) register_##stem(tenon);
    TENON_CPU_TENON_KERNELS(TENON_REGISTER)
#undef TENON_REGISTER
    choose_vector_level();
    for (const Operator& op : operators()) {
      // The library of `aten` comes before that of `tenon`.
      Library& library =
          (*libraries)[libraries->size() - (op.ns == std::string_view("aten") ? 2 : 1)];
      implement(library, TENON_KEY_CPU, "cpu", *op.facts, op.kernel, kQuickNumel);
    }
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
