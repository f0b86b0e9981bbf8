// SPDX-License-Identifier: Apache-2.0
// aten::movedim: a view with some dims moved to other positions, the rest in their order.
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {
namespace {

Tensor movedim(const Tensor& self, Sizes source, Sizes destination) {
  constexpr const char* kOp = "aten::movedim";
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> permute("aten::permute");
  const int64_t ndim = self.ndim();
  if (source.size() != destination.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {kOp, ": destination must have as many dims as source, got ",
                                        source, " and ", destination});
  }
  if (ndim == 0) {
    for (const int64_t dim : source) wrap_dim(kOp, dim, ndim);
    for (const int64_t dim : destination) wrap_dim(kOp, dim, ndim);
    return permute(self, Dims{});
  }
  Dims order = Dims::filled(ndim, -1);  // which dim comes to each position
  uint64_t moved = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    const int64_t from = wrap_dim(kOp, source[i], ndim);
    const int64_t to = wrap_dim(kOp, destination[i], ndim);
    if ((moved >> from & 1) != 0) fail_argument(kOp, "source", "free of duplicates", source);
    if (order[to] != -1) fail_argument(kOp, "destination", "free of duplicates", destination);
    moved |= uint64_t{1} << from;
    order[to] = from;
  }
  int64_t next = 0;
  for (int64_t position = 0; position < ndim; ++position) {
    if (order[position] != -1) continue;
    while ((moved >> next & 1) != 0) ++next;
    order[position] = next++;
  }
  return permute(self, order);
}

Tensor movedim_int(const Tensor& self, int64_t source, int64_t destination) {
  return movedim(self, Dims{source}, Dims{destination});
}

}  // namespace

void register_movedim(Library& aten) {
  aten.def("movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)");
  aten.impl("movedim.intlist", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &movedim,
            composite("movedim"));
  aten.def("movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)");
  aten.impl("movedim.int", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &movedim_int,
            composite("movedim_int"));
}

}  // namespace tenon::kernels
