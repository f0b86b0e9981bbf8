// SPDX-License-Identifier: Apache-2.0
//! Calls the Rust wrappers of the namespace `wrapped`; tells how many answers were others.
#![deny(warnings, missing_docs)]

pub mod aten;
pub mod typed;
pub mod wrapped;

use tenon::{
    Complex, DType, Device, Error, Generator, Layout, MemoryFormat, Result, Scalar, Tensor,
    Value,
};

/// How many answers were others.
#[derive(Default)]
struct Calls {
    failures: i32,
}

impl Calls {
    fn is_text(&mut self, got: &str, expected: &str) {
        if got != expected {
            eprintln!("must be\n  {expected}, got\n  {got}");
            self.failures += 1;
        }
    }

    fn is_true(&mut self, what: &str, truth: bool) {
        if !truth {
            eprintln!("{what}: must hold");
            self.failures += 1;
        }
    }

    fn all_types(&mut self, x: &Tensor) -> Result<()> {
        let generator = Generator::new(Device::CPU, 11)?;
        let one_two = Complex { re: 1.0, im: 2.0 };
        self.is_text(
            &wrapped::plain(x, 2.5, 3, 4, 0.25, true, "text", one_two)?,
            "a=Tensor[1,2] b=2.5 c=3 d=4 e=0.25 f=True g=text h=(1,2)",
        );
        let some = [Some(x.clone()), None];
        let (ints, floats, bools) = ([1, 2, 3], [0.5, 1.5], [true, false]);
        self.is_text(
            &wrapped::lists(&[x], &some, &ints, &[1], &floats, &bools, &[1, 2])?,
            "a=[Tensor[1,2]] b=[Tensor[1,2],None] c=[1,2,3] d=[1] e=[0.5,1.5] f=[True,False] \
             g=[1,2]",
        );
        let (layout, format) = (Layout::STRIDED, MemoryFormat::PRESERVE);
        self.is_text(
            &wrapped::codes(DType::F64, layout, format, Device::CPU, &generator, 5)?,
            "a=7 b=0 c=1 d=cpu e=Generator(11) f=5",
        );
        self.is_text(
            &wrapped::absent(
                None, None, None, None, None, None, None, None, None, None, None, None, None,
            )?,
            "a=None b=None c=None d=None e=None f=None g=None h=None i=None j=None k=None l=None \
             m=None",
        );
        self.is_text(
            &wrapped::absent(
                Some(x),
                Some(2.into()),
                Some(1),
                Some(0.5),
                Some(true),
                Some("t"),
                Some(DType::F32),
                None,
                None,
                Some(Device::CPU),
                Some(&generator),
                Some(&[]),
                Some(&[0.5]),
            )?,
            "a=Tensor[1,2] b=2 c=1 d=0.5 e=True f=t g=6 h=None i=None j=cpu k=Generator(11) l=[] \
             m=[0.5]",
        );
        let texts = Value::List(vec!["c".into()]);
        let pair = Value::Tuple(vec![2.into(), "b".into()]);
        let map = Value::Dict(vec![("a".into(), 1.into())]);
        let nested = Value::List(vec![vec![3i64].into(), Vec::<i64>::new().into()]);
        self.is_text(
            &wrapped::compound(&map, &pair, &texts, &nested)?,
            "a={a:1} b=[2,b] c=[c] d=[[3],[]]",
        );
        Ok(())
    }

    fn defaults(&mut self, x: &Tensor) -> Result<()> {
        self.is_text(
            &wrapped::defaults(1)?,
            "a=1 b=-2 c=[0.5,1] d=0.001 e=say \"a\\b\" f=6 g=cpu h=[1,1] i=True j=2.5 k=(0,1) \
             l=None m=None n=inf o=-9223372036854775808",
        );
        let options = wrapped::DefaultsOptions {
            b: 7,
            e: "other",
            i: false,
            m: Some(x),
            ..Default::default()
        };
        self.is_text(
            &wrapped::defaults_with(1, options)?,
            "a=1 b=7 c=[0.5,1] d=0.001 e=other f=6 g=cpu h=[1,1] i=False j=2.5 k=(0,1) l=None \
             m=Tensor[1,2] n=inf o=-9223372036854775808",
        );
        self.is_text(&wrapped::named(x, 0.5)?, "self=Tensor[1,2] slope=0.5 again=False");
        Ok(())
    }

