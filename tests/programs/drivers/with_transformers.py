# SPDX-License-Identifier: Apache-2.0
"""Language and image models of transformers with small random configurations."""

import torch
import transformers as T
from report import gradients, part

COMMON = dict(vocab_size=60, bos_token_id=1, eos_token_id=2, pad_token_id=0)
SMALL = dict(
    hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, **COMMON
)
GROUPED = dict(num_key_value_heads=2, max_position_embeddings=64, **SMALL)
MODELS = {
    "gpt2": lambda: T.GPT2LMHeadModel(
        T.GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=32, **COMMON)
    ),
    "llama": lambda: T.LlamaForCausalLM(T.LlamaConfig(**GROUPED)),
    "qwen2": lambda: T.Qwen2ForCausalLM(T.Qwen2Config(**GROUPED)),
    "mistral": lambda: T.MistralForCausalLM(T.MistralConfig(**GROUPED)),
    "gemma": lambda: T.GemmaForCausalLM(T.GemmaConfig(head_dim=8, **GROUPED)),
    "opt": lambda: T.OPTForCausalLM(
        T.OPTConfig(
            hidden_size=32,
            ffn_dim=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            word_embed_proj_dim=32,
            max_position_embeddings=64,
            **COMMON,
        )
    ),
}
words = torch.randint(3, 60, (2, 9))
for name, make in MODELS.items():

    def body(make=make):
        net = make().eval()
        out = net(input_ids=words, labels=words)
        out.loss.backward()
        made = net.generate(words[:1, :4], max_new_tokens=5, do_sample=False)
        drawn = net.generate(words[:1, :4], max_new_tokens=5, do_sample=True, top_k=10)
        return {
            "logits": out.logits,
            "loss": out.loss,
            "gradients": gradients(net),
            "greedy": made,
            "drawn": drawn,
        }

    body.__name__ = name
    part(body)


@part
def bert():
    net = T.BertForSequenceClassification(T.BertConfig(num_labels=3, **SMALL)).eval()
    out = net(input_ids=words, attention_mask=torch.ones_like(words), labels=torch.tensor([0, 2]))
    out.loss.backward()
    return out.logits, out.loss, gradients(net)


@part
def t5():
    net = T.T5ForConditionalGeneration(
        T.T5Config(
            d_model=32,
            d_kv=8,
            d_ff=48,
            num_layers=2,
            num_heads=4,
            vocab_size=60,
            decoder_start_token_id=0,
        )
    ).eval()
    out = net(input_ids=words, labels=words[:, :5].contiguous())
    out.loss.backward()
    return out.logits, out.loss, net.generate(words, max_new_tokens=4, num_beams=2)


@part
def vit():
    net = T.ViTForImageClassification(
        T.ViTConfig(
            image_size=16,
            patch_size=4,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_labels=3,
        )
    ).eval()
    return net(pixel_values=torch.randn(2, 3, 16, 16)).logits


@part
def schedule():
    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.ones(2))], lr=1e-3)
    plan = T.get_cosine_schedule_with_warmup(optimizer, 2, 6)
    found = []
    for _ in range(5):
        optimizer.step()
        plan.step()
        found.append(plan.get_last_lr()[0])
    return found


@part
def saved():
    import tempfile

    net = T.GPT2LMHeadModel(T.GPT2Config(n_embd=16, n_layer=1, n_head=2, n_positions=16, **COMMON))
    with tempfile.TemporaryDirectory() as folder:
        net.save_pretrained(folder)
        again = T.GPT2LMHeadModel.from_pretrained(folder)
    return again(words % 16).logits
