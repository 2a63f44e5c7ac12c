"""What people do, in campaign order: one module a stage, one function a use-case."""
