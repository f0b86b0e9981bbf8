// SPDX-License-Identifier: Apache-2.0
//! DLPack in and out, with good and bad structs.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use tenon::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLTensor};
use tenon::{DType, Status, Tensor};

use crate::support::{fails, floats, read};

/// A DLPack producer with 2 x 2 floats that counts the calls of its deleter.
struct Producer {
    managed: DLManagedTensorVersioned,
    data: [f32; 4],
    shape: [i64; 2],
    strides: [i64; 2],
    deleted: &'static AtomicUsize,
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    let producer = unsafe { Box::from_raw((*managed).manager_ctx.cast::<Producer>()) };
    producer.deleted.fetch_add(1, Ordering::SeqCst);
}

fn produce(deleted: &'static AtomicUsize) -> *mut Producer {
    let producer = Box::into_raw(Box::new(Producer {
        managed: DLManagedTensorVersioned {
            version: [1, 0],
            manager_ctx: std::ptr::null_mut(),
            deleter: Some(delete),
            flags: 0,
            dl_tensor: DLTensor {
                data: std::ptr::null_mut(),
                device: DLDevice {
                    device_type: 1,
                    device_id: 0,
                },
                ndim: 2,
                dtype: DLDataType {
                    code: 2,
                    bits: 32,
                    lanes: 1,
                },
                shape: std::ptr::null_mut(),
                strides: std::ptr::null_mut(),
                byte_offset: 0,
            },
        },
        data: [1.0, 2.0, 3.0, 4.0],
        shape: [2, 2],
        strides: [1, 2],
        deleted,
    }));
    unsafe {
        let it = &mut *producer;
        it.managed.manager_ctx = producer.cast::<c_void>();
        it.managed.dl_tensor.data = it.data.as_mut_ptr().cast();
        it.managed.dl_tensor.shape = it.shape.as_mut_ptr();
        it.managed.dl_tensor.strides = it.strides.as_mut_ptr();
    }
    producer
}

#[test]
fn export_and_import_share_memory() {
    let x = floats(&[1.0, 2.0]);
    let exported = x.to_dlpack().unwrap();
    assert_eq!(x.use_count(), 2);
    let y = unsafe { Tensor::from_dlpack(exported.into_raw()) }.unwrap();
    assert_eq!(y.data_ptr().unwrap(), x.data_ptr().unwrap());
    assert_eq!(
        (read(&y), y.dtype(), y.shape()),
        (vec![1.0, 2.0], DType::F32, x.shape())
    );
    drop(x);
    assert_eq!(read(&y), [1.0, 2.0]);
}

#[test]
fn an_export_that_nobody_takes_is_released() {
    let x = floats(&[1.0]);
    drop(x.to_dlpack().unwrap());
    assert_eq!(x.use_count(), 1);
}

#[test]
fn the_older_struct_works_too() {
    let x = floats(&[1.0, 2.0]);
    let managed = x.to_dlpack_legacy().unwrap();
    let y = unsafe { Tensor::from_dlpack_legacy(managed) }.unwrap();
    assert_eq!(y.data_ptr().unwrap(), x.data_ptr().unwrap());
}

#[test]
fn foreign_strides_and_deleter_are_kept() {
    static DELETED: AtomicUsize = AtomicUsize::new(0);
    let producer = produce(&DELETED);
    let x = unsafe { Tensor::from_dlpack(&mut (*producer).managed) }.unwrap();
    assert_eq!(read(&x), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(x.strides(), [1, 2]);
    let y = x.clone();
    drop(x);
    assert_eq!(DELETED.load(Ordering::SeqCst), 0);
    drop(y);
    assert_eq!(DELETED.load(Ordering::SeqCst), 1);
}

#[test]
fn read_only_memory_stays_read_only() {
    static DELETED: AtomicUsize = AtomicUsize::new(0);
    let producer = produce(&DELETED);
    unsafe { (*producer).managed.flags = 1 };
    let x = unsafe { Tensor::from_dlpack(&mut (*producer).managed) }.unwrap();
    assert!(x.is_read_only());
    let y = x.alias(&[2], &[1], 0).unwrap();
    fails(
        unsafe { y.as_mut_slice::<f32>() },
        Status::STATE,
        &["read-only"],
    );
    fails(x.to_dlpack_legacy(), Status::NOT_SUPPORTED, &[]);
}

#[test]
fn malformed_structs_are_refused_and_not_consumed() {
    static DELETED: AtomicUsize = AtomicUsize::new(0);
    type Spoil = fn(&mut Producer);
    let cases: &[(Status, Spoil)] = &[
        (Status::INVALID_ARGUMENT, |it| {
            it.managed.dl_tensor.ndim = -1
        }),
        (Status::INVALID_ARGUMENT, |it| {
            it.managed.dl_tensor.ndim = 1000
        }),
        (Status::INVALID_ARGUMENT, |it| it.shape[0] = -2),
        (Status::INVALID_ARGUMENT, |it| {
            it.managed.dl_tensor.shape = std::ptr::null_mut()
        }),
        (Status::NOT_SUPPORTED, |it| {
            it.managed.dl_tensor.dtype.lanes = 4
        }),
        (Status::NOT_SUPPORTED, |it| {
            it.managed.dl_tensor.dtype.bits = 24
        }),
        (Status::NOT_SUPPORTED, |it| {
            it.managed.dl_tensor.device.device_type = 77
        }),
    ];
    for (index, (status, spoil)) in cases.iter().enumerate() {
        let producer = produce(&DELETED);
        unsafe {
            spoil(&mut *producer);
            let error = Tensor::from_dlpack(&mut (*producer).managed).unwrap_err();
            assert_eq!(error.status(), *status, "case {index}: {error}");
            drop(Box::from_raw(producer));
        }
    }
    assert_eq!(DELETED.load(Ordering::SeqCst), 0);
}

#[test]
fn an_unknown_major_version_is_deleted_and_refused() {
    static DELETED: AtomicUsize = AtomicUsize::new(0);
    let producer = produce(&DELETED);
    let result = unsafe {
        (*producer).managed.version = [99, 0];
        Tensor::from_dlpack(&mut (*producer).managed)
    };
    fails(result, Status::ABI, &["99"]);
    assert_eq!(DELETED.load(Ordering::SeqCst), 1);
}

#[test]
fn null_is_refused() {
    fails(
        unsafe { Tensor::from_dlpack(std::ptr::null_mut()) },
        Status::INVALID_ARGUMENT,
        &[],
    );
}
