import { describe, expect, it } from "vitest";
import { checkFrame } from "../../../pipeline/gate/check-fetches.ts";
import { applyOverrides, GATE_OVERRIDES } from "../../../pipeline/gate/gate-rules.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import { AS_OF_MS } from "../documents/scored-daos.ts";
import { spoken } from "./valid-set.ts";

/** What is found where one proposal is scored and another has not ended; only place and end matter here. */
function findings(endAt: string | null) {
  const member = { id: "0x1", place: "MEMBER", end_at: endAt };
  const other = { id: "0x2", place: "NOT_ENDED", end_at: null };
  const evidence = { evidence: { space_id: "orchard" }, proposals: [member, other] };
  return checkFrame(evidence as unknown as PublishedEvidence, timestampOf(AS_OF_MS));
}

describe("checkFrame", () => {
  it.each([
    { why: "ended at the very moment", endAt: timestampOf(AS_OF_MS), want: [] },
    { why: "ends a millisecond later", endAt: timestampOf(AS_OF_MS + 1), want: ["FRAME_FROM_FUTURE"] },
    { why: "ends nobody knows when", endAt: null, want: ["FRAME_FROM_FUTURE"] },
  ])("the frame: a proposal in it $why", ({ endAt, want }) => {
    expect(findings(endAt).map(({ code }) => code)).toEqual(want);
  });

  it("says which one, and no look lets it pass", () => {
    expect(spoken(applyOverrides(findings(null), GATE_OVERRIDES))).toEqual([
      "refuse FRAME_FROM_FUTURE proposals/orchard.ndjson: 0x1 is scored before it ended",
    ]);
  });
});
