// SPDX-License-Identifier: Apache-2.0
//! The Rust role of the matrix: operators that define, implement, differentiate and call.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use tenon::autocast::{Autocast, CastPolicy};
use tenon::autograd::{self, BackwardCall, BackwardOptions, Formula, FunctionContext};
use tenon::fake::FakeMode;
use tenon::func::{grad, jvp, vmap, VmapCall};
use tenon::graph::Graph;
use tenon::{
    args, DType, Device, DispatchKey, Error, Function, Handled, Library, Object, ObjectType, Op,
    Overridden, Overrides, Result, Status, Tensor, Value, ValueRef,
};

const MIX: &str =
    "mix(Tensor a, int n, float f, str s, Tensor? opt, int[] dims, Tensor[] list) -> \
                   (Tensor, int)";

static LIBRARIES: Mutex<Option<HashMap<String, Vec<Library>>>> = Mutex::new(None);

fn keep(ns: &str, library: Library) {
    let mut all = LIBRARIES
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    all.get_or_insert_with(HashMap::new)
        .entry(ns.to_owned())
        .or_default()
        .push(library);
}

fn first(tensor: &Tensor) -> Result<f64> {
    Ok(f64::from(tensor.to_vec::<f32>()?[0]))
}

fn mix(
    a: &Tensor,
    n: i64,
    f: f64,
    s: &str,
    opt: Option<&Tensor>,
    dims: &[i64],
    list: &[Tensor],
) -> Result<(Tensor, i64)> {
    let mut offset = f + s.len() as f64 + dims.iter().sum::<i64>() as f64;
    offset += opt.map_or(Ok(100.0), first)?;
    for tensor in list {
        offset += first(tensor)?;
    }
    let mut out = a.to_vec::<f32>()?;
    for x in &mut out {
        *x = (f64::from(*x) * n as f64 + offset) as f32;
    }
    Ok((Tensor::from_vec(out, &a.shape())?, a.data_ptr()? as i64))
}

fn define(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    library.define(MIX)?;
    keep(ns, library);
    Ok(())
}

fn implement(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    library.impl_fn("mix", DispatchKey::CPU, mix)?;
    keep(ns, library);
    Ok(())
}

fn expect(results: (Tensor, i64), a: &Tensor, expected: [f32; 3]) -> Result<()> {
    let out = results.0.to_vec::<f32>()?;
    if out != expected {
        let text = format!("matrix_rust::call: out must be {expected:?}, got {out:?}");
        return Err(Error::new(Status::RUNTIME, &text));
    }
    if results.1 != a.data_ptr()? as i64 {
        let text = "matrix_rust::call: the kernel must see the caller's memory";
        return Err(Error::new(Status::RUNTIME, text));
    }
    Ok(())
}

fn call(ns: &str) -> Result<()> {
    let op = Op::find(&format!("{ns}::mix"))?;
    let a = Tensor::from_slice(&[1f32, 2.0, 3.0], &[3])?;
    let opt = Tensor::from_slice(&[7f32], &[1])?;
    let list = [
        Tensor::from_slice(&[10f32], &[1])?,
        Tensor::from_slice(&[20f32], &[1])?,
    ];
    let dims = [4i64, 6];
    let with = op.call(args![&a, 3, 0.5, "tenon", &opt, &dims[..], &list[..]])?;
    expect(with, &a, [55.5, 58.5, 61.5])?;
    let without = op.call(args![
        &a,
        3,
        0.5,
        "tenon",
        None::<&Tensor>,
        &dims[..],
        &list[..]
    ])?;
    expect(without, &a, [148.5, 151.5, 154.5])
}

/// Overrides operators: returns "rust:" and the second argument.
struct Answering;

impl ObjectType for Answering {
    const NAME: &'static str = "matrix_rust.Object";
}

impl Overrides for Answering {
    fn override_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
        let text = match call.args().get(1) {
            Some(ValueRef::Int(n)) => format!("rust:{n}"),
            other => format!("rust got {other:?}"),
        };
        call.set(0, text)?;
        Ok(Handled::Done)
    }
}

fn object() -> Result<Object> {
    Object::overriding(Answering)
}

