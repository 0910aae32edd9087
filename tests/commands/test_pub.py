"""``mqx pub``: publish from the command line."""

from __future__ import annotations

import json


def test_a_subscription_of_mqsc_gets_what_is_published(inline, qm):
    inline("mqsc", "DEFINE SUB(S) TOPICSTR('prices/#') DEST(DEV.QUEUE.1)", check=True)
    done = inline("pub", "prices/eur", "1.08", "1.09", "--property", "region=EU", check=True)
    assert done.err == "published 2 messages on prices/eur\n"
    shown = inline("browse", "DEV.QUEUE.1", "--columns", "data,properties.region,properties.mqps.Top").out
    assert shown == b"1.08\tEU\tprices/eur\n1.09\tEU\tprices/eur\n"


def test_a_publication_that_nobody_wants_is_said(inline, qm):
    done = inline("pub", "prices/eur", "1.08", "-o", "json", check=True)
    assert json.loads(done.out) == {"topic": "prices/eur", "published": 1, "unmatched": 1}
    assert "no subscription matched it" in inline("pub", "prices/eur", "1.08").err
