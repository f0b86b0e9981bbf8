// SPDX-License-Identifier: Apache-2.0
//! Typed calls and kernels against plain C signatures, and their boxed fall-back.

use std::ffi::{c_char, c_void, CString};
use std::sync::atomic::{AtomicUsize, Ordering};

use tenon::{
    sys, DType, Device, DispatchKey, Library, Op, Scalar, Status, Tensor, Value, ValueRef,
};

use crate::support::{fails, floats, read};

fn has_typed(op: Op, key: DispatchKey) -> bool {
    op.slot(key).unwrap().typed
}

/// FNV-1a, implemented again from the header's description.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn typed_kernels_are_called_typed() {
    let library = Library::define_namespace("typed_plain").unwrap();
    let op = library
        .define("weigh(Tensor x, float w, int n) -> Tensor")
        .unwrap();
    library
        .impl_fn("weigh", DispatchKey::CPU, |x: &Tensor, w: f64, n: i64| {
            Tensor::from_vec(
                read(x).iter().map(|v| v * w as f32 + n as f32).collect(),
                &x.shape(),
            )
        })
        .unwrap();
    assert!(has_typed(op, DispatchKey::CPU));
    let typed = op.typed::<(&Tensor, f64, i64), Tensor>().unwrap();
    let x = floats(&[1.0, 2.0]);
    assert_eq!(read(&typed.call(&x, 2.0, 1).unwrap()), [3.0, 5.0]);
    let boxed: Tensor = op.call((&x, 2.0, 1)).unwrap();
    assert_eq!(read(&boxed), [3.0, 5.0]);
}

/// A typed kernel with kernel.h's C signature for "ITsbdLi>Tdi", written by hand.
unsafe extern "C" fn plain(
    frame: *const sys::tenon_frame,
    sizes: *const i64,
    count: i64,
    x: *mut sys::tenon_tensor,
    text: *const c_char,
    size: i64,
    flag: i64,
    weight: f64,
    tensors: *const *mut sys::tenon_tensor,
    tensor_count: i64,
    dtype: i64,
    out: *mut *mut sys::tenon_tensor,
    out_sum: *mut f64,
    out_size: *mut i64,
) -> sys::tenon_status {
    unsafe {
        (*(*frame).ctx.cast::<AtomicUsize>()).fetch_add(1, Ordering::SeqCst);
        let sum: i64 = std::slice::from_raw_parts(sizes, count as usize)
            .iter()
            .sum();
        assert_eq!(
            std::slice::from_raw_parts(text.cast::<u8>(), size as usize),
            b"text"
        );
        assert_eq!((flag, dtype), (1, i64::from(DType::F64.code())));
        assert_eq!((tensor_count, *tensors), (2, x));
        out.write(sys::tenon_tensor_retain(x));
        out_sum.write(sum as f64 * weight);
        out_size.write(size);
    }
    0
}

const PLAIN: &str =
    "mixed(int[] sizes, Tensor x, str text, bool flag, float weight, Tensor[] list, ScalarType t) \
     -> (Tensor, float, int)";

unsafe extern "C" fn never(
    _: *mut c_void,
    _: *const sys::tenon_op,
    _: u64,
    _: *mut sys::tenon_stack,
) -> sys::tenon_status {
    unsafe { sys::tenon_error_raise(sys::TENON_ERROR_INTERNAL as i32, c_text("boxed").as_ptr()) }
}

