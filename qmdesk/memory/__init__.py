"""What fits: measured cards, learned footprints, and what the router is to do about both."""
