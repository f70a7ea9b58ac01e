"""What a user configures: flags, variables and keywords; the command `lanner`, `lanner.run()` and `lanner.serve()`."""
