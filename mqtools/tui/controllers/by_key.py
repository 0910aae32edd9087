"""Table of what each key does, imported with the first key: it needs more modules than the first rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mqtools.tui.controllers.actions import Actions
from mqtools.tui.controllers.comparison import Comparison
from mqtools.tui.controllers.controller import BrowserScreen
from mqtools.tui.controllers.dead_letters import DeadLetters
from mqtools.tui.controllers.export import Export
from mqtools.tui.controllers.layout import PaneLayout
from mqtools.tui.controllers.locks import Locks
from mqtools.tui.controllers.marks import Marks
from mqtools.tui.controllers.movement import Movement
from mqtools.tui.controllers.palette import PaletteController
from mqtools.tui.controllers.past import PastController
from mqtools.tui.controllers.prompts import Prompts
from mqtools.tui.controllers.queue_actions import QueueActions
from mqtools.tui.controllers.queues_search import QueuesSearch
from mqtools.tui.controllers.saved_filters import SavedFilters
from mqtools.tui.controllers.sort import SortController
from mqtools.tui.controllers.traces import Traces
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.display.tabs import TABS


def actions_by_key(
    browser: BrowserScreen,
    past: PastController,
    work: WorkController,
    marks: Marks,
    movement: Movement,
    layout: PaneLayout,
) -> dict[str, Callable[[], object]]:
    actions = Actions(browser, work, marks)
    dead_letters = DeadLetters(browser, work, marks, actions)
    queue_actions = QueueActions(browser, work, actions)
    export, prompts = Export(browser, work, marks), Prompts(browser)
    locks, traces = Locks(browser, work), Traces(browser)
    return {
        **_moves(movement, prompts),
        "past.event_before": partial(past.step, -1),
        "past.event_behind": partial(past.step, 1),
        "past.earlier": partial(past.step_bar, -1),
        "past.later": partial(past.step_bar, 1),
        "past.at": prompts.go_to_time,
        "past.zoom": past.zoom,
        "live": past.live,
        **_places(browser, work, prompts, layout),
        "sort": SortController(browser, work).choose,
        "follow": movement.toggle_follow,
        "pause": movement.toggle_pause,
        "times": movement.change_times,
        "columns": prompts.choose_columns,
        "groups": dead_letters.show_groups,
        "trace": traces.show,
        "compare": Comparison(browser, marks).show,
        "explain": dead_letters.explain,
        "mark": marks.toggle,
        "mark.range": marks.mark_range,
        "mark.all": partial(marks.mark_listed, "Mark all"),
        "mark.invert": partial(marks.mark_listed, "Invert the marks", inverts=True),
        "mark.none": marks.unmark_all,
        "lock": locks.toggle,
        "move": partial(actions.carry, copies=False),
        "copy": partial(actions.carry, copies=True),
        "delete": actions.delete,
        "undo": actions.undo.undo,
        "edit": actions.edit,
        "redrive": actions.redrive,
        "put": actions.put,
        "queue": queue_actions.choose,
        "report": actions.report,
        "get": actions.get,
        "rules": dead_letters.apply_rules,
        "write": export.write,
        "yank": export.copy,
        "theme": prompts.choose_theme,
        "suspend": lambda: browser.app.action_suspend_process(),
        "quit": work.quit,
    }


def _moves(movement: Movement, prompts: Prompts) -> dict[str, Callable[[], object]]:
    return {
        "move.down": partial(movement.move, 1),
        "move.up": partial(movement.move, -1),
        "move.first": movement.go_first,
        "move.last": movement.go_last,
        "move.page_down": partial(movement.page, 1),
        "move.page_up": partial(movement.page, -1),
        "goto": prompts.go_to,
        "pane.left": partial(movement.change_pane, -1, cycles=False),
        "pane.right": partial(movement.change_pane, 1, cycles=False),
        "pane.next": partial(movement.change_pane, 1, cycles=True),
        "pane.previous": partial(movement.change_pane, -1, cycles=True),
        "open": movement.open,
        "back": movement.go_back,
        **{f"tab.{name.lower()}": partial(movement.show_tab, tab) for tab, name in TABS.items()},
        "fold": partial(movement.fold, every=False),
        "fold.all": partial(movement.fold, every=True),
        "more": movement.show_more,
        "filter": prompts.filter,
        "filters": SavedFilters(prompts.browser).choose,
        "hit.next": partial(movement.go_to_hit, 1),
        "hit.previous": partial(movement.go_to_hit, -1),
    }


def _places(
    browser: BrowserScreen, work: WorkController, prompts: Prompts, layout: PaneLayout
) -> dict[str, Callable[[], object]]:
    search = QueuesSearch(browser)
    return {
        "qmgr": prompts.show_queue_managers,
        "qmgr.next": partial(browser.tabs.step_tab, 1),
        "qmgr.previous": partial(browser.tabs.step_tab, -1),
        "qmgr.close": work.close,
        "zoom": layout.zoom,
        "narrower": partial(layout.resize_queues, -1),
        "wider": partial(layout.resize_queues, 1),
        "errors": prompts.show_errors,
        "log": partial(prompts.show_log, browser.jobs),
        "jobs": prompts.show_jobs,
        "help": prompts.help,
        "search.all": search.ask,
        "palette": PaletteController(browser, search.search_for).show,
    }
