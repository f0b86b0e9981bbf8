// SPDX-License-Identifier: Apache-2.0
// Facts: all that is to say of an operator besides the arithmetic of one element. Plain data, seen
// by every file of the operator, whatever its device; no C++ library is included here.
//
// An operator is one header in kernels/ops with a `constexpr Facts` for each of its overloads, and
// a line for each in kernels/ops/ops.list. From these come its schemas in all forms, their
// registration, the Meta kernels and the kernels of each device.
//
// A family of operators plugs in with a Family: one routine that serves all its operators, finding
// Facts, form and arguments in the Call that it is handed (call.h). What the family alone has to
// know of an operator is a member of Facts, named like the family.
#pragma once

#include <cstdint>

#include "tenon/key.h"
#include "tenon/types.h"

namespace tenon::kernels {

class Args;
class Batch;
struct Call;
struct View;

// The forms that one text of parameters stands for. `add.Tensor` has all: functional, in place as
// `add_.Tensor`, and into the caller's tensor as `add.out`.
using Forms = uint8_t;
inline constexpr Forms kFunctional = 1;
inline constexpr Forms kInPlace = 2;
inline constexpr Forms kOut = 4;
inline constexpr Forms kAllForms = kFunctional | kInPlace | kOut;
// Of a view: `t` also makes itself the view, as `t_`, and its elements are copied, as `t_copy` and
// `t_copy.out`.
inline constexpr Forms kCopy = 8;
inline constexpr Forms kCopyOut = 16;
inline constexpr Forms kViewForms = kFunctional | kCopy | kCopyOut;

// Dtypes as a set: bit d stands for TENON_DTYPE_* number d.
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
constexpr bool has(DtypeSet set, tenon_dtype dtype) {
  return dtype >= 0 && (set >> dtype & 1) != 0;
}

// The dtype that a pointwise operator computes in.
enum class Promote : uint8_t {
  Common,       // the one that all inputs promote to
  CommonFloat,  // the same, and the default floating dtype instead of bool and integers
};

// The dtype of one of its results.
enum class Gives : uint8_t {
  Same,   // the one that it computes in
  Bool,   // a comparison's
  Real,   // of complex numbers the real dtype of their parts
  Int32,  // an exponent's
};

// What the functors of a pointwise operator read of elements.
enum class Reads : uint8_t {
  Numbers,
  Nothing,  // elements are only moved: loops are for their sizes
  Signs,    // float16 and bfloat16 are taken as they are (SignedBits)
};

// So many inputs and results a pointwise operator may have together.
inline constexpr int kMaxOperands = 8;
inline constexpr int kMaxResults = kMaxOperands - 1;

struct PointwiseRule {
  DtypeSet types = 0;  // that it computes in; others are refused, on every device and on Meta
  Promote promote = Promote::Common;
  Gives gives[kMaxResults] = {};  // of each result
};

struct PointwiseFacts {
  PointwiseRule rule = {};
  int masks = 0;  // so many first tensors are bools that take no part in promotion
  // What serves bools instead, where an input may not be one.
  const char* no_bool = nullptr;
  Reads reads = Reads::Numbers;
  // One number of another dtype as second input keeps a float's digits beside small floats.
  bool keeps_digits = false;
  // Takes outs of the very dtypes of its results only.
  bool exact_outs = false;
  // Refuses other arguments, given the dtype that is computed in.
  void (*check)(const Args& args, tenon_dtype dtype) = nullptr;
  // Which of the operator's functors serves a call, and their rules where they differ.
  int (*variant)(const Args& args) = nullptr;
  const PointwiseRule* rules = nullptr;
  int rule_count = 0;  // 0: `rule` holds for all of them
};

// The rule of one of an operator's functors. The count decides and not the pointer, which UBSan
// keeps GCC from comparing.
constexpr const PointwiseRule& rule_of(const PointwiseFacts& facts, int variant) {
  return facts.rule_count > 0 ? facts.rules[variant] : facts.rule;
}

// The results of a fold.
enum class FoldGives : uint8_t {
  Same,           // of the dtype of its elements
  Sum,            // the same, int64 for bools and integers unless a dtype is asked for
  Index,          // an int64
  ValueAndIndex,  // both
  Truth,          // a bool; of uint8 a uint8
  Real,           // of complex elements the dtype of their parts
};

struct FoldFacts {
  DtypeSet types = 0;  // of elements, as the `dtype` argument asks for them; others are refused
  FoldGives gives = FoldGives::Same;
  bool needs_elements = false;  // has no value for none
  bool in_order = false;        // counts elements in row-major order
  // Elements keep their digits where a small float is asked for; else they are rounded to it.
  bool keeps_digits = false;
  bool folds_none_of_no_dims = false;  // an empty list of dims is no word for all
  const char* refusal = nullptr;       // what a dtype must be, where a list of names says it badly
};

struct ViewFacts {
  // Makes the view of what starts as the tensor itself.
  void (*change)(View& view, const Call& call) = nullptr;
  // What copies are made of where that is not the view.
  const char* copied = nullptr;
};

struct RoutineFacts {
  // The whole operator without a device: on Meta, or as a composite of other operators.
  void (*run)(const Call& call) = nullptr;
  // A composite that writes its `out` itself; of others the result is copied there.
  bool writes_out = false;
};

// What layers that derive, batch and cast need to know. Each operator states all of it: an absent
// rule is a word too.
enum class Batching : uint8_t {
  Unstated,
  None,
  Pointwise,
  Fold,
  View,       // dims count behind the batch's
  Shift,      // the same of what is no view; tensors have the same dims
  Product,    // of matrices: a batch is one more dim of them
  Composite,  // as the operators that it calls
  Own,        // by a rule of its own, Facts::batch
  Each,       // called for each of the batch
};
enum class Cast : uint8_t {
  Unstated,
  None,       // computes in what it is given
  Lower,      // in the lower precision of the autocast region
  Fp32,       // in float32, as it loses precision else
  Fp32Dtype,  // the same where no `dtype` is given, which is then float32
  Widest,     // in the widest dtype of its inputs
  Banned,     // an error, which gives Facts::cast_advice
};

// One family of operators.
struct Family {
  const char* name;
  void (*run)(const Call& call);
  tenon_key key;  // that the routine serves without a device: Meta, or a composite's
  bool leaf;      // calls no operators
};

// Tags of pointwise operators that take a number wherever a tensor is due, where the language has
// literals that are neither: PyTorch's Python does so for add, eq, where and their like.
inline constexpr const char* kPointwiseWithNumbers = "core pointwise allow_numbers_as_tensors";

struct Facts {
  const Family* family;
  const char* name;  // "add.Tensor", in the namespace of the list that has it
  // Of the functional form: "Tensor self, Tensor other, *, Scalar alpha=1". "$options" are a
  // factory's dtype, layout, device and pin_memory, which no other form has.
  const char* params;
  const char* returns = "Tensor";
  Forms forms = kFunctional;
  const char* out = "out";              // the overload of the out form
  const char* in_place = nullptr;       // that of the in-place form, where it has one of its own
  const char* outs = "out";             // its written arguments: "max, max_values"
  const char* tags = "core pointwise";  // of the functional form, apart by blanks
  // Formulas for the inputs; "none: why" where there is none to have; or "missing: why" where there
  // is one that nobody has written down: a backward pass through a call is refused.
  const char* gradient = nullptr;
  // The result's, from the inputs' `_t`; "derived" from the gradient formula; or as above.
  const char* tangent = nullptr;
  Batching batching = Batching::Unstated;
  void (*batch)(Batch& batch) = nullptr;  // of Batching::Own, see facts_batching.h
  // Of the functional form, in autocast regions: as PyTorch lists it for accelerators, and for CPU
  // where that differs.
  Cast cast = Cast::Unstated;
  Cast cast_on_cpu = Cast::Unstated;
  const char* cast_advice = nullptr;  // of Cast::Banned: what to do instead
  PointwiseFacts pointwise = {};
  FoldFacts fold = {};
  ViewFacts view = {};
  RoutineFacts routine = {};
  const Facts* tensor_form = nullptr;   // of a number form, or of a synonym
  const char* file = __builtin_FILE();  // where it is defined, for dumps
  int32_t line = __builtin_LINE();
};

// One result or more of the shape that the inputs broadcast to: each element of each from one
// element of each input.
extern const Family kPointwise;

// The result shows the memory of the first argument: an alias, nothing is computed.
extern const Family kView;

// Operators with a routine of their own, which each device may have too. By what serves them else:
// a routine for Meta; one that calls other operators and has a gradient formula; one that only
// calls operators that have.
extern const Family kRoutine;
extern const Family kExplicit;
extern const Family kComposite;
// One input, folded along the dims of its argument `dim`, or all; with `keepdim` and `dtype` where
// its parameters have them.
extern const Family kFold;

// Calls `tensor_form`, which is the same under another name.
extern const Family kSynonym;

// Calls `tensor_form`, with the one of its first two arguments that is a number as a tensor weakest
// in promotion.
extern const Family kNumberForm;

// Whether nothing is left unsaid.
constexpr bool is_complete(const Facts& facts) {
  return facts.gradient != nullptr && facts.tangent != nullptr &&
         facts.batching != Batching::Unstated && facts.cast != Cast::Unstated;
}

}  // namespace tenon::kernels
