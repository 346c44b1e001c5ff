"""The models of tests/fit/tables/ground_truth.csv as their publishers store them: configuration
files, and the names, shapes and types of the tensors, from transformers and diffusers on the meta
device. For compare_estimators.py.
"""

import json

import torch
import transformers

from count_parameters import CONFIGS, build, stored

QWEN = {"hidden_size": 0, "num_hidden_layers": 0, "num_attention_heads": 0,
        "num_key_value_heads": 0, "intermediate_size": 0, "vocab_size": 0}


def qwen(*sizes, tied=False):
    return {**dict(zip(QWEN, sizes)), "tie_word_embeddings": tied}


# Name -> the Hub's id, the file below tests/fit/configs that it is made from, what is changed there.
# Sizes: the published configurations.
PUBLISHED = {
    "mistral-7b": ("mistralai/Mistral-7B-v0.1", "mistral-7b-v0.1", {}),
    "qwen2.5-1.5b": ("Qwen/Qwen2.5-1.5B-Instruct", "qwen2.5-7b",
                     qwen(1536, 28, 12, 2, 8960, 151936, tied=True)),
    "qwen2.5-3b": ("Qwen/Qwen2.5-3B-Instruct", "qwen2.5-7b",
                   qwen(2048, 36, 16, 2, 11008, 151936, tied=True)),
    "qwen2.5-7b": ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b", {}),
    "qwen2.5-14b": ("Qwen/Qwen2.5-14B-Instruct", "qwen2.5-7b",
                    qwen(5120, 48, 40, 8, 13824, 152064)),
    "qwen2.5-32b": ("Qwen/Qwen2.5-32B-Instruct", "qwen2.5-7b",
                    qwen(5120, 64, 40, 8, 27648, 152064)),
    "qwen2.5-72b": ("Qwen/Qwen2.5-72B-Instruct", "qwen2.5-72b", {}),
    "qwen3.5-9b": ("Qwen/Qwen3.5-9B", "qwen3.5-9b", {}),
    "deepseek-r1": ("deepseek-ai/DeepSeek-R1", "deepseek-v3", {}),
    "bge-m3": ("BAAI/bge-m3", "xlm-roberta-large", {"max_position_embeddings": 8194}),
    "bert-large": ("google-bert/bert-large-uncased", "bert-base",
                   {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
                    "intermediate_size": 4096, "architectures": ["BertForMaskedLM"]}),
    "mixtral-8x7b": ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b", {}),
    "llama-2-7b": ("meta-llama/Llama-2-7b-hf", "llama-2-7b", {}),
    "llama-2-13b": ("meta-llama/Llama-2-13b-hf", "llama-2-7b",
                    {"hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40,
                     "num_key_value_heads": 40, "intermediate_size": 13824}),
    "llama-3-8b": ("meta-llama/Meta-Llama-3-8B", "llama-3.1-8b",
                   {"max_position_embeddings": 8192}),
    "llama-30b": ("huggyllama/llama-30b", "llama-30b", {}),
    "codellama-34b": ("codellama/CodeLlama-34b-hf", "llama-2-7b",
                      {"hidden_size": 8192, "num_hidden_layers": 48, "num_attention_heads": 64,
                       "num_key_value_heads": 8, "intermediate_size": 22016,
                       "max_position_embeddings": 16384}),
    "lfm2-1.2b": ("LiquidAI/LFM2-1.2B", "lfm2-1.2b", {}),
    "phi-1.5": ("microsoft/phi-1_5", "phi-1.5", {}),
    "gpt-oss-120b": ("openai/gpt-oss-120b", "gpt-oss-120b",
                     {"layer_types": ["sliding_attention", "full_attention"] * 18}),
    "llama-3.2-11b-vision": ("meta-llama/Llama-3.2-11B-Vision-Instruct", None, {}),
    "resnet-50": ("microsoft/resnet-50", None, {}),
}
# Known by their id alone: no row asks for their tensors.
NAMES = {"qwen3.5-27b": "Qwen/Qwen3.5-27B", "qwen3-235b-a22b": "Qwen/Qwen3-235B-A22B",
         "stablelm-3b": "stabilityai/stablelm-base-alpha-3b",
         "flux.1-dev": "black-forest-labs/FLUX.1-dev",
         "sdxl": "stabilityai/stable-diffusion-xl-base-1.0"}
PIPELINES = ("flux.1-dev", "sdxl")


def hub_id(name):
    return PUBLISHED[name][0] if name in PUBLISHED else NAMES[name]


def file_of(stem):
    return json.loads((CONFIGS / f"{stem}.json").read_text(encoding="utf-8"))


def config(name):
    """What config.json says."""
    if name == "resnet-50":  # the defaults of the class are this model
        return {"architectures": ["ResNetForImageClassification"], "model_type": "resnet",
                "torch_dtype": "float32", "num_labels": 1000}
    if name == "llama-3.2-11b-vision":  # the defaults of the class, with the larger image
        return {"architectures": ["MllamaForConditionalGeneration"], "model_type": "mllama",
                "torch_dtype": "bfloat16",
                "text_config": file_of("llama-3.2-11b-vision-text"),
                "vision_config": {"model_type": "mllama_vision_model", "image_size": 560}}
    _, stem, changes = PUBLISHED[name]
    return {**file_of(stem), **changes}


def linears(model):
    """The weights that quantisers pack: those of the blocks, not the head."""
    return {f"{name}.weight" for name, module in model.named_modules()
            if isinstance(module, torch.nn.Linear) and not name.endswith("lm_head")}


def tensors_of(model, packed=()):
    return [(name, tuple(one.shape), name in packed) for name, one in stored(model)]


def tensors(name):
    """(name, shape, whether a quantiser packs it) of each tensor."""
    content = config(name)
    content.pop("quantization_config", None)
    model, _ = build(content)
    return tensors_of(model, linears(model))


def pipeline(name):
    """Component -> its tensors."""
    import diffusers

    def text(stem):
        model, _ = build(file_of(stem))
        return tensors_of(model, linears(model) if stem.startswith("t5") else ())

    def vae(**changes):
        return tensors_of(diffusers.AutoencoderKL(
            block_out_channels=(128, 256, 512, 512), layers_per_block=2,
            down_block_types=("DownEncoderBlock2D",) * 4,
            up_block_types=("UpDecoderBlock2D",) * 4, **changes))

    with torch.device("meta"):
        if name == "flux.1-dev":
            flux = diffusers.FluxTransformer2DModel(guidance_embeds=True)
            return {"transformer": tensors_of(flux, linears(flux)),
                    "text_encoder": text("clip-l-text"), "text_encoder_2": text("t5-xxl-encoder"),
                    "vae": vae(latent_channels=16, use_quant_conv=False,
                               use_post_quant_conv=False)}
        unet = diffusers.UNet2DConditionModel(
            sample_size=128, block_out_channels=(320, 640, 1280), layers_per_block=2,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
            transformer_layers_per_block=[1, 2, 10], attention_head_dim=[5, 10, 20],
            cross_attention_dim=2048, use_linear_projection=True, addition_embed_type="text_time",
            addition_time_embed_dim=256, projection_class_embeddings_input_dim=2816)
        big = transformers.CLIPTextModelWithProjection(transformers.CLIPTextConfig(
            hidden_size=1280, num_hidden_layers=32, num_attention_heads=20,
            intermediate_size=5120, projection_dim=1280))
        return {"unet": tensors_of(unet), "text_encoder": text("clip-l-text"),
                "text_encoder_2": tensors_of(big), "vae": vae(latent_channels=4)}
