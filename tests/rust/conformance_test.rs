// SPDX-License-Identifier: Apache-2.0
//! Runs the cases of tests/conformance, which every language's suite runs.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use tenon::{
    Complex, DType, Device, Element, Generator, MemoryFormat, Op, Result, Schema, Tensor, Value,
    ValueRef, BF16, F16,
};

fn folder() -> PathBuf {
    let root = std::env::var_os("TENON_SOURCE_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.."),
        PathBuf::from,
    );
    root.join("tests/conformance")
}

/// Returns true if this build can run operator cases, because libtenon_cpu was found.
fn has_kernels() -> bool {
    Op::find("aten::add.Tensor").is_ok()
}

#[test]
fn all_cases_pass() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no cases in {}", folder().display());
    let (mut passed, mut skipped, mut failures) = (0, 0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let json: Json = serde_json::from_str(&text).unwrap();
        for case in json["cases"].as_array().unwrap() {
            let name = format!("{}: {}", json["title"].as_str().unwrap(), case["name"]);
            if case.get("op").is_some() && !has_kernels() {
                skipped += 1;
                continue;
            }
            match run(case) {
                Ok(()) => passed += 1,
                Err(reason) => failures.push(format!("{name}: {reason}")),
            }
        }
    }
    println!(
        "conformance: {passed} passed, {skipped} skipped, {} failed",
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(passed > 0);
    if std::env::var_os("TENON_BUILD_DIR").is_some() {
        assert_eq!(skipped, 0, "libtenon_cpu must be found in a full build");
    }
}

type Outcome = std::result::Result<(), String>;

fn run(case: &Json) -> Outcome {
    if case.get("op").is_some() {
        operator_case(case)
    } else if case.get("newer").is_some() {
        compatibility_case(case)
    } else if case.get("schema").is_some() {
        schema_case(case)
    } else {
        Err("a case must have op, schema or newer".into())
    }
}

/// Compares a failure with what a case expects of it.
fn expect_error<T>(result: Result<T>, want: &Json) -> Outcome {
    let error = match result {
        Ok(_) => return Err(format!("must fail with {want}")),
        Err(error) => error,
    };
    if Some(error.status().name()) != want["code"].as_str() {
        return Err(format!("must fail with {}, got {error:?}", want["code"]));
    }
    for text in want["contains"].as_array().into_iter().flatten() {
        let text = text.as_str().unwrap_or_default();
        if !error.message().contains(text) {
            return Err(format!("message must contain {text:?}, got {error}"));
        }
    }
    Ok(())
}

/// Extreme integers; those below -2^62 have the bits of symbols.
const EXTREMES: [i64; 8] = [
    i64::MIN,
    i64::MIN + 1,
    -(1 << 62) - 1,
    -(1 << 62),
    -(1 << 62) + 1,
    1 << 62,
    i64::MAX - 1,
    i64::MAX,
];

/// Returns the arguments of a case with an extreme number in place of each integer, one at a time.
fn with_extremes(args: &[Json]) -> Vec<Vec<Json>> {
    let mut made = Vec::new();
    for (at, given) in args.iter().enumerate() {
        let places = match given {
            Json::Array(list) => list.len(),
            _ => 1,
        };
        for place in 0..places {
            for extreme in EXTREMES {
                let mut changed = args.to_vec();
                let target = match &mut changed[at] {
                    Json::Array(list) => &mut list[place],
                    one => one,
                };
                if target.is_i64() {
                    *target = extreme.into();
                    made.push(changed);
                }
            }
        }
    }
    made
}

#[test]
fn extreme_integers_give_results_or_errors() {
    if !has_kernels() {
        return;
    }
    let mut calls = 0;
    for file in std::fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        if path
            .extension()
            .map_or(true, |extension| extension != "json")
        {
            continue;
        }
        let json: Json = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for case in json["cases"].as_array().unwrap() {
            let (Some(name), Some(args)) = (case["op"].as_str(), case["args"].as_array()) else {
                continue;
            };
            let Ok(op) = Op::find(name) else { continue };
            let schema = op.schema().unwrap();
            for changed in with_extremes(args) {
                let mut values = Vec::new();
                for (index, json) in changed.iter().enumerate() {
                    let type_ = schema.argument(index).map(|one| one.type_text.into_owned());
                    values.push(value(json, type_.as_deref().unwrap_or("")).unwrap());
                }
                let mut call = op.args();
                for value in &values {
                    call = call.arg(value);
                }
                if let Err(error) = call.call::<Vec<Value>>() {
                    assert_ne!(error.status(), tenon::Status::INTERNAL, "{name}: {error}");
                }
                calls += 1;
            }
        }
    }
    assert!(calls > 1000, "{calls} calls");
}

