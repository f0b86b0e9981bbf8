/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: strided views of a storage, their description, DLPack exchange, and language cells. */
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
#define TENON_TENSOR_WRAPPED_NUMBER 2u /* made from a number: lowest priority in type promotion */
#define TENON_TENSOR_INFERENCE 4u      /* created in inference mode: has no AD keys */
#define TENON_TENSOR_SYMBOLIC 8u       /* has symbolic dims: see tenon_tensor_dims */
#define TENON_TENSOR_UNDEFINED 16u     /* the undefined tensor */
#define TENON_TENSOR_READ_ONLY 32u     /* imported from a producer that forbids writing */
#define TENON_TENSOR_HOLLOW 64u        /* a carrier, wrapper or level tensor: has no memory */

/* A plain description of a tensor, filled by one call. Pointers are borrowed until the tensor dies
 * or is resized. */
typedef struct tenon_tensor_info {
  void* data;             /* first element (the offset is applied), or NULL if there is no memory */
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

/// Allocates a tensor with uninitialised elements. If `strides` is NULL, the tensor is row-major;
/// otherwise strides count elements and must not be negative. If `device` is NULL, it is on the
/// CPU. No memory is allocated on Meta.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad shape, dtype or stride, TENON_ERROR_NOT_FOUND
///            for a device without provider, TENON_ERROR_OUT_OF_MEMORY, or the provider's error.
/// Ownership: new reference in `out_tensor`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new(tenon_dtype dtype, const tenon_device* device, int64_t ndim,
                                        const int64_t* sizes, const int64_t* strides,
                                        tenon_tensor** out_tensor);

/// Allocates a row-major tensor with the sizes and on the device of `like`, with uninitialised
/// elements. It is like tenon_tensor_new, but does not check the sizes, which are known to be
/// valid. `out_data` (may be NULL) receives the address of the first element, NULL on Meta.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad dtype, TENON_ERROR_STATE for the undefined
///            tensor, TENON_ERROR_NOT_SUPPORTED for a symbolic shape, TENON_ERROR_OUT_OF_MEMORY, or
///            the provider's error.
/// Ownership: new reference in `out_tensor`; `like` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_like(const tenon_tensor* like, tenon_dtype dtype,
                                             tenon_tensor** out_tensor, void** out_data);

/// Wraps memory of the caller without copying it. `deleter(ctx)` runs when the last tensor on the
/// memory dies, or if this function fails; `deleter` may be NULL.
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

/// Creates a view of `base`: a tensor on the same storage with other sizes, strides and offset (in
/// elements), which shares the data and the version counter. The view keeps `base`, or the base of
/// that if `base` is a view itself, and autograd treats it as a view. It carries the keys of
/// `base`, and also Autograd if gradients may later flow to it. It is read-only or an inference
/// tensor if `base` is. This function is for kernels below ADInplaceOrView; all other code calls
/// view operators.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT if the view would reach outside the storage, for
///            negative strides, for the undefined tensor and for a hollow tensor.
/// Ownership: new reference in `out_tensor`; `base` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_alias(const tenon_tensor* base, int64_t ndim,
                                              const int64_t* sizes, const int64_t* strides,
                                              int64_t storage_offset, tenon_tensor** out_tensor);

/// Creates a view as tenon_tensor_new_alias does, with elements of another dtype: sizes, strides
/// and offset count elements of `dtype`. For view.dtype, view_as_real and similar operators.
///
/// Errors:    as tenon_tensor_new_alias; TENON_ERROR_INVALID_ARGUMENT for a bad dtype, and if the
///            first element is not aligned for it.
/// Ownership: new reference in `out_tensor`; `base` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_alias_as(const tenon_tensor* base, tenon_dtype dtype,
                                                 int64_t ndim, const int64_t* sizes,
                                                 const int64_t* strides, int64_t storage_offset,
                                                 tenon_tensor** out_tensor);

