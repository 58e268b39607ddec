"""The HTTP and WebSocket API of the match service: commands, views, live frames, and errors in two languages."""
