"""Views of queues, messages and the trash for display: pages, searches, overviews."""
