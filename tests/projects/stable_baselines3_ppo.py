"""stable_baselines3: PPO and DQN on a small environment."""
# packages: stable-baselines3
# needs: numpy gymnasium cloudpickle pandas matplotlib
import gymnasium
import numpy
import torch
from show import show
from stable_baselines3 import DQN, PPO, SAC

env = gymnasium.make("CartPole-v1")
model = PPO("MlpPolicy", env, seed=0, n_steps=64, batch_size=32, n_epochs=2, device="cpu")
model.learn(128)
observation = numpy.array([0.01, -0.02, 0.03, 0.04], dtype=numpy.float32)
show("value", model.policy.predict_values(torch.tensor(observation)[None]))
print(model.predict(observation, deterministic=True)[0])
show("parameters", list(model.policy.parameters()))
model = DQN("MlpPolicy", env, seed=0, learning_starts=20, train_freq=4, device="cpu")
model.learn(60)
show("q", model.q_net(torch.tensor(observation)[None]))
model = SAC("MlpPolicy", gymnasium.make("Pendulum-v1"), seed=0, learning_starts=10, device="cpu", policy_kwargs={"net_arch": [16, 16]})
model.learn(30)
show("actor", model.actor(torch.tensor([[0.1, 0.2, 0.3]]), deterministic=True))
