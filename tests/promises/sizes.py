"""The calculator of sizes: how wide the interval comes out, and how often it holds the truth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.promises.agreement import OPTIONS, true_values
from tests.promises.simulated import judged, ratings, share
from workbench.agreement.estimates import estimates, topics_left_out
from workbench.agreement.sample_size import SizeRequest, intraclass_correlation, sample_size


def table(repeats: int) -> Iterator[str]:
    """What is asked, and what the report then has; topics and documents as the calculator says."""
    for name, relevant, topics, half_width in (
        ("pooled", 0.2, 50, 0.1),
        ("pooled", 0.5, 50, 0.1),
        ("pooled", 0.2, 100, 0.1),
        ("gwet", 0.2, 50, 0.1),
        ("gwet", 0.05, 50, 0.05),
    ):
        generator = np.random.default_rng(41)
        truth = true_values(2, relevant)
        # Kish's number of the topics, and their correlation, as a campaign knows them of what was judged.
        known = ratings(judged(generator, 2, 2_000, 50, relevant))
        found = estimates(known, OPTIONS, topics_left_out(known, OPTIONS))
        interval = next(one for one in found if one.name == "pooled").interval
        assert interval is not None
        worth = (interval.effective or 0) / 2_000
        icc = intraclass_correlation(known, name) or 0.0
        size = sample_size(SizeRequest(name, half_width, truth["pooled"], relevant, int(topics * worth), icc))
        if size.documents is None or size.per_topic is None:
            yield f"{name} {relevant:.2f} relevant, {topics} topics, ± {half_width}: {size.in_words}"
            continue
        # What they are worth is divided: the same documents stand in all topics.
        per_topic = -(-size.documents // topics)
        widths, held, of = [], 0, 0
        for _ in range(repeats):
            data = ratings(judged(generator, 2, topics, per_topic, relevant))
            one = next(
                one for one in estimates(data, OPTIONS, topics_left_out(data, OPTIONS)) if one.name == name
            ).interval
            if one is not None and one.low is not None and one.high is not None:
                widths.append((one.high - one.low) / 2)
                held += one.low <= truth[name] <= one.high
                of += 1
        yield (
            f"{name} {relevant:.2f} relevant, {topics} topics worth {topics * worth:.0f}, ± {half_width}: "
            f"{size.documents} documents, {per_topic} a topic, promised ± {size.half_width:.3f}, median "
            f"± {np.median(widths):.3f}, holds {share(held, of)}"
        )
