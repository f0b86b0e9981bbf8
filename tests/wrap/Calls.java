// SPDX-License-Identifier: Apache-2.0
// Calls the Java wrappers of the namespace `wrapped`; tells how many answers were others.
import dev.tenon.Complex;
import dev.tenon.DType;
import dev.tenon.Device;
import dev.tenon.Generator;
import dev.tenon.Layout;
import dev.tenon.MemoryFormat;
import dev.tenon.Scope;
import dev.tenon.Tensor;
import dev.tenon.TenonException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

final class Calls {
  private static int failures;

  private Calls() {}

  private static void isText(String got, String expected) {
    isTrue("must be\n  " + expected + ", got\n  " + got, got.equals(expected));
  }

  private static void isTrue(String what, boolean truth) {
    if (!truth) {
      System.err.println(what + ": must hold");
      failures++;
    }
  }

  private static boolean is(Tensor tensor, float... expected) {
    return Arrays.equals(tensor.toFloatArray(), expected);
  }

  private static void callAllTypes(Tensor x) {
    Generator generator = Generator.onCpu(11);
    isText(
        Wrapped.plain(x, 2.5, 3, 4, 0.25, true, "text", new Complex(1, 2)),
        "a=Tensor[1,2] b=2.5 c=3 d=4 e=0.25 f=True g=text h=(1,2)");
    isText(
        Wrapped.lists(
            new Tensor[] {x},
            new Tensor[] {x, null},
            new long[] {1, 2, 3},
            new long[] {1},
            new double[] {0.5, 1.5},
            new boolean[] {true, false},
            1,
            2),
        "a=[Tensor[1,2]] b=[Tensor[1,2],None] c=[1,2,3] d=[1] e=[0.5,1.5] f=[True,False] g=[1,2]");
    isText(
        Wrapped.codes(
            DType.FLOAT64, Layout.STRIDED, MemoryFormat.PRESERVE, Device.CPU, generator, 5),
        "a=7 b=0 c=1 d=cpu e=Generator(11) f=5");
    isText(
        Wrapped.absent(
            null, null, null, null, null, null, null, null, null, null, null, null, null),
        "a=None b=None c=None d=None e=None f=None g=None h=None i=None j=None k=None l=None "
            + "m=None");
    isText(
        Wrapped.absent(
            x,
            2,
            1L,
            0.5,
            true,
            "t",
            DType.FLOAT32,
            null,
            null,
            Device.CPU,
            generator,
            new long[0],
            new double[] {0.5}),
        "a=Tensor[1,2] b=2 c=1 d=0.5 e=True f=t g=6 h=None i=None j=cpu k=Generator(11) l=[] "
            + "m=[0.5]");
    isText(
        Wrapped.compound(
            Map.of("a", 1), new Object[] {2, "b"}, List.of("c"), List.of(new long[] {3})),
        "a={a:1} b=[2,b] c=[c] d=[[3]]");
  }

  private static void callDefaults(Tensor x) {
    isText(
        Wrapped.defaults(1),
        "a=1 b=-2 c=[0.5,1] d=0.001 e=say \"a\\b\" f=6 g=cpu h=[1,1] i=True j=2.5 k=(0,1) l=None "
            + "m=None n=inf o=-9223372036854775808");
    isText(
        Wrapped.defaults(1, 7, new Wrapped.DefaultsOptions().e("other").i(false).m(x)),
        "a=1 b=7 c=[0.5,1] d=0.001 e=other f=6 g=cpu h=[1,1] i=False j=2.5 k=(0,1) l=None "
            + "m=Tensor[1,2] n=inf o=-9223372036854775808");
    isText(Wrapped.named(x, 0.5), "self=Tensor[1,2] slope=0.5 again=False");
    isText(Wrapped.named(x, 0.5, true), "self=Tensor[1,2] slope=0.5 again=True");
    isText(Wrapped.closer(1), "x=1 y=2");
    isText(Wrapped.closer(1, 5), "x=1 y=5");
    isText(Wrapped.closer(1, 5, 6), "x=1 y=5 z=6");
  }

