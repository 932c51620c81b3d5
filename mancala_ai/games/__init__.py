"""The games, one module each: ruleset, kernels, notation, and the decisions on the rules."""
