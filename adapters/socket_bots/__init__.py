"""Bots that play over the API as any other client does: HTTP to sit down, a socket to see and to play."""
