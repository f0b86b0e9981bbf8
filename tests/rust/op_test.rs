// SPDX-License-Identifier: Apache-2.0
//! Finding and calling operators: positions, names, defaults, keys.

use tenon::{
    DType, Device, DispatchKey, DispatchKeySet, KernelContext, LazyOp, Library, Op, Status, Tensor,
    Value, ValueRef,
};

use crate::support::{fails, floats, read};

/// `line(Tensor x, float slope=1.0, *, float offset=0.0, str? note=None) -> Tensor`
fn line(namespace: &str) -> (Library, Op) {
    let library = Library::define_namespace(namespace).unwrap();
    let schema = "line(Tensor x, float slope=1.0, *, float offset=0.0, str? note=None) -> Tensor";
    let op = library.define(schema).unwrap();
    library
        .impl_fn(
            "line",
            DispatchKey::CPU,
            |x: &Tensor, slope: f64, offset: f64, note: Option<&str>| {
                assert!(note.is_none() || note == Some("noted"));
                let data = read(x)
                    .iter()
                    .map(|v| v * slope as f32 + offset as f32)
                    .collect();
                Tensor::from_vec(data, &x.shape())
            },
        )
        .unwrap();
    (library, op)
}

#[test]
fn positional_arguments_and_defaults() {
    let (_library, op) = line("op_positional");
    let x = floats(&[1.0, 2.0]);
    let same: Tensor = op.call((&x,)).unwrap();
    let twice: Tensor = op.call((&x, 2.0)).unwrap();
    let all: Tensor = op.call((&x, 2.0, 1.0, "noted")).unwrap();
    assert_eq!(
        (read(&same), read(&twice)),
        (vec![1.0, 2.0], vec![2.0, 4.0])
    );
    assert_eq!(read(&all), [3.0, 5.0]);
}

#[test]
fn named_arguments() {
    let (_library, op) = line("op_named");
    let x = floats(&[1.0, 2.0]);
    let y: Tensor = op.args().arg(&x).named("offset", 0.5).call().unwrap();
    assert_eq!(read(&y), [1.5, 2.5]);
    let y: Tensor = op
        .args()
        .named("note", "noted")
        .named("slope", 3.0)
        .named("x", &x)
        .call()
        .unwrap();
    assert_eq!(read(&y), [3.0, 6.0]);
}

#[test]
fn named_arguments_are_checked() {
    let (_library, op) = line("op_named_bad");
    let x = floats(&[1.0]);
    let call = |builder: tenon::CallBuilder<'_>| builder.call::<Tensor>();
    fails(
        call(op.args().arg(&x).named("ofset", 1.0)),
        Status::TYPE,
        &["op_named_bad::line", "'ofset'", "x, slope, offset, note"],
    );
    fails(
        call(op.args().arg(&x).named("x", &x)),
        Status::TYPE,
        &["x must be given once", "twice"],
    );
    fails(
        call(op.args().named("slope", 1.0)),
        Status::TYPE,
        &["x must be given"],
    );
    fails(
        call(op.args().arg(&x).arg(1.0).arg(2.0)),
        Status::TYPE,
        &["op_named_bad::line", "offset must be given by name"],
    );
    fails(
        call(op.args().arg(&x).named("slope", "1")),
        Status::TYPE,
        &["slope", "float", "str"],
    );
}

#[test]
fn values_are_arguments() {
    let (_library, op) = line("op_values");
    let args = vec![Value::from(floats(&[2.0])), Value::from(2.0)];
    let y: Tensor = op.call(&args).unwrap();
    assert_eq!(read(&y), [4.0]);
    let all: Vec<Value> = op.call(&args[..]).unwrap();
    assert!(matches!(&all[..], [Value::Tensor(_)]));
}

