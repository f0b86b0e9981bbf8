// SPDX-License-Identifier: Apache-2.0
//! Objects that the cases of bad input use, and their calls, in Rust.

use std::ffi::c_void;
use std::fmt::Write;

use tenon::{
    introspect, DispatchKey, DispatchKeySet, Generator, Kernel, KernelContext, Library,
    LibraryKind, Object, ObjectType, Op, Place, Policy, Result, Stack, Tensor, ThreadDefault,
    Value, ValueRef,
};
use tenon::{DType, Device};

mod generators;
mod gradients;
mod introspection;
mod registry;
mod tensors;

/// Makes the wrong call; returns `None` if Rust cannot express it.
pub type Call = fn(&World, &[&str]) -> Option<Result<()>>;

/// The calls of the catalogue that Rust has.
pub const CALLS: &[(&str, Call)] = &[
    ("schema_parse", registry::schema_parse),
    ("schema_compatible", registry::schema_compatible),
    ("library_new", registry::library_new),
    ("define", registry::define),
    ("define_options", registry::define_options),
    ("impl", registry::implement),
    ("fallback", registry::fallback),
    ("drain", registry::drain),
    ("op_find", registry::op_find),
    ("key_parse", registry::key_parse),
    ("key_for_device", registry::key_for_device),
    ("keyset_from_key", registry::keyset_from_key),
    ("backend_register", registry::backend_register),
    ("functionality_register", registry::functionality_register),
    ("plugin_load", registry::plugin_load),
    ("call", call),
    ("plain_call", call),
    ("keys", keys),
    ("results", results),
    ("failing", failing),
    ("call_key", call_key),
    ("redispatch", redispatch),
    ("slot", slot),
    ("dtype_parse", tensors::dtype_parse),
    ("dtype_promote", tensors::dtype_promote),
    ("device_parse", tensors::device_parse),
    ("tensor_new", tensors::tensor_new),
    ("tensor_wrap", tensors::tensor_wrap),
    ("tensor_alias", tensors::tensor_alias),
    ("undefined_alias", tensors::undefined_alias),
    ("tensor_data", tensors::tensor_data),
    ("dlpack", tensors::dlpack),
    ("dlpack_export", tensors::dlpack_export),
    ("wrapper", tensors::wrapper),
    ("generator_make", generators::generator_make),
    ("generator_set_state", generators::generator_set_state),
    ("set_requires_grad", gradients::set_requires_grad),
    ("set_grad", gradients::set_grad),
    ("register_autograd", gradients::register_autograd),
    ("dual_enter", gradients::dual_enter),
    ("dual_make", gradients::dual_make),
    ("dual_unpack", gradients::dual_unpack),
    ("saved_hooks_push", gradients::saved_hooks_push),
    ("saved_hooks_disable", gradients::saved_hooks_disable),
    ("backward", gradients::backward),
    ("grad", gradients::grad),
    ("explain", introspection::explain),
    ("simulator_new", introspection::simulator_new),
    ("simulator_register", introspection::simulator_register),
    ("simulator_remove", introspection::simulator_remove),
    ("simulator_slot", introspection::simulator_slot),
];

/// The class of the catalogue's object.
struct Unit;

impl ObjectType for Unit {
    const NAME: &'static str = "bad.Object";
}

