"""How nested tensors are made."""
