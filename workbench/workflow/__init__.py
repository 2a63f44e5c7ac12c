"""What people do, in campaign order: one room a stage, one function a use-case."""
