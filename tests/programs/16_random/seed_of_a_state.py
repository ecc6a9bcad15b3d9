# the seed that a random stream says it began with, after its state was put back
import torch

torch.manual_seed(1)
state = torch.get_rng_state()
torch.manual_seed(2)
print(torch.initial_seed())
torch.set_rng_state(state)
print(torch.initial_seed(), torch.default_generator.initial_seed())
with torch.random.fork_rng():
    torch.manual_seed(7)
    print(torch.initial_seed())
print(torch.initial_seed())
torch.rand(3)
print(torch.initial_seed())
other = torch.Generator().manual_seed(9)
torch.default_generator.set_state(other.get_state())
print(torch.initial_seed())
