"""ONE grade from several."""