fn c_text(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// Registers a kernel through the C interface only.
fn register(
    namespace: &str,
    schema: &str,
    name: &str,
    signature: u64,
    typed: sys::tenon_typed_fn,
    ctx: *const AtomicUsize,
) -> (Library, *mut sys::tenon_library) {
    let library = Library::define_namespace(namespace).unwrap();
    library.define(schema).unwrap();
    let (namespace, name) = (c_text(namespace), c_text(name));
    unsafe {
        let mut own = std::ptr::null_mut();
        let status = sys::tenon_library_new(
            sys::TENON_LIBRARY_IMPL,
            namespace.as_ptr(),
            sys::TENON_KEY_NONE,
            std::ptr::null(),
            0,
            &mut own,
        );
        assert_eq!(status, 0);
        let mut kernel: sys::tenon_kernel = std::mem::zeroed();
        kernel.struct_size = std::mem::size_of::<sys::tenon_kernel>() as u32;
        kernel.boxed = Some(never);
        kernel.ctx = ctx.cast_mut().cast();
        kernel.typed = typed;
        kernel.signature = signature;
        kernel.language = sys::TENON_LANGUAGE_C;
        let key = sys::TENON_KEY_CPU;
        let status =
            sys::tenon_library_impl(own, name.as_ptr(), key, &kernel, std::ptr::null_mut());
        assert_eq!(status, 0, "{:?}", sys::tenon_error_take());
        (library, own)
    }
}

#[test]
fn calls_pass_what_a_plain_c_kernel_expects() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let typed: sys::tenon_typed_fn = Some(unsafe {
        std::mem::transmute::<*const (), unsafe extern "C" fn()>(plain as *const ())
    });
    let hash = fnv("ITsbdLi>Tdi");
    let (_library, own) = register("typed_c_kernel", PLAIN, "mixed", hash, typed, &CALLS);
    let op = Op::find("typed_c_kernel::mixed").unwrap();
    let call = op
        .typed::<(&[i64], &Tensor, &str, bool, f64, &[Tensor], DType), (Tensor, f64, i64)>()
        .unwrap();
    let x = floats(&[1.0]);
    let list = [x.clone(), x.clone()];
    let (y, sum, size) = call
        .call(&[1, 2, 3], &x, "text", true, 0.5, &list, DType::F64)
        .unwrap();
    assert_eq!(
        (y.as_raw(), sum, size, CALLS.load(Ordering::SeqCst)),
        (x.as_raw(), 3.0, 4, 1)
    );
    unsafe { sys::tenon_library_release(own) };
}

#[test]
fn kernels_take_what_a_plain_c_call_passes() {
    let library = Library::define_namespace("typed_c_caller").unwrap();
    let op = library.define(PLAIN).unwrap();
    library
        .impl_fn(
            "mixed",
            DispatchKey::CPU,
            |sizes: &[i64],
             x: &Tensor,
             text: &str,
             flag: bool,
             w: f64,
             list: &[Tensor],
             t: DType| {
                assert!(flag && t == DType::F64 && list.len() == 2 && text == "text");
                (
                    x.clone(),
                    w * sizes.iter().sum::<i64>() as f64,
                    text.len() as i64,
                )
            },
        )
        .unwrap();
    type Plain = unsafe extern "C" fn(
        *const sys::tenon_frame,
        *const i64,
        i64,
        *mut sys::tenon_tensor,
        *const c_char,
        i64,
        i64,
        f64,
        *const *mut sys::tenon_tensor,
        i64,
        i64,
        *mut *mut sys::tenon_tensor,
        *mut f64,
        *mut i64,
    ) -> sys::tenon_status;
    let x = floats(&[1.0]);
    let tensors = [x.as_raw(), x.as_raw(), x.as_raw()];
    unsafe {
        let mut frame: sys::tenon_frame = std::mem::zeroed();
        let entry = sys::tenon_frame_begin_n(op.as_raw(), tensors.as_ptr(), 3, &mut frame);
        assert!(!entry.is_null());
        assert_eq!((*entry).signature, fnv("ITsbdLi>Tdi"));
        let function: Plain = std::mem::transmute((*entry).typed.unwrap());
        let (sizes, text) = ([1i64, 2, 3], b"text");
        let (mut out, mut sum, mut size) = (std::ptr::null_mut(), 0.0, 0);
        let status = function(
            &frame,
            sizes.as_ptr(),
            3,
            x.as_raw(),
            text.as_ptr().cast(),
            4,
            1,
            0.5,
            tensors.as_ptr(),
            2,
            i64::from(DType::F64.code()),
            &mut out,
            &mut sum,
            &mut size,
        );
        assert_eq!(sys::tenon_frame_end(&mut frame, status), 0);
        assert_eq!((out, sum, size), (x.as_raw(), 3.0, 4));
        drop(Tensor::from_raw(out));
    }
}

