/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: strided views of a storage, their description, exchange by DLPack and language cells. */
#ifndef TENON_TENSOR_H
#define TENON_TENSOR_H

#include "tenon/common.h"
#include "tenon/types.h"
#include "tenon/value.h"

// Usage:
//
//   const int64_t sizes[] = {2, 3};
//   tenon_tensor* tensor = NULL;
//   void* data = NULL;
//   status = tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &tensor);
//   if (!status) status = tenon_tensor_data(tensor, &data);
//   if (!status) memset(data, 0, sizeof(float) * (size_t)tenon_tensor_numel(tensor));
//   tenon_tensor_release(tensor);

TENON_BEGIN_DECLS

#define TENON_TENSOR_MAX_DIMS 64

/* Bits of tenon_tensor_info.flags. */
#define TENON_TENSOR_CONTIGUOUS 1u     /* row-major without gaps; also when numel is 0 or 1 */
#define TENON_TENSOR_WRAPPED_NUMBER 2u /* made from a number: weakest in type promotion */
#define TENON_TENSOR_INFERENCE 4u      /* made in inference mode: without AD keys */
#define TENON_TENSOR_SYMBOLIC 8u       /* has symbolic dims: see tenon_tensor_dims */
#define TENON_TENSOR_UNDEFINED 16u     /* the undefined tensor */
#define TENON_TENSOR_READ_ONLY 32u     /* imported from a producer that forbids writing */
#define TENON_TENSOR_HOLLOW 64u        /* stands for something else: a carrier, wrapper, level */

/* The plain description of a tensor, filled by one call. Pointers are borrowed until the tensor
 * dies or is resized. */
typedef struct tenon_tensor_info {
  void* data;             /* first element, offset applied; NULL where there is no memory */
  const int64_t* sizes;   /* ndim elements */
  const int64_t* strides; /* ndim elements, in elements */
  int64_t numel;
  int64_t storage_offset; /* in elements */
  int32_t ndim;
  tenon_dtype dtype;
  tenon_device device;
  uint32_t flags; /* TENON_TENSOR_* */
  uint32_t reserved0;
  uint64_t reserved[2];
} tenon_tensor_info;

/// Allocates a tensor with uninitialised elements. `strides` NULL means row-major; given strides
/// are in elements, not negative. `device` NULL means CPU. On Meta nothing is allocated.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad shape, dtype or stride, TENON_ERROR_NOT_FOUND
///            for a device without provider, TENON_ERROR_OUT_OF_MEMORY, or the provider's error.
/// Ownership: new reference in `out_tensor`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new(tenon_dtype dtype, const tenon_device* device, int64_t ndim,
                                        const int64_t* sizes, const int64_t* strides,
                                        tenon_tensor** out_tensor);

/// Allocates a row-major tensor with the sizes and on the device of `like`, elements uninitialised:
/// tenon_tensor_new without the checks of sizes that are known to be good. `out_data` (may be NULL)
/// gets the address of the first element, NULL on Meta.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad dtype, TENON_ERROR_STATE for the undefined
///            tensor, TENON_ERROR_NOT_SUPPORTED for a symbolic shape, TENON_ERROR_OUT_OF_MEMORY, or
///            the provider's error.
/// Ownership: new reference in `out_tensor`; `like` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_like(const tenon_tensor* like, tenon_dtype dtype,
                                             tenon_tensor** out_tensor, void** out_data);

/// Wraps memory of the caller without copying. `deleter(ctx)` runs when the last tensor on it dies,
/// also when this fails; `deleter` may be NULL.
///
/// Errors:    as tenon_tensor_new; TENON_ERROR_INVALID_ARGUMENT for NULL data with elements, and
///            for data on Meta.
/// Ownership: new reference in `out_tensor`; takes over `ctx`.
/// Threads:   any thread; the deleter runs on the thread of the last release.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_wrap(void* data, tenon_dtype dtype, const tenon_device* device,
                                         int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                         void* ctx, tenon_deleter deleter,
                                         tenon_tensor** out_tensor);

