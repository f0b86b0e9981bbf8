// SPDX-License-Identifier: Apache-2.0
//! Runs the tables of tests/conformance that every language must answer alike: what arguments bind
//! to, and which signatures schemas have.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::Value as Json;
use tenon::{
    Arg, Complex, DType, Device, DispatchKey, Error, IntoArg, Kernel, Library, Op, Schema, Status,
    Tensor, Value, ValueRef,
};

fn table(name: &str) -> Vec<Json> {
    let root = std::env::var_os("TENON_SOURCE_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.."),
        Into::into,
    );
    let file = root.join(format!("tests/conformance/{name}.json"));
    let text = std::fs::read_to_string(file).unwrap();
    let json: Json = serde_json::from_str(&text).unwrap();
    json[name].as_array().unwrap().clone()
}

/// The tensors that cases call x and y.
struct Tensors {
    x: Tensor,
    y: Tensor,
}

impl Tensors {
    fn get(&self, name: &Json) -> Option<Tensor> {
        match name.as_str() {
            Some("x") => Some(self.x.clone()),
            Some("y") => Some(self.y.clone()),
            _ => None,
        }
    }

    /// A value of the table: null, or an object with its type as the only key.
    fn value(&self, json: &Json) -> Value {
        let Some((type_, content)) = json.as_object().and_then(|object| object.iter().next())
        else {
            return Value::None;
        };
        let list = || content.as_array().unwrap().iter();
        let number = |json: &Json| json.as_f64().unwrap();
        match type_.as_str() {
            "bool" => Value::Bool(content.as_bool().unwrap()),
            "int" => Value::Int(content.as_i64().unwrap()),
            "float" => Value::Float(number(content)),
            "complex" => Value::Complex(Complex {
                re: number(&content[0]),
                im: number(&content[1]),
            }),
            "str" => Value::Str(content.as_str().unwrap().to_owned()),
            "dtype" => Value::DType(content.as_str().unwrap().parse::<DType>().unwrap()),
            "device" => Value::Device(content.as_str().unwrap().parse::<Device>().unwrap()),
            "tensor" => Value::Tensor(self.get(content).unwrap()),
            "ints" => Value::IntList(list().map(|json| json.as_i64().unwrap()).collect()),
            "floats" => Value::FloatList(list().map(number).collect()),
            "bools" => Value::BoolList(list().map(|json| json.as_bool().unwrap()).collect()),
            "tensors" => Value::TensorList(list().map(|json| self.get(json)).collect()),
            "list" => Value::List(list().map(|json| self.value(json)).collect()),
            other => panic!("a value of type {other:?}"),
        }
    }
}

/// Formats a value with its type and the identity of tensors.
fn shown(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => format!("Tensor {:p}", tensor.as_raw()),
        Value::TensorList(tensors) => {
            let handle = |tensor: &Option<Tensor>| tensor.as_ref().map(Tensor::as_raw);
            format!("{:?}", tensors.iter().map(handle).collect::<Vec<_>>())
        }
        Value::List(values) => format!("{:?}", values.iter().map(shown).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    }
}

type Seen = Arc<Mutex<Option<Vec<Value>>>>;

/// Defines the case's operator, with a kernel that stores the arguments it receives.
fn defined(library: &Library, schema: &str) -> (Op, Seen) {
    let op = library.define(schema).unwrap();
    let seen: Seen = Arc::default();
    let kept = seen.clone();
    let kernel = Kernel::on_stack(move |stack| {
        let args = stack
            .args()
            .iter()
            .map(ValueRef::to_value)
            .collect::<Result<_, Error>>()?;
        *kept.lock().unwrap() = Some(args);
        Ok(())
    });
    let name = op.name();
    library
        .impl_kernel(name, DispatchKey::COMPOSITE_EXPLICIT_AUTOGRAD, kernel)
        .unwrap();
    (op, seen)
}

/// How a case is called.
type Call<'a> = &'a dyn Fn(Op, &[Value], &[(&str, Value)]) -> Result<(), Error>;

fn by_builder(op: Op, args: &[Value], named: &[(&str, Value)]) -> Result<(), Error> {
    let call = args.iter().fold(op.args(), |call, arg| call.arg(arg));
    let call = named
        .iter()
        .fold(call, |call, (name, arg)| call.named(name, arg));
    call.call()
}

fn by_position(op: Op, args: &[Value], _: &[(&str, Value)]) -> Result<(), Error> {
    let args: Vec<Arg<'_>> = args.iter().map(IntoArg::into_arg).collect();
    op.call(args)
}

fn outcome(case: &Json, tensors: &Tensors, op: Op, seen: &Seen, call: Call<'_>) -> Option<String> {
    let list = |json: &Json| -> Vec<Value> {
        let values = json.as_array().into_iter().flatten();
        values.map(|json| tensors.value(json)).collect()
    };
    let named: Vec<(&str, Value)> = case["named"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, json)| (name.as_str(), tensors.value(json)))
        .collect();
    *seen.lock().unwrap() = None;
    let result = call(op, &list(&case["positional"]), &named);
    let got = seen.lock().unwrap().take();
    match (result, case["error"].as_str()) {
        (Err(error), Some(text)) => {
            let right = error.status() == Status::TYPE && error.message() == text;
            (!right).then(|| format!("got {:?}: {}", error.status(), error.message()))
        }
        (Err(error), None) => Some(format!("failed: {error}")),
        (Ok(()), Some(text)) => Some(format!("must fail with {text:?}, got {got:?}")),
        (Ok(()), None) => {
            let show = |values: &[Value]| values.iter().map(shown).collect::<Vec<_>>();
            let (got, want) = (show(&got.unwrap()), show(&list(&case["bound"])));
            (got != want).then(|| format!("must bind to {want:?}, got {got:?}"))
        }
    }
}

#[test]
fn arguments_bind_as_in_every_language() {
    let library = Library::define_namespace("bind").unwrap();
    let tensors = Tensors {
        x: Tensor::scalar(1.0f32).unwrap(),
        y: Tensor::scalar(2.0f32).unwrap(),
    };
    let (mut ran, mut failures) = (0, Vec::new());
    for case in table("bindings") {
        let (op, seen) = defined(&library, case["schema"].as_str().unwrap());
        let mut run = |how: &str, call: Call<'_>| {
            ran += 1;
            if let Some(reason) = outcome(&case, &tensors, op, &seen, call) {
                failures.push(format!("{} {how}: {reason}", case["name"]));
            }
        };
        run("by args()", &by_builder);
        if case["named"].as_object().is_none() {
            run("by call()", &by_position);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(ran >= 60, "{ran}");
}

#[test]
fn schemas_have_the_signatures_of_the_table() {
    let cases = table("signatures");
    assert!(cases.len() >= 30);
    for case in cases {
        let schema: Schema = case["schema"].as_str().unwrap().parse().unwrap();
        assert_eq!(
            schema.signature(),
            case["letters"].as_str().unwrap(),
            "{schema}"
        );
        let hash = format!("{:#018x}", schema.signature_hash());
        assert_eq!(hash, case["hash"].as_str().unwrap(), "{schema}");
    }
}
