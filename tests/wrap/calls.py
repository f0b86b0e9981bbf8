# SPDX-License-Identifier: Apache-2.0
"""Calls the namespace `wrapped` with the types of its stub; mypy --strict checks this file too."""

from __future__ import annotations

import tenon
import wrapped


def main() -> None:
    """Calls operators with arguments and results of all types."""
    x = tenon.tensor([1.0, 2.0])
    generator = tenon.Generator(seed=11)
    plain: str = wrapped.plain(x, 2.5, 3, 4, 0.25, True, "text", 1 + 2j)
    assert plain == "a=Tensor[1,2] b=2.5 c=3 d=4 e=0.25 f=True g=text h=(1,2)"
    lists: str = wrapped.lists([x], [x, None], [1, 2, 3], [1], [0.5, 1.5], [True, False], 2)
    assert lists.endswith("d=[1] e=[0.5,1.5] f=[True,False] g=[2,2]")
    codes = wrapped.codes(tenon.float64, tenon.strided, tenon.preserve_format, "cpu", generator, 5)
    assert codes == "a=7 b=0 c=1 d=cpu e=Generator(11) f=5"
    assert wrapped.defaults(1, 7, e="other", i=False, m=x).endswith(
        "e=other f=6 g=cpu h=[1,1] i=False j=2.5 k=(0,1) l=None m=Tensor[1,2] n=inf "
        "o=-9223372036854775808"
    )
    assert wrapped.named(x, slope=0.5) == "self=Tensor[1,2] slope=0.5 again=False"
    assert wrapped.compound({"a": 1}, (2, "b"), ["c"], [[3], []]) == (
        "a={a:1} b=[2,b] c=[c] d=[[3],[]]"
    )
    # [quote.begin python]
    made, count, text, absent = wrapped.several(x)  # (Tensor, int, str, Tensor | None)
    wrapped.fill_(x, 4)
    wrapped.twice(x, out=x)
    # [quote.end]
    assert made.tolist() == [2.0, 3.0] and count + 1 == 3 and text.upper() == "THIRD"
    assert absent is None
    ints, floats, tensors = wrapped.listed()
    assert ints[0] + 1 == 2 and floats == [0.5] and tensors[1].numel() == 2
    assert wrapped.fill_(x, 4) is x
    assert wrapped.twice(x).tolist() == [8.0, 8.0]
    assert wrapped.twice(x, out=x).tolist() == [8.0, 8.0]
    wrapped.nothing()
    assert wrapped.clash(1) == "x=1" and wrapped.clash(y=1) == "y=1"
    assert wrapped.clash.second(1) == "y=1"
    assert wrapped.endless(1, 2, 3) == 3


if __name__ == "__main__":
    main()
    print("0 answers were others")
