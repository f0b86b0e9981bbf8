/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: the signature of an operator, parsed from and printed as text. */
#ifndef TENON_SCHEMA_H
#define TENON_SCHEMA_H

#include "tenon/common.h"
#include "tenon/value.h"

// Usage:
//
//   const char* text = "shop::scale(Tensor x, float by=2.0) -> Tensor";
//   tenon_schema* schema = NULL;
//   status = tenon_schema_parse(text, (int64_t)strlen(text), &schema);
//   if (!status) printf("%d arguments\n", (int)tenon_schema_argument_count(schema));
//   tenon_schema_release(schema);

TENON_BEGIN_DECLS

/* Kinds of schema types. A compound type has elements. Append-only.
 *
 * Which tags (value.h) an argument or result of a type may have:
 *
 *   Tensor                       TENSOR (an undefined one included); an object that overrides
 *   int, DeviceIndex, QScheme    INT
 *   SymInt                       INT, SYMINT
 *   float                        FLOAT
 *   SymFloat                     FLOAT, SYMFLOAT
 *   bool                         BOOL
 *   SymBool                      BOOL, SYMBOOL
 *   complex                      COMPLEX
 *   Scalar                       BOOL, INT, FLOAT, COMPLEX, SYMINT, SYMFLOAT, SYMBOOL
 *   str                          STRING
 *   ScalarType                   DTYPE, INT
 *   Layout                       LAYOUT, INT
 *   MemoryFormat                 MEMORY_FORMAT, INT
 *   Device                       DEVICE
 *   Stream                       STREAM
 *   Generator                    GENERATOR
 *   Storage                      STORAGE
 *   NoneType                     NONE
 *   Any, a type variable         every tag
 *   a class, Quantizer, Capsule  OBJECT; of a class: its own or a derived type
 *   a function type              FUNCTION
 *   T?                           NONE, or what T takes
 *   int[], SymInt[],
 *   DeviceIndex[]                INT_LIST
 *   float[]                      FLOAT_LIST
 *   bool[]                       BOOL_LIST
 *   Tensor[], Tensor?[]          TENSOR_LIST; NULL elements in Tensor?[] only
 *   Any[]                        INT_LIST, FLOAT_LIST, BOOL_LIST, TENSOR_LIST, LIST
 *   every other list             LIST, of what the element type takes
 *   (T, U)                       TUPLE, of what T and U take
 *   Dict(K, V)                   DICT, of what K and V take
 *   Union(T, U)                  what T or U takes
 *
 * An OBJECT whose type overrides operators (object.h) may stand for any argument. Nothing is
 * converted: tenon_schema_bind does that. */
#define TENON_TYPE_TENSOR 1
#define TENON_TYPE_INT 2
#define TENON_TYPE_FLOAT 3
#define TENON_TYPE_BOOL 4
#define TENON_TYPE_COMPLEX 5
#define TENON_TYPE_SCALAR 6
#define TENON_TYPE_STRING 7
#define TENON_TYPE_DTYPE 8 /* ScalarType */
#define TENON_TYPE_LAYOUT 9
#define TENON_TYPE_MEMORY_FORMAT 10
#define TENON_TYPE_DEVICE 11
#define TENON_TYPE_DEVICE_INDEX 12
#define TENON_TYPE_STREAM 13
#define TENON_TYPE_GENERATOR 14
#define TENON_TYPE_STORAGE 15
#define TENON_TYPE_SYMINT 16
#define TENON_TYPE_SYMFLOAT 17
#define TENON_TYPE_SYMBOOL 18
#define TENON_TYPE_NONE 19
#define TENON_TYPE_ANY 20
#define TENON_TYPE_QSCHEME 21
#define TENON_TYPE_QUANTIZER 22
#define TENON_TYPE_CAPSULE 23
#define TENON_TYPE_CLASS 24    /* a named class; its name is the type's text */
#define TENON_TYPE_VARIABLE 25 /* a type variable such as `t` */
#define TENON_TYPE_FUNCTION 26
#define TENON_TYPE_OPTIONAL 40 /* 1 element */
#define TENON_TYPE_LIST 41     /* 1 element */
#define TENON_TYPE_TUPLE 42    /* n elements */
#define TENON_TYPE_DICT 43     /* 2 elements: key, value */
#define TENON_TYPE_UNION 44    /* n elements */
#define TENON_TYPE_FUTURE 45   /* 1 element; parsed and printed, not carried by values */
#define TENON_TYPE_AWAIT 46    /* 1 element; parsed and printed, not carried by values */
#define TENON_TYPE_RREF 47     /* 1 element; parsed and printed, not carried by values */

/* Bits of tenon_argument_info.flags. */
#define TENON_ARGUMENT_KWARG_ONLY 1u
#define TENON_ARGUMENT_OUT 2u /* keyword-only and written */
#define TENON_ARGUMENT_HAS_DEFAULT 4u
#define TENON_ARGUMENT_WRITTEN 8u  /* its alias annotation has a `!` */
#define TENON_ARGUMENT_ALIASED 16u /* it has an alias annotation */

/* One argument or return. Texts, type and default are borrowed from the schema. */
typedef struct tenon_argument_info {
  uint32_t struct_size; /* sizeof(tenon_argument_info), set by the caller */
  uint32_t flags;       /* TENON_ARGUMENT_* */
  const char* name;     /* "" for an unnamed return */
  const tenon_type* type;
  const char* type_text;            /* as printed, without the alias annotation */
  const char* alias_text;           /* such as "(a!)", "(, (a!))" of a tuple, or "" */
  const tenon_value* default_value; /* NULL without a default */
  int64_t list_size;                /* N of `T[N]`, else -1 */
  int64_t aliased_argument;         /* returns: the argument whose alias set it shares, else -1 */
} tenon_argument_info;

