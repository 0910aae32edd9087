"""Commands on topic strings: their status, that of publish/subscribe, and the deletion of retained publications."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from mqtools.admin import subscriptions
from mqtools.admin.commands.queues import Row
from mqtools.admin.commands.subscriptions import status_of
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.mqi.publish_subscribe import publications, topics
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.rules.attributes.table import TEXT, WORD, attributes_of
from mqtools.rules.attributes.topic import BASE
from mqtools.rules.commands.command import ANY, AdminCommand, CommandParameter, ignored
from mqtools.rules.topics import ANY_LEVELS, ONE_LEVEL, matches
from mqtools.store import queues
from mqtools.store.database import Database

_TOPIC, _SUBSCRIBERS, _PUBLISHERS = "TPSTATUS", "TPSTATUS SUB", "TPSTATUS PUB"
_STATES = {
    cmqc.MQPSM_ENABLED: c.MQPS_STATUS_ACTIVE,
    cmqc.MQPSM_COMPAT: c.MQPS_STATUS_COMPAT,
    cmqc.MQPSM_DISABLED: c.MQPS_STATUS_INACTIVE,
}
_INHERITED = {row.selector: row.name for row in attributes_of(_TOPIC) if row.selector in BASE}


class TopicTree:
    """Topics by string: those of topic objects, subscriptions and retained publications, and all above them."""

    def __init__(self, db: Database) -> None:
        self.objects = {string.rstrip("/"): name for name, string in topics.object_strings(db)}
        self.retained = publications.retained_topics(db)
        self.subscriptions: dict[str, list[SubscriptionRecord]] = {}
        for each in subscriptions.live(db):
            self.subscriptions.setdefault(each.topic, []).append(each)
        strings = {*self.objects, *self.retained, *self.subscriptions}
        self.strings = sorted({above for each in strings for above in accumulate(each.split("/"), "{}/{}".format)})


def show_status(db: Database, name: str, tables: str) -> Iterator[Row]:
    """Yield the status of the topics that match a topic string with the wildcards # and +, or their subscribers."""
    tree = TopicTree(db)
    for string in tree.strings:
        is_meant = string == name or (not {ANY_LEVELS, ONE_LEVEL}.isdisjoint(string.split("/")) and name == ANY_LEVELS)
        if is_meant or matches(name, string):
            if tables == _SUBSCRIBERS:
                for each in tree.subscriptions.get(string, ()):
                    yield tables, status_of(db, each)
            elif tables == _TOPIC:
                yield tables, _values(db, tree, string)


def _values(db: Database, tree: TopicTree, string: str) -> dict[str, Any]:
    attributes = topics.attributes_of_topic(db, string)
    return {
        **{own_name: attributes[selector] for selector, own_name in _INHERITED.items() if selector is not None},
        "topicstr": string,
        "admin_topic_name": tree.objects.get(string, ""),
        "retained": int(string in tree.retained),
        "sub_count": len(tree.subscriptions.get(string, ())),
    }


def show_publish_subscribe(db: Database, kind: int | None) -> Iterator[Row]:
    """Yield the state of publish/subscribe here. kind: MQPSST_* of the queue managers to show; there are no others."""
    if kind in (None, c.MQPSST_ALL, c.MQPSST_LOCAL):
        mode, tree = queues.read_qmgr(db).get("pub_sub_mode", cmqc.MQPSM_ENABLED), TopicTree(db)
        yield (
            "PUBSUB",
            {
                "q_mgr_name": queues.qmgr(db).name,
                "state": _STATES[int(str(mode))],
                "sub_count": sum(map(len, tree.subscriptions.values())),
                "topic_node_count": len(tree.strings),
            },
        )


COMMANDS = (
    AdminCommand(
        verb="DISPLAY", object_types=("TPSTATUS",), number=c.MQCMD_INQUIRE_TOPIC_STATUS, do=show_status, shows=True,
        parameters=(
            CommandParameter("", "name", cmqc.MQCA_TOPIC_STRING, TEXT, maximum=10240, form=ANY, required=True),
            CommandParameter("TYPE", "tables", c.MQIACF_TOPIC_STATUS_TYPE, WORD, default=_TOPIC,
                             words=(("TOPIC", _TOPIC), ("SUB", _SUBSCRIBERS), ("PUB", _PUBLISHERS)),
                             numbers={_TOPIC: c.MQIACF_TOPIC_STATUS, _SUBSCRIBERS: c.MQIACF_TOPIC_SUB,
                                      _PUBLISHERS: c.MQIACF_TOPIC_PUB}),
        ),
        asked=c.MQIACF_TOPIC_STATUS_ATTRS, always=("topicstr", "status_type"), completes=True, done="AMQ8754I",
        missing="topic string", missing_pcf=c.MQRCCF_TOPIC_STRING_NOT_FOUND,
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("PUBSUB",), number=c.MQCMD_INQUIRE_PUBSUB_STATUS, do=show_publish_subscribe,
        shows=True, asked=c.MQIACF_PUBSUB_STATUS_ATTRS, always=("q_mgr_name", "status_type", "state"), done="AMQ8723I",
        parameters=(
            CommandParameter("TYPE", "kind", c.MQIACF_PS_STATUS_TYPE, WORD,
                             words=(("ALL", c.MQPSST_ALL), ("LOCAL", c.MQPSST_LOCAL), ("CHILD", c.MQPSST_CHILD),
                                    ("PARENT", c.MQPSST_PARENT))),
        ),
        missing="publish/subscribe hierarchy",
    ),
    AdminCommand(
        verb="CLEAR", object_types=("TOPICSTR",), number=c.MQCMD_CLEAR_TOPIC_STRING,
        do=publications.delete_retained, done="AMQ8756I",
        parameters=(
            CommandParameter("", "topic", cmqc.MQCA_TOPIC_STRING, TEXT, maximum=10240, form=ANY, required=True),
            CommandParameter("CLRTYPE", "", c.MQIACF_CLEAR_TYPE, WORD, required=True,
                             words=(("RETAINED", c.MQCLRT_RETAINED),)),
            *ignored(c.MQIACF_CLEAR_SCOPE),
        ),
    ),
)  # fmt: skip
