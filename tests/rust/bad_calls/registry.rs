// SPDX-License-Identifier: Apache-2.0
//! Wrong calls about schemas, libraries, keys and plugins.

use std::sync::Arc;
use std::time::Duration;

use tenon::{
    DefineOptions, Device, DispatchKey, DispatchKeySet, Library, LibraryKind, Op, Place, Plugin,
    Registration, Result, Schema, ThreadDefault,
};

use super::{given_kernel, key, number, text, World};

pub fn schema_parse(_: &World, args: &[&str]) -> Option<Result<()>> {
    let nested = args[0].strip_prefix("@nested ").map(|depth| {
        let depth = number(depth) as usize;
        format!("f({}int x) -> ()", "(".repeat(depth))
    });
    let schema = match &nested {
        Some(nested) => nested,
        None => text(args[0])?,
    };
    Some(schema.parse::<Schema>().map(drop))
}

pub fn schema_compatible(_: &World, args: &[&str]) -> Option<Result<()>> {
    let parse = |text: &str| text.parse::<Schema>().unwrap();
    let (newer, older) = (parse(args[0]), parse(args[1]));
    Some(newer.check_compatible(&older, number(args[2]) != 0))
}

pub fn library_new(_: &World, args: &[&str]) -> Option<Result<()>> {
    let kind = match args[0] {
        "DEF" => LibraryKind::Def,
        "IMPL" => LibraryKind::Impl,
        "FRAGMENT" => LibraryKind::Fragment,
        _ => return None, // the enum has no other kind
    };
    Some(Library::open(kind, text(args[1])?, key(args[2])).map(drop))
}

pub fn define(world: &World, args: &[&str]) -> Option<Result<()>> {
    let schema = text(args[1])?;
    Some(world.library(args[0])?.define(schema).map(drop))
}

pub fn define_options(world: &World, args: &[&str]) -> Option<Result<()>> {
    let value = text(args[1])?;
    let tags = [value];
    let options = match args[0] {
        "tag" => DefineOptions {
            tags: &tags,
            ..DefineOptions::default()
        },
        "alias_analysis" => DefineOptions {
            alias_analysis: value,
            ..DefineOptions::default()
        },
        _ => return None, // the struct is Rust's own
    };
    let library = world.library("FRAGMENT")?;
    Some(library.define_with("opted() -> ()", options).map(drop))
}

/// A failed registration drops its kernel, with everything that it owns.
fn dropped(result: Result<Registration>, given: &Arc<()>) -> Option<Result<()>> {
    tenon::reap();
    assert_eq!(Arc::strong_count(given), 1, "the kernel must be dropped");
    Some(result.map(drop))
}

pub fn implement(world: &World, args: &[&str]) -> Option<Result<()>> {
    let (library, name) = (world.library(args[0])?, text(args[1])?);
    let (kernel, given) = given_kernel(args[3])?;
    dropped(library.impl_kernel(name, key(args[2]), kernel), &given)
}

pub fn fallback(world: &World, args: &[&str]) -> Option<Result<()>> {
    let library = world.library(args[0])?;
    let (kernel, given) = given_kernel(args[2])?;
    dropped(library.fallback_kernel(key(args[1]), kernel), &given)
}

pub fn drain(world: &World, args: &[&str]) -> Option<Result<()>> {
    Some(world.library(args[0])?.drain(Some(Duration::ZERO)))
}

pub fn op_find(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(Op::find(text(args[0])?).map(drop))
}

pub fn key_parse(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(text(args[0])?.parse::<DispatchKey>().map(drop))
}

pub fn key_for_device(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(DispatchKey::for_device(args[0]).map(drop))
}

pub fn keyset_from_key(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(DispatchKeySet::of(&[key(args[0])]).map(drop))
}

pub fn backend_register(_: &World, args: &[&str]) -> Option<Result<()>> {
    let name = text(args[0])?;
    Some(
        Device::register_backend(name)
            .map(drop)
            .and(DispatchKey::register_backend(name).map(drop)),
    )
}

pub fn functionality_register(_: &World, args: &[&str]) -> Option<Result<()>> {
    let (place, per_backend, default) = match number(args[2]) {
        0 => (Place::Below, false, ThreadDefault::None),
        4 => (Place::Below, false, ThreadDefault::Included),
        5 => (Place::Above, false, ThreadDefault::Included),
        6 => (Place::Below, true, ThreadDefault::Included),
        8 => (Place::Below, false, ThreadDefault::Excluded),
        _ => return None, // flags are enums and a bool
    };
    let (name, anchor) = (text(args[0])?, text(args[1])?);
    let made = DispatchKey::register_with_default(name, anchor, place, per_backend, default);
    Some(made.map(drop))
}

pub fn plugin_load(_: &World, args: &[&str]) -> Option<Result<()>> {
    let built = |name: &str| format!("{}/lib{name}.so", std::env::var("TENON_LIB_DIR").unwrap());
    let path = match args[0] {
        "@cases" => concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../tests/badinput/cases.txt"
        )
        .into(),
        "@without_query" => built("capi_plugin_without_query"),
        "@other_abi" => built("capi_plugin_other_abi"),
        "@failing" => built("capi_plugin_failing"),
        path => text(path)?.to_owned(),
    };
    Some(Plugin::load(path).map(drop))
}