fn operator_case(case: &Json) -> Outcome {
    let op = match (Op::find(case["op"].as_str().unwrap()), case.get("error")) {
        (Ok(op), _) => op,
        (failed, Some(want)) => return expect_error(failed, want),
        (Err(error), None) => return Err(error.to_string()),
    };
    let schema = op.schema().map_err(|error| error.to_string())?;
    let mut args = Vec::new();
    for (index, json) in case["args"].as_array().into_iter().flatten().enumerate() {
        let type_ = schema.argument(index).map(|one| one.type_text.into_owned());
        args.push(value(json, type_.as_deref().unwrap_or(""))?);
    }
    let mut named = Vec::new();
    for (name, json) in case["kwargs"].as_object().into_iter().flatten() {
        let arguments = schema.arguments();
        let argument = arguments.iter().find(|one| one.name == name.as_str());
        let type_ = argument.map_or("", |one| &one.type_text);
        named.push((name.as_str(), value(json, type_)?));
    }
    let mut call = op.args();
    for arg in &args {
        call = call.arg(arg);
    }
    for (name, arg) in &named {
        call = call.named(name, arg);
    }
    let result = call.call::<Vec<Value>>();
    if let Some(want) = case.get("error") {
        return expect_error(result, want);
    }
    let results = result.map_err(|error| format!("{error:?}"))?;
    let wants = case["expect"].as_array().ok_or("expect must be a list")?;
    if results.len() != wants.len() {
        return Err(format!(
            "must give {} results, got {}",
            wants.len(),
            results.len()
        ));
    }
    let tolerance = case["tolerance"].as_f64();
    for (got, want) in results.iter().zip(wants) {
        compare(got, want, &args, tolerance)?;
    }
    for (index, want) in case["after"].as_object().into_iter().flatten() {
        let index: usize = index.parse().map_err(|_| "after must name positions")?;
        compare(&args[index], want, &args, tolerance)?;
    }
    for index in case["shares"].as_array().into_iter().flatten() {
        let index = index.as_u64().unwrap_or(0) as usize;
        match (results.first(), args.get(index)) {
            (Some(Value::Tensor(got)), Some(Value::Tensor(arg))) if got.shares_storage(arg) => {}
            _ => return Err(format!("must share the storage of argument {index}")),
        }
    }
    Ok(())
}

/// Converts a JSON value to the schema type, which decides the kind of lists of numbers.
fn value(json: &Json, type_: &str) -> std::result::Result<Value, String> {
    Ok(match json {
        Json::Null => Value::None,
        Json::Bool(value) => Value::Bool(*value),
        Json::String(text) => Value::Str(text.clone()),
        Json::Number(number) => match number.as_i64() {
            Some(value) if type_.trim_end_matches('?') != "float" => Value::Int(value),
            _ => Value::Float(number.as_f64().ok_or("a number must fit a double")?),
        },
        Json::Array(list) => list_value(list, type_)?,
        Json::Object(object) => {
            let (key, inner) = object.iter().next().ok_or("an object must have a key")?;
            let text = inner.as_str().unwrap_or_default();
            match key.as_str() {
                "tensor" => Value::Tensor(tensor(inner)?),
                "float" => Value::Float(float(inner)?),
                "complex" => Value::Complex(complex(inner)?),
                "dtype" => Value::DType(text.parse().map_err(|e| format!("{e}"))?),
                "device" => Value::Device(text.parse().map_err(|e| format!("{e}"))?),
                "memory_format" => Value::MemoryFormat(match text {
                    "contiguous_format" => MemoryFormat::CONTIGUOUS,
                    "preserve_format" => MemoryFormat::PRESERVE,
                    "channels_last" => MemoryFormat::CHANNELS_LAST,
                    "channels_last_3d" => MemoryFormat::CHANNELS_LAST_3D,
                    other => return Err(format!("unknown memory format {other}")),
                }),
                "generator" => Value::Generator(generator(inner)?),
                other => return Err(format!("unknown value {other}")),
            }
        }
    })
}

fn generator(json: &Json) -> std::result::Result<Generator, String> {
    let seed = json["seed"]
        .as_u64()
        .ok_or("a generator must have a seed")?;
    Generator::new(Device::CPU, seed).map_err(|error| error.to_string())
}

