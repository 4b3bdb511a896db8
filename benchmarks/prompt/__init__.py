"""An experiment: scripts by readers who have seen nothing but `CodeMode.prompt()` and a task."""
