"""Benchmarks: `./dev bench NAME`. Each measures peers in one run and states its aims as ratios."""
