"""Live tables: frames for viewers, pushed after the commit, and the clocks that act where nobody does."""
