// SPDX-License-Identifier: Apache-2.0
//! Making, inspecting and reading tensors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tenon::{Complex, DType, Device, Geometry, Status, Tensor, Value, BF16};

use crate::support::{fails, floats};

#[test]
fn numbers_stand_on_the_left_too() {
    let x = floats(&[1.0, 2.0, 4.0]);
    let list = |result: tenon::Result<Tensor>| result.unwrap().to_vec::<f32>().unwrap();
    assert_eq!(list(1 + &x), [2.0, 3.0, 5.0]);
    assert_eq!(list(1.5 - &x), [0.5, -0.5, -2.5]);
    assert_eq!(list(2i64 * &x), [2.0, 4.0, 8.0]);
    assert_eq!(list(1.0 / &x), [1.0, 0.5, 0.25]);
    assert_eq!(list(x.reciprocal()), [1.0, 0.5, 0.25]);
}

#[test]
fn from_vec_shares_the_vectors_memory() {
    let data = vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let address = data.as_ptr();
    let x = Tensor::from_vec(data, &[2, 3]).unwrap();
    assert_eq!(x.data_ptr().unwrap().cast_const().cast(), address);
    assert_eq!((x.shape(), x.strides()), (x.shape(), x.strides()));
    assert_eq!(x.shape(), [2, 3]);
    assert_eq!(x.strides(), [3, 1]);
    assert_eq!(
        (x.ndim(), x.numel(), x.dtype(), x.device().is_cpu()),
        (2, 6, DType::F32, true)
    );
    assert!(x.is_contiguous() && x.is_defined() && !x.is_read_only());
}

