// Which hit comes next: from the one where one is, or from the place that is read.

// The hit one step before or after `current`, around the ends; from the offset at the top of the screen where there is
// none yet. Only those in the view that is shown count.
export function nextHit(hits, { current, direction, offset, views }) {
  let index = current;
  if (index < 0) {
    const here = hits.from(offset ?? 0);
    index = direction > 0 ? here - 1 : here;
  }
  for (let tried = 0; tried < hits.count; tried += 1) {
    index = (index + direction + hits.count) % hits.count;
    if (views.has(hits.starts[index], hits.ends[index])) break;
  }
  return index;
}