/// Calls a namespace's echo operator with another language's object; `spec` is "language,ns".
fn override_by(spec: &str) -> Result<()> {
    let (language, ns) = parts(spec)?;
    let other: Object = Op::find(&format!("matrix_{language}::object"))?.call(())?;
    let result: String = Op::find(&format!("{ns}::echo"))?.call((&other, 7))?;
    if result != format!("{language}:7") {
        let text = format!("matrix_rust::override: result must be {language}:7, got {result}");
        return Err(Error::new(Status::RUNTIME, text));
    }
    Ok(())
}

fn close(ns: &str) {
    let closed = {
        let mut all = LIBRARIES
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        all.as_mut().and_then(|map| map.remove(ns))
    };
    drop(closed); // outside the lock: closing runs deleters
}

/// The error of this role; its number identifies it.
#[derive(Debug)]
struct RustLost(u64);

impl std::fmt::Display for RustLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "lost in Rust")
    }
}

impl std::error::Error for RustLost {}

static RAISED: AtomicU64 = AtomicU64::new(0);

fn raise(_path: &str) -> Result<()> {
    let number = RAISED.fetch_add(1, Ordering::SeqCst) + 1;
    Err(Error::from_error(RustLost(number)))
}

/// Calls the first language of the path, which relays to the remaining ones or raises.
fn relay(path: &str) -> Result<()> {
    match path.split_once(',') {
        Some((language, rest)) => {
            Op::find(&format!("matrix_{language}::relay"))?.call::<()>(args![rest])
        }
        None => Op::find(&format!("matrix_{path}::raise"))?.call::<()>(args![""]),
    }
}

/// Recurses without end: calls the path's first language with the path rotated by one.
fn dive(path: &str) -> Result<()> {
    let (language, turned) = match path.split_once(',') {
        Some((language, rest)) => (language, format!("{rest},{language}")),
        None => (path, path.to_owned()),
    };
    Op::find(&format!("matrix_{language}::dive"))?.call::<()>(args![turned.as_str()])
}

fn catch(path: &str) -> Result<()> {
    comes_home(relay(path))
}

fn comes_home(result: Result<()>) -> Result<()> {
    let wrong = |text: &str| Err(Error::new(Status::RUNTIME, text));
    match result {
        Ok(()) => wrong("matrix_rust: must fail, returned"),
        Err(error) => match error.downcast_ref::<RustLost>() {
            Some(lost) if lost.0 == RAISED.load(Ordering::SeqCst) => Ok(()),
            _ => wrong("matrix_rust: must be the same error value, got another"),
        },
    }
}

fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (a_elements, b_elements) = (a.to_vec::<f32>()?, b.to_vec::<f32>()?);
    let out = a_elements.iter().zip(b_elements).map(|(a, b)| a * b);
    Tensor::from_vec(out.collect(), &a.shape())
}

/// Defines and implements operators whose gradient formulas another language registers.
fn products(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    library.define("product(Tensor a, Tensor b) -> Tensor")?;
    library.impl_fn("product", DispatchKey::CPU, product)?;
    library.define("relayed(Tensor a, str path) -> Tensor")?;
    library.impl_fn("relayed", DispatchKey::CPU, |a: &Tensor, _: &str| {
        Tensor::from_vec(a.to_vec::<f32>()?, &a.shape())
    })?;
    keep(ns, library);
    Ok(())
}

fn of_product(call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
    let (a, b) = (call.saved_tensor(0)?, call.saved_tensor(1)?);
    let grad = call.grad(0)?;
    Ok(vec![Some((grad * b)?), Some((grad * a)?)])
}

fn of_relayed(call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
    match call.saved().get(0) {
        Some(ValueRef::Str(path)) => relay(path).map(|()| vec![None]),
        other => Err(Error::new(
            Status::RUNTIME,
            format!("matrix_rust: path must be saved, got {other:?}"),
        )),
    }
}

fn formulas(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    library.register_autograd("product", Formula::new(of_product).saves(&["a", "b"]))?;
    library.register_autograd("relayed", Formula::new(of_relayed).saves(&["path"]))?;
    keep(ns, library);
    Ok(())
}

