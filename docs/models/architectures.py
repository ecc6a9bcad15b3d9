"""The architectures of the zoo: a table from name to how the module and its inputs are built.

`make.py` makes the archives. Inputs and configurations are small, so that a model takes a second and not a minute.
"""

import importlib
from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn

MODELS = {}


@dataclass
class Model:
    """Where a model comes from and how it becomes TorchScript."""

    package: str
    how: str
    build: Callable
    lively: bool = True
    freezes: bool = True


def model(name, package, how="script", **options):
    """Mark a function that returns (module, inputs)."""

    def mark(build):
        MODELS[name] = Model(package, how, build, **options)
        return build

    return mark


def image(size, batch=1):
    return torch.randn(batch, 3, size, size)


class Logits(nn.Module):
    """The first result of a model that gives others, which may be None, beside it."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[0]


# torchvision: classification ------------------------------------------------------------------------------------------


def torchvision_classifiers():
    sizes = {
        "alexnet": 64,
        "convnext_tiny": 64,
        "densenet121": 64,
        "efficientnet_b0": 64,
        "efficientnet_v2_s": 64,
        "googlenet": 64,
        "inception_v3": 96,
        "mnasnet0_5": 64,
        "mobilenet_v2": 64,
        "mobilenet_v3_large": 64,
        "mobilenet_v3_small": 64,
        "regnet_x_400mf": 64,
        "regnet_y_400mf": 64,
        "resnet18": 64,
        "resnet50": 64,
        "resnext50_32x4d": 64,
        "shufflenet_v2_x1_0": 64,
        "squeezenet1_0": 64,
        "squeezenet1_1": 64,
        "swin_t": 64,
        "swin_v2_t": 64,
        "wide_resnet50_2": 64,
    }
    # Their own first weights take minutes to make and give sums whose last digits say nothing.
    weightless = {"googlenet", "inception_v3"}

    def build(name, size):
        import torchvision

        options = {"init_weights": False} if name in weightless else {}
        net = getattr(torchvision.models, name)(weights=None, **options)
        return Logits(net) if name in weightless else net, (image(size),)

    for name, size in sizes.items():
        model(name, "torchvision")(lambda name=name, size=size: build(name, size))


torchvision_classifiers()


@model("vgg11_bn_small", "torchvision")
def vgg():
    from torchvision.models.vgg import VGG, cfgs, make_layers

    net = VGG(make_layers(cfgs["A"], batch_norm=True), num_classes=10, init_weights=True)
    net.classifier = nn.Sequential(nn.Linear(512 * 49, 64), nn.ReLU(True), nn.Dropout(), nn.Linear(64, 10))
    return net, (image(64),)


@model("vit_small", "torchvision")
def vision_transformer():
    from torchvision.models import VisionTransformer

    return VisionTransformer(64, 16, 2, 4, 64, 128, num_classes=10), (image(64, 2),)


@model("maxvit_small", "torchvision")
def maxvit():
    from torchvision.models import MaxVit

    net = MaxVit((64, 64), 16, 2, [16, 32], [1, 1], 8, 0.0, num_classes=10)
    return net, (image(64),)


# torchvision: video, flow ---------------------------------------------------------------------------------------------


def video_models():
    def build(name, frames, size):
        import torchvision

        return getattr(torchvision.models.video, name)(weights=None), (torch.randn(1, 3, frames, size, size),)

    for name, frames in {"r3d_18": 4, "mc3_18": 4, "r2plus1d_18": 4, "s3d": 16}.items():
        model(name, "torchvision")(lambda name=name, frames=frames: build(name, frames, 224 if name == "s3d" else 64))


video_models()


@model("swin3d_small", "torchvision")
def swin3d():
    from torchvision.models.video.swin_transformer import SwinTransformer3d

    net = SwinTransformer3d([2, 4, 4], 24, [2, 2], [2, 4], [4, 7, 7], num_classes=10)
    return net, (torch.randn(1, 3, 8, 64, 64),)


@model("mvit_small", "torchvision")
def mvit():
    from torchvision.models.video.mvit import MSBlockConfig, MViT

    blocks = [
        MSBlockConfig(1, 32, 32, [3, 3, 3], [3, 3, 3], [1, 1, 1], [1, 4, 4]),
        MSBlockConfig(2, 32, 64, [3, 3, 3], [3, 3, 3], [1, 2, 2], [1, 2, 2]),
    ]
    net = MViT((64, 64), 8, blocks, True, True, True, True, num_classes=10)
    return net, (torch.randn(1, 3, 8, 64, 64),)


@model("raft_small", "torchvision", "script")
def raft():
    import torchvision

    net = torchvision.models.optical_flow.raft_small(weights=None)
    return net, (image(128), image(128))


# torchvision: segmentation --------------------------------------------------------------------------------------------


class Masks(nn.Module):
    """The masks of a segmentation model."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)["out"]


