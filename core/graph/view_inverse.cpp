// SPDX-License-Identifier: Apache-2.0
#include "graph/view_inverse.h"

#include <charconv>
#include <string_view>

#include "base/check.h"
#include "dispatch/lookup.h"
#include "dispatch/tags.h"
#include "graph/functional_twin.h"
#include "graph/references.h"

namespace tenon::graph {

namespace {

// The tag: a call such as "aten::select_scatter($base,$part,dim,index)", "$part", or "none".
constexpr std::string_view kTag = "inverse=";
constexpr std::string_view kPart = "$part";

const int64_t* numbers_of(const tenon_value& list) {
  return static_cast<const int64_t*>(list.as.list.data);
}

std::vector<int64_t> inverse_of(const tenon_value& dims) {
  const int64_t* numbers = numbers_of(dims);
  std::vector<int64_t> inverse(dims.count);
  for (uint32_t i = 0; i < dims.count; ++i) {
    const int64_t dim = numbers[i] < 0 ? numbers[i] + dims.count : numbers[i];
    TENON_CHECK(0 <= dim && dim < dims.count, TENON_ERROR_INDEX, kFunctionalize,
                "dims must be a permutation, got ", value::print(dims));
    inverse[static_cast<size_t>(dim)] = i;
  }
  return inverse;
}

[[noreturn]] void refuse_write(const tenon_op& view) {
  fail(TENON_ERROR_NOT_SUPPORTED, kFunctionalize, view.name(),
       ": its result must not be written, as its elements may share memory; got a write");
}

class ViewInverter {
 public:
  ViewInverter(Rewrite& rewrite, const Node& view, uint32_t index, const TensorMeta* meta,
               uint32_t whole, uint32_t part, bool copies)
      : rewrite_(rewrite),
        view_(view),
        schema_(dispatch::require_schema(*view.op)),
        meta_(meta),
        index_(index),
        whole_(whole),
        part_(part),
        copies_(copies) {}

  // Appends the call that a tag's text describes, and returns its result.
  uint32_t run(std::string_view text) {
    if (text == kPart) return part_;
    const size_t open = text.find('(');
    if (open == text.npos || text.back() != ')') refuse_text(text);
    std::string_view words = text.substr(open + 1, text.size() - open - 2);
    std::vector<tenon_value> args;
    for (size_t comma = 0; comma != words.npos;) {
      comma = words.find(',');
      args.push_back(argument(words.substr(0, comma)));
      if (comma != words.npos) words.remove_prefix(comma + 1);
    }
    const tenon_op* op = dispatch::find_operator(text.substr(0, open));
    const schema::SchemaPtr schema = dispatch::require_schema(*op);
    const bool is_view = !schema->is_functional();
    return rewrite_.append(copies_ && is_view ? find_view_copy(*op, *schema) : op, args);
  }

 private:
  tenon_value argument(std::string_view word) {
    if (word == kPart) return reference(part_);
    if (word == "$base") return reference(whole_);
    if (word == "$sizes") return sizes();
    if (word == "$dtype") return tenon_value_of_dtype(known("dtype").dtype);
    if (word == "$index") return tenon_value_of_int(index_);
    if (word == "$start") return tenon_value_of_int(start(index_));
    if (word == "$end") return tenon_value_of_int(start(index_ + 1));
    constexpr std::string_view kInverse = "$inverse:";
    if (word.starts_with(kInverse)) {
      const tenon_value& dims = named(word.substr(kInverse.size()));
      if (dims.tag != TENON_TAG_INT_LIST) refuse_text(word);
      const auto& numbers = numbers_.emplace_back(inverse_of(dims));
      return tenon_value_of_ints(numbers.data(), static_cast<uint32_t>(numbers.size()));
    }
    int64_t number = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
    if (parsed.ec == std::errc() && parsed.ptr == word.data() + word.size()) {
      return tenon_value_of_int(number);
    }
    return rewrite_.mapped(named(word));
  }

  // Returns an argument of the view.
  const tenon_value& named(std::string_view name) const {
    const auto arguments = schema_->arguments();
    for (uint32_t a = 0; a < view_.nargs && a < arguments.size(); ++a) {
      if (arguments[a].name.view() == name) return view_.args[a];
    }
    refuse_text(name);
  }

  tenon_value sizes() {
    const TensorMeta& base = known("sizes");
    const auto count = static_cast<uint32_t>(base.ndim);
    if (base.dims == nullptr) return tenon_value_of_ints(base.sizes, count);
    return rewrite_.mapped(tenon_value_of_elements(TENON_TAG_LIST, base.dims, count));
  }

  // Returns the index at which element `index` of a list begins. The view's second argument is the
  // size of each element, or a list of their sizes.
  int64_t start(uint32_t index) const {
    const tenon_value sizes = view_.nargs > 1 ? view_.args[1] : tenon_value_of_none();
    if (sizes.tag == TENON_TAG_INT) return sizes.as.i * index;
    if (sizes.tag != TENON_TAG_INT_LIST || sizes.count < index) refuse_write(*view_.op);
    int64_t start = 0;
    for (uint32_t i = 0; i < index; ++i) start += numbers_of(sizes)[i];
    return start;
  }

  const TensorMeta& known(const char* what) const {
    TENON_CHECK(meta_ != nullptr, TENON_ERROR_NOT_SUPPORTED, kFunctionalize, view_.op->name(), ": ",
                what, " of self must be known, as of a recorded call, got none");
    return *meta_;
  }

  [[noreturn]] void refuse_text(std::string_view text) const {
    fail(TENON_ERROR_INVALID_ARGUMENT, kFunctionalize, view_.op->name(),
         ": the tag inverse must be a call of the view's arguments and of $ words, got ", text);
  }

  Rewrite& rewrite_;
  const Node& view_;
  const schema::SchemaPtr schema_;
  const TensorMeta* const meta_;
  const uint32_t index_, whole_, part_;
  const bool copies_;
  std::vector<std::vector<int64_t>> numbers_;  // the lists that $inverse: makes
};

}  // namespace

bool is_known_view(const tenon_op& op) { return !dispatch::tag_value(op, kTag).empty(); }

bool scatters(const tenon_op& op) {
  return dispatch::tag_value(op, kTag).find("$base") != std::string::npos;
}

uint32_t undo_view(Rewrite& rewrite, const Node& view, uint32_t index, const TensorMeta* meta,
                   uint32_t whole, uint32_t part, bool copies) {
  const std::string text = dispatch::tag_value(*view.op, kTag);
  if (text.empty() || text == "none") refuse_write(*view.op);
  return ViewInverter(rewrite, view, index, meta, whole, part, copies).run(text);
}

}  // namespace tenon::graph