fn list_value(list: &[Json], type_: &str) -> std::result::Result<Value, String> {
    let bare = type_.trim_end_matches('?');
    let element = bare.rfind('[').map_or("", |at| &bare[..at]);
    let values: Vec<Value> = list
        .iter()
        .map(|one| value(one, element))
        .collect::<std::result::Result<_, _>>()?;
    let tensors = values.iter().map(|value| match value {
        Value::Tensor(tensor) => Some(Some(tensor.clone())),
        Value::None => Some(None),
        _ => None,
    });
    let ints = values.iter().map(|value| match value {
        Value::Int(value) => Some(*value),
        _ => None,
    });
    let floats = values.iter().map(|value| match value {
        Value::Float(value) => Some(*value),
        Value::Int(value) => Some(*value as f64),
        _ => None,
    });
    let bools = values.iter().map(|value| match value {
        Value::Bool(value) => Some(*value),
        _ => None,
    });
    let wrong = || format!("a list must be {type_}, got {list:?}");
    Ok(match element {
        "Tensor" | "Tensor?" => {
            Value::TensorList(tensors.collect::<Option<_>>().ok_or_else(wrong)?)
        }
        "int" | "SymInt" => Value::IntList(ints.collect::<Option<_>>().ok_or_else(wrong)?),
        "float" => Value::FloatList(floats.collect::<Option<_>>().ok_or_else(wrong)?),
        "bool" => Value::BoolList(bools.collect::<Option<_>>().ok_or_else(wrong)?),
        _ => Value::List(values),
    })
}

fn float(json: &Json) -> std::result::Result<f64, String> {
    match json {
        Json::String(text) => text.parse().map_err(|_| format!("no number: {text}")),
        other => other.as_f64().ok_or_else(|| format!("no number: {other}")),
    }
}

fn complex(json: &Json) -> std::result::Result<Complex<f64>, String> {
    Ok(Complex {
        re: float(&json[0])?,
        im: float(&json[1])?,
    })
}

fn dims(json: &Json) -> Vec<i64> {
    json.as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_i64)
        .collect()
}

fn tensor(json: &Json) -> std::result::Result<Tensor, String> {
    let text = |error: tenon::Error| error.to_string();
    let dtype: DType = json["dtype"]
        .as_str()
        .unwrap_or_default()
        .parse()
        .map_err(text)?;
    let shape = dims(&json["shape"]);
    if json["device"] == "meta" {
        return Tensor::empty(&shape, dtype, Device::META).map_err(text);
    }
    let data = json["data"].as_array().ok_or("a tensor must have data")?;
    let strided = json.get("strides").is_some();
    if data.is_empty() && !strided {
        // Memory of Tenon's own, which an operator may resize.
        return Tensor::empty(&shape, dtype, Device::CPU).map_err(text);
    }
    let size = if strided {
        vec![data.len() as i64]
    } else {
        shape.clone()
    };
    let base = elements(dtype, data, &size)?;
    if !strided {
        return Ok(base);
    }
    base.alias(
        &shape,
        &dims(&json["strides"]),
        json["offset"].as_i64().unwrap_or(0),
    )
    .map_err(text)
}

fn elements(dtype: DType, data: &[Json], shape: &[i64]) -> std::result::Result<Tensor, String> {
    fn make<T: Element>(
        data: &[Json],
        shape: &[i64],
        read: impl Fn(&Json) -> std::result::Result<T, String>,
    ) -> std::result::Result<Tensor, String> {
        let data: Vec<T> = data
            .iter()
            .map(read)
            .collect::<std::result::Result<_, _>>()?;
        Tensor::from_vec(data, shape).map_err(|error| error.to_string())
    }
    fn int(json: &Json) -> std::result::Result<i64, String> {
        json.as_i64().ok_or_else(|| format!("no integer: {json}"))
    }
    match dtype {
        DType::BOOL => make(data, shape, |x| {
            x.as_bool().ok_or_else(|| format!("no bool: {x}"))
        }),
        DType::U8 => make(data, shape, |x| int(x).map(|x| x as u8)),
        DType::I8 => make(data, shape, |x| int(x).map(|x| x as i8)),
        DType::I16 => make(data, shape, |x| int(x).map(|x| x as i16)),
        DType::I32 => make(data, shape, |x| int(x).map(|x| x as i32)),
        DType::I64 => make(data, shape, int),
        DType::F32 => make(data, shape, |x| float(x).map(|x| x as f32)),
        DType::F64 => make(data, shape, float),
        DType::BF16 => make(data, shape, |x| float(x).map(|x| BF16::from_f32(x as f32))),
        DType::F16 => make(data, shape, |x| float(x).and_then(half)),
        DType::C64 => make(data, shape, |x| {
            complex(x).map(|x| Complex {
                re: x.re as f32,
                im: x.im as f32,
            })
        }),
        DType::C128 => make(data, shape, complex),
        other => Err(format!("dtype {other} is not read here")),
    }
}