fn near(tensor: Option<Tensor>, expected: [f32; 2]) -> Result<()> {
    match tensor {
        Some(tensor) if tensor.to_vec::<f32>()? == expected => Ok(()),
        other => Err(Error::new(
            Status::RUNTIME,
            format!("matrix_rust: gradient must be {expected:?}, got {other:?}"),
        )),
    }
}

fn leaf() -> Result<Tensor> {
    let x = Tensor::from_slice(&[2f32, 3.0], &[2])?;
    x.set_requires_grad(true)?;
    Ok(x)
}

/// Differentiates x^3 twice and checks the results.
fn expect_slopes(cube: &Tensor, x: &Tensor) -> Result<()> {
    let options = BackwardOptions::new().create_graph(true);
    let slope = options.grad(&[&cube.sum()?], &[x])?.remove(0);
    near(slope.clone(), [12.0, 27.0])?;
    if let Some(slope) = slope {
        slope.sum()?.backward()?;
    }
    near(x.grad(), [12.0, 18.0])
}

/// A custom autograd function that computes x^3.
struct Cube;

impl autograd::Function for Cube {
    const NAME: &'static str = "Cube";

    fn forward(&self, ctx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        let [ValueRef::Tensor(x)] = args else {
            return Err(Error::new(Status::TYPE, "Cube: x must be a Tensor"));
        };
        ctx.save_for_backward((*x,))?;
        Ok(Value::Tensor((&(*x * *x)? * *x)?))
    }

    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        let x = call.saved_tensor(0)?;
        Ok(vec![Some((&(call.grad(0)? * x)? * &(x * 3.0)?)?)])
    }
}

fn cube() -> Result<Function> {
    autograd::function(Cube)
}

fn apply(language: &str) -> Result<()> {
    let function: Function = Op::find(&format!("matrix_{language}::cube"))?.call(())?;
    let x = leaf()?;
    match function.call((&x,))? {
        Value::Tensor(cube) => expect_slopes(&cube, &x),
        other => Err(Error::new(
            Status::TYPE,
            format!("matrix_rust::apply: result must be a Tensor, got {other:?}"),
        )),
    }
}

/// Differentiates x^3 by another language's formula, and checks the error of one that fails.
fn slopes(ns: &str) -> Result<()> {
    let product = Op::find(&format!("{ns}::product"))?;
    let x = leaf()?;
    let square: Tensor = product.call((&x, &x))?;
    expect_slopes(&product.call((&square, &x))?, &x)?;
    let failing: Tensor = Op::find(&format!("{ns}::relayed"))?.call((&x, "rust"))?;
    comes_home(failing.sum()?.backward())
}

fn mirror(a: &Tensor) -> Result<Tensor> {
    Ok(a.clone())
}

/// Defines and implements `mirror`, for another language's cast rule, and `echo`, for objects that
/// override it.
fn mirrors(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    library.define("mirror(Tensor a) -> Tensor")?;
    library.impl_fn("mirror", DispatchKey::CPU, mirror)?;
    library.define("echo(Tensor a, int n) -> Tensor")?;
    library.impl_fn("echo", DispatchKey::CPU, |a: &Tensor, _: i64| mirror(a))?;
    keep(ns, library);
    Ok(())
}

fn casts(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    library.register_autocast("mirror", CastPolicy::LowerPrecision, Some(Device::CPU))?;
    keep(ns, library);
    Ok(())
}

fn expect_dtype(op: Op, expected: DType) -> Result<()> {
    let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2])?;
    let dtype = op.call::<Tensor>((&x,))?.dtype();
    if dtype == expected {
        return Ok(());
    }
    Err(Error::new(
        Status::RUNTIME,
        format!("matrix_rust::cast: dtype must be {expected}, got {dtype}"),
    ))
}

/// Calls `mirror` inside and outside of an autocast region.
fn cast(ns: &str) -> Result<()> {
    let mirror = Op::find(&format!("{ns}::mirror"))?;
    expect_dtype(mirror, DType::F32)?;
    Autocast::new(Device::CPU).run(|| expect_dtype(mirror, DType::BF16))?
}

/// Defines and implements `widen`, whose batching rule another language registers.
fn widens(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    library.define("widen(Tensor a) -> Tensor")?;
    // A loop over the examples would see one dimension less.
    library.impl_fn("widen", DispatchKey::CPU, |a: &Tensor| a * a.ndim() as f64)?;
    keep(ns, library);
    Ok(())
}

