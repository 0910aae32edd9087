"""Read-only SQL over the views of a queue manager."""

from __future__ import annotations

from mqtools.store.schema.view_columns import VIEWS as VIEWS
from mqtools.store.schema.views import limit_memory as limit_memory
from mqtools.store.schema.views import open_views as open_views
from mqtools.store.schema.views import query as query
