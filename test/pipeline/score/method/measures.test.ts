import { expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { ineligibleBecause } from "../../../../pipeline/score/method/measures.ts";
import { sampleProposal, T } from "../sample-facts.ts";

test.each<{ why: string; changes: Partial<Proposal>; reason: string | undefined }>([
  { why: "closed and final", changes: {}, reason: undefined },
  { why: "boundary: ends at t", changes: { end: { atMs: T, precision: "second" } }, reason: undefined },
  {
    why: "boundary: a millisecond later",
    changes: { end: { atMs: T + 1, precision: "second" } },
    reason: "NOT_ENDED",
  },
  { why: "a day counts to its end", changes: { end: { atMs: T, precision: "day" } }, reason: undefined },
  { why: "gap: no end", changes: { end: undefined }, reason: "END_UNKNOWN" },
  { why: "an archive has no scores_state", changes: { scoresState: undefined }, reason: undefined },
  { why: "a source without states", changes: { state: undefined }, reason: undefined },
  { why: "scores still move", changes: { scoresState: "pending" }, reason: "NOT_FINAL" },
  { why: "scores are broken", changes: { scoresState: "invalid" }, reason: "NOT_FINAL" },
  { why: "stored as active", changes: { state: "active" }, reason: "STATE_OPEN" },
  { why: "stored as pending", changes: { state: "pending" }, reason: "STATE_OPEN" },
  { why: "a Governor's cancelled one", changes: { state: "cancelled" }, reason: "CANCELLED" },
  { why: "flagged", changes: { isFlagged: true }, reason: "FLAGGED" },
  { why: "deleted", changes: { isDeleted: true }, reason: "DELETED" },
])("$why", ({ changes, reason }) => {
  expect(ineligibleBecause(sampleProposal("p", changes), T)).toBe(reason);
});
