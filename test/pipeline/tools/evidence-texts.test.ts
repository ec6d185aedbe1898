import { expect, it } from "vitest";
import { absenceOf, votesKnownUntil, whyUnscored } from "../../../pipeline/tools/evidence-texts.ts";

const AS_OF = "2026-04-28T23:59:59.999Z";
const BEFORE = "2026-02-01T23:59:59.999Z";
const AFTER = "2026-11-24T01:20:00.000Z";

const FEW = "Fewer than two proposals of usual power ended in the last 120 days";
const OLD = "Its votes are known until 2026-02-01, so how much it has voted since is not fully known";
const NEVER = "Its votes are not known, so how much it votes is not fully known";

it.each([
  { why: "fully present", low: 1, high: 1, fetched_at: AS_OF, until: AS_OF, says: undefined },
  {
    why: "fetched after the moment of the scores, which use nothing later",
    ...{ low: 0.89, high: 0.89, fetched_at: AFTER, until: AS_OF, says: FEW },
  },
  { why: "fetched before", low: 0.2, high: 0.9, fetched_at: BEFORE, until: BEFORE, says: OLD },
  { why: "never fetched", low: 0, high: 1, fetched_at: null, until: undefined, says: NEVER },
  { why: "surely without a vote", low: 0, high: 0, fetched_at: AS_OF, until: AS_OF, says: FEW },
])("says of a DAO that is $why why its presence is below 1, and until when its votes are known", (row) => {
  const { low, high, fetched_at, until, says } = row;
  const evidence = { as_of: AS_OF, presence: { low, high }, measures: { fetched_at } };
  expect(absenceOf(evidence)).toBe(says);
  expect(votesKnownUntil(evidence)).toBe(until);
});

const MESSAGE = "No finished proposal ended in the last two years.";

it.each([
  { why: "known long before", fetchedAt: BEFORE, says: "Votes are known until 2026-02-01 and not since." },
  {
    why: "known a day before, to the millisecond",
    fetchedAt: "2026-04-27T23:59:59.999Z",
    says: "Votes are known until 2026-04-27 and not since.",
  },
  { why: "known to the day", fetchedAt: "2026-04-28T00:00:00.000Z", says: MESSAGE },
  { why: "known later", fetchedAt: AFTER, says: MESSAGE },
  { why: "not known", fetchedAt: null, says: MESSAGE },
  { why: "old, but of a flagged space", fetchedAt: BEFORE, code: "SPACE_FLAGGED", says: MESSAGE },
])(
  "gives the reason of an unscored DAO whose votes are $why",
  ({ fetchedAt, code = "NO_PROPOSALS", says }) => {
    const measures = {
      fetched_at: fetchedAt,
      authors: { sum: 0, of_proposals: 0, of_authors: 0 },
      active_voters: null,
      continuities: [],
      guardrails: { is_proposing_gated: null, has_fixed_period: null, guardians: null },
      delegation: null,
    };
    const empty_frame = { measures, measures_sha256: "0".repeat(64) };
    expect(whyUnscored({ reason: { code, message: MESSAGE }, empty_frame, assessed_at: AS_OF })).toBe(says);
  },
);