/// Makes a tensor on the same storage with other sizes, strides and offset (in elements), sharing
/// data and version counter: a view, which gradients know as one and which keeps `base`, or what
/// that is a view of. It carries the keys of `base`, and Autograd where gradients may come to flow
/// to it; it is read-only or an inference tensor where `base` is. For kernels below
/// ADInplaceOrView; everyone else calls view operators.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT when it would reach outside the storage, for negative
///            strides, for the undefined tensor and for one that stands for something else.
/// Ownership: new reference in `out_tensor`; `base` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_alias(const tenon_tensor* base, int64_t ndim,
                                              const int64_t* sizes, const int64_t* strides,
                                              int64_t storage_offset, tenon_tensor** out_tensor);

/// As tenon_tensor_new_alias with elements of another dtype: sizes, strides and offset count those.
/// For view.dtype, view_as_real and their like.
///
/// Errors:    as tenon_tensor_new_alias; TENON_ERROR_INVALID_ARGUMENT for a bad dtype, and for a
///            first element that is not aligned to it.
/// Ownership: new reference in `out_tensor`; `base` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_alias_as(const tenon_tensor* base, tenon_dtype dtype,
                                                 int64_t ndim, const int64_t* sizes,
                                                 const int64_t* strides, int64_t storage_offset,
                                                 tenon_tensor** out_tensor);

/// As tenon_tensor_new_alias, but no view: it shares memory and version counter, and no gradient
/// ever flows from it to `base`. For detach, and for results on the memory of a temporary.
///
/// Errors:    as tenon_tensor_new_alias.
/// Ownership: new reference in `out_tensor`; `base` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_detached(const tenon_tensor* base, int64_t ndim,
                                                 const int64_t* sizes, const int64_t* strides,
                                                 int64_t storage_offset, tenon_tensor** out_tensor);

/* A tensor on memory of the caller, described with all that can be said. */
typedef struct tenon_tensor_options {
  uint32_t struct_size; /* sizeof(tenon_tensor_options) */
  uint32_t flags;       /* 0 or TENON_TENSOR_READ_ONLY */
  tenon_dtype dtype;
  uint32_t reserved0;         /* zero */
  const tenon_device* device; /* NULL: the CPU */
  int64_t ndim;
  const int64_t* sizes;   /* ndim of them */
  const int64_t* strides; /* in elements; NULL: row-major */
  int64_t storage_offset; /* of the first element, in elements */
  int64_t storage_nbytes; /* of the memory; -1: as far as the tensor reaches */
  uint64_t reserved[4];   /* zero */
} tenon_tensor_options;

/// Wraps memory of the caller without copying, as tenon_tensor_wrap does; the tensor may be
/// read-only, begin behind the start of the memory and leave some of it over for views.
///
/// Errors:    as tenon_tensor_wrap; TENON_ERROR_INVALID_ARGUMENT for unknown flags, a tensor that
///            reaches outside of `storage_nbytes` and reserved words that are not zero,
///            TENON_ERROR_ABI for a bad struct_size.
/// Ownership: new reference in `out_tensor`; takes over `ctx`, also on failure.
/// Threads:   any thread; the deleter runs on the thread of the last release.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_wrap_with(void* data, const tenon_tensor_options* options,
                                              void* ctx, tenon_deleter deleter,
                                              tenon_tensor** out_tensor);

/// Makes a 0-dim CPU tensor from a bool, int, float or complex value: bool, int64, float64 or
/// complex128, flagged WRAPPED_NUMBER so that it is weakest in type promotion.
///
/// Errors:    TENON_ERROR_TYPE for another value.
/// Ownership: new reference in `out_tensor`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_number(const tenon_value* number,
                                               tenon_tensor** out_tensor);

/// Returns the undefined tensor, a singleton without shape, dtype or keys.
///
/// Ownership: borrowed for ever; retain and release are accepted.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_tensor* tenon_tensor_undefined(void);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_tensor* tenon_tensor_retain(tenon_tensor* tensor);

/// Drops a reference; the last one frees the tensor. NULL is accepted.
///
/// The last release runs here and now what hangs on the tensor: drops of cells and objects that it
/// owns, deleters of wrapped memory. Tensors that these release end after them, one by one, before
/// this returns: chains of any length take no stack.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_release(tenon_tensor* tensor);