/// The half of a number that half precision holds exactly.
fn half(value: f64) -> std::result::Result<F16, String> {
    (0..=u16::MAX)
        .map(F16)
        .find(|&bits| {
            let back = from_half(bits);
            back == value && back.is_sign_negative() == value.is_sign_negative()
                || back.is_nan() && value.is_nan()
        })
        .ok_or_else(|| format!("{value} must be exact in float16"))
}

fn from_half(F16(bits): F16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// Elements of any dtype as complex numbers, exact for everything but int64 beyond 2^53.
fn numbers(tensor: &Tensor) -> std::result::Result<Vec<Complex<f64>>, String> {
    fn read<T: Element>(
        tensor: &Tensor,
        convert: impl Fn(T) -> (f64, f64),
    ) -> std::result::Result<Vec<Complex<f64>>, String> {
        let data = tensor.to_vec::<T>().map_err(|error| error.to_string())?;
        Ok(data
            .into_iter()
            .map(convert)
            .map(|(re, im)| Complex { re, im })
            .collect())
    }
    match tensor.dtype() {
        DType::BOOL => read(tensor, |x: bool| (f64::from(u8::from(x)), 0.0)),
        DType::U8 => read(tensor, |x: u8| (f64::from(x), 0.0)),
        DType::I8 => read(tensor, |x: i8| (f64::from(x), 0.0)),
        DType::I16 => read(tensor, |x: i16| (f64::from(x), 0.0)),
        DType::I32 => read(tensor, |x: i32| (f64::from(x), 0.0)),
        DType::I64 => read(tensor, |x: i64| (x as f64, 0.0)),
        DType::F32 => read(tensor, |x: f32| (f64::from(x), 0.0)),
        DType::F64 => read(tensor, |x: f64| (x, 0.0)),
        DType::BF16 => read(tensor, |x: BF16| (f64::from(x.to_f32()), 0.0)),
        DType::F16 => read(tensor, |x: F16| (from_half(x), 0.0)),
        DType::C64 => read(tensor, |x: Complex<f32>| (f64::from(x.re), f64::from(x.im))),
        DType::C128 => read(tensor, |x: Complex<f64>| (x.re, x.im)),
        other => Err(format!("dtype {other} is not read here")),
    }
}

fn close(got: f64, want: f64, tolerance: Option<f64>) -> bool {
    got == want
        || got.is_nan() && want.is_nan()
        || tolerance.is_some_and(|tolerance| (got - want).abs() <= tolerance * want.abs().max(1.0))
}

fn compare(got: &Value, want: &Json, args: &[Value], tolerance: Option<f64>) -> Outcome {
    let wrong = || Err(format!("must give {want}, got {got:?}"));
    if let Some(index) = want.get("argument").and_then(Json::as_u64) {
        return match (got, args.get(index as usize)) {
            (Value::Tensor(a), Some(Value::Tensor(b))) if a.as_raw() == b.as_raw() => Ok(()),
            _ => Err(format!("must give argument {index} itself, got {got:?}")),
        };
    }
    if let Some(want) = want.get("tensor") {
        let Value::Tensor(got) = got else {
            return wrong();
        };
        return compare_tensors(got, want, tolerance);
    }
    let type_ = match got {
        Value::Float(_) => "float",
        Value::FloatList(_) => "float[]",
        Value::IntList(_) => "int[]",
        Value::BoolList(_) => "bool[]",
        Value::TensorList(list) => {
            let wants = want.as_array().ok_or("a list of tensors is expected")?;
            if list.len() != wants.len() {
                return wrong();
            }
            for (got, want) in list.iter().zip(wants) {
                compare(&Value::from(got.clone()), want, args, tolerance)?;
            }
            return Ok(());
        }
        _ => "",
    };
    let same = match (got, &value(want, type_)?) {
        (Value::None, Value::None) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => close(*a, *b, tolerance),
        (Value::Complex(a), Value::Complex(b)) => {
            close(a.re, b.re, tolerance) && close(a.im, b.im, tolerance)
        }
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::DType(a), Value::DType(b)) => a == b,
        (Value::Device(a), Value::Device(b)) => a.kind == b.kind,
        (Value::MemoryFormat(a), Value::MemoryFormat(b)) => a == b,
        (Value::IntList(a), Value::IntList(b)) => a == b,
        (Value::BoolList(a), Value::BoolList(b)) => a == b,
        (Value::FloatList(a), Value::FloatList(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b, tolerance))
        }
        _ => false,
    };
    if same {
        Ok(())
    } else {
        wrong()
    }
}

