# Streams of PyTorch before 1.6: tensors that look at their elements when they are made, whole modules with their sources.
import base64
import io
import warnings
import zlib

import torch
from torch import nn


def again(value, **kw):
    b = io.BytesIO()
    torch.save(value, b, _use_new_zipfile_serialization=False)
    b.seek(0)
    return torch.load(b, **kw)


warnings.simplefilter("ignore")
a = torch.arange(6.0)
KINDS = {
    "quantized": torch.quantize_per_tensor(a[:4], 0.1, 3, torch.quint8),
    "by channel": torch.quantize_per_channel(a.view(2, 3), torch.tensor([0.1, 0.2]), torch.tensor([1, 2]), 0, torch.qint8),
    "csr": torch.eye(3).to_sparse_csr(),
    "csc": (torch.eye(3) * 2).to_sparse_csc(),
    "bsr": torch.eye(4).to_sparse_bsr((2, 2)),
    "coo": torch.eye(3).to_sparse(),
    "shared": [a, a[2:], a.view(2, 3).t(), nn.Parameter(a)],
    "conjugate": torch.tensor([1 + 2j]).conj(),
    "words": {"x": (torch.ones(2, dtype=torch.bool), None, {1, 2}), "y": torch.Size([1, 2])},
    "empty": torch.empty(0, 3),
}
for name, value in KINDS.items():
    for only in (True, False):
        print(name, only, again(value, weights_only=only))
shared = again(KINDS["shared"])
shared[0].fill_(1)
print(shared)
print(again({"q": KINDS["quantized"], "n": a}, map_location="cpu"))
print(again(a, map_location="meta"), again(a, map_location=lambda storage, place: storage))


class Mine(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.register_buffer("q", torch.quantize_per_tensor(a[:2], 0.5, 0, torch.quint8))

    def forward(self, x):
        return self.fc(x)


torch.manual_seed(0)
whole = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2), Mine()).eval()
loaded = again(whole, weights_only=False)
x = torch.randn(3, 2)
print(loaded, torch.equal(loaded(x), whole(x)), loaded[3].q)
try:
    again(whole, weights_only=True)
except Exception as error:
    print(type(error).__name__, str(error)[:60])

# What PyTorch 2.15 wrote of a module of a class `Written`, whose source was another, within a Sequential.
STREAM = """
c-nPUdsEv+5VwVaL?I87hBl8TZqtY8!v#V}oIXg~ls*Jb5N&gP(CZ<ceF{SI>P~p*jA!T{B&46AAD~~YAE7h-
qkDG(hu~^F^6c*Kc5iooyV`aBaFc)kT>7W}_^*eT8oSQQ-
y`_$L&YQKDwRq%&r}v>3Ek$ojI$J~2q34?lEg|Soboh^SqjcRaZ#yux}3`RH!fkM4>gaBqEd=1S1{^3WCW!+RWRn)NKO05(hiLKwW7e79vMT`Ru&Zrhf1ijJ
QR&IZCH(LgjuRsobudV<52Ka#Vm25YAz!WHI42LIOGQE!h}g#A7H%|<7oP>TgRu1Mi)jD)K;f|htWQadE|u7AjcT7zScfDg);53oNaN1>BEUWoHQW1QMB7y<
M!bcxuP{`meQ`SkyIG&06-;IFcDIe<3z<Nr7mh*IK2*M_TX#)=g0-
)kA<5(mPfRkb1JfIQ^I73Wlwmhu<Fu%kVib{(fv5Y)90rHxIoSxIcN{PB(&`!nbNjc(sq#~M=>zfB4@O<o#oFReAyg)g<L*nqP<uNsvUGBTr#lB<mz!4OL}Z
a(vab$Be-IKSIPP3frI2;HRfyN+EDY6kk<{gP9`-
}DyBG%unMK4*NpXba`6T0Ak+<mc*ACvWGosEd(*()vdugO%j7}8w++s6g_hKW={~$es;HTPcRf+Tes3|;>_<6H2~S;k&x}XUikhSEllmb?OVlueHWYlI2|Ck
<Sx=1b3*_LOK-%3D69QQ@zX!JhSP+xuTDOHIz#TEw61JsHVS9F0*p_@KZ0$c1wy+-yTf$F-E!3j0mAEHtrk@H-
?la=xW!oWquCqHfnF&rM%iU%B2lvTIvmdmiQ~iQmKTOqPhGn{>;7gt9SAF>UAk%N`PU!KtBNX^$WLl^=kuJ@-
o~mdtp)M@{4+N_#vz%_vxv=7SWL&QdM6wQtmObJwVbj%`Rl4xN3`ukTPIKmV^VZz#{LPtpcxV<_*ezhycUlU9Rlnj_edh_R`Ho+G0^dF}HTzD%_W?ZGHv)MI
KLqfj*>@W;lkk&R7I+EK5-$Xqn_Xxwz|UgUucGsH<9rW((JyKp|EhomuwfmCPaz6`7n%)i%ZAP#hydb}4UbDUY!29vlx)~4*^riO$VxVJOEy5shP-
5hEZLwm8w#@+k>733RFNb9w{f>mpe`%aK-u%F#fCIL-0ti8i!!99)nPSoctaD;KD&$fx>r4vD~taDf|d{D
"""


class Written(nn.Module):
    def forward(self, x):
        return self.fc(x) + 1


with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    loaded = torch.load(io.BytesIO(zlib.decompress(base64.b85decode("".join(STREAM.split())))), weights_only=False)
    print(loaded, loaded(torch.ones(1, 2)))
    print([(w.category.__name__, str(w.message)) for w in said if "__main__" in str(w.message)])