/// Objects that exist before the first case; tests/badinput/README.md lists them.
pub struct World {
    libraries: Vec<(&'static str, Library)>,
    taken: Op,
    pub tensor: Tensor,
    other: Tensor,
    pub meta: Tensor,
    object: Object,
    generator: Generator,
}

impl World {
    pub fn new() -> World {
        let open = |kind, namespace, key| Library::open(kind, namespace, key).unwrap();
        let none = DispatchKey::NONE;
        let owner = open(LibraryKind::Def, "bad", none);
        let taken = owner.define("taken(Tensor x) -> Tensor").unwrap();
        owner.define("taken.over(int x) -> ()").unwrap();
        let libraries = vec![
            ("FRAGMENT", open(LibraryKind::Fragment, "bad", none)),
            ("IMPL", open(LibraryKind::Impl, "bad", none)),
            (
                "IMPL_CUDA",
                open(LibraryKind::Impl, "bad", DispatchKey::CUDA),
            ),
            ("WILDCARD", open(LibraryKind::Impl, "_", none)),
            ("closed", open(LibraryKind::Fragment, "bad", none)),
            ("closed_wildcard", open(LibraryKind::Impl, "_", none)),
            ("DEF", owner),
        ];
        let numbers = [1.0f32; 6];
        let world = World {
            libraries,
            taken,
            tensor: Tensor::from_slice(&numbers, &[2, 3]).unwrap(),
            other: Tensor::from_slice(&numbers, &[2, 3]).unwrap(),
            meta: Tensor::empty(&[2, 3], DType::F32, Device::META).unwrap(),
            object: Object::new(Unit).unwrap(),
            generator: Generator::new(Device::CPU, 1).unwrap(),
        };
        world.library("closed").unwrap().close();
        world.library("closed_wildcard").unwrap().close();
        let (owner, implement) = (
            world.library("DEF").unwrap(),
            world.library("IMPL").unwrap(),
        );
        owner
            .impl_fn("taken", DispatchKey::CPU, |x: &Tensor| x.clone())
            .unwrap();
        let wildcard = world.library("WILDCARD").unwrap();
        wildcard
            .fallback(DispatchKey::WRAPPER, |stack: &mut Stack<'_>| {
                stack.redispatch(stack.keys_below(DispatchKey::WRAPPER))
            })
            .unwrap();
        let marked = ThreadDefault::Included;
        DispatchKey::register_with_default("BadMarked", "Override", Place::Below, false, marked)
            .unwrap();
        for name in ["waiting", "typed_waiting"] {
            implement
                .impl_fn(name, DispatchKey::CPU, |x: &Tensor| x.clone())
                .unwrap();
        }
        world
    }

    /// A library by the catalogue's name for it; `None` for `NULL`, which Rust does not have.
    pub fn library(&self, name: &str) -> Option<&Library> {
        let found = self.libraries.iter().find(|(known, _)| *known == name);
        assert!(found.is_some() || name == "NULL", "no library {name}");
        Some(&found?.1)
    }

    /// Returns the state that no case may change.
    pub fn state(&self) -> String {
        tenon::reap();
        let mut text = String::new();
        for name in introspect::operators().unwrap() {
            let op = Op::find(&name).unwrap();
            text += &op.dump().unwrap();
            text += &op.dump_table().unwrap();
        }
        let dangling = introspect::dangling_operators().unwrap();
        let keys = (DispatchKeySet::included(), DispatchKeySet::excluded());
        let uses = [&self.tensor, &self.other, &self.meta].map(Tensor::use_count);
        let live = introspect::live_handles();
        let default = DType::default_float();
        write!(text, "{dangling:?} {keys:?} {uses:?} {live:?} {default:?}").unwrap();
        text
    }

    /// Returns a value in the catalogue's notation; `None` if Rust cannot make it.
    fn value(&self, token: &str) -> Option<Value> {
        let (kind, rest) = token.split_at(1);
        let numbers = || rest[1..].split(',').map(number);
        Some(match kind {
            "n" => Value::None,
            "i" => Value::Int(number(rest)),
            "f" => Value::Float(rest.parse().unwrap()),
            "b" => Value::Bool(rest == "1"),
            "s" => Value::Str(rest.to_owned()),
            "I" => Value::IntList(numbers().collect()),
            "F" => Value::FloatList(numbers().map(|number| number as f64).collect()),
            "t" => return None, // no tag by number
            "L" => Value::TensorList(
                rest[1..]
                    .split(',')
                    .map(|part| (part == "T").then(|| self.tensor.clone()))
                    .collect(),
            ),
            _ => match token {
                "T" => Value::Tensor(self.tensor.clone()),
                "T2" => Value::Tensor(self.other.clone()),
                "TM" => Value::Tensor(self.meta.clone()),
                "TU" => Value::Tensor(Tensor::undefined()),
                "O" => Value::Object(self.object.clone()),
                "G" => Value::Generator(self.generator.clone()),
                "T0" | "O0" | "G0" => return None, // no NULL
                _ => panic!("the case itself is wrong: {token:?} is no value"),
            },
        })
    }

    pub fn values(&self, text: &str) -> Option<Vec<Value>> {
        text.split_whitespace()
            .map(|token| self.value(token))
            .collect()
    }
}

pub fn number(text: &str) -> i64 {
    text.parse()
        .unwrap_or_else(|_| panic!("no number: {text:?}"))
}

/// Returns the number after `name=` in "name=value name=value".
pub fn field(fields: &str, name: &str) -> Option<i64> {
    let mut pairs = fields.split(' ').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(known, _)| *known == name)
        .map(|(_, value)| number(value))
}

/// Parses a dispatch key by name or number; "none" is `DispatchKey::NONE`.
pub fn key(text: &str) -> DispatchKey {
    if text == "none" {
        return DispatchKey::NONE;
    }
    match text.parse::<u32>() {
        Ok(code) => DispatchKey::from_code(code),
        Err(_) => text.parse().unwrap(),
    }
}

