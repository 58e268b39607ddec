"""What the edge says when it cannot go on.

Every text is one line: what was wrong, where, and what to do. A command prints it and ends; nothing here is a bug.
"""


class AdapterError(Exception):
    """Something outside the program is not as it has to be."""


class SettingsRefused(AdapterError):
    """A setting has a value that cannot be meant."""


class DataFolderRefused(AdapterError):
    """The data folder belongs to someone else, has another form, or cannot be written."""


class ServersUnavailable(AdapterError):
    """PostgreSQL or NATS could not be started, reached or waited for."""


class AlreadyServed(ServersUnavailable):
    """Another command runs the servers of this data folder, and `serve` needs them for itself."""