#[test]
fn values_travel_as_pointers_and_lists_as_spans() {
    let library = Library::define_namespace("typed_values").unwrap();
    let op = library
        .define(
            "all(Scalar s, Device? d, float[] f, bool[] b, Tensor?[] t, Tensor? u, int? n) -> str",
        )
        .unwrap();
    library
        .impl_fn(
            "all",
            DispatchKey::CPU,
            |s: Scalar,
             d: Option<Device>,
             f: &[f64],
             b: &[u8],
             t: &[Option<Tensor>],
             u: Option<&Tensor>,
             n: Option<i64>| {
                format!("{s:?} {d:?} {f:?} {b:?} {} {} {n:?}", t.len(), u.is_some())
            },
        )
        .unwrap();
    assert!(has_typed(op, DispatchKey::CPU));
    type All<'a> = (
        Scalar,
        Option<Device>,
        &'a [f64],
        &'a [u8],
        &'a [Option<Tensor>],
        Option<&'a Tensor>,
        Option<i64>,
    );
    let call = op.typed::<All<'_>, String>().unwrap();
    let list = [Some(floats(&[1.0])), None];
    let want = "Int(2) Some(cuda:1) [0.5] [1, 0] 2 false Some(7)";
    let got = call.call(
        2i64.into(),
        Some(Device::cuda(1)),
        &[0.5],
        &[1, 0],
        &list,
        None,
        Some(7),
    );
    assert_eq!(got.unwrap(), want);
    let boxed: String = op
        .call((
            2i64,
            Some(Device::cuda(1)),
            &[0.5],
            &[true, false],
            &list,
            None::<&Tensor>,
            Some(7),
        ))
        .unwrap();
    assert_eq!(boxed, want);
}

#[test]
fn calls_fall_back_to_boxed_kernels() {
    let library = Library::define_namespace("typed_boxed").unwrap();
    let op = library
        .define("pick(Tensor a, Tensor[] rest, int i) -> (Tensor, int)")
        .unwrap();
    library
        .impl_boxed(
            "pick",
            DispatchKey::CPU,
            |_: &tenon::KernelContext, args: &[ValueRef]| {
                let (ValueRef::TensorList(rest), ValueRef::Int(i)) = (args[1], args[2]) else {
                    panic!("checked by the caller");
                };
                Ok(vec![rest[i as usize].clone().into(), Value::from(i + 1)])
            },
        )
        .unwrap();
    assert!(!has_typed(op, DispatchKey::CPU));
    let call = op
        .typed::<(&Tensor, &[Tensor], i64), (Tensor, i64)>()
        .unwrap();
    let rest: Vec<Tensor> = (0..20).map(|i| floats(&[i as f32])).collect();
    let (picked, next) = call.call(&rest[0], &rest, 11).unwrap();
    assert_eq!((read(&picked), next), (vec![11.0], 12));
}

#[test]
fn the_context_is_a_parameter_besides() {
    let library = Library::define_namespace("typed_context").unwrap();
    let op = library.define("name(Tensor x) -> str").unwrap();
    library
        .impl_fn(
            "name",
            DispatchKey::CPU,
            |context: &tenon::KernelContext, _: &Tensor| {
                assert!(context.keys().has(DispatchKey::CPU));
                context.op().name().to_owned()
            },
        )
        .unwrap();
    assert!(has_typed(op, DispatchKey::CPU));
    let call = op.typed::<(&Tensor,), String>().unwrap();
    assert_eq!(call.call(&floats(&[1.0])).unwrap(), "typed_context::name");
}

#[test]
fn errors_and_panics_leave_the_typed_call() {
    let library = Library::define_namespace("typed_error").unwrap();
    let op = library
        .define("fail(Tensor x, int how) -> (Tensor, Tensor)")
        .unwrap();
    library
        .impl_fn("fail", DispatchKey::CPU, |x: &Tensor, how: i64| match how {
            0 => Ok((x.clone(), x.clone())),
            1 => Err(tenon::Error::new(Status::INDEX, "how: out of range")),
            _ => panic!("how is {how}"),
        })
        .unwrap();
    let call = op.typed::<(&Tensor, i64), (Tensor, Tensor)>().unwrap();
    let x = floats(&[1.0]);
    call.call(&x, 0).unwrap();
    fails(call.call(&x, 1), Status::INDEX, &["how: out of range"]);
    let error = fails(call.call(&x, 2), Status::FOREIGN, &["how is 2"]);
    assert!(error.is_panic());
    assert_eq!(x.use_count(), 1);
}

#[test]
fn factories_take_their_backend_from_the_device() {
    let library = Library::define_namespace("typed_factory").unwrap();
    let op = library
        .define("make(int[] size, Device? device=None) -> str")
        .unwrap();
    library
        .impl_fn("make", DispatchKey::CPU, |_: &[i64], _: Option<Device>| {
            "cpu".to_owned()
        })
        .unwrap();
    library
        .impl_fn("make", DispatchKey::META, |_: &[i64], _: Option<Device>| {
            "meta".to_owned()
        })
        .unwrap();
    let call = op.typed::<(&[i64], Option<Device>), String>().unwrap();
    assert_eq!(call.call(&[1], None).unwrap(), "cpu");
    assert_eq!(call.call(&[1], Some(Device::META)).unwrap(), "meta");
    assert_eq!(op.call::<String>((&[1i64], Device::META)).unwrap(), "meta");
    assert_eq!(op.call::<String>((&[1i64],)).unwrap(), "cpu");
}