fn compare_tensors(got: &Tensor, want: &Json, tolerance: Option<f64>) -> Outcome {
    let dtype = want["dtype"].as_str().unwrap_or_default();
    if got.dtype().name() != dtype || got.shape()[..] != dims(&want["shape"])[..] {
        return Err(format!("must give {dtype} {}, got {got:?}", want["shape"]));
    }
    if want["device"] == "meta" {
        return match got.device().to_string().as_str() {
            "meta" => Ok(()),
            other => Err(format!("must be on meta, got {other}")),
        };
    }
    let wanted = tensor(want)?;
    // Both sides have the dtype, so that rounding to it happens to both.
    let (got_numbers, want_numbers) = (numbers(got)?, numbers(&wanted)?);
    let same = got_numbers
        .iter()
        .zip(&want_numbers)
        .all(|(a, b)| close(a.re, b.re, tolerance) && close(a.im, b.im, tolerance));
    let exact =
        got.dtype() != DType::I64 || got.to_vec::<i64>().ok() == wanted.to_vec::<i64>().ok();
    if same && exact {
        Ok(())
    } else {
        Err(format!("must give {}, got {got}", want["data"]))
    }
}

fn schema_case(case: &Json) -> Outcome {
    let parsed: Result<Schema> = case["schema"].as_str().unwrap_or_default().parse();
    if let Some(want) = case.get("error") {
        return expect_error(parsed, want);
    }
    let schema = parsed.map_err(|error| error.to_string())?;
    let texts = |list: Vec<String>| Json::from(list);
    let names: Vec<_> = schema
        .arguments()
        .iter()
        .map(|one| one.name.to_string())
        .collect();
    let types: Vec<_> = schema
        .arguments()
        .iter()
        .map(|one| one.type_text.to_string())
        .collect();
    let returns: Vec<_> = schema
        .returns()
        .iter()
        .map(|one| one.type_text.to_string())
        .collect();
    let kwarg_only = schema.arguments().into_iter().filter(|one| one.kwarg_only);
    let kwarg_only: Vec<_> = kwarg_only.map(|one| one.name.to_string()).collect();
    let facts = [
        ("prints", Json::from(schema.to_string())),
        ("op_name", Json::from(schema.name().into_owned())),
        ("overload", Json::from(schema.overload().into_owned())),
        ("arguments", texts(names)),
        ("types", texts(types)),
        ("kwarg_only", texts(kwarg_only)),
        ("returns", texts(returns)),
        ("mutable", Json::from(schema.is_mutable())),
    ];
    for (fact, got) in facts {
        match case.get(fact) {
            Some(want) if *want != got => {
                return Err(format!("{fact} must be {want}, got {got}"));
            }
            _ => {}
        }
    }
    for (name, want) in case["defaults"].as_object().into_iter().flatten() {
        let arguments = schema.arguments();
        let argument = arguments.iter().find(|one| one.name == name.as_str());
        let default = argument
            .and_then(|one| one.default)
            .ok_or("a default is missing")?;
        let got = ValueRef::to_value(default).map_err(|error| error.to_string())?;
        compare(&got, want, &[], None).map_err(|reason| format!("default of {name} {reason}"))?;
    }
    Ok(())
}

fn compatibility_case(case: &Json) -> Outcome {
    let parse = |text: &Json| -> std::result::Result<Schema, String> {
        text.as_str()
            .unwrap_or_default()
            .parse()
            .map_err(|error: tenon::Error| error.to_string())
    };
    let (newer, older) = (parse(&case["newer"])?, parse(&case["older"])?);
    let forward = case["forward"].as_bool().unwrap_or(false);
    let compatible = newer.check_compatible(&older, forward);
    match (compatible, case["compatible"].as_bool()) {
        (Ok(()), Some(true)) | (Err(_), Some(false)) => Ok(()),
        (Ok(()), _) => Err("must be incompatible".into()),
        (Err(error), _) => Err(format!("must be compatible, got {error}")),
    }
}
