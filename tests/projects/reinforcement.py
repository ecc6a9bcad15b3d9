"""Agents: tianshou's networks and policies, torchrl's modules, losses and buffers."""
# packages: torchrl tensordict pyvers hoptorch
# needs: numpy packaging cloudpickle orjson importlib-metadata gymnasium
import os

os.environ["RL_LOGGING_LEVEL"] = "ERROR"
import torch
from show import show, steps
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import nn
from torchrl.data import LazyTensorStorage, ReplayBuffer, TensorDictReplayBuffer
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.modules import (
    MLP,
    NormalParamExtractor,
    NoisyLinear,
    ProbabilisticActor,
    QValueActor,
    TanhNormal,
    ValueOperator,
    ConvNet,
    DuelingCnnDQNet,
)
from torchrl.objectives import ClipPPOLoss, DDPGLoss, DQNLoss, SACLoss, SoftUpdate, TD3Loss
from torchrl.objectives.value import GAE, TD0Estimator
from torchrl.objectives.value.functional import (
    generalized_advantage_estimate,
    td_lambda_return_estimate,
    vec_generalized_advantage_estimate,
)

torch.manual_seed(0)
batch = TensorDict(
    {
        "observation": torch.randn(6, 4),
        "action": torch.rand(6, 2) * 1.8 - 0.9,
        ("next", "observation"): torch.randn(6, 4),
        ("next", "reward"): torch.randn(6, 1),
        ("next", "done"): torch.zeros(6, 1, dtype=torch.bool),
        ("next", "terminated"): torch.zeros(6, 1, dtype=torch.bool),
        "done": torch.zeros(6, 1, dtype=torch.bool),
        "terminated": torch.zeros(6, 1, dtype=torch.bool),
    },
    [6],
)
show("mlp", MLP(in_features=4, out_features=3, depth=2, num_cells=8)(batch["observation"]))
show("noisy", NoisyLinear(4, 3)(batch["observation"]))
show("conv", ConvNet(in_features=3, num_cells=[4, 4], kernel_sizes=3)(torch.randn(2, 3, 12, 12)))
actor_net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4), NormalParamExtractor())
actor = ProbabilisticActor(
    TensorDictModule(actor_net, in_keys=["observation"], out_keys=["loc", "scale"]),
    in_keys=["loc", "scale"],
    distribution_class=TanhNormal,
    return_log_prob=True,
)
show("actor", dict(actor(batch.clone()).select("loc", "scale", "action").items()))
value = ValueOperator(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)), in_keys=["observation"])
advantage = GAE(gamma=0.9, lmbda=0.8, value_network=value)
rolled = actor(batch.clone()).detach()
rolled = advantage(rolled)
show("gae", [rolled["advantage"], rolled["value_target"]])
ppo = ClipPPOLoss(actor, value)
for name, part in ppo(rolled).items():
    show(name, part)
steps("ppo", ppo, lambda: sum(v for k, v in ppo(rolled).items() if k.startswith("loss")))


class Value(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, observation, action):
        return self.net(torch.cat([observation, action], -1))


critic = ValueOperator(Value(), in_keys=["observation", "action"])
torch.manual_seed(1)
sac = SACLoss(actor, critic, target_entropy=-2.0, num_qvalue_nets=2)
for name, part in sac(batch.clone()).items():
    show(name, part)
deterministic = TensorDictModule(nn.Sequential(nn.Linear(4, 2), nn.Tanh()), in_keys=["observation"], out_keys=["action"])
ddpg = DDPGLoss(deterministic, critic)
for name, part in ddpg(batch.clone()).items():
    show(name, part)
soft = SoftUpdate(ddpg, eps=0.9)
soft.step()
q = QValueActor(MLP(in_features=4, out_features=3, num_cells=[8]), in_keys=["observation"], action_space="one_hot")
discrete = batch.clone().set("action", torch.nn.functional.one_hot(torch.arange(6) % 3, 3))
dqn = DQNLoss(q, action_space="one_hot", delay_value=True)
steps("dqn", dqn, lambda: dqn(discrete)["loss"])
for kind in (
    ReplayBuffer(storage=LazyTensorStorage(10), batch_size=3),
    TensorDictReplayBuffer(storage=LazyTensorStorage(10), sampler=SamplerWithoutReplacement(), batch_size=3),
):
    kind.extend(batch)
    torch.manual_seed(2)
    found = kind.sample()
    print(type(kind).__name__, len(kind), found.batch_size, sorted(map(str, found.keys()))[:3])
reward, done = torch.randn(2, 5, 1), torch.zeros(2, 5, 1, dtype=torch.bool)
done[:, -1] = True
values, after = torch.randn(2, 5, 1), torch.randn(2, 5, 1)
show(
    "advantages",
    [
        generalized_advantage_estimate(0.9, 0.8, values, after, reward, done),
        vec_generalized_advantage_estimate(0.9, 0.8, values, after, reward, done),
        td_lambda_return_estimate(0.9, 0.8, after, reward, done),
    ],
)
