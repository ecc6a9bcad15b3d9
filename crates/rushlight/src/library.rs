//! The standard library: names of `torch.nn.functional` and kin that are functions, not operators.
