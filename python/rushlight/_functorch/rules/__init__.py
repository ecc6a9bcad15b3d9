"""Rules for operators on batched tensors, a file for each family of operators."""
