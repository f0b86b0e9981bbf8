/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: operators' signatures, parsed from text and printed as text. */
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
 *   T?                           NONE, or the tags of T
 *   int[], SymInt[],
 *   DeviceIndex[]                INT_LIST
 *   float[]                      FLOAT_LIST
 *   bool[]                       BOOL_LIST
 *   Tensor[], Tensor?[]          TENSOR_LIST; NULL elements in Tensor?[] only
 *   Any[]                        INT_LIST, FLOAT_LIST, BOOL_LIST, TENSOR_LIST, LIST
 *   every other list             LIST of values of the element type
 *   (T, U)                       TUPLE of values of the types T and U
 *   Dict(K, V)                   DICT of keys of type K and values of type V
 *   Union(T, U)                  the tags of T and U
 *
 * An OBJECT whose type overrides operators (object.h) is accepted for any argument. A call does not
 * convert values; tenon_schema_bind does. */
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
#define TENON_TYPE_CLASS 24    /* a named class; the type's text is its name */
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
#define TENON_ARGUMENT_OUT 2u /* keyword-only and written to */
#define TENON_ARGUMENT_HAS_DEFAULT 4u
#define TENON_ARGUMENT_WRITTEN 8u  /* its alias annotation has a `!` */
#define TENON_ARGUMENT_ALIASED 16u /* it has an alias annotation */

/* One argument or return. Texts, type and default value are borrowed from the schema. */
typedef struct tenon_argument_info {
  uint32_t struct_size; /* sizeof(tenon_argument_info), set by the caller */
  uint32_t flags;       /* TENON_ARGUMENT_* */
  const char* name;     /* "" for an unnamed return */
  const tenon_type* type;
  const char* type_text;            /* as printed, without the alias annotation */
  const char* alias_text;           /* such as "(a!)", "(, (a!))" of a tuple, or "" */
  const tenon_value* default_value; /* NULL without a default */
  int64_t list_size;                /* N of `T[N]`, otherwise -1 */
  int64_t aliased_argument;         /* returns: index of the argument in the same alias set,
                                     * otherwise -1 */
} tenon_argument_info;

/// Parses a schema such as "ns::op.overload(Tensor(a!) x, int[] d=[], *, float? e=None) -> Tensor".
/// `size` is the length of the text in bytes, or -1 if it is NUL-terminated.
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

/// Returns the name without the overload name, such as "aten::add".
///
/// Ownership: borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_schema_name(const tenon_schema* schema);

/// Returns the overload name, or "" for the default overload.
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

/// Fills `out_info` for argument `index`. The caller sets `out_info->struct_size`.
///
/// Errors:    TENON_ERROR_INDEX, TENON_ERROR_ABI for a bad struct_size, TENON_ERROR_NOT_FOUND if
///            the default is a device whose backend is not registered.
/// Ownership: pointers in the description are borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_get_argument(const tenon_schema* schema, int64_t index,
                                                 tenon_argument_info* out_info);

/// Fills `out_info` for return `index`. The caller sets `out_info->struct_size`.
///
/// Errors:    TENON_ERROR_INDEX, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: pointers in the description are borrowed until the schema dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_get_return(const tenon_schema* schema, int64_t index,
                                               tenon_argument_info* out_info);

/* Bits of tenon_schema_flags. */
#define TENON_SCHEMA_MUTABLE 1u    /* at least one argument is written to */
#define TENON_SCHEMA_VARARG 2u     /* arguments end in `...` */
#define TENON_SCHEMA_VARRET 4u     /* returns end in `...` */
#define TENON_SCHEMA_FUNCTIONAL 8u /* writes no argument, aliases none, has a return */

/// Returns TENON_SCHEMA_* bits.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_schema_flags(const tenon_schema* schema);

/// Returns 1 if two schemas are equal in names, types, defaults and alias annotations, otherwise 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_schema_equal(const tenon_schema* a, const tenon_schema* b);

/// Checks that callers of `older` can call `newer`. If `forward` is non-zero, also checks the
/// reverse. The rules are PyTorch's for backward and forward compatibility.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT with the reason if the schemas are incompatible.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_check_compatible(const tenon_schema* newer,
                                                     const tenon_schema* older, int32_t forward);

/// Returns the kind, TENON_TYPE_*.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_type_kind(const tenon_type* type);

/// Returns the number of element types; 0 for simple types.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_type_element_count(const tenon_type* type);

/// Returns element type `index`, or NULL if the index is out of range.
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

/// Returns the letters of the typed signature, such as "TTv>T" (see kernel.h), or "" if the schema
/// has no typed form because it ends in `...`.
///
/// Ownership: never freed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_schema_signature(const tenon_schema* schema);

/// Returns the hash of the typed signature, which tenon_kernel and tenon_entry carry, or 0 if there
/// is none.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint64_t tenon_schema_signature_hash(const tenon_schema* schema);

/* Conversions of tenon_schema_bind, for values whose type is not the one in the schema. None loses
 * information. Values that are not listed here are refused.
 *
 *   bool                                BOOL to INT
 *   bool or int                         BOOL or INT to FLOAT, if a double can represent the int
 *   bool, int or float                  BOOL, INT or FLOAT to COMPLEX, with the same condition
 *   a text                              STRING to DEVICE: "cuda:1"
 *   a bool, int or float for `T[N]`     the number, N times: `int[2] stride` accepts 3
 *   a list or tuple with any tag        the list or tuple type, with each element converted
 *   a dict                              a dict with each key and value converted
 *   an object with `call`               OBJECT to FUNCTION
 *   a value for `T?` or Union(T, U)     as for T, then as for U */

/// Binds the arguments of a call to the schema and converts them (see above). Positional arguments
/// are bound first, then named ones, then defaults, as in Python. A schema that ends in `...`
/// accepts additional positional arguments of any type. `out_values` receives one value per
/// argument in schema order, followed by the additional ones, which is the layout of a stack's
/// `args`. It must have room for tenon_schema_argument_count values, and for such a schema also for
/// `npositional` values, if that is more.
///
/// Errors:    TENON_ERROR_TYPE naming operator and argument for too many positional arguments, a
///            keyword-only argument passed by position, an unknown name, an argument that is passed
///            twice or is missing, and a value that does not fit; TENON_ERROR_INVALID_ARGUMENT for
///            NULL, a bad count, or a text that is not a device; TENON_ERROR_NOT_FOUND for a
///            default device whose backend is not registered; TENON_ERROR_OUT_OF_MEMORY. On failure
///            all values are NONE.
/// Ownership: arguments are borrowed, and the values borrow from the arguments and the schema,
///            except lists, tuples and dicts that a conversion made: clear the values
///            (tenon_value_clear_n) after the call. None is MOVABLE.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_schema_bind(const tenon_schema* schema, const tenon_value* positional,
                                         int64_t npositional, const char* const* names,
                                         const tenon_value* named, int64_t nnamed,
                                         tenon_value* out_values);

TENON_END_DECLS

#endif /* TENON_SCHEMA_H */