def segmentation_models():
    def build(name):
        import torchvision

        return Masks(getattr(torchvision.models.segmentation, name)(weights=None, weights_backbone=None)), (image(64),)

    for name in ["fcn_resnet50", "deeplabv3_resnet50", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large"]:
        model(name, "torchvision")(lambda name=name: build(name))


segmentation_models()


# torchvision: detection -----------------------------------------------------------------------------------------------


class Boxes(nn.Module):
    """Boxes, scores and labels that a detector finds in one picture."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        found = self.inner([x])[1][0]
        return found["boxes"], found["scores"], found["labels"]


class Masked(nn.Module):
    """Boxes, scores and masks."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        found = self.inner([x])[1][0]
        return found["boxes"], found["scores"], found["masks"]


class Keypoints(nn.Module):
    """Boxes, scores and key points."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        found = self.inner([x])[1][0]
        return found["boxes"], found["scores"], found["keypoints"]


def detectors():
    small = {"min_size": 96, "max_size": 128}
    options = {
        "fasterrcnn_mobilenet_v3_large_320_fpn": dict(small, box_score_thresh=0.0, box_detections_per_img=10),
        "fasterrcnn_resnet50_fpn": dict(small, box_score_thresh=0.0, box_detections_per_img=10),
        "fasterrcnn_resnet50_fpn_v2": dict(small, box_score_thresh=0.0, box_detections_per_img=10),
        "retinanet_resnet50_fpn": dict(small, score_thresh=0.0, detections_per_img=10),
        "fcos_resnet50_fpn": dict(small, score_thresh=0.0, detections_per_img=10),
        "ssd300_vgg16": dict(score_thresh=0.0, detections_per_img=10),
        "ssdlite320_mobilenet_v3_large": dict(score_thresh=0.0, detections_per_img=10),
        "maskrcnn_resnet50_fpn": dict(small, box_score_thresh=0.0, box_detections_per_img=5),
        "keypointrcnn_resnet50_fpn": dict(small, box_score_thresh=0.0, box_detections_per_img=5),
    }
    # Its features fade with statistics by chance, and then all scores are equal: it has to see some images first.
    faint = {"ssdlite320_mobilenet_v3_large"}
    kinds = {"maskrcnn_resnet50_fpn": Masked, "keypointrcnn_resnet50_fpn": Keypoints}

    def build(name):
        import torchvision

        net = getattr(torchvision.models.detection, name)(weights=None, weights_backbone=None, **options[name])
        if name in faint:
            with torch.no_grad():
                for _ in range(20):
                    net.head(list(net.backbone(torch.rand(2, 3, 320, 320)).values()))
        return kinds.get(name, Boxes)(net.eval()), (torch.rand(3, 96, 128),)

    for name in options:
        model(name, "torchvision", lively=name not in faint)(lambda name=name: build(name))


detectors()


# torchvision: quantized -----------------------------------------------------------------------------------------------


def quantized_classifiers():
    def build(name):
        from torchvision.models import quantization

        torch.backends.quantized.engine = "fbgemm"
        options = {"init_weights": True} if name == "googlenet" else {}
        net = getattr(quantization, name)(weights=None, quantize=False, **options).eval()
        lively_statistics(net)
        net.fuse_model(is_qat=False)
        net = Logits(net) if name == "googlenet" else net
        net.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")
        torch.ao.quantization.prepare(net, inplace=True)
        with torch.no_grad():
            net(image(64, 2))
        torch.ao.quantization.convert(net, inplace=True)
        return net, (image(64),)

    for name in ["resnet18", "mobilenet_v2", "mobilenet_v3_large", "shufflenet_v2_x1_0", "googlenet"]:
        model(f"quantized_{name}", "torchvision", lively=False)(lambda name=name: build(name))


def lively_statistics(net):
    for name, b in net.named_buffers():
        if name.endswith("running_mean"):
            b.normal_(0, 0.1)
        elif name.endswith("running_var"):
            b.uniform_(0.8, 1.2)


quantized_classifiers()


# timm -----------------------------------------------------------------------------------------------------------------


def timm_models():
    plain = """botnet26t_256:256 caformer_s18 coat_lite_tiny:img convformer_s18 convmixer_768_32 convnextv2_atto
    cspresnet50 darknet53 davit_tiny densenet121 dla34 dpn48b ecaresnet50t edgenext_xx_small efficientvit_b0
    fasternet_t0 fastvit_t8 fbnetc_100 focalnet_tiny_srf gernet_s ghostnetv2_100 halonet26t:256 hardcorenas_a
    hgnetv2_b0 hrnet_w18_small:trace inception_next_tiny inception_v4:96 lambda_resnet26t:img lcnet_050 mambaout_femto
    mixnet_s mobilenetv4_hybrid_medium mobileone_s0 mobilevit_xxs mobilevitv2_050:trace nf_resnet50 nextvit_small
    poolformerv2_s12 pvt_v2_b0 rdnet_tiny regnetv_040 repvgg_a0 repvit_m1 res2net50d resnest14d rexnet_100
    selecsls42b:trace sequencer2d_s:img seresnet50 shvit_s1 skresnet18 starnet_s1 swiftformer_xs
    tf_efficientnet_b0 tresnet_m vovnet39a xception41 convit_tiny:img crossvit_tiny_240:224 deit_tiny_distilled_patch16_224:img
    efficientformer_l1:224 eva02_tiny_patch14_224:img56 gcvit_xxtiny:224 gmixer_24_224:img gmlp_s16_224:img
    hiera_tiny_224:224trace levit_128s:224 mixer_s16_224:img mvitv2_tiny:img nest_tiny_jx:224 pit_ti_224:img
    resmlp_12_224:img swin_tiny_patch4_window7_224:img swinv2_tiny_window8_256:img swinv2_cr_tiny_224:img
    tiny_vit_5m_224:224 tnt_s_patch16_224:img twins_svt_small:img vit_tiny_patch16_224:img volo_d1_224:img
    xcit_nano_12_p8_224:img beitv2_base_patch16_224:trunc coatnet_nano_rw_224:img maxvit_tiny_rw_224:img
    cait_xxs24_224:img visformer_tiny:img"""

    def build(name, size, options):
        import timm

        return timm.create_model(name, pretrained=False, num_classes=10, **options), (image(size),)

    for item in plain.split():
        name, _, note = item.partition(":")
        how = "trace" if note.endswith("trace") else "script"
        note = note.removesuffix("trace")
        size, options = 64, {}
        if note.startswith("img"):
            size = int(note[3:] or 64)
            options = {"img_size": size}
        elif note == "trunc":
            size, options = 64, {"img_size": 64, "depth": 2}
        elif note:
            size = int(note)
        key = name if name not in MODELS else f"timm_{name}"
        model(key, "timm", how)(lambda name=name, size=size, options=options: build(name, size, options))


timm_models()


# transformers ---------------------------------------------------------------------------------------------------------


class Fixed(nn.Module):
    """Calls a model with its inputs by name and returns tuples."""

    def __init__(self, inner, names, options):
        super().__init__()
        self.inner, self.names, self.options = inner, names, options

    def forward(self, *args):
        named = dict(zip(self.names, args))
        return self.inner(**named, **self.options, return_dict=False)


TOKENS = dict(
    vocab_size=99,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
    max_position_embeddings=64,
)
SEQUENCE = dict(vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=64)
PICTURE = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32,
               patch_size=8)
SOUND = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
             conv_dim=(16, 16), conv_kernel=(10, 3), conv_stride=(5, 2), num_conv_pos_embeddings=16,
             num_conv_pos_embedding_groups=4)
GROUPED = dict(TOKENS, num_key_value_heads=2)
ROPE = dict(GROUPED, head_dim=8)
ENCODER, DECODER, PAIR, PIXELS, WAVE = "encoder", "decoder", "pair", "pixels", "wave"

# name: (prefix of the classes, kind of input, options of the configuration)
TRANSFORMERS = {
    "albert": ("Albert", ENCODER, dict(TOKENS, embedding_size=16)),
    "bart": ("Bart", PAIR, SEQUENCE),
    "bert": ("Bert", ENCODER, TOKENS),
    "camembert": ("Camembert", ENCODER, TOKENS),
    "codegen": ("CodeGen", DECODER, dict(vocab_size=99, n_positions=64, n_ctx=64, n_embd=32, n_layer=2, n_head=4, rotary_dim=4)),
    "convbert": ("ConvBert", ENCODER, dict(TOKENS, embedding_size=32)),
    "convnext_hf": ("ConvNext", PIXELS, dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1])),
    "deberta": ("Deberta", ENCODER, dict(TOKENS, relative_attention=True, pos_att_type=["c2p", "p2c"])),
    "deberta_v2": ("DebertaV2", ENCODER, dict(TOKENS, relative_attention=True, pos_att_type=["c2p", "p2c"])),
    "dinov2": ("Dinov2", PIXELS, PICTURE),
    "distilbert": ("DistilBert", ENCODER, dict(vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=64)),
    "electra": ("Electra", ENCODER, dict(TOKENS, embedding_size=16)),
    "falcon": ("Falcon", DECODER, dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4)),
    "fnet": ("FNet", ENCODER, dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, intermediate_size=64, max_position_embeddings=64)),
    "funnel": ("Funnel", ENCODER, dict(vocab_size=99, d_model=32, n_head=4, d_head=8, d_inner=64, block_sizes=[1, 1])),
    "gemma": ("Gemma", DECODER, ROPE),
    "gemma2": ("Gemma2", DECODER, ROPE),
    "glpn": ("GLPN", PIXELS, dict(hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 4, 8], decoder_hidden_size=8)),
    "gpt2": ("GPT2", DECODER, dict(vocab_size=99, n_positions=64, n_embd=32, n_layer=2, n_head=4)),
    "gpt_neo": ("GPTNeo", DECODER, dict(vocab_size=99, hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=4, max_position_embeddings=64)),
    "gpt_neox": ("GPTNeoX", DECODER, TOKENS),
    "gptj": ("GPTJ", DECODER, dict(vocab_size=99, n_positions=64, n_embd=32, n_layer=2, n_head=4, rotary_dim=4)),
    "granite": ("Granite", DECODER, GROUPED),
    "ibert": ("IBert", ENCODER, TOKENS),
    "llama": ("Llama", DECODER, GROUPED),
    "longformer": ("Longformer", ENCODER, dict(TOKENS, attention_window=4)),
    "m2m100": ("M2M100", PAIR, SEQUENCE),
    "mamba": ("Mamba", DECODER, dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, state_size=8, time_step_rank=4)),
    "mbart": ("MBart", PAIR, SEQUENCE),
    "megatron_bert": ("MegatronBert", ENCODER, TOKENS),
    "mistral": ("Mistral", DECODER, GROUPED),
    "mixtral": ("Mixtral", DECODER, dict(GROUPED, num_local_experts=4)),
    "mobilebert": ("MobileBert", ENCODER, dict(TOKENS, embedding_size=16, intra_bottleneck_size=16, true_hidden_size=16)),
    "modernbert": ("ModernBert", ENCODER, dict(TOKENS, pad_token_id=0, cls_token_id=1, sep_token_id=2, bos_token_id=1, eos_token_id=2)),
    "mpnet": ("MPNet", ENCODER, TOKENS),
    "mpt": ("Mpt", DECODER, dict(vocab_size=99, d_model=32, n_layers=2, n_heads=4, max_seq_len=64)),
    "mt5": ("MT5", PAIR, dict(vocab_size=99, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)),
    "nystromformer": ("Nystromformer", ENCODER, dict(TOKENS, num_landmarks=16, segment_means_seq_len=16)),
    "olmo": ("Olmo", DECODER, GROUPED),
    "opt": ("OPT", DECODER, dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, word_embed_proj_dim=32, max_position_embeddings=64)),
    "phi": ("Phi", DECODER, TOKENS),
    "phi3": ("Phi3", DECODER, dict(GROUPED, pad_token_id=0)),
    "pvt": ("Pvt", PIXELS, dict(image_size=32, hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 4, 8])),
    "qwen2": ("Qwen2", DECODER, GROUPED),
    "qwen3": ("Qwen3", DECODER, ROPE),
    "rembert": ("RemBert", ENCODER, dict(TOKENS, input_embedding_size=16)),
    "resnet_hf": ("ResNet", PIXELS, dict(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1])),
    "roberta": ("Roberta", ENCODER, TOKENS),
    "roformer": ("RoFormer", ENCODER, TOKENS),
    "rwkv": ("Rwkv", DECODER, dict(vocab_size=99, hidden_size=32, attention_hidden_size=32, num_hidden_layers=2, context_length=64)),
    "segformer": ("Segformer", PIXELS, dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1])),
    "squeezebert": ("SqueezeBert", ENCODER, dict(TOKENS, embedding_size=32)),
    "stablelm": ("StableLm", DECODER, GROUPED),
    "swin2sr": ("Swin2SR", PIXELS, dict(image_size=32, patch_size=1, embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4)),
    "t5": ("T5", PAIR, dict(vocab_size=99, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)),
    "vit_mae": ("ViTMAE", PIXELS, PICTURE),
    "vit_hf": ("ViT", PIXELS, PICTURE),
    "wav2vec2_hf": ("Wav2Vec2", WAVE, SOUND),
    "hubert_hf": ("Hubert", WAVE, SOUND),
    "wavlm_hf": ("WavLM", WAVE, SOUND),
    "xlm_roberta": ("XLMRoberta", ENCODER, TOKENS),
    "xlnet": ("XLNet", ENCODER, dict(vocab_size=99, d_model=32, n_layer=2, n_head=4, d_inner=64)),
    "yolos": ("Yolos", PIXELS, dict(PICTURE, image_size=[32, 32], num_detection_tokens=4)),
}


def transformer_inputs(kind):
    """Names, tensors and further options of a call."""
    ids = torch.randint(3, 99, (2, 16))
    mask = torch.ones(2, 16, dtype=torch.long)
    mask[1, 12:] = 0
    if kind == ENCODER:
        return ["input_ids", "attention_mask"], (ids, mask), {}
    if kind == DECODER:
        return ["input_ids"], (ids,), {"use_cache": False}
    if kind == PAIR:
        return ["input_ids", "decoder_input_ids"], (ids, ids[:, :8]), {"use_cache": False}
    if kind == PIXELS:
        return ["pixel_values"], (image(32),), {}
    return ["input_values"], (torch.randn(1, 1600),), {}


def transformer_models():
    def build(prefix, kind, options):
        torchaudio()  # transformers imports it, and would trip over the CUDA release
        transformers = importlib.import_module("transformers")
        torch.manual_seed(0)
        config = getattr(transformers, prefix + "Config")(**options)
        net = getattr(transformers, prefix + "Model")(config).eval()
        names, inputs, more = transformer_inputs(kind)
        return Fixed(net, names, more), inputs

    for name, (prefix, kind, options) in TRANSFORMERS.items():
        model(name, "transformers", "trace")(
            lambda prefix=prefix, kind=kind, options=options: build(prefix, kind, options)
        )


transformer_models()


# torchaudio -----------------------------------------------------------------------------------------------------------


def torchaudio():
    """The package; its wheel insists on the CUDA release that the wheel of torch was made with, even on a CPU."""
    version, torch.version.cuda = torch.version.cuda, "13.0"
    try:
        return importlib.import_module("torchaudio")
    finally:
        torch.version.cuda = version


def transforms():
    kinds = {
        "Spectrogram": {"n_fft": 128},
        "MelSpectrogram": {"n_fft": 256, "n_mels": 20},
        "MFCC": {"n_mfcc": 13, "melkwargs": {"n_fft": 256, "n_mels": 20}},
        "LFCC": {"n_filter": 32, "n_lfcc": 13, "speckwargs": {"n_fft": 256}},
        "AmplitudeToDB": {},
        "Resample": {"orig_freq": 16000, "new_freq": 11025},
        "MuLawEncoding": {},
        "ComputeDeltas": {},
        "SlidingWindowCmn": {},
        "SpectralCentroid": {"sample_rate": 16000, "n_fft": 128},
    }
    spectra = {"AmplitudeToDB", "ComputeDeltas", "SlidingWindowCmn"}

    def build(name):
        transform = getattr(torchaudio().transforms, name)(**kinds[name])
        x = torch.rand(1, 40, 30) if name in spectra else torch.rand(1, 1600) * 2 - 1
        return transform, (x,)

    for name in kinds:
        model(f"audio_{name.lower()}", "torchaudio")(lambda name=name: build(name))


transforms()


@model("conformer", "torchaudio")
def conformer():
    net = torchaudio().models.Conformer(16, 4, 32, 2, 7)
    return net, (torch.randn(2, 20, 16), torch.tensor([20, 15]))


@model("emformer", "torchaudio")
def emformer():
    net = torchaudio().models.Emformer(16, 4, 32, 2, 4, right_context_length=1)
    return net, (torch.randn(2, 9, 16), torch.tensor([8, 6]))


@model("conv_tasnet", "torchaudio")
def conv_tasnet():
    net = torchaudio().models.ConvTasNet(2, 16, 32, 3, 16, 32, 2, 2)
    return net, (torch.randn(1, 1, 800),)


@model("deepspeech", "torchaudio", "trace")
def deepspeech():
    return torchaudio().models.DeepSpeech(20, 32, 10), (torch.randn(2, 1, 12, 20),)


@model("wav2letter", "torchaudio")
def wav2letter():
    return torchaudio().models.Wav2Letter(10, "mfcc", 13), (torch.randn(1, 13, 80),)


@model("wav2vec2", "torchaudio")
def wav2vec2():
    models = torchaudio().models
    net = models.wav2vec2_model(
        "group_norm", [(16, 10, 5), (16, 3, 2)], False, 32, 0.0, 16, 4, 2, 4, 0.0, 64, 0.0, 0.0, False, 0.0, 12
    )
    return Logits(net), (torch.randn(1, 800),)


@model("wavlm", "torchaudio")
def wavlm():
    models = torchaudio().models
    net = models.wavlm_model(
        "group_norm", [(16, 10, 5), (16, 3, 2)], False, 32, 0.0, 16, 4, 2, 4, 32, 64, 0.0, 64, 0.0, 0.0, False, 0.0, 12
    )
    return Logits(net), (torch.randn(1, 800),)


@model("wavernn", "torchaudio")
def wavernn():
    net = torchaudio().models.WaveRNN([2, 2, 3], 16, 12, 2, 32, 32, 3, 20, 16, 24)
    return net, (torch.randn(1, 1, 12 * 4), torch.randn(1, 1, 20, 6))


@model("hdemucs", "torchaudio", "trace")
def hdemucs():
    net = torchaudio().models.HDemucs(["a", "b"], 1, 8, nfft=1024, depth=4)
    return net, (torch.randn(1, 1, 8192),)


# Classics, written here -----------------------------------------------------------------------------------------------


@model("transformer", "torch.nn")
def transformer():
    return nn.Transformer(32, 4, 2, 2, 64), (torch.randn(6, 2, 32), torch.randn(5, 2, 32))


@model("transformer_encoder", "torch.nn")
def transformer_encoder():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
    return nn.TransformerEncoder(layer, 2), (torch.randn(2, 6, 32),)


class Tagger(nn.Module):
    """Tags words with a bidirectional LSTM."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.lstm = nn.LSTM(16, 24, 2, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(48, 7)

    def forward(self, words):
        states, _ = self.lstm(self.embedding(words))
        return self.tags(states).log_softmax(-1)


@model("lstm_tagger", "torch.nn")
def lstm_tagger():
    return Tagger(), (torch.randint(0, 50, (3, 9)),)


class LanguageModel(nn.Module):
    """Predicts letters with a GRU and gives its state."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.gru = nn.GRU(16, 24, 2)
        self.letters = nn.Linear(24, 50)

    def forward(self, letters):
        states, last = self.gru(self.embedding(letters))
        return self.letters(states), last


@model("gru_language_model", "torch.nn")
def gru_language_model():
    return LanguageModel(), (torch.randint(0, 50, (9, 3)),)


class Unet(nn.Module):
    """Down and up again, with what was seen on the way down."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([self.block(3, 8), self.block(8, 16)])
        self.bottom = self.block(16, 32)
        self.lift = nn.ModuleList([nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)])
        self.up = nn.ModuleList([self.block(32, 16), self.block(16, 8)])
        self.last = nn.Conv2d(8, 2, 1)
        self.pool = nn.MaxPool2d(2)

    @staticmethod
    def block(before, after):
        return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.LeakyReLU(0.1, True))

    def forward(self, x):
        seen = []
        for block in self.down:
            x = block(x)
            seen.append(x)
            x = self.pool(x)
        x = self.bottom(x)
        for lift, block in zip(self.lift, self.up):
            x = block(torch.cat([lift(x), seen.pop()], 1))
        return self.last(x)


