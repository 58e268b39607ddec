"""The game drawn in a terminal with Rich: tables, tricks and scores. Drawing only; what is shown comes in as a view."""
