// SPDX-License-Identifier: Apache-2.0
// ReplacedArgs: a copy of a call's arguments with tensors and symbolic sizes replaced.
#pragma once

#include <vector>

#include "kernels/common/call.h"
#include "tenon/symbol.h"

namespace tenon::kernels {

class ReplacedArgs {
 public:
  explicit ReplacedArgs(const Call& call) : args_(call.args, call.args + call.form.arguments) {}

  // Replaces each tensor by `of_tensor(tensor)`, which may return the same tensor, and each symbol,
  // and each size of a list with symbols, by `of_word(word)`.
  template <class OfTensor, class OfWord>
  void replace(const OfTensor& of_tensor, const OfWord& of_word) {
    for (tenon_value& value : args_) {
      value.flags &= static_cast<uint16_t>(~TENON_VALUE_MOVABLE);
      if (value.tag == TENON_TAG_TENSOR) {
        if (value.as.tensor != nullptr) value.as.tensor = of_tensor(value.as.tensor);
      } else if (value.tag == TENON_TAG_TENSOR_LIST) {
        auto* const* given = static_cast<tenon_tensor* const*>(value.as.list.data);
        lists_.emplace_back(given, given + value.count);
        for (tenon_tensor*& tensor : lists_.back()) {
          if (tensor != nullptr) tensor = of_tensor(tensor);
        }
        value.as.list = {lists_.back().data(), nullptr};
      } else if (value.tag == TENON_TAG_SYMINT) {
        value = tenon_value_of_int(of_word(tenon_dim_of_symbol(value.as.symbol)));
      } else if (value.tag == TENON_TAG_INT_LIST && (value.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) {
        const auto* words = static_cast<const int64_t*>(value.as.list.data);
        sizes_.emplace_back(words, words + value.count);
        for (int64_t& word : sizes_.back()) word = of_word(word);
        value = tenon_value_of_ints(sizes_.back().data(), value.count);
      }
    }
  }

  std::vector<tenon_value>& values() { return args_; }

 private:
  std::vector<tenon_value> args_;
  std::vector<std::vector<tenon_tensor*>> lists_;
  std::vector<std::vector<int64_t>> sizes_;
};

}  // namespace tenon::kernels
