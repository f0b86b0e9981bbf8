# SPDX-License-Identifier: Apache-2.0
"""Decoders, encoders and samplers of x-transformers."""

import torch
from report import gradients, part
from x_transformers import AutoregressiveWrapper, Decoder, Encoder, TransformerWrapper

words = torch.randint(0, 20, (2, 12))
KINDS = {
    "plain": dict(),
    "rotary": dict(rotary_pos_emb=True, use_rmsnorm=True, ff_glu=True),
    "alibi": dict(alibi_pos_bias=True, alibi_num_heads=1),
    "t5": dict(rel_pos_bias=True),
    "grouped": dict(attn_kv_heads=1, attn_qk_norm=True),
    "sandwich": dict(sandwich_norm=True),
    "flash": dict(attn_flash=True),
    "talking": dict(attn_pre_talking_heads=True),
    "gated": dict(attn_gate_values=True, ff_swish=True, ff_glu=True),
    "memory": dict(attn_num_mem_kv=3),
    "residual": dict(residual_attn=True),
    "scale": dict(use_scalenorm=True),
}
for name, options in KINDS.items():

    def body(options=options):
        layers = Decoder(dim=16, depth=2, heads=2, attn_dim_head=8, **options)
        net = AutoregressiveWrapper(
            TransformerWrapper(num_tokens=20, max_seq_len=32, attn_layers=layers)
        )
        loss = net(words)
        loss.backward()
        made = net.generate(words[:1, :4], 5, cache_kv=False)
        greedy = net.generate(words[:1, :4], 5, temperature=0.0)
        return {"loss": loss, "gradients": gradients(net), "made": made, "greedy": greedy}

    body.__name__ = name
    part(body)


@part
def encoder():
    net = TransformerWrapper(
        num_tokens=20,
        max_seq_len=16,
        attn_layers=Encoder(dim=16, depth=1, heads=2, attn_dim_head=8),
    )
    mask = torch.ones_like(words).bool()
    return net(words, mask=mask), net(words, return_embeddings=True)


@part
def image():
    from x_transformers import ViTransformerWrapper

    net = ViTransformerWrapper(
        image_size=16, patch_size=4, num_classes=3, attn_layers=Encoder(dim=16, depth=1, heads=2)
    )
    return net(torch.randn(2, 3, 16, 16))


@part
def wrapper():
    from x_transformers import XTransformer

    net = XTransformer(
        dim=16,
        enc_num_tokens=20,
        enc_depth=1,
        enc_heads=2,
        enc_max_seq_len=12,
        dec_num_tokens=20,
        dec_depth=1,
        dec_heads=2,
        dec_max_seq_len=12,
    )
    loss = net(words, words, mask=torch.ones_like(words).bool())
    loss.backward()
    return loss, net.generate(words, words[:, :1], 4)