fn rules(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    // [quote.begin rule]
    library.register_vmap("widen", |call: &VmapCall<'_>| {
        let widened: Tensor = call.op().call(call.args())?;
        Ok((widened, call.in_dims()[0]))
    })?;
    // [quote.end]
    keep(ns, library);
    Ok(())
}

/// Calls `widen` under vmap and checks that the batching rule ran.
fn map(ns: &str) -> Result<()> {
    let widen = Op::find(&format!("{ns}::widen"))?;
    let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
    let mapped = vmap(|a: &Tensor| widen.call::<Tensor>((a,))).call(&x)?;
    let found = mapped.to_vec::<f32>()?;
    if found == [2.0, 4.0, 6.0, 8.0] {
        return Ok(());
    }
    Err(Error::new(
        Status::RUNTIME,
        format!("matrix_rust::map: must be 2, 4, 6, 8, got {found:?}"),
    ))
}

fn shapes(ns: &str) -> Result<()> {
    let library = Library::fragment(ns)?;
    // [quote.begin fake]
    library.register_fake("widen", |a: &Tensor| {
        Op::find("aten::empty_like")?.call::<Tensor>((a,))
    })?;
    // [quote.end]
    keep(ns, library);
    Ok(())
}

/// Calls `widen` with a fake tensor.
fn fake(ns: &str) -> Result<()> {
    let widen = Op::find(&format!("{ns}::widen"))?;
    let given = FakeMode::new()?.from_tensor(&Tensor::from_vec(vec![1.0f32, 2.0], &[2])?)?;
    let found: Tensor = widen.call((&given,))?;
    if found.is_fake() && found.numel() == 2 {
        return Ok(());
    }
    Err(Error::new(
        Status::RUNTIME,
        format!("matrix_rust::fake: result must be fake, of size 2, got {found}"),
    ))
}

fn slope(of: &Tensor, x: &Tensor) -> Result<Option<Tensor>> {
    let options = BackwardOptions::new().create_graph(true);
    Ok(options.grad(&[&of.sum()?], &[x])?.remove(0))
}

/// Computes x^6, one multiplication per language, and its gradient by all languages' formulas.
fn powers(x: &Tensor) -> Result<Vec<Tensor>> {
    let mut power = x.clone();
    for language in ["c", "cpp", "python", "java", "rust"] {
        power = Op::find(&format!("stage_{language}::product"))?.call((&power, x))?;
    }
    let slope = slope(&power, x)?;
    Ok([power].into_iter().chain(slope).collect())
}

fn expect_powers(power: Tensor, slope: Option<Tensor>) -> Result<()> {
    near(Some(power), [64.0, 729.0])?;
    near(slope, [192.0, 1458.0])
}

fn parts(spec: &str) -> Result<(&str, &str)> {
    let wrong = || Error::new(Status::INVALID_ARGUMENT, "matrix_rust: want two names");
    spec.split_once(',').ok_or_else(wrong)
}

/// Records a graph into a file and as an operator; `spec` is "ns,path".
fn record(spec: &str) -> Result<()> {
    let (ns, path) = parts(spec)?;
    let graph = Graph::record(&[&leaf()?], |given| powers(given[0]))?;
    graph.save(path)?;
    let library = Library::fragment(ns)?;
    graph.define(&library, "powers")?;
    keep(ns, library);
    Ok(())
}

/// Runs the graph from the file, and as the operator.
fn replay(spec: &str) -> Result<()> {
    let (ns, path) = parts(spec)?;
    let mut run = Graph::load(path)?.run(&[&Tensor::from_slice(&[2f32, 3.0], &[2])?])?;
    expect_powers(run.remove(0), run.pop())?;
    let x = leaf()?;
    let called: (Tensor, Tensor) = Op::find(&format!("{ns}::powers"))?.call((&x,))?;
    expect_powers(called.0.clone(), Some(called.1))?;
    let derived = slope(&called.0, &x)?;
    expect_powers(called.0, derived)
}

