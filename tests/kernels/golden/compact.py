# SPDX-License-Identifier: Apache-2.0
"""The compact text of golden files, in which tensors that many cases use are written once."""

from __future__ import annotations

import pathlib


class Inputs:
    """The tensors that cases use, each once in inputs.txt; cases refer to them by number."""

    def __init__(self, path: pathlib.Path, fresh: bool):
        self.path = path
        lines = [] if fresh or not path.exists() else path.read_text().splitlines()
        self.texts = [line for line in lines if not line.startswith("#")]
        self.numbers = {text: number for number, text in enumerate(self.texts)}

    def number(self, text: str) -> str:
        """Returns `@N` for the text of a tensor, after numbering it if it is new."""
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return f"@{self.numbers[text]}"

    def write(self, head: str) -> None:
        self.path.write_text("\n".join([head, *self.texts]) + "\n")


def compact(blocks: list, inputs: Inputs) -> list:
    """Returns the lines of a file from the blocks of lines that generate.py makes of cases."""
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
    """Splits a line into the text before its tensor, a space or "", and the tensor or None."""
    if line.startswith("tensor "):
        return "", "", line
    if line.startswith("arg "):
        return "arg", " ", line[4:]
    if line.startswith("kwarg "):
        head, _, text = line[6:].partition(" ")
        return f"kwarg {head}", " ", text
    return line, "", None
