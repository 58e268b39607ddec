"""Deals of the log and of exports put through the battery: in parallel, each once, and kept."""