#[test]
fn wrap_drops_the_owner_once_with_the_last_tensor() {
    struct Owner(Arc<AtomicUsize>, [i64; 2]);
    impl Drop for Owner {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let mut owner = Box::new(Owner(drops.clone(), [7, 8]));
    let data = owner.1.as_mut_ptr();
    let x = unsafe { Tensor::wrap(data.cast(), DType::I64, &[2], None, owner) }.unwrap();
    let y = x.clone();
    drop(x);
    assert_eq!(
        (y.to_vec::<i64>().unwrap(), drops.load(Ordering::SeqCst)),
        (vec![7, 8], 0)
    );
    drop(y);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn wrap_drops_the_owner_when_it_fails() {
    struct Owner(Arc<AtomicUsize>);
    impl Drop for Owner {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let mut data = [0i64; 2];
    let result = unsafe {
        let owner = Box::new(Owner(drops.clone()));
        Tensor::wrap(
            data.as_mut_ptr().cast(),
            DType::from_code(99),
            &[2],
            None,
            owner,
        )
    };
    fails(result, Status::INVALID_ARGUMENT, &["dtype"]);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn from_vec_refuses_a_shape_of_other_size() {
    let texts = ["Tensor::from_vec", "shape", "3 elements", "[2, 2]"];
    fails(
        Tensor::from_vec(vec![1u8, 2, 3], &[2, 2]),
        Status::INVALID_ARGUMENT,
        &texts,
    );
    fails(
        Tensor::from_vec(vec![1u8], &[-1]),
        Status::INVALID_ARGUMENT,
        &["[-1]"],
    );
}

#[test]
fn zero_dims_and_zero_elements_are_tensors() {
    let number = Tensor::scalar(2.5f64).unwrap();
    assert_eq!(
        (number.ndim(), number.numel(), number.item::<f64>().unwrap()),
        (0, 1, 2.5)
    );
    let empty = Tensor::from_vec(Vec::<f32>::new(), &[0, 3]).unwrap();
    assert_eq!((empty.numel(), empty.to_vec::<f32>().unwrap()), (0, vec![]));
    assert!(unsafe { empty.as_slice::<f32>() }.unwrap().is_empty());
}

#[test]
fn every_element_type_round_trips() {
    fn check<T: tenon::Element + PartialEq + std::fmt::Debug>(data: Vec<T>) {
        let x = Tensor::from_slice(&data, &[data.len() as i64]).unwrap();
        assert_eq!(x.dtype().size(), std::mem::size_of::<T>());
        assert_eq!(x.to_vec::<T>().unwrap(), data);
    }
    check(vec![true, false]);
    check(vec![0u8, 255]);
    check(vec![-128i8, 127]);
    check(vec![i16::MIN, i16::MAX]);
    check(vec![i32::MIN, i32::MAX]);
    check(vec![i64::MIN, i64::MAX]);
    check(vec![f32::INFINITY, -0.5]);
    check(vec![f64::MIN_POSITIVE, -0.5]);
    check(vec![Complex {
        re: 1.0f32,
        im: -2.0,
    }]);
    check(vec![Complex {
        re: 1.0f64,
        im: -2.0,
    }]);
    check(vec![BF16::from_f32(1.5)]);
    check(vec![tenon::F16(0x3c00)]);
    check(vec![tenon::F8E5M2(0x3c), tenon::F8E5M2(0xff)]);
    check(vec![tenon::F8E4M3FN(0x38)]);
}

#[test]
fn bf16_rounds_to_even() {
    assert_eq!(BF16::from_f32(1.0 + 1.0 / 256.0).to_f32(), 1.0);
    assert_eq!(
        BF16::from_f32(1.0 + 3.0 / 256.0).to_f32(),
        1.0 + 4.0 / 256.0
    );
    assert!(BF16::from_f32(f32::NAN).to_f32().is_nan());
    assert_eq!(BF16::from_f32(f32::MAX).to_f32(), f32::INFINITY);
}

#[test]
fn reading_checks_the_dtype() {
    let x = Tensor::scalar(1.0f32).unwrap();
    fails(
        x.to_vec::<f64>(),
        Status::TYPE,
        &["Tensor::to_vec", "float64", "float32"],
    );
    fails(
        unsafe { x.as_slice::<i32>() },
        Status::TYPE,
        &["Tensor::as_slice", "int32"],
    );
    fails(x.item::<i64>(), Status::TYPE, &["Tensor::item", "int64"]);
}

#[test]
fn reading_needs_memory_on_the_cpu() {
    let x = Tensor::empty(&[2], DType::F32, Device::META).unwrap();
    assert_eq!(
        (x.shape(), x.device().to_string()),
        (x.shape(), "meta".to_owned())
    );
    fails(x.to_vec::<f32>(), Status::NOT_SUPPORTED, &["meta"]);
    fails(x.data_ptr(), Status::STATE, &[]);
    let undefined = Tensor::undefined();
    assert!(!undefined.is_defined());
    fails(undefined.to_vec::<f32>(), Status::TYPE, &[]);
}

#[test]
fn alias_as_reads_the_memory_as_another_dtype() {
    let x = floats(&[1.0, 2.0, 3.0, 4.0]);
    let pairs = x.alias_as(DType::C64, &[2], &[1], 0).unwrap();
    assert_eq!((pairs.dtype(), &*pairs.shape()), (DType::C64, &[2][..]));
    let expected = [
        Complex {
            re: 1.0f32,
            im: 2.0,
        },
        Complex { re: 3.0, im: 4.0 },
    ];
    assert_eq!(pairs.to_vec::<Complex<f32>>().unwrap(), expected);
    assert!(pairs.shares_storage(&x));
    let second = x.alias_as(DType::C64, &[1], &[1], 1).unwrap();
    assert_eq!(second.to_vec::<Complex<f32>>().unwrap(), expected[1..]);
    let beyond = x.alias_as(DType::F64, &[3], &[1], 0);
    fails(beyond, Status::INVALID_ARGUMENT, &[]);
    let strides = x.alias_as(DType::F64, &[2], &[], 0);
    let text = "Tensor::alias_as: strides must be 1 numbers, got []";
    fails(strides, Status::INVALID_ARGUMENT, &[text]);
}

#[test]
fn geometry_gives_values() {
    let x = floats(&[0.0; 6]).alias(&[2, 2], &[3, 1], 1).unwrap();
    let geometry = |what| x.geometry(what).unwrap();
    assert!(matches!(geometry(Geometry::Sizes), Value::IntList(sizes) if sizes == [2, 2]));
    assert!(matches!(geometry(Geometry::Strides), Value::IntList(strides) if strides == [3, 1]));
    assert!(matches!(geometry(Geometry::StorageOffset), Value::Int(1)));
    assert!(matches!(geometry(Geometry::Numel), Value::Int(4)));
}

#[test]
fn alias_shares_memory_and_reads_by_its_strides() {
    let x = Tensor::from_vec((0..6).collect::<Vec<i64>>(), &[2, 3]).unwrap();
    let columns = x.alias(&[3, 2], &[1, 3], 0).unwrap();
    assert_eq!(columns.to_vec::<i64>().unwrap(), [0, 3, 1, 4, 2, 5]);
    assert!(columns.shares_storage(&x) && !columns.is_contiguous());
    fails(
        unsafe { columns.as_slice::<i64>() },
        Status::INVALID_ARGUMENT,
        &["contiguous"],
    );
    let tail = x.alias(&[2], &[2], 1).unwrap();
    assert_eq!(tail.to_vec::<i64>().unwrap(), [1, 3]);
    let repeated = x.alias(&[2, 2], &[0, 1], 4).unwrap();
    assert_eq!(repeated.to_vec::<i64>().unwrap(), [4, 5, 4, 5]);
    fails(x.alias(&[7], &[1], 0), Status::INVALID_ARGUMENT, &[]);
    fails(
        x.alias(&[2], &[1, 1], 0),
        Status::INVALID_ARGUMENT,
        &["strides"],
    );
}

#[test]
fn writing_in_place_is_seen_by_all_views() {
    let x = Tensor::filled(1.0f32, &[2, 2]).unwrap();
    let row = x.alias(&[2], &[1], 2).unwrap();
    unsafe { x.as_mut_slice::<f32>() }.unwrap()[3] = 9.0;
    assert_eq!(row.to_vec::<f32>().unwrap(), [1.0, 9.0]);
}

#[test]
fn clones_count_references() {
    let x = Tensor::scalar(1i64).unwrap();
    let y = x.clone();
    assert_eq!((x.use_count(), x.as_raw()), (2, y.as_raw()));
    drop(y);
    assert_eq!(x.use_count(), 1);
}

#[test]
fn wrapped_numbers_are_flagged() {
    let number = Tensor::from_number(2i64).unwrap();
    assert!(number.is_wrapped_number());
    assert_eq!(
        (number.dtype(), number.item::<i64>().unwrap()),
        (DType::I64, 2)
    );
    assert_eq!(Tensor::from_number(0.5).unwrap().dtype(), DType::F64);
    assert_eq!(Tensor::from_number(true).unwrap().dtype(), DType::BOOL);
    assert!(!Tensor::scalar(2i64).unwrap().is_wrapped_number());
}

#[test]
fn display_and_debug_show_elements_and_type() {
    let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2]).unwrap();
    assert_eq!(
        x.to_string().replace(['\n', ' '], ""),
        "tensor([[1.,2.],[3.,4.]])"
    );
    assert_eq!(format!("{x:?}"), "Tensor(float32, [2, 2], cpu)");
    assert_eq!(format!("{:?}", Tensor::undefined()), "Tensor(undefined)");
}

#[test]
fn many_dims_are_kept() {
    let shape = [1, 2, 1, 2, 1, 2, 1];
    let x = Tensor::filled(0u8, &shape).unwrap();
    assert_eq!(x.shape(), shape);
    assert_eq!(x.strides(), [8, 4, 4, 2, 2, 1, 1]);
}

#[test]
fn dtypes_have_names_sizes_and_promote() {
    assert_eq!("half".parse::<DType>().unwrap(), DType::F16);
    fails("float17".parse::<DType>(), Status::NOT_FOUND, &["float17"]);
    assert_eq!((DType::C64.name(), DType::C64.size()), ("complex64", 8));
    assert!(DType::BF16.is_floating() && DType::C128.is_complex() && DType::U8.is_integral());
    assert!(!DType::BOOL.is_integral());
    assert_eq!(DType::I64.promote(DType::F16).unwrap(), DType::F16);
    assert_eq!(DType::default_float(), DType::F32);
}

#[test]
fn devices_parse_and_print() {
    assert_eq!("cuda:1".parse::<Device>().unwrap(), Device::cuda(1));
    assert_eq!(Device::cuda(1).to_string(), "cuda:1");
    assert_eq!("cpu".parse::<Device>().unwrap().to_string(), "cpu");
    fails("toaster".parse::<Device>(), Status::NOT_FOUND, &["toaster"]);
}

#[test]
fn the_host_and_meta_are_one_device_each() {
    let host = Tensor::from_vec(vec![1f32], &[1]).unwrap().device();
    assert_eq!(host, Device::CPU);
    assert_eq!(host, "cpu:0".parse().unwrap());
    let meta = Tensor::empty(&[1], DType::F32, Device::META).unwrap();
    assert_eq!(meta.device(), Device::META);
    assert_ne!(host, meta.device());
    assert_ne!(Device::cuda(0), Device::cuda(1));
    let all = std::collections::HashSet::from([host, Device::CPU, meta.device(), Device::META]);
    assert_eq!(all.len(), 2);
}

#[test]
fn backends_are_registered_by_name() {
    let device = Device::register_backend("rustchip").unwrap();
    assert_eq!(Device::register_backend("rustchip").unwrap(), device);
    assert_eq!("rustchip".parse::<Device>().unwrap().kind, device.kind);
    assert_eq!(device.to_string(), "rustchip");
    let key = tenon::DispatchKey::for_device("rustchip").unwrap();
    assert_eq!(key.code(), (device.kind as u32) << 8);
    fails(
        Device::register_backend("not a name"),
        Status::INVALID_ARGUMENT,
        &["not a name"],
    );
    assert_eq!(Device::CPU.count().unwrap(), 1);
    assert_eq!(device.count().unwrap(), 0);
}

#[test]
fn copies_that_memory_is_too_short_for_are_errors() {
    // 128 TiB of elements, all of them the same four bytes.
    let huge = floats(&[1.0]).alias(&[1 << 45], &[0], 0).unwrap();
    fails(
        huge.to_vec::<f32>(),
        Status::OUT_OF_MEMORY,
        &["Tensor::to_vec"],
    );
    let gaps = floats(&[1.0, 2.0])
        .alias(&[1 << 45, 2], &[0, 1], 0)
        .unwrap();
    fails(
        gaps.to_vec::<f32>(),
        Status::OUT_OF_MEMORY,
        &["Tensor::to_vec"],
    );
    let filled = Tensor::filled(0.0f32, &[1 << 45]);
    fails(filled, Status::OUT_OF_MEMORY, &["Tensor::filled"]);
    let filled = Tensor::filled(0.0f64, &[1 << 31, 1 << 31]);
    fails(filled, Status::OUT_OF_MEMORY, &["Tensor::filled"]);
}
