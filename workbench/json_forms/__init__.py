"""The JSON of results: what commands print with `--json`, the API answers and the client returns.

Each is the form of one record; moments are ISO 8601 in UTC, and None is a value that is not there."""