/// Returns the number of references, exact only when no other thread holds one.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_tensor_use_count(const tenon_tensor* tensor);

/// Fills the plain description. No argument is NULL.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for a symbolic shape.
/// Ownership: pointers are borrowed until the tensor dies or is resized.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_describe(const tenon_tensor* tensor,
                                             tenon_tensor_info* out_info);

/// Returns the number of dims; 0 for the undefined tensor.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_tensor_ndim(const tenon_tensor* tensor);

/// Returns the sizes, tenon_tensor_ndim of them.
///
/// Errors:    NULL for a symbolic shape (TENON_TENSOR_SYMBOLIC): see tenon_tensor_dims.
/// Ownership: borrowed until the tensor dies or is resized.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const int64_t* tenon_tensor_sizes(const tenon_tensor* tensor);

/// Returns the strides in elements, tenon_tensor_ndim of them.
///
/// Errors:    NULL for a symbolic shape.
/// Ownership: borrowed until the tensor dies or is resized.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const int64_t* tenon_tensor_strides(const tenon_tensor* tensor);

/// Copies sizes and strides, at most TENON_TENSOR_MAX_DIMS numbers each, and returns the number of
/// dims. Sizes and strides belong together even if another thread resizes the tensor at the same
/// time. Either array may be NULL.
///
/// Errors:    -1 for a symbolic shape, and nothing is copied.
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_tensor_copy_dims(const tenon_tensor* tensor, int64_t* out_sizes,
                                         int64_t* out_strides);

/// Returns the number of elements.
///
/// Errors:    -1 for a symbolic shape.
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_tensor_numel(const tenon_tensor* tensor);

/* What tenon_tensor_dims gives. */
#define TENON_DIMS_SIZES 0u   /* an int[] */
#define TENON_DIMS_STRIDES 1u /* an int[], in elements */
#define TENON_DIMS_OFFSET 2u  /* an int, in elements */
#define TENON_DIMS_NUMEL 3u   /* an int */

/// Gives sizes, strides, offset or number of elements as a value, of symbolic tensors too: a
/// symbolic list is flagged TENON_VALUE_HAS_SYMBOLIC.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for another `what`, or as tenon_value_copy.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_dims(const tenon_tensor* tensor, uint32_t what,
                                         tenon_value* out_value);

/// Returns the dtype, TENON_DTYPE_NONE for the undefined tensor.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_dtype tenon_tensor_dtype(const tenon_tensor* tensor);

/// Fills `out_device`; {-1, -1} for the undefined tensor.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_device(const tenon_tensor* tensor, tenon_device* out_device);

/// Returns the address of the first element, offset applied.
///
/// Errors:    TENON_ERROR_STATE where there is no memory: on Meta, for the undefined tensor and for
///            one that stands for something else.
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_data(const tenon_tensor* tensor, void** out_data);

/// Returns TENON_TENSOR_* bits.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_tensor_flags(const tenon_tensor* tensor);

/// Sets or clears TENON_TENSOR_WRAPPED_NUMBER on a fresh 0-dim tensor.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT unless 0-dim.
/// Threads:   any thread that owns the tensor alone.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_wrapped_number(tenon_tensor* tensor, int32_t wrapped);

/// Returns the dispatch keys that the tensor carries.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_keyset tenon_tensor_keys(const tenon_tensor* tensor);

/// Returns the version: how often the data shared by all its views was written in place.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_tensor_version(const tenon_tensor* tensor);

/// Adds one to the version. ADInplaceOrView does this for operators that write an argument.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_bump_version(tenon_tensor* tensor);

/// Gives an `out` argument a new row-major shape (or `strides`); a storage too small grows.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad shape, TENON_ERROR_STATE for a change of a
///            tensor on wrapped memory, whose owner knows it by its old shape, and for the
///            undefined tensor, TENON_ERROR_NOT_SUPPORTED for a symbolic shape,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread that owns the tensor alone.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_resize(tenon_tensor* tensor, int64_t ndim, const int64_t* sizes,
                                           const int64_t* strides);