  private static void callResults(Tensor x) {
    Wrapped.SeveralResult several = Wrapped.several(x);
    isTrue("several", is(several.first(), 2, 3) && several.second() == 2);
    isTrue("third", several.third().equals("third") && several.fourth() == null);
    Wrapped.NumbersResult numbers = Wrapped.numbers();
    isTrue("numbers", numbers.result0().equals(2L) && numbers.result1() == 0.5);
    isTrue("truth", numbers.result2() && numbers.result3().imaginary() == 2);
    isTrue("codes", numbers.result4() == DType.FLOAT64 && numbers.result5().equals(Device.CPU));
    Wrapped.ListedResult listed = Wrapped.listed();
    isTrue("listed", listed.ints()[1] == 2 && listed.floats()[0] == 0.5);
    isTrue("tensors", listed.tensors().length == 2 && is(listed.tensors()[0], 1));
    isTrue("maybe", Wrapped.maybe(true).number() == 7 && is(Wrapped.maybe(true).tensor(), 1));
    isTrue("maybe not", Wrapped.maybe(false).number() == null);
    isTrue("any", Wrapped.any(1.5).equals(1.5));
    Wrapped.nothing();
  }

  private static void callWriters(Tensor x, Tensor y) {
    isTrue("fill_", Wrapped.fill_(x, 4) == x && is(x, 4, 4));
    isTrue("twiceOut", Wrapped.twiceOut(y, x) == y && is(y, 8, 8));
    isTrue("both_", Wrapped.both_(x, y).result1() == y && is(x, 1, 1) && is(y, 2, 2));
    isTrue("counted_", Wrapped.counted_(x).result1() == 2 && is(x, 3, 3));
    isTrue("row", Wrapped.row(x).dim() == 0 && Wrapped.row(x, 1).dim() == 0);
  }

  private static void callNames() {
    isTrue("class", Wrapped.class_(1, 2) == 123 && Wrapped.class_(1, 2, 5) == 125);
    isTrue("lambda", Wrapped.lambda(1) == 2);
    isText(Wrapped.clash(1), "x=1");
    isText(Wrapped.clashSecond(1), "y=1");
    isText(Wrapped.clashFirst(1), "x=1");
  }

  private static void callAten(Tensor x) {
    // [quote.begin java]
    Tensor ones = Aten.ones(new long[] {2}, new Aten.OnesOptions().dtype(DType.FLOAT32));
    Tensor sum = Aten.add(ones, x, 10);
    Aten.addOut(ones, ones, x);
    // [quote.end]
    isTrue("add", is(sum, 31, 31) && is(Aten.add(Aten.ones(2), 2), 3, 3) && is(ones, 4, 4));
    isTrue("sum", is(Aten.sum(Aten.cat(new Tensor[] {ones, ones}), new long[] {0}, true), 16));
    isTrue("arange", Aten.arange(0, 10, 3).numel() == 4 && Aten.arange(2).numel() == 2);
    try {
      Aten.mm(x, x);
      isTrue("mm of vectors throws", false);
    } catch (TenonException e) {
      isTrue("mm", e.getMessage().contains("aten::mm"));
    }
  }

  /** Runs all calls; returns how many answers were others. */
  static int run() {
    failures = 0;
    try (Scope scope = Scope.open();
        Tensor x = Tensor.of(new float[] {1, 2}, 2);
        Tensor y = Tensor.of(new float[] {0, 0}, 2)) {
      callAllTypes(x);
      callDefaults(x);
      callResults(x);
      callWriters(x, y);
      callNames();
      callAten(x);
      isTrue("scope", scope != null);
    } catch (RuntimeException e) {
      e.printStackTrace();
      failures++;
    }
    return failures;
  }
}