/// Creates a tensor that shares the memory and the version counter of `base`, but is no view of it:
/// gradients never flow from it to `base`. For detach, and for results in the memory of a
/// temporary.
///
/// Errors:    as tenon_tensor_new_alias.
/// Ownership: new reference in `out_tensor`; `base` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_detached(const tenon_tensor* base, int64_t ndim,
                                                 const int64_t* sizes, const int64_t* strides,
                                                 int64_t storage_offset, tenon_tensor** out_tensor);

/* Describes a tensor on memory of the caller, with all options. */
typedef struct tenon_tensor_options {
  uint32_t struct_size; /* sizeof(tenon_tensor_options) */
  uint32_t flags;       /* 0 or TENON_TENSOR_READ_ONLY */
  tenon_dtype dtype;
  uint32_t reserved0;         /* zero */
  const tenon_device* device; /* NULL: the CPU */
  int64_t ndim;
  const int64_t* sizes;   /* ndim elements */
  const int64_t* strides; /* in elements; NULL: row-major */
  int64_t storage_offset; /* of the first element, in elements */
  int64_t storage_nbytes; /* size of the memory in bytes; -1: up to the tensor's last element */
  uint64_t reserved[4];   /* zero */
} tenon_tensor_options;

/// Wraps memory of the caller without copying it, as tenon_tensor_wrap does. In addition, the
/// tensor may be read-only, its first element may be at an offset, and the memory may be larger
/// than the tensor, so that views can reach the additional part.
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

/// Makes a 0-dim CPU tensor from a bool, int, float or complex value. Its dtype is bool, int64,
/// float64 or complex128, and it is flagged WRAPPED_NUMBER, which gives it the lowest priority in
/// type promotion.
///
/// Errors:    TENON_ERROR_TYPE for any other value.
/// Ownership: new reference in `out_tensor`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_number(const tenon_value* number,
                                               tenon_tensor** out_tensor);

/// Returns the undefined tensor, a singleton without shape, dtype and keys.
///
/// Ownership: borrowed, never freed; retain and release are accepted.
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
/// The last release runs the drop functions of the cells and objects that the tensor owns, and the
/// deleters of wrapped memory, on the calling thread. Tensors that these release in turn are freed
/// one after the other before this function returns, without recursion, so that a chain of any
/// length uses no stack.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_release(tenon_tensor* tensor);

/// Returns the number of references, exact only when no other thread holds one.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_tensor_use_count(const tenon_tensor* tensor);

/// Fills a plain description. No argument is NULL.
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
/// dims. Sizes and strides are consistent even if another thread resizes the tensor at the same
/// time. Either array may be NULL.
///
/// Errors:    -1 for a symbolic shape; nothing is copied.
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

/* Properties that tenon_tensor_dims returns. */
#define TENON_DIMS_SIZES 0u   /* an int[] */
#define TENON_DIMS_STRIDES 1u /* an int[], in elements */
#define TENON_DIMS_OFFSET 2u  /* an int, in elements */
#define TENON_DIMS_NUMEL 3u   /* an int */

/// Returns the sizes, strides, offset or number of elements of a tensor as a value. This also works
/// for symbolic tensors: a symbolic list is flagged TENON_VALUE_HAS_SYMBOLIC.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown `what`, or as tenon_value_copy.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_dims(const tenon_tensor* tensor, uint32_t what,
                                         tenon_value* out_value);

/// Returns the dtype, or TENON_DTYPE_NONE for the undefined tensor.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_dtype tenon_tensor_dtype(const tenon_tensor* tensor);

/// Sets `out_device` to the tensor's device, or to {-1, -1} for the undefined tensor.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_device(const tenon_tensor* tensor, tenon_device* out_device);

/// Returns the address of the first element; the storage offset is applied.
///
/// Errors:    TENON_ERROR_STATE if the tensor has no memory: on Meta, for the undefined tensor and
///            for a hollow tensor.
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

/// Returns the version: how often the data that the tensor shares with its views was written in
/// place.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_tensor_version(const tenon_tensor* tensor);

/// Increments the version. ADInplaceOrView does this for operators that write to an argument.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_bump_version(tenon_tensor* tensor);