/// Makes a tensor another view of its storage, as in-place forms of view operators do. Other
/// tensors on the storage stay as they are. `storage_offset` counts elements from its start.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad shape, for a view that leaves the storage and
///            for a tensor without one, TENON_ERROR_NOT_SUPPORTED for a symbolic shape,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread that owns the tensor alone.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_restride(tenon_tensor* tensor, int64_t ndim,
                                             const int64_t* sizes, const int64_t* strides,
                                             int64_t storage_offset);

/// Returns the storage.
///
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_storage* tenon_tensor_storage(const tenon_tensor* tensor);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_storage* tenon_storage_retain(tenon_storage* storage);

/// Drops a reference; the last one runs the deleter of wrapped memory. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_storage_release(tenon_storage* storage);

/// Returns the memory, NULL where there is none.
///
/// Ownership: borrowed until the storage dies or grows.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_storage_data(const tenon_storage* storage);

/// Returns the size in bytes.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_storage_nbytes(const tenon_storage* storage);

/// Writes shape, dtype, device and elements as readable text, long dims abbreviated, such as
/// "tensor([[1., 2.], [3., 4.]])", and whether gradients flow to it. Elements are read on the CPU
/// only.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_print(const tenon_tensor* tensor, tenon_buffer** out_text);

/* DLPack (https://dmlc.github.io/dlpack): the two managed structs, as that header names them. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/// Exports without copying; the consumer calls the struct's deleter. Export asks the tensor's
/// device provider to order `stream` (the consumer's, NULL = default) after pending work.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for a dtype or device that DLPack does not carry, and for
///            tensors without memory.
/// Ownership: the result holds a reference to the tensor until its deleter runs.
/// Threads:   any thread; the deleter may run on any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_to_dlpack(tenon_tensor* tensor, void* stream,
                                              struct DLManagedTensorVersioned** out_managed);

/// Exports to the struct without version and flags. A read-only tensor is refused.
///
/// Errors:    as tenon_tensor_to_dlpack; TENON_ERROR_NOT_SUPPORTED for a read-only tensor.
/// Ownership: the result holds a reference to the tensor until its deleter runs.
/// Threads:   any thread; the deleter may run on any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_to_dlpack_legacy(tenon_tensor* tensor, void* stream,
                                                     struct DLManagedTensor** out_managed);

/// Imports without copying; a read-only flag is kept. Consumes `managed` on success only, with one
/// exception: an unknown major version is deleted, then refused.
///
/// Errors:    TENON_ERROR_ABI for an unknown major version, TENON_ERROR_INVALID_ARGUMENT for a
///            malformed description, TENON_ERROR_NOT_SUPPORTED for a dtype or device not carried.
/// Ownership: new reference in `out_tensor`; its last release calls the struct's deleter.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_from_dlpack(struct DLManagedTensorVersioned* managed,
                                                tenon_tensor** out_tensor);

/// Imports the struct without version and flags. Consumes `managed` on success only.
///
/// Errors:    as tenon_tensor_from_dlpack.
/// Ownership: new reference in `out_tensor`; its last release calls the struct's deleter.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_from_dlpack_legacy(struct DLManagedTensor* managed,
                                                       tenon_tensor** out_tensor);

/// Returns the address of a language's cell on the tensor: a weak word, NULL at first, by which a
/// binding finds the one object that represents the tensor. Cells are plain words: who has a lock
/// reads and writes them under it, who has none by atomic compare-and-exchange.
///
/// Errors:    NULL for an unknown language, and when memory is short.
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void** tenon_tensor_cell(tenon_tensor* tensor, uint32_t language);

/// Makes the language's cell own `object`: `drop(object)` runs when the tensor dies. With `drop`
/// NULL the cell is weak again.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown language, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread, under the language's own lock where it has one; `drop` runs on the thread
///            of the last release, without it.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_own_cell(tenon_tensor* tensor, uint32_t language, void* object,
                                             tenon_deleter drop);

TENON_END_DECLS

#endif /* TENON_TENSOR_H */
