// SPDX-License-Identifier: Apache-2.0
#include "graph/view_inverse.h"

#include <string_view>

#include "base/check.h"
#include "dispatch/lookup.h"
#include "graph/functional_twin.h"
#include "graph/references.h"

namespace tenon::graph {

namespace {

enum class Inverse : uint8_t {
  kNone,        // read only: elements of the view may share one element of the whole
  kNothing,     // the view is the whole
  kSameCall,    // the same call undoes itself
  kPermute,     // the dims back
  kView,        // a view of the old sizes
  kViewDtype,   // a view of the old dtype
  kComplex,     // view_as_complex
  kReal,        // view_as_real
  kSelect,      // scattered at an index
  kSlice,       // scattered along a range
  kUnbind,      // a list's element, at an index
  kSplit,       // a list's element, along one of equal ranges
  kSplitSizes,  // like kSplit, for ranges of given sizes
};

struct Row {
  std::string_view op;
  Inverse inverse;
};
constexpr Row kRows[] = {
    {"aten::alias", Inverse::kNothing},
    {"aten::detach", Inverse::kNothing},
    {"aten::expand", Inverse::kNone},
    {"aten::permute", Inverse::kPermute},
    {"aten::select.int", Inverse::kSelect},
    {"aten::slice.Tensor", Inverse::kSlice},
    {"aten::split.Tensor", Inverse::kSplit},
    {"aten::split_with_sizes", Inverse::kSplitSizes},
    {"aten::squeeze", Inverse::kView},
    {"aten::squeeze.dim", Inverse::kView},
    {"aten::squeeze.dims", Inverse::kView},
    {"aten::t", Inverse::kSameCall},
    {"aten::transpose.int", Inverse::kSameCall},
    {"aten::unbind.int", Inverse::kUnbind},
    {"aten::unsqueeze", Inverse::kView},
    {"aten::view", Inverse::kView},
    {"aten::view.dtype", Inverse::kViewDtype},
    {"aten::view_as_complex", Inverse::kReal},
    {"aten::view_as_real", Inverse::kComplex},
};

const Row* find_row(const tenon_op& op) {
  for (const Row& row : kRows) {
    if (row.op == op.name()) return &row;
  }
  return nullptr;
}

tenon_value ints(const std::vector<int64_t>& numbers) {
  return tenon_value_of_ints(numbers.data(), static_cast<uint32_t>(numbers.size()));
}

const int64_t* numbers_of(const tenon_value& list) {
  return static_cast<const int64_t*>(list.as.list.data);
}

std::vector<int64_t> inverse_of(const tenon_value& dims) {
  const int64_t* numbers = numbers_of(dims);
  std::vector<int64_t> inverse(dims.count);
  for (uint32_t i = 0; i < dims.count; ++i) {
    const int64_t dim = numbers[i] < 0 ? numbers[i] + dims.count : numbers[i];
    inverse[static_cast<size_t>(dim)] = i;
  }
  return inverse;
}

// Returns the index at which an element of split_with_sizes begins.
int64_t start_of(const tenon_value& sizes, uint32_t index) {
  int64_t start = 0;
  for (uint32_t i = 0; i < index; ++i) start += numbers_of(sizes)[i];
  return start;
}

class ViewInverter {
 public:
  ViewInverter(Rewrite& rewrite, const Node& view, uint32_t whole, uint32_t part, bool copies)
      : rewrite_(rewrite),
        view_(view),
        copies_(copies),
        whole_(reference(whole)),
        part_(reference(part)) {}

