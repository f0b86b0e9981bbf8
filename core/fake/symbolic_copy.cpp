// SPDX-License-Identifier: Apache-2.0
// Fake tensors like real ones, with symbols for sizes.
#include "base/check.h"
#include "fake/conversion.h"
#include "symbol/symbolic_tensor.h"
#include "tenon/symbol.h"

namespace tenon::fake {

namespace {

constexpr const char* kCopySymbolic = "tenon_tensor_copy_symbolic";

using symbol::Word;

// Returns the hint of a word; -1 if it has none.
int64_t hint_of(Word word) noexcept {
  if (!base::is_symbol(word)) return word;
  const symbol::Expression& expression = *symbol::expression_of(word);
  return expression.is_backed ? expression.hint : -1;
}

Word new_size(symbol::ShapeEnv& env, int64_t size) {
  if (size < 2) return size;
  symbol::VariableOptions options;
  options.hint = size;
  options.range.low = 2;
  return base::word_of(env.new_variable(options));
}

// Returns the size symbol with this name, created on first use. All tensors of the environment
// share it.
Word named_size(symbol::ShapeEnv& env, const char* name, int64_t size) {
  constexpr const char* kFunction = "tenon_fake_mode_copy_dynamic: ";
  if (const symbol::Expression* known = env.find_variable(name)) {
    TENON_CHECK_ARG(known->tag == TENON_TAG_SYMINT && known->is_backed && known->hint == size,
                    kFunction, name, " must be the same size everywhere, got ", known->hint,
                    " and ", size);
    return base::word_of(known);
  }
  TENON_CHECK_ARG(
      size >= 2, kFunction, name,
      " must be 2 or more in the example tensor, as sizes 0 and 1 are never dynamic, got ", size);
  symbol::VariableOptions options;
  options.name = name;
  options.hint = size;
  options.range.low = 2;
  return base::word_of(env.new_variable(options));
}

Word product(Word a, Word b) {
  for (const Word word : {a, b}) {
    if (!base::is_symbol(word)) continue;
    return symbol::env_of(*base::symbol_of(word)).apply(TENON_SYMBOL_MUL, a, b);
  }
  return a * b;
}

// Fills strides from the innermost dim outwards: a stride that equals the product of the inner
// sizes becomes symbolic, other strides stay numbers.
void fill_strides(const tensor::Tensor& tensor, const Word* sizes, Word* strides) {
  const tensor::Dims given = tensor.stride_span(), numbers = tensor.size_span();
  const size_t ndim = given.size();
  size_t order[TENON_TENSOR_MAX_DIMS];
  // Insertion sort by stride: there are few dims. Later dims come first among equal strides.
  for (size_t dim = 0; dim < ndim; ++dim) {
    size_t place = dim;
    for (; place > 0 && given[order[place - 1]] >= given[dim]; --place) {
      order[place] = order[place - 1];
    }
    order[place] = dim;
  }
  Word within = 1;
  int64_t number = 1;
  for (size_t k = 0; k < ndim; ++k) {
    const size_t dim = order[k];
    strides[dim] = given[dim] == number ? within : Word{given[dim]};
    if (given[dim] == number) {
      within = product(within, sizes[dim]);
      number *= numbers[dim];
    }
  }
}

}  // namespace

tensor::TensorPtr copy_symbolic(tensor::Tensor& tensor, symbol::ShapeEnv* env,
                                const int64_t* sizes) {
  TENON_CHECK_ARG(!tensor.is_undefined(), kCopySymbolic,
                  ": tensor must be defined, got the undefined tensor");
  TENON_CHECK(tensor.has_storage() && !tensor.is_symbolic(), TENON_ERROR_NOT_SUPPORTED,
              kCopySymbolic, ": tensor must have storage and concrete sizes, got ",
              tensor.is_symbolic() ? "a symbolic shape" : "a hollow tensor");
  const tensor::Dims numbers = tensor.size_span();
  Word words[TENON_TENSOR_MAX_DIMS], strides[TENON_TENSOR_MAX_DIMS];
  for (size_t dim = 0; dim < numbers.size(); ++dim) {
    words[dim] = sizes != nullptr ? base::simplified(sizes[dim]) : new_size(*env, numbers[dim]);
    const int64_t hint = hint_of(words[dim]);
    TENON_CHECK_ARG(hint < 0 || hint == numbers[dim], kCopySymbolic, ": size of dim ", dim,
                    " must be ", numbers[dim], ", the tensor's size, got ", hint);
  }
  const tenon_device device = tensor::fake_device(tensor.device());
  symbol::SymbolicOptions options{tensor.dtype(), &device, nullptr, {words, numbers.size()}};
  if (!tensor.is_contiguous()) {
    fill_strides(tensor, words, strides);
    options.strides = strides;
  }
  return symbol::new_symbolic(options);
}

tensor::TensorPtr copy_dynamic(tensor::Tensor& tensor, Mode& mode, const char* const* names) {
  const symbol::ShapeEnvPtr env = mode.give_env();
  const tensor::Dims numbers = tensor.is_undefined() ? tensor::Dims() : tensor.size_span();
  Word words[TENON_TENSOR_MAX_DIMS];
  for (size_t dim = 0; dim < numbers.size(); ++dim) {
    const char* const name = names[dim];
    words[dim] = name == nullptr   ? numbers[dim]
                 : name[0] == '\0' ? new_size(*env, numbers[dim])
                                   : named_size(*env, name, numbers[dim]);
  }
  return copy_symbolic(tensor, nullptr, words);
}

}  // namespace tenon::fake
