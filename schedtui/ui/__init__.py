"""The screen: everything that needs Textual or Rich."""
