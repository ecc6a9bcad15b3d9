# torch.optim.Adafactor and torch.optim.Muon: steps, state, and what they refuse.
import torch


def refusal(make):
    try:
        make()
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


def descend(make, shape):
    count = torch.Size(shape).numel()
    weight = torch.nn.Parameter(torch.linspace(-1.0, 2.0, count).reshape(shape))
    optimizer = make([weight])
    for _ in range(4):
        optimizer.zero_grad()
        ((weight - 0.5) ** 2).sum().backward()
        optimizer.step()
    print([round(x, 4) for x in weight.detach().flatten().tolist()])
    print({name: tuple(value.shape) for name, value in optimizer.state[weight].items()})


for options in ({}, {"lr": 0.3, "weight_decay": 0.1}, {"eps": (1e-2, 0.5)}, {"maximize": True}, {"lr": torch.tensor(0.2)}):
    descend(lambda p: torch.optim.Adafactor(p, **options), (2, 3))
    descend(lambda p: torch.optim.Adafactor(p, **options), (3, 1, 2))
    descend(lambda p: torch.optim.Adafactor(p, **options), (4,))

for options in ({}, {"lr": 0.2, "weight_decay": 0.0}, {"lr": 0.2, "nesterov": False}, {"lr": 0.2, "adjust_lr_fn": "match_rms_adamw"}):
    descend(lambda p: torch.optim.Muon(p, **options), (2, 3))
    descend(lambda p: torch.optim.Muon(p, **options), (4, 2))

matrix, vector = torch.nn.Parameter(torch.ones(2, 3)), torch.nn.Parameter(torch.ones(3))
print(torch.optim.Adafactor([matrix]))
print(torch.optim.Muon([matrix]))
refusal(lambda: torch.optim.Adafactor([vector], d=0.5))
refusal(lambda: torch.optim.Adafactor([vector], beta2_decay=0.1))
refusal(lambda: torch.optim.Adafactor([vector], eps=(None, -1.0)))
refusal(lambda: torch.optim.Muon([vector]))
refusal(lambda: torch.optim.Muon([matrix], momentum=-1.0))
refusal(lambda: torch.optim.Muon([matrix], adjust_lr_fn="other"))
matrix.grad = torch.ones(2, 3)
refusal(lambda: torch.optim.Muon([matrix], ns_steps=100).step())
