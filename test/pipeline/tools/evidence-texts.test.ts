import { expect, it } from "vitest";
import { absenceOf, votesKnownUntil, whyUnscored } from "../../../pipeline/tools/evidence-texts.ts";

const AS_OF = "2026-04-28T23:59:59.999Z";
const BEFORE = "2026-02-01T23:59:59.999Z";
const AFTER = "2026-11-24T01:20:00.000Z";

interface Row {
  readonly why: string;
  readonly presence: readonly [low: number, high: number];
  readonly fetchedAt: string | null;
  readonly until: string | undefined;
  readonly says: string | undefined;
}

it.each<Row>([
  { why: "fully present", presence: [1, 1], fetchedAt: AS_OF, until: AS_OF, says: undefined },
  {
    why: "fetched after the moment of the scores, which use nothing later",
    presence: [0.89, 0.89],
    fetchedAt: AFTER,
    until: AS_OF,
    says: "Fewer than two proposals of usual power ended in the last 120 days",
  },
  {
    why: "fetched before",
    presence: [0.2, 0.9],
    fetchedAt: BEFORE,
    until: BEFORE,
    says: "Its votes are known until 2026-02-01, so how much it has voted since is not fully known",
  },
  {
    why: "never fetched",
    presence: [0, 1],
    fetchedAt: null,
    until: undefined,
    says: "Its votes are not known, so how much it votes is not fully known",
  },
  {
    why: "surely without a vote",
    presence: [0, 0],
    fetchedAt: AS_OF,
    until: AS_OF,
    says: "Fewer than two proposals of usual power ended in the last 120 days",
  },
])("says of a DAO that is $why why its presence is below 1, and until when its votes are known", (row) => {
  const [low, high] = row.presence;
  const evidence = { as_of: AS_OF, presence: { low, high }, measures: { fetched_at: row.fetchedAt } };
  expect(absenceOf(evidence)).toBe(row.says);
  expect(votesKnownUntil(evidence)).toBe(row.until);
});

const MESSAGE = "No finished proposal ended in the last two years.";

it.each([
  { why: "known long before", fetchedAt: BEFORE, says: "Votes are known until 2026-02-01 and not since." },
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