#[test]
fn types_are_checked_against_the_schema() {
    let library = Library::define_namespace("typed_bad").unwrap();
    let op = library.define("f(Tensor x, float w) -> Tensor").unwrap();
    fails(
        op.typed::<(&Tensor, i64), Tensor>(),
        Status::INVALID_ARGUMENT,
        &["typed_bad::f", "'w'", "float", "int"],
    );
    fails(
        op.typed::<(&Tensor,), Tensor>(),
        Status::INVALID_ARGUMENT,
        &["2 arguments", "got 1"],
    );
    fails(
        op.typed::<(&Tensor, f64), i64>(),
        Status::INVALID_ARGUMENT,
        &["results", "Tensor"],
    );
    let result = library.impl_fn("f", DispatchKey::CPU, |x: &Tensor, _w: i64| x.clone());
    fails(
        result,
        Status::INVALID_ARGUMENT,
        &["typed_bad::f", "'w'", "kernel", "float", "int"],
    );
    let result = library.impl_fn("f", DispatchKey::CPU, |x: &Tensor| x.clone());
    fails(
        result,
        Status::INVALID_ARGUMENT,
        &["typed_bad::f", "2 arguments", "got 1"],
    );
    let result = library.impl_fn("f", DispatchKey::CPU, |_x: &Tensor, w: f64| w);
    fails(
        result,
        Status::INVALID_ARGUMENT,
        &["typed_bad::f", "results"],
    );
}

#[test]
fn values_of_any_type_carry_their_tensors_keys() {
    let library = Library::define_namespace("typed_any").unwrap();
    let op = library.define("first(Any x) -> str").unwrap();
    library
        .impl_fn("first", DispatchKey::CPU, |_: ValueRef<'_>| {
            "cpu".to_owned()
        })
        .unwrap();
    let call = op.typed::<(ValueRef<'_>,), String>().unwrap();
    let x = floats(&[1.0]);
    assert_eq!(call.call(ValueRef::Tensor(&x)).unwrap(), "cpu");
    assert_eq!(op.call::<String>((&x,)).unwrap(), "cpu");
}

#[test]
fn an_optional_tensor_comes_back_typed() {
    let library = Library::define_namespace("typed_optional").unwrap();
    let op = library.define("f(Tensor x, bool give) -> Tensor?").unwrap();
    let pair = library
        .define("g(Tensor x, bool give) -> (Tensor, Tensor?)")
        .unwrap();
    library
        .impl_fn(
            "f",
            DispatchKey::CPU,
            |x: &Tensor, give: bool| -> Option<Tensor> { give.then(|| x.clone()) },
        )
        .unwrap();
    library
        .impl_fn("g", DispatchKey::CPU, |x: &Tensor, give: bool| {
            (x.clone(), give.then(|| x.clone()))
        })
        .unwrap();
    assert!(has_typed(op, DispatchKey::CPU) && has_typed(pair, DispatchKey::CPU));
    let x = floats(&[1.0]);
    let typed = op.typed::<(&Tensor, bool), Option<Tensor>>().unwrap();
    assert_eq!(typed.call(&x, true).unwrap().unwrap().as_raw(), x.as_raw());
    assert!(typed.call(&x, false).unwrap().is_none());
    assert!(op.call::<Option<Tensor>>((&x, false)).unwrap().is_none());
    let typed = pair
        .typed::<(&Tensor, bool), (Tensor, Option<Tensor>)>()
        .unwrap();
    let (first, second) = typed.call(&x, false).unwrap();
    assert_eq!((first.as_raw(), second.is_none()), (x.as_raw(), true));
}

#[test]
fn results_of_another_type_are_refused_when_registered() {
    let library = Library::define_namespace("typed_results").unwrap();
    library.define("f(Tensor x) -> Device").unwrap();
    let wrong = library.impl_fn("f", DispatchKey::CPU, |_: &Tensor| vec![1i64]);
    let texts = ["typed_results::f", "(Device)", "(int[])"];
    fails(wrong, Status::INVALID_ARGUMENT, &texts);
    let wrong = library.impl_fn("f", DispatchKey::CPU, |_: &Tensor| ());
    fails(wrong, Status::INVALID_ARGUMENT, &["(Device)", "got ()"]);
}
