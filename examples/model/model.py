# SPDX-License-Identifier: Apache-2.0
"""Records a whole training step of a transformer as one graph, and writes it to a file.

    python model.py PLUGINS FILE TRAINED

Three operators of the model are in plugins: in C, in C++ and in Rust. run.c, run.cpp, Run.java and
src/main.rs train with the file, without Python.
"""

import pathlib
import sys

import tenon
from tenon import graph, nn, optim
from tenon.nn import functional as F

ROWS, PIXELS, CLASSES = 8, 8, 10  # a digit is 8 rows of 8 pixels: the tokens
WIDTH, HEADS = 16, 2
BATCH = 32  # digits of a step, 65 bytes each: pixels from 0 to 16, and the label
STEPS = 44


class Block(nn.Module):
    """A transformer block: attention with rotary positions, and an MLP."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def attend(self, x):
        count, tokens, _ = x.shape
        parts = self.qkv(x).view(count, tokens, 3, HEADS, WIDTH // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        rotary = tenon.ops.model_cpp.rotary
        mixed = tenon.ops.aten.scaled_dot_product_attention(rotary(q), rotary(k), v)
        return self.out(mixed.transpose(1, 2).reshape(count, tokens, WIDTH))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    """Computes logits of digits: rows are tokens, and an MLP reads their mean."""

    def __init__(self):
        super().__init__()
        self.embed, self.block, self.norm = nn.Linear(PIXELS, WIDTH), Block(), nn.LayerNorm(WIDTH)
        self.hidden, self.head = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, CLASSES)

    def forward(self, images):
        x = self.norm(self.block(self.embed(images))).mean(1)
        x = tenon.ops.model_c.squared_relu(self.hidden(x))
        return tenon.ops.model_rust.soft_cap(self.head(x), 15.0)


class Training:
    """A model and its optimizer."""

    def __init__(self):
        tenon.manual_seed(1)
        self.model = Model()
        # Step counts are tensors: numbers would become constants of the graph.
        self.optimizer = optim.AdamW(self.model.parameters(), lr=1e-2, capturable=True)

    def step(self, rows):
        """Takes a training step on a batch of uint8 [count, 65]; returns the loss."""
        images = rows[:, :64].to(tenon.float32).view(-1, ROWS, PIXELS) / 16
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(images), rows[:, 64].to(tenon.int64))
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    # [quote.begin record]
    def record(self, rows):
        """Returns the graph of a step. Parameters and the optimizer's state are its state."""
        with graph.Recording() as recorded:
            recorded.add_input("rows", like=rows)
            for name, parameter in self.model.named_parameters():
                name = name.replace(".", "_")
                recorded.add_attribute(parameter, name)
                for key, kept in self.optimizer.state[parameter].items():
                    recorded.add_attribute(kept, f"{name}_{key}")
            recorded.add_output(self.step(rows))
        return recorded.remove_dead()

    # [quote.end]


def batches():
    """Returns the first batches of the digits."""
    file = pathlib.Path(__file__).parents[1] / "learn" / "data" / "digits.bin"
    rows = tenon.frombuffer(bytearray(file.read_bytes()), dtype=tenon.uint8).view(-1, 65)
    return [rows[i * BATCH : (i + 1) * BATCH] for i in range(STEPS)]


def same(a, b):
    """Returns true if tensors are equal bit by bit."""
    return memoryview(a.detach()).tobytes() == memoryview(b.detach()).tobytes()


def main(plugins, file, trained):
    for plugin in plugins:
        tenon.ops.load_library(plugin)
    first, second, *rest = batches()
    eager, recorded = Training(), Training()
    # The optimizer creates its state in the first step; the second step is recorded.
    for training in (eager, recorded):
        training.step(first)
    losses = [eager.step(second)]
    step = recorded.record(second)
    step.save(file)
    for batch in rest:
        losses.append(eager.step(batch))
        with tenon.no_grad():
            replayed = step(batch)
        pairs = zip(eager.model.parameters(), recorded.model.parameters(), strict=True)
        if not same(replayed, losses[-1]) or not all(same(a, b) for a, b in pairs):
            raise SystemExit(f"step {len(losses)}: replay must be eager to the bit")
    step.save(trained)
    calls = len(step.nodes)
    print(f"{calls} calls a step; replay is eager to the bit; loss {losses[-1].item():.4f}")


if __name__ == "__main__":
    main(sys.argv[1:-2], *sys.argv[-2:])
