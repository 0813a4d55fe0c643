"""Writes what AIPerf's own loader makes of Weka traces: one JSON file per trace.

Usage: facts.py OUT TRACE.json[.gz]...   with the Python of scripts/aiperf.sh.
README.md beside it says what the files hold. Tokens are names here ("b7.0" is the first token of block 7, "t3" the
fourth behind the last block), so that what AIPerf puts together can be counted and looked at without a tokenizer.
"""

import gzip
import json
import os
import sys
import types

os.environ.setdefault("AIPERF_DATASET_WEKA_PARALLEL_WORKERS", "1")

from aiperf.common.enums import CacheBustTarget  # noqa: E402
from aiperf.common.models import DatasetMetadata  # noqa: E402
from aiperf.dataset.dataset_samplers import SequentialSampler  # noqa: E402
from aiperf.dataset.loader.weka_trace import WekaTraceLoader  # noqa: E402
from aiperf.dataset.loader.weka_trace_models import WekaTrace  # noqa: E402
from aiperf.plugin.enums import DatasetSamplingStrategy  # noqa: E402
from aiperf.timing.strategies.cache_bust import build_cache_bust_marker  # noqa: E402
from aiperf.timing.trajectory_source import TrajectorySource  # noqa: E402

SEEDS = (42, 7)
LANES = 4
RATIOS = ((0.0, 1.0), (0.25, 0.75))


class Names:
    """In the place of the prompt generator: it is asked for nothing but its cache and for whose blocks come next."""

    def __init__(self):
        self._cache = {}
        self._hash_id_corpus_rng = types.SimpleNamespace(set_trace_id=lambda _: None)
        self._bpe_stable_terminator_tokens = []
        self.tokenizer = types.SimpleNamespace(resolved_name="names", decode=" ".join)


class Loader(WekaTraceLoader):
    def __init__(self):
        super().__init__(prompt_generator=Names())
        self._configured_model_names = ["first", "second"]

    def _decode_block_tokens(self, hash_ids):
        return [f"b{h}.{i}" for h in hash_ids for i in range(self._block_size)]

    def sample_partial_tail_tokens(self, n_tokens, seed):
        return [f"t{i}" for i in range(n_tokens)]


def num(value):
    """Milliseconds, to the thousandth: what is behind it is the binary form of decimal seconds."""
    return None if value is None else float(f"{value:.3f}")


def turn(t, before):
    """One turn, and the messages that its request has."""
    messages = ([] if t.reset_context else list(before)) + list(t.raw_messages)
    tokens = sum(len(m["content"].split()) for m in messages)
    out = {
        "at": num(t.timestamp),
        "took": num(t.api_time_ms),
        "delay": num(t.delay),
        "model": t.model,
        "max_tokens": t.max_tokens,
        "adds": [[m["role"], len(m["content"].split())] for m in t.raw_messages],
        "messages": len(messages),
        "tokens": tokens,
        "hit": t.theoretical_prefix_cache_hit_blocks,
        "of": t.theoretical_prefix_cache_total_blocks,
        "row": t.source_outer_idx,
    }
    if t.source_inner_idx is not None:
        out["inner"] = t.source_inner_idx
    if t.reset_context:
        out["reset"] = True
    if t.branch_ids:
        out["spawns"] = list(t.branch_ids)
    if t.prerequisites:
        out["joins"] = [p.branch_id for p in t.prerequisites]
    if t.replay_predecessors:
        out["barriers"] = [[p.conversation_id, p.turn_index] for p in t.replay_predecessors]
    return {k: v for k, v in out.items() if v is not None}, messages


def branch(c):
    out = {"id": c.session_id, "scope": c.replay_scope_id, "turns": []}
    messages = []
    for t in c.turns:
        made, messages = turn(t, messages)
        out["turns"].append(made)
    if c.branches:
        out["spawned"] = [
            {"id": b.branch_id, "start": num(b.start_timestamp_ms), "children": list(b.child_conversation_ids), "background": b.is_background}
            for b in c.branches
        ]
    return out


