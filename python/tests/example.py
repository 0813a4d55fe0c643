"""What a user writes. Type checkers read it; nothing is run."""

from datetime import timedelta
from typing import List, Optional

import inferometer


def median_of_the_good_ones(url: str) -> float:
    run = inferometer.bench(url, num_prompts=200, max_concurrency=8, request_timeout=timedelta(seconds=30), header={"X-Team": "a"}, metric_percentiles=[50, 99])
    if run.verdict is None or not run.verdict.valid:
        raise RuntimeError(str(run.verdict))
    requests = run.requests()
    return float(requests[requests["ok"]]["ttft_ms"].median())


def slowest_streams(run: inferometer.Run) -> List[int]:
    events = run.events("polars")
    return events.group_by("request").max().sort("gap_ms")["request"].to_list()


def highest(url: str) -> Optional[float]:
    found = inferometer.find("p99_ttft<=500ms and failed<0.1%", url, vary="concurrency", from_=1, confirm="1m")
    return found.load if found.confirmed else None


def slower(base: inferometer.Run, new: inferometer.Run) -> bool:
    comparison = inferometer.compare(base, [new, "runs/again"], gate="p99_ttft<+5%")
    return comparison.comparable and comparison.change("p99_ttft_ms").better is False


def best_point(scenario: str) -> str:
    experiment = inferometer.run(scenario, set={"workload.num_prompts": 100})
    frame = experiment.frame("polars")
    return str(frame.sort("output_throughput")["point"][-1])
