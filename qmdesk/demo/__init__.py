"""A whole instance with real models, set up and tried out by itself."""