/// Parses a schema such as "ns::op.overload(Tensor(a!) x, int[] d=[], *, float? e=None) -> Tensor".
/// `size` is the length in bytes, -1 for NUL-terminated text.
///
/// Errors:    TENON_ERROR_PARSE with position and caret, TENON_ERROR_INVALID_ARGUMENT for NULL.
/// Ownership: new reference in `out_schema`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_parse(const char* text, int64_t size,
                                          tenon_schema** out_schema);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_schema* tenon_schema_retain(tenon_schema* schema);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_schema_release(tenon_schema* schema);

/// Returns the canonical text, which parses back to an equal schema.
///
/// Ownership: borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_schema_text(const tenon_schema* schema);

/// Returns the name without overload, such as "aten::add".
///
/// Ownership: borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_schema_name(const tenon_schema* schema);

/// Returns the overload name, "" for the default overload.
///
/// Ownership: borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_schema_overload(const tenon_schema* schema);

/// Returns the number of arguments.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_schema_argument_count(const tenon_schema* schema);

/// Returns the number of returns.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_schema_return_count(const tenon_schema* schema);

/// Fills `out_info` for argument `index`; `out_info->struct_size` is set by the caller.
///
/// Errors:    TENON_ERROR_INDEX, TENON_ERROR_ABI for a bad struct_size, TENON_ERROR_NOT_FOUND for a
///            default device of a backend that is not registered.
/// Ownership: what the description points to is borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_get_argument(const tenon_schema* schema, int64_t index,
                                                 tenon_argument_info* out_info);

/// Fills `out_info` for return `index`; `out_info->struct_size` is set by the caller.
///
/// Errors:    TENON_ERROR_INDEX, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: what the description points to is borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_get_return(const tenon_schema* schema, int64_t index,
                                               tenon_argument_info* out_info);

/* Bits of tenon_schema_flags. */
#define TENON_SCHEMA_MUTABLE 1u    /* some argument is written */
#define TENON_SCHEMA_VARARG 2u     /* arguments end in `...` */
#define TENON_SCHEMA_VARRET 4u     /* returns end in `...` */
#define TENON_SCHEMA_FUNCTIONAL 8u /* nothing written, no return aliases an argument, >= 1 return */

/// Returns TENON_SCHEMA_* bits.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_schema_flags(const tenon_schema* schema);

/// Tells whether two schemas are equal in names, types, defaults, alias annotations: 1 or 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_schema_equal(const tenon_schema* a, const tenon_schema* b);

/// Checks that callers of `older` can call `newer`; with `forward` non-zero, also the reverse.
/// The rules are PyTorch's for backward and forward compatibility.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT with the reason when incompatible.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_check_compatible(const tenon_schema* newer,
                                                     const tenon_schema* older, int32_t forward);

/// Returns the kind, TENON_TYPE_*.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_type_kind(const tenon_type* type);

/// Returns the number of element types: 0 for simple types.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_type_element_count(const tenon_type* type);

/// Returns element type `index`, or NULL when out of range.
///
/// Ownership: borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const tenon_type* tenon_type_element(const tenon_type* type, int64_t index);

/// Returns the type as printed, such as "int[]?".
///
/// Ownership: borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_type_text(const tenon_type* type);

/// Returns the letters of the typed signature, such as "TTv>T" (see kernel.h); "" where there is no
/// typed form: a schema that ends in `...`.
///
/// Ownership: valid for ever.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_schema_signature(const tenon_schema* schema);

/// Returns the hash of the typed signature, which tenon_kernel and tenon_entry carry; 0 without
/// one.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint64_t tenon_schema_signature_hash(const tenon_schema* schema);

/* What tenon_schema_bind converts where a value does not have the type that the schema asks for.
 * Nothing is lost, and whatever is not here does not fit.
 *
 *   bool                                BOOL to INT
 *   bool or int                         BOOL or INT to FLOAT: an int that a double equals
 *   bool, int or float                  the same to COMPLEX
 *   a text                              STRING to DEVICE: "cuda:1"
 *   a bool, int or float for `T[N]`     a list of N of it: `int[2] stride` takes 3
 *   a list or tuple of whatever tag     the list or tuple of the type, each element converted
 *   a dict                              each key and value converted
 *   an object with `call`               OBJECT to FUNCTION
 *   what `T?` or Union(T, U) is given   as for T, then as for U */

/// Binds a call's arguments to the schema: positions first, then names, then defaults, as a call in
/// Python does, and converts them (see above). A schema that ends in `...` takes further positions
/// of any type. `out_values` gets one value per argument in schema order, then those further ones:
/// what a stack's args are. It has room for the larger of tenon_schema_argument_count and, for such
/// a schema, `npositional`.
///
/// Errors:    TENON_ERROR_TYPE naming operator and argument: too many positions, a position for a
///            keyword-only argument, an unknown name, an argument given twice or not at all, a
///            value that does not fit; TENON_ERROR_INVALID_ARGUMENT for NULL, a bad count, or a
///            text that names no device; TENON_ERROR_NOT_FOUND for a default device of a backend
///            that is not registered; TENON_ERROR_OUT_OF_MEMORY. All values are NONE then.
/// Ownership: arguments are borrowed, and so are the values, from the arguments and from the
///            schema, except lists, tuples and dicts that a conversion made: clear the values
///            (tenon_value_clear_n) after the call. None is MOVABLE.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_bind(const tenon_schema* schema, const tenon_value* positional,
                                         int64_t npositional, const char* const* names,
                                         const tenon_value* named, int64_t nnamed,
                                         tenon_value* out_values);

TENON_END_DECLS

#endif /* TENON_SCHEMA_H */
