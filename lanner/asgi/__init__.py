"""ASGI applications: their lifespan, and the engine within the turns of an event loop."""