/// Returns a string, or `None` for `NULL`, which no Rust string is.
pub fn text(text: &str) -> Option<&str> {
    (text != "NULL").then_some(text)
}

// ---- Calls of operators; that of a case lives only while the case runs --------------------------

/// `bad::called` with a kernel for the CPU.
pub fn called(schema: &str, kernel: Kernel) -> (Library, Op) {
    let library = Library::fragment("bad").unwrap();
    let op = library.define(schema).unwrap();
    library
        .impl_kernel("called", DispatchKey::CPU, kernel)
        .unwrap();
    (library, op)
}

pub fn return_first() -> Kernel {
    Kernel::boxed(|_: &KernelContext, args: &[ValueRef<'_>]| Ok(vec![args[0].to_value()?]))
}

fn call(world: &World, args: &[&str]) -> Option<Result<()>> {
    if args[2] != "1" {
        return None; // the memory for results is Rust's own
    }
    let values = world.values(args[1])?;
    let (_library, op) = called(args[0], return_first());
    Some(op.call::<Vec<Value>>(&values).map(drop))
}

fn keys(world: &World, args: &[&str]) -> Option<Result<()>> {
    let values = world.values(args[1])?;
    let (_library, op) = called(args[0], return_first());
    Some(op.compute_keys(&values).map(drop))
}

fn results(world: &World, args: &[&str]) -> Option<Result<()>> {
    if args[1] == "borrowed" {
        return None; // what a kernel returns is owned
    }
    let values = world.values(args[1])?;
    let kernel = Kernel::boxed(move |_: &KernelContext, _: &[ValueRef<'_>]| Ok(values.clone()));
    let (_library, op) = called(args[0], kernel);
    Some(op.call::<Vec<Value>>((&world.tensor,)).map(drop))
}

/// The ways in which a Rust kernel can fail: with an error, before or after it wrote a result.
fn failing(world: &World, args: &[&str]) -> Option<Result<()>> {
    let (how, status) = args[0].split_once(' ').unwrap();
    let writes = how == "write";
    if how != "stack" && !writes {
        return None; // no failure without an error, and the slot is C's
    }
    let status = match status {
        "BUSY" => tenon::Status::BUSY,
        _ => tenon::Status::SYSTEM,
    };
    let result = world.tensor.clone();
    let kernel = Kernel::on_stack(move |stack: &mut Stack<'_>| {
        if writes {
            stack.set(0, &result)?;
        }
        Err(tenon::Error::new(status, "from the stack"))
    });
    let (_library, op) = called("called(Tensor x) -> Tensor", kernel);
    Some(op.call::<Tensor>((&world.tensor,)).map(drop))
}

fn call_key(world: &World, args: &[&str]) -> Option<Result<()>> {
    let result = world
        .taken
        .call_key::<Tensor>(key(args[0]), (&world.tensor,));
    Some(result.map(drop))
}

fn redispatch(world: &World, args: &[&str]) -> Option<Result<()>> {
    if args[0] == "written" {
        return None; // the results are Rust's own
    }
    let keys = DispatchKeySet::of(&[key(args[0])]).unwrap();
    let result = world.taken.redispatch::<Tensor>(keys, (&world.tensor,));
    Some(result.map(drop))
}

fn slot(world: &World, args: &[&str]) -> Option<Result<()>> {
    if args[0].contains('=') {
        return None; // the struct is Rust's own
    }
    Some(world.taken.slot(key(args[0])).map(drop))
}

/// Returns an address to pass on.
pub fn address<T>(of: &mut T) -> *mut c_void {
    std::ptr::addr_of_mut!(*of).cast()
}

/// Returns a kernel for a registration that must fail, and an `Arc` whose count shows its drop.
pub fn given_kernel(fields: &str) -> Option<(Kernel, std::sync::Arc<()>)> {
    let given = std::sync::Arc::new(());
    let held = given.clone();
    let kernel = match fields {
        "ok" | "policy=1" => Kernel::boxed(move |_: &KernelContext, args: &[ValueRef<'_>]| {
            let _held = &held;
            Ok(vec![args[0].to_value()?])
        }),
        "schema=(int _0) -> ()" => Kernel::typed(move |_: i64| {
            let _held = &held;
        }),
        _ => return None, // the struct is Rust's own
    };
    let policy = if fields == "policy=1" {
        Policy::Error
    } else {
        Policy::Layer
    };
    Some((kernel.policy(policy), given))
}
