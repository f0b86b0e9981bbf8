// SPDX-License-Identifier: Apache-2.0
// Facts: the metadata of an operator, which is everything but the arithmetic of one element. Plain
// data that each file of the operator includes, for any device, so no C++ library header is
// included here.
//
// An operator has one header in kernels/ops with a `constexpr Facts` for each overload, and a line
// for each in kernels/ops/ops.list. Its schemas in all forms, its registration, its Meta kernels
// and its kernels for each device are derived from these.
//
// A Family connects a family of operators: one routine serves all its operators and finds Facts,
// form and arguments in its Call (call.h). Metadata for one family only is a member of Facts that
// is named like the family.
#pragma once

#include <cstdint>

#include "tenon/key.h"
#include "tenon/types.h"

namespace tenon::kernels {

class Args;
class Batch;
struct Call;
struct View;

// The forms that are derived from one parameter text. `add.Tensor` has all three: functional, in
// place as `add_.Tensor`, and into the caller's tensor as `add.out`.
using Forms = uint8_t;
inline constexpr Forms kFunctional = 1;
inline constexpr Forms kInPlace = 2;
inline constexpr Forms kOut = 4;
inline constexpr Forms kAllForms = kFunctional | kInPlace | kOut;
// Forms of a view. `t`, for example, is also the in-place `t_`, which changes the tensor itself,
// and its elements are copied by `t_copy` and `t_copy.out`.
inline constexpr Forms kCopy = 8;
inline constexpr Forms kCopyOut = 16;
inline constexpr Forms kViewForms = kFunctional | kCopy | kCopyOut;

// A set of dtypes: bit d is TENON_DTYPE_* number d.
using DtypeSet = uint32_t;
template <class... Dtype>
constexpr DtypeSet dtypes(Dtype... dtype) {
  return ((DtypeSet{1} << dtype) | ...);
}
inline constexpr DtypeSet kBool = dtypes(TENON_DTYPE_BOOL);
inline constexpr DtypeSet kIntegers =
    dtypes(TENON_DTYPE_U8, TENON_DTYPE_I8, TENON_DTYPE_I16, TENON_DTYPE_I32, TENON_DTYPE_I64);
inline constexpr DtypeSet kFloats =
    dtypes(TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64);
inline constexpr DtypeSet kFloat8 = dtypes(TENON_DTYPE_F8_E5M2, TENON_DTYPE_F8_E4M3FN);
inline constexpr DtypeSet kComplex = dtypes(TENON_DTYPE_C64, TENON_DTYPE_C128);
inline constexpr DtypeSet kReals = kIntegers | kFloats;
inline constexpr DtypeSet kNumbers = kReals | kComplex;
inline constexpr DtypeSet kAllDtypes = kBool | kNumbers | kFloat8;
// Dtypes that all operators that move, copy and cast elements support, and few that compute. The
// latter add these sets to their own: kernels compute in int64 and complex64 then.
inline constexpr DtypeSet kWideUnsigned = dtypes(TENON_DTYPE_U16, TENON_DTYPE_U32, TENON_DTYPE_U64);
// The wide unsigned dtypes whose values all fit int64, so that they are ordered like int64.
inline constexpr DtypeSet kOrderedUnsigned = dtypes(TENON_DTYPE_U16, TENON_DTYPE_U32);
inline constexpr DtypeSet kHalfComplex = dtypes(TENON_DTYPE_C32);
inline constexpr DtypeSet kStoredDtypes = kAllDtypes | kWideUnsigned | kHalfComplex;
constexpr bool has(DtypeSet set, tenon_dtype dtype) {
  return dtype >= 0 && (set >> dtype & 1) != 0;
}

// The dtype that a pointwise operator computes in.
enum class Promote : uint8_t {
  Common,       // the dtype that all inputs promote to
  CommonFloat,  // likewise, but the default floating dtype instead of bool and integers
};

// The dtype of one result of a pointwise operator.
enum class Gives : uint8_t {
  Same,   // the dtype that it computes in
  Bool,   // bool, as for comparisons
  Real,   // the real dtype of complex numbers; others unchanged
  Int32,  // int32, as for exponents
};

// How a pointwise operator's functors read elements.
enum class Reads : uint8_t {
  Numbers,
  Nothing,  // elements are only moved, and loops are chosen by element size
  Signs,    // float16 and bfloat16 are read without conversion (SignedBits)
};

// Maximum number of inputs and results together of a pointwise operator.
inline constexpr int kMaxOperands = 8;
inline constexpr int kMaxResults = kMaxOperands - 1;

struct PointwiseRule {
  DtypeSet types = 0;  // dtypes that it computes in; others are refused on every device and on Meta
  Promote promote = Promote::Common;
  Gives gives[kMaxResults] = {};  // one for each result
};

struct PointwiseFacts {
  PointwiseRule rule = {};
  int masks = 0;  // number of leading mask tensors: bools that take no part in promotion
  // What to use for bools instead. Set if inputs must not be bool.
  const char* no_bool = nullptr;
  Reads reads = Reads::Numbers;
  // A single number of another dtype as the second input is not rounded to a small float.
  bool keeps_digits = false;
  // An `out` must have exactly the dtype of its result.
  bool exact_outs = false;
  // Refuses other invalid arguments, given the dtype that is computed in.
  void (*check)(const Args& args, tenon_dtype dtype) = nullptr;
  // Returns which of the operator's functors serves a call. `rules` are theirs if they differ.
  int (*variant)(const Args& args) = nullptr;
  const PointwiseRule* rules = nullptr;
  int rule_count = 0;  // 0: `rule` holds for all functors
};

// Returns the rule of one of an operator's functors. It tests the count rather than the pointer,
// because UBSan keeps GCC from comparing the pointer at compile time.
constexpr const PointwiseRule& rule_of(const PointwiseFacts& facts, int variant) {
  return facts.rule_count > 0 ? facts.rules[variant] : facts.rule;
}

// The results of a fold.
enum class FoldGives : uint8_t {
  Same,           // of the dtype of the elements
  Sum,            // likewise, but int64 for bools and integers unless a dtype is requested
  Index,          // an int64
  ValueAndIndex,  // both of the above
  Truth,          // a bool, or a uint8 for uint8 elements
  Real,           // the real dtype of complex elements
};

struct FoldFacts {
  DtypeSet types = 0;  // dtypes of elements, after the `dtype` argument; others are refused
  FoldGives gives = FoldGives::Same;
  bool needs_elements = false;  // an empty input is an error
  bool in_order = false;        // elements are counted in row-major order
  // If true, elements keep their precision even if a small float is requested. If false, they are
  // rounded to it.
  bool keeps_digits = false;
  bool folds_none_of_no_dims = false;  // an empty list of dims reduces nothing, instead of all dims
  // The dtype requirement in words, if a list of names would be unclear.
  const char* refusal = nullptr;
};

struct ViewFacts {
  // Changes a View that initially describes the tensor itself.
  void (*change)(View& view, const Call& call) = nullptr;
  // The operator whose result is copied by the copy forms, if it is not this view.
  const char* copied = nullptr;
};

struct RoutineFacts {
  // The whole operator without a device: its Meta kernel, or the calls of a composite.
  void (*run)(const Call& call) = nullptr;
  // A composite that writes its `out` itself; otherwise the result is copied to `out`.
  bool writes_out = false;
};

// Metadata for autograd, vmap and autocast. Each operator states all of it: having no rule has to
// be stated as well.
enum class Batching : uint8_t {
  Unstated,
  None,
  Pointwise,
  Fold,
  View,       // a view, with dims shifted past the batch dim
  Shift,      // likewise for operators that are not views; all tensors have the same dims
  Product,    // a matrix product: the batch is one more dim of the matrices
  Composite,  // batched by the operators that it calls
  Own,        // by Facts::batch
  Each,       // called once for each example of the batch
};
enum class Cast : uint8_t {
  Unstated,
  None,       // computes in the dtype of its inputs
  Lower,      // in the lower precision of the autocast region
  Fp32,       // in float32, because lower precision would lose accuracy
  Fp32Dtype,  // in float32 if `dtype` is absent, by setting it to float32
  Widest,     // in the widest dtype of its inputs
  Banned,     // an error, whose advice is Facts::cast_advice
};

// One family of operators.
struct Family {
  const char* name;
  void (*run)(const Call& call);
  tenon_key key;  // key that the routine serves without a device: Meta, or a composite key
  bool leaf;      // calls no operators
};

// Tags of pointwise operators whose tensor arguments may be numbers in languages that have untyped
// number literals. PyTorch's Python accepts these for add, eq, where and similar operators.
inline constexpr const char* kPointwiseWithNumbers = "core pointwise allow_numbers_as_tensors";

struct Facts {
  const Family* family;
  const char* name;  // "add.Tensor", in the namespace of the list that contains it
  // Parameters of the functional form: "Tensor self, Tensor other, *, Scalar alpha=1". "$options"
  // are a factory's dtype, layout, device and pin_memory, which no other form has.
  const char* params;
  const char* returns = "Tensor";
  Forms forms = kFunctional;
  const char* out = "out";         // overload name of the out form
  const char* in_place = nullptr;  // overload name of the in-place form; NULL: that of `name`
  // Names of the out form's written arguments: "max, max_values"
  const char* outs = "out";
  const char* tags = "core pointwise";  // tags of the functional form, separated by spaces
  // Gradient formulas of the inputs; "none: why" if the operator is not differentiable; or
  // "missing: why" if the formula has not been written yet, so that a backward pass through a call
  // is refused.
  const char* gradient = nullptr;
  // Tangent formula of the result, from the inputs' `_t`; "derived" if it follows from the gradient
  // formula; or "none: why" or "missing: why".
  const char* tangent = nullptr;
  Batching batching = Batching::Unstated;
  uint8_t node_number = 0;  // ends the names of nodes: 1 for SumBackward1, as in PyTorch
  void (*batch)(Batch& batch) = nullptr;  // for Batching::Own, see facts_batching.h
  // Autocast rules of the functional form, as PyTorch lists them for accelerators, and for CPU if
  // the rule differs there.
  Cast cast = Cast::Unstated;
  Cast cast_on_cpu = Cast::Unstated;
  const char* cast_advice = nullptr;  // for Cast::Banned: what to do instead
  PointwiseFacts pointwise = {};
  FoldFacts fold = {};
  ViewFacts view = {};
  RoutineFacts routine = {};
  // The operator that a number form or a synonym calls; NULL for others.
  const Facts* tensor_form = nullptr;
  const char* file = __builtin_FILE();  // source file of the definition, for dumps
  int32_t line = __builtin_LINE();
};

// Operators with one or more results of the shape that the inputs broadcast to. Each element of a
// result depends on one element of each input.
extern const Family kPointwise;

// Operators whose result is an alias of their first argument. Nothing is computed.
extern const Family kView;

// Operators with their own routine, which each device may have as well. They differ in what serves
// the operator without a device: a Meta routine; a routine that calls other operators and has a
// gradient formula; or one that only calls differentiable operators.
extern const Family kRoutine;
extern const Family kExplicit;
extern const Family kComposite;
// Operators that fold one input along the dims in argument `dim`, or along all dims; with `keepdim`
// and `dtype` if their parameters include them.
extern const Family kFold;

// Operators that call `tensor_form`, which is the same operator under another name.
extern const Family kSynonym;

// Operators that call `tensor_form` and pass the one of its first two arguments that is a number as
// a wrapped number, which is weakest in type promotion.
extern const Family kNumberForm;

// Returns true if all mandatory fields are set.
constexpr bool is_complete(const Facts& facts) {
  return facts.gradient != nullptr && facts.tangent != nullptr &&
         facts.batching != Batching::Unstated && facts.cast != Cast::Unstated;
}

}  // namespace tenon::kernels