@model("unet", "torch.nn")
def unet():
    return Unet(), (image(32),)


class Generator(nn.Module):
    """DCGAN's generator."""

    def __init__(self):
        super().__init__()
        layers, widths = [], [16, 64, 32, 16]
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            layers += [nn.ConvTranspose2d(a, b, 4, 1 if i == 0 else 2, 0 if i == 0 else 1, bias=False)]
            layers += [nn.BatchNorm2d(b), nn.ReLU(True)]
        self.main = nn.Sequential(*layers, nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh())

    def forward(self, z):
        return self.main(z)


@model("dcgan_generator", "torch.nn")
def dcgan():
    return Generator(), (torch.randn(2, 16, 1, 1),)


class Embedded(nn.Module):
    """Dense and sparse features, interacting."""

    def __init__(self):
        super().__init__()
        self.bags = nn.ModuleList([nn.EmbeddingBag(20, 8, mode="sum"), nn.EmbeddingBag(30, 8, mode="mean")])
        self.bottom = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 8))
        self.top = nn.Sequential(nn.Linear(11, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())

    def forward(self, dense, first, second):
        x = self.bottom(dense)
        rows = [x, self.bags[0](first), self.bags[1](second)]
        rows = torch.stack(rows, 1)
        products = torch.bmm(rows, rows.transpose(1, 2))
        below = torch.tril_indices(3, 3, -1)
        return self.top(torch.cat([x, products[:, below[0], below[1]]], 1))


@model("dlrm", "torch.nn")
def dlrm():
    return Embedded(), (torch.randn(4, 5), torch.randint(0, 20, (4, 3)), torch.randint(0, 30, (4, 2)))


class Compressed(nn.Module):
    """Linear layers and an LSTM with weights in int8."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(16, 16)
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))

    def forward(self, x):
        return self.layers(self.lstm(x)[0])


@model("dynamic_quantized", "torch.nn", lively=False)
def dynamic_quantized():
    torch.backends.quantized.engine = "fbgemm"
    net = torch.ao.quantization.quantize_dynamic(Compressed().eval(), {nn.Linear, nn.LSTM}, torch.qint8)
    return net, (torch.randn(5, 2, 16),)
