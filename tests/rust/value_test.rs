// SPDX-License-Identifier: Apache-2.0
//! Passes values of every type through a call and back.

use tenon::{
    args, Complex, DType, Device, KernelContext, Layout, Library, MemoryFormat, Object, ObjectType,
    Op, Scalar, Tensor, Value, ValueRef,
};

use crate::support::floats;

/// Defines an operator of the given type that returns its argument.
fn echo(namespace: &str, type_: &str) -> (Library, Op) {
    let library = Library::define_namespace(namespace).unwrap();
    let op = library
        .define(&format!("echo({type_} x) -> {type_}"))
        .unwrap();
    library
        .impl_boxed("echo", "default", |_: &KernelContext, args: &[ValueRef]| {
            Ok(vec![args[0].to_value()?])
        })
        .unwrap();
    (library, op)
}

macro_rules! round_trips {
    ($($name:ident: $type_:literal, $value:expr, $pattern:pat $(if $guard:expr)?, )*) => {
        $(#[test]
        fn $name() {
            let (_library, op) = echo(concat!("value_", stringify!($name)), $type_);
            let value: Value = $value;
            let result: Value = op.call(std::slice::from_ref(&value)).unwrap();
            assert!(matches!(&result, $pattern $(if $guard)?), "{value:?} came back as {result:?}");
            assert_eq!(result.type_name(), value.type_name());
        })*
    };
}

round_trips! {
    none: "int?", Value::None, Value::None,
    boolean: "bool", Value::Bool(true), Value::Bool(true),
    integer: "int", Value::Int(i64::MIN), Value::Int(i64::MIN),
    float: "float", Value::Float(-0.5), Value::Float(x) if *x == -0.5,
    complex: "complex", Value::Complex(Complex { re: 1.0, im: -2.0 }),
        Value::Complex(x) if (x.re, x.im) == (1.0, -2.0),
    scalar_of_int: "Scalar", Value::Int(3), Value::Int(3),
    string: "str", Value::from("grün\0x"), Value::Str(x) if x == "grün\0x",
    empty_string: "str", Value::from(""), Value::Str(x) if x.is_empty(),
    dtype: "ScalarType", Value::DType(DType::BF16), Value::DType(DType::BF16),
    layout: "Layout", Value::Layout(Layout::STRIDED), Value::Layout(Layout::STRIDED),
    memory_format: "MemoryFormat", Value::MemoryFormat(MemoryFormat::CHANNELS_LAST),
        Value::MemoryFormat(MemoryFormat::CHANNELS_LAST),
    device: "Device", Value::Device(Device::cuda(3)), Value::Device(x) if *x == Device::cuda(3),
    ints: "int[]", Value::from(vec![1i64, -2]), Value::IntList(x) if x == &[1, -2],
    no_ints: "int[]", Value::from(Vec::<i64>::new()), Value::IntList(x) if x.is_empty(),
    floats_: "float[]", Value::from(vec![0.5]), Value::FloatList(x) if x == &[0.5],
    bools: "bool[]", Value::from(vec![true, false]), Value::BoolList(x) if x == &[true, false],
    optional_ints: "int[]?", Value::from(Some(vec![4i64])), Value::IntList(x) if x == &[4],
    strings: "str[]", Value::List(vec!["a".into(), "b".into()]), Value::List(x) if x.len() == 2,
    nested: "int[][]", Value::List(vec![vec![1i64].into(), vec![2i64, 3].into()]),
        Value::List(x) if matches!(&x[1], Value::IntList(y) if y == &[2, 3]),
    tuple: "Any", Value::Tuple(vec![1i64.into(), "x".into()]),
        Value::Tuple(x) if matches!(&x[..], [Value::Int(1), Value::Str(_)]),
    dict: "Dict(str, int)", Value::Dict(vec![("k".into(), 7i64.into())]),
        Value::Dict(x) if matches!(&x[..], [(Value::Str(_), Value::Int(7))]),
}

#[test]
fn tensors_come_back_as_the_same_handle() {
    let (_library, op) = echo("value_tensor", "Tensor");
    let x = floats(&[1.0]);
    let y: Tensor = op.call((&x,)).unwrap();
    assert_eq!(y.as_raw(), x.as_raw());
    assert_eq!(x.use_count(), 2);
}

#[test]
fn tensor_lists_hold_absent_tensors() {
    let (_library, op) = echo("value_tensors", "Tensor?[]");
    let list = vec![Some(floats(&[1.0])), None];
    let back: Vec<Option<Tensor>> = op.call((&list,)).unwrap();
    assert_eq!(back.len(), 2);
    assert_eq!(
        back[0].as_ref().unwrap().as_raw(),
        list[0].as_ref().unwrap().as_raw()
    );
    assert!(back[1].is_none());
}

#[test]
fn lists_of_borrowed_tensors_are_arguments() {
    let (_library, op) = echo("value_borrowed_tensors", "Tensor[]");
    let (x, y) = (floats(&[1.0]), floats(&[2.0]));
    let back: Vec<Tensor> = op.call((&[&x, &y],)).unwrap();
    assert_eq!(
        (back[0].as_raw(), back[1].as_raw()),
        (x.as_raw(), y.as_raw())
    );
    let owned: Vec<Tensor> = op.call((&back,)).unwrap();
    assert_eq!(owned[1].as_raw(), y.as_raw());
}

#[test]
fn objects_come_back_as_the_same_value() {
    struct Palette(Vec<u8>);
    impl ObjectType for Palette {
        const NAME: &'static str = "value_object.Palette";
    }
    struct Other;
    impl ObjectType for Other {
        const NAME: &'static str = "value_object.Palette";
    }
    let (_library, op) = echo("value_object", "Any");
    let object = Object::new(Palette(vec![1, 2])).unwrap();
    let back: Object = op.call((&object,)).unwrap();
    assert_eq!(back.downcast_ref::<Palette>().unwrap().0, [1, 2]);
    assert!(back.downcast_ref::<Other>().is_none());
    assert_eq!(back.type_name(), "value_object.Palette");
}

#[test]
fn results_of_another_type_name_operator_and_result() {
    let (_library, op) = echo("value_mismatch", "int");
    let error = op.call::<f64>((3,)).unwrap_err();
    assert_eq!(
        error.message(),
        "value_mismatch::echo: result 0 must be float, got int"
    );
    let error = op.call::<(i64, i64)>((3,)).unwrap_err();
    assert_eq!(
        error.message(),
        "value_mismatch::echo: results must be 2, got 1"
    );
}

#[test]
fn scalars_convert() {
    assert_eq!(Scalar::from(3i32), Scalar::Int(3));
    assert_eq!(Scalar::from(true).to_f64(), Some(1.0));
    assert_eq!(Scalar::from(2.5).to_i64(), None);
    let complex = Scalar::from(Complex { re: 0.0, im: 1.0 });
    assert_eq!(complex.to_f64(), None);
}

#[test]
fn args_keep_their_types() {
    let list = args![1, 2.0, true, "text", None::<i64>, &[1i64, 2], DType::F32];
    let types: Vec<_> = list.iter().map(|arg| arg.value().type_name()).collect();
    let none = Value::None.type_name();
    assert_eq!(
        types,
        ["int", "float", "bool", "str", none, "int[]", "ScalarType"]
    );
}