def starts(conversations):
    """Where lanes begin, by seed and by the shares of the recorded time between which they may."""
    metadata = DatasetMetadata(conversations=[c.to_metadata() for c in conversations], sampling_strategy=DatasetSamplingStrategy.SEQUENTIAL)
    roots = [c.session_id for c in conversations if c.is_root]
    out = []
    for seed in SEEDS:
        for low, high in RATIOS:
            source = TrajectorySource(
                dataset_metadata=metadata,
                dataset_sampler=SequentialSampler(roots),
                concurrency=LANES,
                random_seed=seed,
                start_min_ratio=low,
                start_max_ratio=high,
                cache_bust_enabled=True,
            )
            for lane, trajectory in enumerate(source.trajectories):
                made = {"seed": seed, "ratios": [low, high], "lane": lane, "trace": trajectory.conversation_id}
                if trajectory.snapshot is None:
                    made["turn"] = trajectory.start_turn_index
                else:
                    # The star is an equality, so it keeps all its digits.
                    made["star"] = trajectory.snapshot.t_star_ms
                    made["live"] = [
                        {"id": s.conversation_id, "next": s.next_turn_index, "in": num(s.next_dispatch_offset_ms)}
                        | ({"waits": True} if s.waiting_on_children else {})
                        | ({"primer": s.warmup_turn_index} if s.warmup_turn_index is not None else {})
                        for s in trajectory.snapshot.states
                    ]
                    made["done"] = {b.conversation_id: b.next_turn_index for b in trajectory.snapshot.replay_resume_boundaries}
                out.append(made)
    return out


def markers(trace):
    return [
        {"benchmark": "bench-1", "pass": play, "lane": lane, "text": build_cache_bust_marker("bench-1", play, lane, trace, target=CacheBustTarget.FIRST_TURN_PREFIX)}
        for play, lane in ((0, 0), (0, 3), (2, 1))
    ]


def facts(raw):
    trace = WekaTrace.model_validate(raw)
    try:
        conversations = Loader().convert_to_conversations({trace.id: [trace]})
    except NotImplementedError as e:  # spawns and joins that it can't replay
        return {"trace": trace.id, "refused": str(e)}
    turns = [t for c in conversations for t in c.turns]
    return {
        "trace": trace.id,
        "hit": sum(t.theoretical_prefix_cache_hit_blocks or 0 for t in turns),
        "of": sum(t.theoretical_prefix_cache_total_blocks or 0 for t in turns),
        "branches": [branch(c) for c in conversations],
        "starts": starts(conversations),
        "markers": markers(trace.id),
    }


def lines(made):
    """JSON with a turn a line, so that a difference is a line."""
    pad = "\n  "
    text = []
    for key, value in made.items():
        if key == "branches":
            parts = []
            for b in value:
                head = json.dumps({k: v for k, v in b.items() if k != "turns"})[:-1]
                parts.append(head + ', "turns": [' + pad + ("," + pad).join(json.dumps(t) for t in b["turns"]) + "]}")
            text.append('"branches": [\n ' + ",\n ".join(parts) + "]")
        elif isinstance(value, list):
            text.append(f'"{key}": [' + pad + ("," + pad).join(json.dumps(v) for v in value) + "]")
        else:
            text.append(f'"{key}": {json.dumps(value)}')
    return "{" + ",\n".join(text) + "}\n"


def main():
    folder, *paths = sys.argv[1:]
    for path in paths:
        opened = gzip.open if path.endswith(".gz") else open
        with opened(path, "rt") as f:
            made = facts(json.load(f))
        name = os.path.basename(path).removesuffix(".gz").removesuffix(".json") + ".json"
        with open(os.path.join(folder, name), "w") as f:
            f.write(lines(made))


main()
