"""One serving process: it loads the application, makes the engine, and serves until it has drained."""
