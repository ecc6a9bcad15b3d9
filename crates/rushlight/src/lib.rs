//! TorchScript without PyTorch: compile, load, run and save.
