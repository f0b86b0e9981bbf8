// SPDX-License-Identifier: Apache-2.0
//! Schemas: parsing, printing and reading.

use tenon::{Schema, Status, ValueRef};

use crate::support::fails;

#[test]
fn facts_of_arguments_and_returns() {
    let text =
        "ns::f.o(Tensor(a!) x, int[2] d=[1, 1], *, float? e=None, Tensor(b!) out) -> Tensor(b!)";
    let schema: Schema = text.parse().unwrap();
    assert_eq!(
        (schema.name(), schema.overload()),
        ("ns::f".into(), "o".into())
    );
    assert_eq!(schema.full_name(), "ns::f.o");
    assert!(schema.is_mutable());
    let arguments = schema.arguments();
    let names: Vec<_> = arguments.iter().map(|one| one.name.as_ref()).collect();
    assert_eq!(names, ["x", "d", "e", "out"]);
    assert!(arguments[0].written && arguments[0].alias_text == "(a!)");
    assert!(matches!(
        arguments[1].default,
        Some(ValueRef::IntList([1, 1]))
    ));
    assert!(matches!(arguments[2].default, Some(ValueRef::None)));
    assert!(arguments[2].kwarg_only && !arguments[2].out && arguments[3].out);
    assert!(arguments[0].default.is_none());
    assert_eq!(arguments[2].type_text, "float?");
    assert_eq!(schema.returns()[0].aliased_argument, Some(3));
    assert_eq!(schema.to_string().parse::<Schema>().unwrap(), schema);
    assert!(schema.argument(4).is_none());
}

#[test]
fn malformed_text_is_an_error_with_its_place() {
    let error = fails(
        "ns::f(Tensor x, foo bar) -> ()".parse::<Schema>(),
        Status::PARSE,
        &["foo"],
    );
    assert_eq!(error.kind(), "SyntaxError");
    fails("".parse::<Schema>(), Status::PARSE, &[]);
    fails("ns::f(int x".parse::<Schema>(), Status::PARSE, &[]);
}

#[test]
fn compatibility_is_checked() {
    let older: Schema = "ns::f(Tensor x) -> Tensor".parse().unwrap();
    let newer: Schema = "ns::f(Tensor x, int n=0) -> Tensor".parse().unwrap();
    newer.check_compatible(&older, false).unwrap();
    fails(
        older.check_compatible(&newer, false),
        Status::INVALID_ARGUMENT,
        &[],
    );
}
