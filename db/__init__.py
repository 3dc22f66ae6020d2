"""All that is stored: tables, queries, files in and out. Never computes a posterior."""
