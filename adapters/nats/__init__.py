"""NATS JetStream: its server from a wheel, its users, and everything that speaks to it."""
