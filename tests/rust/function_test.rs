// SPDX-License-Identifier: Apache-2.0
//! Functions as values: Rust closures called through C, foreign ones called from Rust.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use tenon::{
    sys, DispatchKey, Error, Function, Library, Object, ObjectType, Result, Status, Tensor, Value,
    ValueRef,
};

use crate::support::{fails, floats};

fn twice() -> Function {
    Function::new(|args: &[ValueRef<'_>]| match args {
        [ValueRef::Int(n)] => Ok(vec![Value::Int(2 * n)]),
        _ => Err(Error::new(Status::TYPE, "twice: argument must be an int")),
    })
    .unwrap()
}

#[test]
fn a_closure_is_called_through_its_object() {
    assert!(matches!(twice().call((21,)).unwrap(), Value::Int(42)));
    fails(
        twice().call(("text",)),
        Status::TYPE,
        &["twice: argument must be an int"],
    );
    fails(
        twice().call_many((1,), 2),
        Status::TYPE,
        &["results must be 2, got 1"],
    );
}

#[test]
fn a_function_travels_through_an_operator() {
    let library = Library::define_namespace("function_travel").unwrap();
    let op = library
        .define("apply(Tensor x, Function f, int n) -> int")
        .unwrap();
    library
        .impl_fn(
            "apply",
            DispatchKey::CPU,
            |_: &Tensor, f: &Function, n: i64| -> Result<i64> {
                match f.call((n,))? {
                    Value::Int(n) => Ok(n),
                    other => Err(Error::new(Status::TYPE, format!("{other:?}"))),
                }
            },
        )
        .unwrap();
    let (x, f) = (floats(&[1.0]), twice());
    assert_eq!(op.call::<i64>((&x, &f, 4)).unwrap(), 8);
    let typed = op.typed::<(&Tensor, &Function, i64), i64>().unwrap();
    assert_eq!(typed.call(&x, &f, 4).unwrap(), 8);
}

#[test]
fn panics_and_errors_of_a_function_come_home() {
    let f = Function::new(|_: &[ValueRef<'_>]| -> Result<Vec<Value>> { panic!("as asked") });
    let error = f.unwrap().call(()).unwrap_err();
    let panic = error.into_panic().unwrap();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"as asked"));
    let f = Function::new(|_: &[ValueRef<'_>]| Err(Error::from_error(std::fmt::Error)));
    let error = f.unwrap().call(()).unwrap_err();
    assert!(error.downcast_ref::<std::fmt::Error>().is_some());
}

#[test]
fn what_a_closure_holds_is_dropped_with_its_last_handle() {
    let held = Arc::new(());
    let inside = held.clone();
    let f = Function::new(move |_: &[ValueRef<'_>]| {
        let _ = &inside;
        Ok(vec![])
    })
    .unwrap();
    let value = Value::from(f.clone());
    drop(f);
    assert_eq!(Arc::strong_count(&held), 2);
    drop(value);
    assert_eq!(Arc::strong_count(&held), 1);
}

unsafe extern "C" fn add(_: *mut c_void, stack: *mut sys::tenon_stack) -> sys::tenon_status {
    unsafe {
        let (a, b) = (&*(*stack).args, &*(*stack).args.add(1));
        let sum = a.as_.i + b.as_.i;
        let mut value: sys::tenon_value = std::mem::zeroed();
        value.tag = sys::TENON_TAG_INT as u16;
        value.as_.i = sum;
        (*stack).rets.write(value);
    }
    0
}

struct Plain;

impl ObjectType for Plain {
    const NAME: &'static str = "function_test.Plain";
}

#[test]
fn a_function_of_another_language_is_called() {
    let name: *const c_char = b"add\0".as_ptr().cast();
    let mut record: sys::tenon_object_type = unsafe { std::mem::zeroed() };
    record.struct_size = std::mem::size_of_val(&record) as u32;
    record.language = sys::TENON_LANGUAGE_C;
    record.name = name;
    record.call = Some(add);
    let record: &'static sys::tenon_object_type = Box::leak(Box::new(record));
    let mut raw = std::ptr::null_mut();
    let status = unsafe { sys::tenon_object_new(record, std::ptr::null_mut(), &mut raw) };
    assert_eq!(status, 0);
    let add = Function::from_object(unsafe { Object::from_raw(raw) }).unwrap();
    assert!(matches!(add.call((2, 3)).unwrap(), Value::Int(5)));
    assert!(Function::from_object(Object::new(Plain).unwrap()).is_none());
}