#[test]
fn several_results() {
    let library = Library::define_namespace("op_results").unwrap();
    let op = library
        .define("split(int x) -> (int, float, str, int[])")
        .unwrap();
    library
        .impl_fn("split", "default", |x: i64| {
            (x, x as f64, x.to_string(), vec![x, x + 1])
        })
        .unwrap();
    let (a, b, c, d): (i64, f64, String, Vec<i64>) = op.call((3,)).unwrap();
    assert_eq!((a, b, c.as_str(), &d[..]), (3, 3.0, "3", &[3, 4][..]));
    op.call::<()>((3,)).unwrap();
}

#[test]
fn many_results_and_arguments_go_boxed() {
    let library = Library::define_namespace("op_many").unwrap();
    let op = library
        .define(
            "many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) \
             -> (int, int, int, int, int, int)",
        )
        .unwrap();
    library
        .impl_boxed(
            "many",
            "default",
            |_: &tenon::KernelContext, args: &[tenon::ValueRef]| {
                args[..6].iter().map(|arg| arg.to_value()).collect()
            },
        )
        .unwrap();
    let values: Vec<Value> = (0..10i64).map(Value::from).collect();
    let (a, .., f): (i64, i64, i64, i64, i64, i64) = op.call(&values).unwrap();
    assert_eq!((a, f), (0, 5));
}

#[test]
fn operators_without_tensors_run_composite_kernels() {
    let library = Library::define_namespace("op_no_tensor").unwrap();
    let op = library.define("half(float x) -> float").unwrap();
    fails(
        op.call::<f64>((1.0,)),
        Status::NO_KERNEL,
        &["op_no_tensor::half"],
    );
    library
        .impl_fn("half", "CompositeImplicitAutograd", |x: f64| x / 2.0)
        .unwrap();
    assert_eq!(op.call::<f64>((1.0,)).unwrap(), 0.5);
}

#[test]
fn written_arguments_come_back_as_themselves() {
    let library = Library::define_namespace("op_written").unwrap();
    let op = library
        .define("add_one_(Tensor(a!) self) -> Tensor(a!)")
        .unwrap();
    library
        .impl_fn(
            "add_one_",
            DispatchKey::CPU,
            |x: &Tensor| -> tenon::Result<()> {
                unsafe { x.as_mut_slice::<f32>()? }
                    .iter_mut()
                    .for_each(|v| *v += 1.0);
                Ok(())
            },
        )
        .unwrap();
    let x = floats(&[1.0, 2.0]);
    let version = x.version();
    let y: Tensor = op.call((&x,)).unwrap();
    assert_eq!(y.as_raw(), x.as_raw());
    assert_eq!((read(&x), x.version()), (vec![2.0, 3.0], version + 1));
    op.typed::<(&Tensor,), ()>().unwrap().call(&x).unwrap();
    assert_eq!(read(&x), [3.0, 4.0]);
}

#[test]
fn a_kernel_may_return_its_written_argument_itself() {
    let library = Library::define_namespace("op_written_returned").unwrap();
    let op = library
        .define("touch_(Tensor(a!) self) -> Tensor(a!)")
        .unwrap();
    library
        .impl_fn("touch_", DispatchKey::CPU, |x: &Tensor| x.clone())
        .unwrap();
    let x = floats(&[1.0]);
    let y: Tensor = op.call((&x,)).unwrap();
    assert_eq!(y.as_raw(), x.as_raw());
}

#[test]
fn call_key_chooses_the_kernel() {
    let library = Library::define_namespace("op_call_key").unwrap();
    let op = library.define("where_(Tensor x) -> str").unwrap();
    library
        .impl_fn("where_", DispatchKey::CPU, |_: &Tensor| "cpu".to_owned())
        .unwrap();
    library
        .impl_fn("where_", DispatchKey::META, |_: &Tensor| "meta".to_owned())
        .unwrap();
    let x = floats(&[1.0]);
    assert_eq!(op.call::<String>((&x,)).unwrap(), "cpu");
    assert_eq!(
        op.call_key::<String>(DispatchKey::META, (&x,)).unwrap(),
        "meta"
    );
    let error = op.call_key::<String>(DispatchKey::CUDA, (&x,));
    fails(error, Status::NO_KERNEL, &["op_call_key::where_"]);
}

