"""Long reads of many messages: scans by key ranges, pages, filtered scans, columns, queries of the views."""