  uint32_t by_view(const TensorMeta* meta) {
    require(meta, "sizes");
    const auto count = static_cast<uint32_t>(meta->ndim);
    const tenon_value sizes =
        meta->dims != nullptr
            ? rewrite_.mapped(tenon_value_of_elements(TENON_TAG_LIST, meta->dims, count))
            : tenon_value_of_ints(meta->sizes, count);
    const tenon_value args[] = {part_, sizes};
    return append("aten::view", args);
  }
  uint32_t by_dtype(const TensorMeta* meta) {
    require(meta, "dtype");
    const tenon_value args[] = {part_, tenon_value_of_dtype(meta->dtype)};
    return append("aten::view.dtype", args);
  }
  uint32_t by_permute() {
    const std::vector<int64_t> dims = inverse_of(view_.args[1]);
    const tenon_value args[] = {part_, ints(dims)};
    return append("aten::permute", args);
  }
  uint32_t by_call(const char* name) {
    std::vector<tenon_value> args{part_};
    for (uint32_t a = 1; a < view_.nargs; ++a) args.push_back(rewrite_.mapped(view_.args[a]));
    return append(name, args);
  }
  uint32_t by_select(const tenon_value& dim, const tenon_value& index) {
    const tenon_value args[] = {whole_, part_, dim, rewrite_.mapped(index)};
    return append("aten::select_scatter", args);
  }
  uint32_t by_slice(const tenon_value& dim, const tenon_value& start, const tenon_value& end,
                    const tenon_value& step) {
    const tenon_value args[] = {
        whole_, part_, dim, rewrite_.mapped(start), rewrite_.mapped(end), rewrite_.mapped(step)};
    return append("aten::slice_scatter", args);
  }
  uint32_t by_range(int64_t start, int64_t size) {
    return by_slice(view_.args[2], tenon_value_of_int(start), tenon_value_of_int(start + size),
                    tenon_value_of_int(1));
  }

 private:
  void require(const TensorMeta* meta, const char* what) const {
    TENON_CHECK(meta != nullptr, TENON_ERROR_NOT_SUPPORTED, kFunctionalize, view_.op->name(), ": ",
                what, " of self must be known, as of a recorded call, got none");
  }
  uint32_t append(std::string_view name, std::span<const tenon_value> args) {
    const tenon_op* op = dispatch::find_operator(name);
    const schema::SchemaPtr schema = dispatch::require_schema(*op);
    const bool is_view = !schema->is_functional();
    return rewrite_.append(copies_ && is_view ? find_view_copy(*op, *schema) : op, args);
  }

  Rewrite& rewrite_;
  const Node& view_;
  const bool copies_;
  const tenon_value whole_, part_;
};

}  // namespace

bool is_known_view(const tenon_op& op) { return find_row(op) != nullptr; }

bool scatters(const tenon_op& op) {
  const Row* row = find_row(op);
  return row != nullptr && row->inverse >= Inverse::kSelect;
}

uint32_t undo_view(Rewrite& rewrite, const Node& view, uint32_t index, const TensorMeta* meta,
                   uint32_t whole, uint32_t part, bool copies) {
  ViewInverter undoing(rewrite, view, whole, part, copies);
  const tenon_value* args = view.args;
  switch (find_row(*view.op)->inverse) {
    case Inverse::kNone:
      break;
    case Inverse::kNothing:
      return part;
    case Inverse::kSameCall:
      return undoing.by_call(view.op->name());
    case Inverse::kPermute:
      return undoing.by_permute();
    case Inverse::kView:
      return undoing.by_view(meta);
    case Inverse::kViewDtype:
      return undoing.by_dtype(meta);
    case Inverse::kComplex:
      return undoing.by_call("aten::view_as_complex");
    case Inverse::kReal:
      return undoing.by_call("aten::view_as_real");
    case Inverse::kSelect:
      return undoing.by_select(args[1], args[2]);
    case Inverse::kSlice:
      return undoing.by_slice(args[1], args[2], args[3], args[4]);
    case Inverse::kUnbind:
      return undoing.by_select(args[1], tenon_value_of_int(index));
    case Inverse::kSplit:
      if (args[1].tag != TENON_TAG_INT) break;
      return undoing.by_range(args[1].as.i * index, args[1].as.i);
    case Inverse::kSplitSizes:
      if (args[1].tag != TENON_TAG_INT_LIST) break;
      return undoing.by_range(start_of(args[1], index), numbers_of(args[1])[index]);
  }
  fail(TENON_ERROR_NOT_SUPPORTED, kFunctionalize, view.op->name(),
       ": its result must not be written, as its elements may share memory; got a write");
}

}  // namespace tenon::graph
