// The assessor's answers on documents nearly identical to the one on the desk: which those are came with it, their
// answers are in the topic. The same answer is proposed, never given.

// {grade, label, agreed, compare} of the one that is most alike, of equals the latest; null where none was graded.
export function nearAnswer(docno, near, topic, { grades, address }) {
  const alike = new Map(near);
  let best = null;
  const given = new Set();
  for (const [other, { answer, grade }] of topic.answers) {
    if (answer !== "grade" || other === docno || !alike.has(other)) continue;
    given.add(grade);
    if (best === null || alike.get(other) >= alike.get(best.other)) best = { other, grade };
  }
  if (best === null) return null;
  const query = [docno, best.other].map((one) => `docno=${encodeURIComponent(one)}`).join("&");
  return {
    grade: best.grade,
    label: grades.find(([value]) => value === best.grade)?.[1] ?? "",
    agreed: given.size === 1,
    compare: `${address}?${query}`,
  };
}
