# SPDX-License-Identifier: Apache-2.0
"""The compact text of golden files: what many cases share is written once."""

from __future__ import annotations

import pathlib


class Inputs:
    """The tensors that cases take, each written once, in inputs.txt; cases name them by number."""

    def __init__(self, path: pathlib.Path, fresh: bool):
        self.path = path
        lines = [] if fresh or not path.exists() else path.read_text().splitlines()
        self.texts = [line for line in lines if not line.startswith("#")]
        self.numbers = {text: number for number, text in enumerate(self.texts)}

    def number(self, text: str) -> str:
        """`@N` for the text of a tensor, which gets a number when it has none."""
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return f"@{self.numbers[text]}"

    def write(self, head: str) -> None:
        self.path.write_text("\n".join([head, *self.texts]) + "\n")


def compact(blocks: list, inputs: Inputs) -> list:
    """Lines of all cases of a file, from their blocks of lines as generate.py makes them."""
    lines = []
    op = ""
    for block in blocks:
        name, own = block[0], block[1]
        marks = [line for line in block[2:] if line in ("exact", "nometa")]
        rest = [line for line in block[2:] if line not in ("exact", "nometa")]
        if own != op:
            op = own
            lines.append(op)
        lines.append(" ".join([name, *marks]))
        start = len(lines)
        for line in rest:
            head, middle, text = _parted(line)
            if text is None or not text.startswith("tensor "):
                lines.append(line)
            elif head == "arg" and len(lines) > start and lines[-1].startswith("arg @"):
                lines[-1] += f" {inputs.number(text)}"
            else:
                lines.append(f"{head}{middle}{inputs.number(text)}")
    return lines


def _parted(line: str) -> tuple:
    """What stands before the tensor of a line, a blank perhaps, and the tensor; or no tensor."""
    if line.startswith("tensor "):
        return "", "", line
    if line.startswith("arg "):
        return "arg", " ", line[4:]
    if line.startswith("kwarg "):
        head, _, text = line[6:].partition(" ")
        return f"kwarg {head}", " ", text
    return line, "", None
