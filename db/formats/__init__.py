"""Item and label files in and out: bytes to Arrow batches of text, and back. No database here."""