    fn results(&mut self, x: &Tensor) -> Result<()> {
        let (made, count, text, absent) = wrapped::several(x)?;
        self.is_true("several", made.to_vec::<f32>()? == [2.0, 3.0] && count == 2);
        self.is_true("third", text == "third" && absent.is_none());
        let (number, real, truth, complex, dtype, device) = wrapped::numbers()?;
        self.is_true("numbers", number == Scalar::Int(2) && real == 0.5 && truth);
        self.is_true("codes", complex.im == 2.0 && dtype == DType::F64 && device == Device::CPU);
        let (ints, floats, tensors) = wrapped::listed()?;
        self.is_true("listed", ints == [1, 2] && floats == [0.5] && tensors.len() == 2);
        let (number, tensor) = wrapped::maybe(true)?;
        self.is_true("maybe", number == Some(7) && tensor.is_some());
        self.is_true("maybe not", matches!(wrapped::maybe(false)?, (None, None)));
        self.is_true("any", matches!(wrapped::any(1.5)?, Value::Float(number) if number == 1.5));
        wrapped::nothing()
    }

    fn writers(&mut self, x: &Tensor, y: &Tensor) -> Result<()> {
        self.is_true("fill_", wrapped::fill_(x, 4)?.as_raw() == x.as_raw());
        self.is_true("twice.out", wrapped::twice_out(x, y)?.as_raw() == y.as_raw());
        self.is_true("twice.out's", y.to_vec::<f32>()? == [8.0, 8.0]);
        let (one, two) = wrapped::both_(x, y)?;
        self.is_true("both_", one.as_raw() == x.as_raw() && two.as_raw() == y.as_raw());
        self.is_true("counted_", wrapped::counted_(x)?.1 == 2);
        self.is_true("counted_'s", x.to_vec::<f32>()? == [3.0, 3.0]);
        self.is_true("row", wrapped::row(x)?.shape().is_empty());
        let options = wrapped::RowOptions { index: 1 };
        self.is_true("row 1", wrapped::row_with(x, options)?.shape().is_empty());
        Ok(())
    }

    fn names(&mut self) -> Result<()> {
        let options = wrapped::ClassOptions { self_: 5 };
        self.is_true("class", wrapped::class_with(1, 2, options)? == 125);
        self.is_true("lambda", wrapped::lambda(1)? == 2);
        self.is_text(&wrapped::clash_first(1)?, "x=1");
        self.is_text(&wrapped::clash_second(1)?, "y=1");
        self.is_text(&wrapped::clash_first_(1)?, "x=1");
        Ok(())
    }

    fn aten(&mut self, x: &Tensor) -> Result<()> {
        // [quote.begin rust]
        let ones = aten::ones(&[2])?;
        let options = aten::AddTensorOptions { alpha: 10.into() };
        let sum = aten::add_tensor_with(&ones, x, options)?;
        aten::add_out(&ones, x, &ones)?;
        // [quote.end]
        self.is_true("add", sum.to_vec::<f32>()? == [31.0, 31.0]);
        self.is_true("cat", aten::cat(&[&ones, x])?.numel() == 4);
        let wrong: Option<Error> = aten::mm(x, x).err();
        self.is_true("mm", wrong.is_some_and(|error| error.to_string().contains("aten::mm")));
        Ok(())
    }
}

fn run(calls: &mut Calls) -> Result<()> {
    let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2])?;
    let y = Tensor::from_vec(vec![0.0f32, 0.0], &[2])?;
    typed::check()?;
    calls.all_types(&x)?;
    calls.defaults(&x)?;
    calls.results(&x)?;
    calls.writers(&x, &y)?;
    calls.names()?;
    calls.aten(&x)
}

/// Runs all calls.
#[no_mangle]
pub extern "C" fn run_calls() -> i32 {
    let mut calls = Calls::default();
    if let Err(error) = run(&mut calls) {
        eprintln!("{error}");
        calls.failures += 1;
    }
    calls.failures
}