/// Gives an `out` argument a new shape, row-major or with `strides`. A storage that is too small
/// grows.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad shape, TENON_ERROR_STATE for the undefined
///            tensor and for a tensor on wrapped memory whose shape would change (the owner of the
///            memory relies on the old shape), TENON_ERROR_NOT_SUPPORTED for a symbolic shape,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread that owns the tensor alone.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_resize(tenon_tensor* tensor, int64_t ndim, const int64_t* sizes,
                                           const int64_t* strides);

/// Turns a tensor into another view of its storage, as in-place forms of view operators do. Other
/// tensors on the storage do not change. `storage_offset` counts elements from the start of the
/// storage.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad shape, for a view that reaches outside the
///            storage and for a tensor without storage, TENON_ERROR_NOT_SUPPORTED for a symbolic
///            shape, TENON_ERROR_OUT_OF_MEMORY.
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

/// Returns the memory, or NULL if there is none.
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

/// Prints shape, dtype, device, elements and whether the tensor requires grad as readable text,
/// such as "tensor([[1., 2.], [3., 4.]])". Long dims are abbreviated. Elements are read on the CPU
/// only.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_print(const tenon_tensor* tensor, tenon_buffer** out_text);

/* DLPack (https://dmlc.github.io/dlpack): the two managed structs, named as in its header. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/// Exports a tensor without copying it; the consumer calls the struct's deleter. The tensor's
/// device provider makes `stream` (the consumer's stream, NULL = default) wait for pending work.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for a dtype or device that DLPack does not have, and for
///            tensors without memory.
/// Ownership: the result holds a reference to the tensor until its deleter runs.
/// Threads:   any thread; the deleter may run on any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_to_dlpack(tenon_tensor* tensor, void* stream,
                                              struct DLManagedTensorVersioned** out_managed);

/// Exports a tensor to the older struct, which has no version and no flags.
///
/// Errors:    as tenon_tensor_to_dlpack; TENON_ERROR_NOT_SUPPORTED for a read-only tensor.
/// Ownership: the result holds a reference to the tensor until its deleter runs.
/// Threads:   any thread; the deleter may run on any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_to_dlpack_legacy(tenon_tensor* tensor, void* stream,
                                                     struct DLManagedTensor** out_managed);

/// Imports a tensor without copying it; a read-only flag is kept. `managed` is consumed on success
/// only, with one exception: a struct of an unknown major version is deleted and refused.
///
/// Errors:    TENON_ERROR_ABI for an unknown major version, TENON_ERROR_INVALID_ARGUMENT for a
///            malformed description, TENON_ERROR_NOT_SUPPORTED for a dtype or device that Tenon
///            does not have.
/// Ownership: new reference in `out_tensor`; its last release calls the struct's deleter.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_from_dlpack(struct DLManagedTensorVersioned* managed,
                                                tenon_tensor** out_tensor);

/// Imports a tensor from the older struct, which has no version and no flags. Consumes `managed` on
/// success only.
///
/// Errors:    as tenon_tensor_from_dlpack.
/// Ownership: new reference in `out_tensor`; its last release calls the struct's deleter.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_from_dlpack_legacy(struct DLManagedTensor* managed,
                                                       tenon_tensor** out_tensor);

/// Returns the address of a language's cell on the tensor: a weak word, initially NULL, in which a
/// binding stores the one object that represents the tensor in its language. A binding that has a
/// global lock reads and writes the cell under that lock. A binding without one uses atomic
/// compare-and-exchange.
///
/// Errors:    NULL for an unknown language, and if memory is short.
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void** tenon_tensor_cell(tenon_tensor* tensor, uint32_t language);

/// Makes the language's cell own `object`: `drop(object)` runs when the tensor dies. If `drop` is
/// NULL, the cell becomes weak again.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown language, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread, under the language's own lock if it has one; `drop` runs on the thread of
///            the last release, without that lock.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_own_cell(tenon_tensor* tensor, uint32_t language, void* object,
                                             tenon_deleter drop);

TENON_END_DECLS

#endif /* TENON_TENSOR_H */
