"""The tray, the windows and the event loop inside Qt: the only room that knows Qt."""
