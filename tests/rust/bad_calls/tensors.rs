// SPDX-License-Identifier: Apache-2.0
//! Wrong calls about dtypes, devices, tensors and DLPack.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use tenon::dlpack::{DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use tenon::{DType, Device, Dispatches, Handled, ObjectType, Overridden, Result, Tensor};

use super::{field, number, text, World};

pub fn dtype_parse(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(text(args[0])?.parse::<DType>().map(drop))
}

pub fn dtype_promote(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(dtype(args[0]).promote(dtype(args[1])).map(drop))
}

pub fn device_parse(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(text(args[0])?.parse::<Device>().map(drop))
}

fn dtype(code: &str) -> DType {
    DType::from_code(number(code) as i32)
}

/// Parses "type:index"; "none" is the CPU.
pub fn device(text: &str) -> Device {
    let Some((kind, index)) = text.split_once(':') else {
        return Device::CPU;
    };
    Device {
        kind: number(kind) as i32,
        index: number(index) as i32,
    }
}

/// Parses "2,3", "none" or "@ones N"; returns `None` for what a slice cannot express.
fn dims(text: &str) -> Option<Vec<i64>> {
    if let Some(count) = text.strip_prefix("@ones ") {
        return Some(vec![1; number(count) as usize]);
    }
    if text == "none" {
        return Some(Vec::new());
    }
    (!text.starts_with('@')).then(|| text.split(',').map(number).collect())
}

pub fn tensor_new(_: &World, args: &[&str]) -> Option<Result<()>> {
    if args[3] != "none" {
        return None; // rows only
    }
    Some(Tensor::empty(&dims(args[2])?, dtype(args[0]), device(args[1])).map(drop))
}

pub fn tensor_wrap(_: &World, args: &[&str]) -> Option<Result<()>> {
    if args[2] != "none" {
        return None; // the CPU only
    }
    let shape = dims(args[3])?;
    let strides = match args[4] {
        "none" => None,
        strides => Some(dims(strides)?),
    };
    let mut memory = [0.0f32; 8];
    let data = match args[0] {
        "NULL" => ptr::null_mut(),
        _ => super::address(&mut memory),
    };
    let given = Arc::new(());
    let owner = Box::new(given.clone());
    // SAFETY: refused before anything is read.
    let result = unsafe { Tensor::wrap(data, dtype(args[1]), &shape, strides.as_deref(), owner) };
    assert_eq!(Arc::strong_count(&given), 1, "the owner must be dropped");
    Some(result.map(drop))
}

fn alias_of(base: &Tensor, args: &[&str]) -> Option<Result<()>> {
    if args[1] == "none" {
        return None; // strides are never absent
    }
    let (shape, strides) = (dims(args[0])?, dims(args[1])?);
    Some(base.alias(&shape, &strides, number(args[2])).map(drop))
}

pub fn tensor_alias(world: &World, args: &[&str]) -> Option<Result<()>> {
    alias_of(&world.tensor, args)
}

pub fn undefined_alias(_: &World, args: &[&str]) -> Option<Result<()>> {
    alias_of(&Tensor::undefined(), args)
}

pub fn tensor_data(world: &World, args: &[&str]) -> Option<Result<()>> {
    let tensor = match args[0] {
        "meta" => world.meta.clone(),
        _ => Tensor::undefined(),
    };
    assert!(tensor.to_vec::<f32>().is_err());
    Some(tensor.data_ptr().map(drop))
}

/// The class of a wrapper that is never made.
struct Wrapping(Arc<()>);

impl ObjectType for Wrapping {
    const NAME: &'static str = "bad.Other";
}

impl Dispatches for Wrapping {
    fn dispatch_call(&self, _: &mut Overridden<'_>) -> Result<Handled> {
        let _held = &self.0;
        Ok(Handled::Declined)
    }
}

pub fn wrapper(_: &World, args: &[&str]) -> Option<Result<()>> {
    if args[0] != "ok" {
        return None; // the type is Rust's own
    }
    let shape = dims(args[3])?;
    let given = Arc::new(());
    let result = Tensor::wrapper(
        Wrapping(given.clone()),
        &shape,
        dtype(args[1]),
        device(args[2]),
    );
    assert_eq!(Arc::strong_count(&given), 1, "the object must be dropped");
    Some(result.map(drop))
}