#[test]
fn compute_keys_tells_where_a_call_goes() {
    let (_library, op) = line("op_compute_keys");
    let x = floats(&[1.0]);
    let keys = op.compute_keys((&x,)).unwrap();
    assert!(keys.has(DispatchKey::CPU), "{keys}");
    assert_eq!(
        (keys & DispatchKeySet::below(DispatchKey::AD_INPLACE_OR_VIEW)).highest(),
        DispatchKey::CPU
    );
}

#[test]
fn lazy_operators_are_found_when_they_exist() {
    static LINE: LazyOp = LazyOp::new("op_lazy::line");
    fails(LINE.get(), Status::NOT_FOUND, &["op_lazy"]);
    let (_library, op) = line("op_lazy");
    assert_eq!(LINE.get().unwrap(), op);
}

#[test]
fn operators_print_their_names() {
    let (_library, op) = line("op_print");
    assert_eq!(
        (op.to_string(), format!("{op:?}")),
        ("op_print::line".into(), "Op(op_print::line)".into())
    );
    assert_eq!(op.schema().unwrap().arguments().len(), 4);
}

#[test]
fn explicit_keys_lead_to_no_kernel_that_cannot_read_the_tensors() {
    let add = Op::find("aten::add.Tensor").unwrap();
    let x = floats(&[1.0, 2.0]);
    let meta = Tensor::empty(&[2], DType::F32, Device::META).unwrap();
    let mode = tenon::fake::FakeMode::new().unwrap();
    let fake = mode.from_tensor(&x).unwrap();
    let cpu = x.keys();
    let square = Tensor::empty(&[2, 2], DType::F32, Device::META).unwrap();
    for bad in [&meta, &fake] {
        let named = ["aten::add.Tensor", "other", "CPU can read"];
        let called = add.call_key::<Tensor>(DispatchKey::CPU, (&x, bad));
        fails(called, Status::INVALID_ARGUMENT, &named);
        fails(
            add.redispatch::<Tensor>(cpu, (&x, bad)),
            Status::INVALID_ARGUMENT,
            &named,
        );
        let listed = Op::find("aten::cat").unwrap();
        let called = listed.call_key::<Tensor>(DispatchKey::CPU, (&[&x, bad][..], 0));
        fails(called, Status::INVALID_ARGUMENT, &["aten::cat", "tensors"]);
    }
    let product = Op::find("aten::mm").unwrap();
    let product = product.typed::<(&Tensor, &Tensor), Tensor>().unwrap();
    let called = product.redispatch(cpu, &square, &square);
    fails(called, Status::INVALID_ARGUMENT, &["aten::mm", "self"]);
    assert!(add.redispatch::<Tensor>(cpu, (&x, &x)).is_ok());
    assert!(add
        .call_key::<Tensor>(DispatchKey::META, (&meta, &meta))
        .is_ok());
}

#[test]
fn a_kernel_may_not_redispatch_with_a_tensor_without_memory() {
    let library = Library::define_namespace("op_swapped").unwrap();
    let op = library.define("f(Tensor a) -> Tensor").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |a: &Tensor| a.copy())
        .unwrap();
    library
        .impl_boxed(
            "f",
            DispatchKey::AUTOGRAD_CPU,
            |context: &KernelContext, _: &[ValueRef]| {
                let meta = Tensor::empty(&[2], DType::F32, Device::META)?;
                let keys = context.keys_below(DispatchKey::AUTOGRAD_CPU);
                let result: Tensor = context.redispatch(keys, (&meta,))?;
                Ok(vec![Value::from(result)])
            },
        )
        .unwrap();
    let called = op.call::<Tensor>((&floats(&[1.0, 2.0]),));
    fails(
        called,
        Status::INVALID_ARGUMENT,
        &["op_swapped::f", "a must be"],
    );
}