/// Wraps a function of one tensor as a function value.
fn function_of<F>(function: F) -> Result<Function>
where
    F: Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static,
{
    Function::new(move |args: &[ValueRef<'_>]| match args {
        [ValueRef::Tensor(x)] => Ok(vec![function(x)?.into()]),
        _ => Err(Error::new(Status::TYPE, "matrix_rust: x must be a Tensor")),
    })
}

/// Transforms a function of any language: vmap, grad of the sum, or jvp with tangents of ones.
fn transform(function: ValueRef<'_>, kind: &str) -> Result<Function> {
    let wrong = |expected: &str| Error::new(Status::TYPE, format!("transform: want a {expected}"));
    let ValueRef::Function(function) = function else {
        return Err(wrong("function"));
    };
    let (function, kind) = (function.clone(), kind.to_owned());
    function_of(move |x| {
        let f = |a: &Tensor| match function.call((a,))? {
            Value::Tensor(result) => Ok(result),
            _ => Err(wrong("Tensor")),
        };
        match kind.as_str() {
            "vmap" => vmap(f).call(x),
            "grad" => grad(|a: &Tensor| f(a)?.sum()).call(x),
            _ => Ok(jvp(f, x, &tenon::aten::ones_like(x)?)?.1),
        }
    })
}

/// Calls a function that ends by raising this role's error, and checks the error.
fn attempt(function: ValueRef<'_>, x: &Tensor) -> Result<()> {
    match function {
        ValueRef::Function(function) => comes_home(function.call((x,)).map(|_| ())),
        _ => Err(Error::new(Status::TYPE, "attempt: want a function")),
    }
}

/// Returns x^3 as a function.
fn power() -> Result<Function> {
    function_of(|x| &(x * x)? * x)
}

fn load() -> Result<Library> {
    let library = Library::define_namespace("matrix_rust")?;
    let composite = DispatchKey::COMPOSITE_IMPLICIT_AUTOGRAD;
    for name in [
        "define",
        "implement",
        "call",
        "close",
        "raise",
        "relay",
        "catch",
        "dive",
        "products",
        "formulas",
        "slopes",
        "apply",
        "mirrors",
        "casts",
        "cast",
        "widens",
        "rules",
        "map",
        "shapes",
        "fake",
        "record",
        "replay",
    ] {
        library.define(&format!("{name}(str ns) -> ()"))?;
    }
    library.impl_fn("define", composite, define)?;
    library.impl_fn("implement", composite, implement)?;
    library.impl_fn("call", composite, call)?;
    library.impl_fn("close", composite, close)?;
    library.impl_fn("raise", composite, raise)?;
    library.impl_fn("relay", composite, relay)?;
    library.impl_fn("catch", composite, catch)?;
    library.impl_fn("dive", composite, dive)?;
    library.impl_fn("products", composite, products)?;
    library.impl_fn("formulas", composite, formulas)?;
    library.impl_fn("slopes", composite, slopes)?;
    library.impl_fn("apply", composite, apply)?;
    library.impl_fn("mirrors", composite, mirrors)?;
    library.impl_fn("casts", composite, casts)?;
    library.impl_fn("cast", composite, cast)?;
    library.impl_fn("widens", composite, widens)?;
    library.impl_fn("rules", composite, rules)?;
    library.impl_fn("map", composite, map)?;
    library.impl_fn("shapes", composite, shapes)?;
    library.impl_fn("fake", composite, fake)?;
    library.impl_fn("record", composite, record)?;
    library.impl_fn("replay", composite, replay)?;
    library.define("power() -> Any")?;
    library.impl_fn("power", composite, power)?;
    library.define("attempt(Any function, Tensor x) -> ()")?;
    library.impl_fn("attempt", composite, attempt)?;
    library.define("transform(Any function, str kind) -> Any")?;
    library.impl_fn("transform", composite, transform)?;
    library.define("cube() -> Any")?;
    library.impl_fn("cube", composite, cube)?;
    library.define("object() -> Any")?;
    library.impl_fn("object", composite, object)?;
    library.define("override(str spec) -> ()")?;
    library.impl_fn("override", composite, override_by)?;
    Ok(library)
}

tenon::plugin! { name: "matrix_rust", version: "0.1.0", load: load }