// ---- DLPack: a good description of float32 [2, 3] with fields changed ---------------------------

thread_local! {
    static DELETED: Cell<u32> = const { Cell::new(0) };
}

unsafe extern "C" fn delete_versioned(_: *mut DLManagedTensorVersioned) {
    DELETED.with(|count| count.set(count.get() + 1));
}

unsafe extern "C" fn delete_legacy(_: *mut DLManagedTensor) {
    DELETED.with(|count| count.set(count.get() + 1));
}

/// Memory for the arrays of a description.
struct Memory {
    elements: [f32; 8],
    shape: [i64; 80],
    strides: [i64; 80],
}

fn description(fields: &str, memory: &mut Memory) -> DLTensor {
    let pointer = |name, address: *mut c_void| {
        if fields.contains(name) {
            ptr::null_mut()
        } else {
            address
        }
    };
    let given = |name, otherwise| field(fields, name).unwrap_or(otherwise);
    memory.shape = [1; 80];
    memory.strides = [1; 80];
    memory.shape[0] = given("size", 2);
    memory.shape[1] = 3;
    memory.strides[0] = given("stride", 3);
    DLTensor {
        data: pointer("data=NULL", super::address(&mut memory.elements)),
        device: DLDevice {
            device_type: given("device", 1) as i32,
            device_id: given("id", 0) as i32,
        },
        ndim: given("ndim", 2) as i32,
        dtype: DLDataType {
            code: given("code", 2) as u8,
            bits: given("bits", 32) as u8,
            lanes: given("lanes", 1) as u16,
        },
        shape: pointer("shape=NULL", super::address(&mut memory.shape)).cast(),
        strides: memory.strides.as_mut_ptr(),
        byte_offset: given("offset", 0) as u64,
    }
}

fn memory() -> Memory {
    Memory {
        elements: [0.0; 8],
        shape: [1; 80],
        strides: [1; 80],
    }
}

fn versioned(fields: &str, flags: u64, memory: &mut Memory) -> DLManagedTensorVersioned {
    DLManagedTensorVersioned {
        version: [if fields == "major=2" { 2 } else { 1 }, 0],
        manager_ctx: ptr::null_mut(),
        deleter: Some(delete_versioned),
        flags,
        dl_tensor: description(fields, memory),
    }
}

/// If the import is refused, the producer still owns the struct, except for an unknown version.
pub fn dlpack(_: &World, args: &[&str]) -> Option<Result<()>> {
    let (fields, is_null) = (args[1], args[1] == "null=1");
    let mut memory = memory();
    let before = DELETED.with(Cell::get);
    let result = if args[0] == "legacy" {
        let mut managed = DLManagedTensor {
            dl_tensor: description(fields, &mut memory),
            manager_ctx: ptr::null_mut(),
            deleter: Some(delete_legacy),
        };
        let address = if is_null {
            ptr::null_mut()
        } else {
            &mut managed
        };
        // SAFETY: refused before anything of the memory is used.
        unsafe { Tensor::from_dlpack_legacy(address) }
    } else {
        let mut managed = versioned(fields, 0, &mut memory);
        let address = if is_null {
            ptr::null_mut()
        } else {
            &mut managed
        };
        // SAFETY: as above.
        unsafe { Tensor::from_dlpack(address) }
    };
    let deleted = DELETED.with(Cell::get) - before;
    assert_eq!(deleted, u32::from(fields == "major=2"));
    Some(result.map(drop))
}

pub fn dlpack_export(world: &World, args: &[&str]) -> Option<Result<()>> {
    let mut memory = memory();
    let mut producer = versioned("", 1, &mut memory);
    let tensor = match args[1] {
        // SAFETY: the struct and its memory outlive the tensor.
        "readonly" => unsafe { Tensor::from_dlpack(&mut producer) }.unwrap(),
        "meta" => world.meta.clone(),
        _ => Tensor::undefined(),
    };
    Some(match args[0] {
        "legacy" => tensor.to_dlpack_legacy().map(|_| ()),
        _ => tensor.to_dlpack().map(drop),
    })
}
