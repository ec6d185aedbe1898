import { expect, it } from "vitest";
import { judgeWarehouse } from "../../../pipeline/upkeep/check-home.ts";
import { fetchRecord } from "../stages/fake-warehouse.ts";

const daosOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    spaceId: `dao-${n}.eth`,
    name: "A",
    category: "social" as const,
    governor: undefined,
  }));

/** A warehouse in which the last fetches of so many DAOs failed, for this reason. */
const inspectionOf = (count: number, failed: number, code = "SOURCE_FAILED") => ({
  version: 1,
  records: daosOf(count).map(({ spaceId }, n) =>
    fetchRecord({
      spaceId,
      sourceId: "snapshot-hub",
      ...(n < failed ? { status: "failed" as const, error: { code, message: "" } } : {}),
    }),
  ),
});

it.each([
  { why: "none failed", count: 4, failed: 0, verdict: "ok" },
  { why: "a few failed, as any night", count: 68, failed: 2, verdict: "warn" },
  { why: "exactly a quarter failed", count: 4, failed: 1, verdict: "warn" },
  { why: "more than a quarter failed", count: 68, failed: 44, verdict: "fail" },
  { why: "all failed", count: 3, failed: 3, verdict: "fail" },
])("judges failed fetches by their share: $why", ({ count, failed, verdict }) => {
  const judged = judgeWarehouse(inspectionOf(count, failed), daosOf(count));
  expect(judged.verdict).toBe(verdict);
  if (failed > 0) expect(judged.message).toContain(`${failed} of ${count} newest fetches failed`);
});

it("says what to do about spaces that the hub does not have", () => {
  const { next } = judgeWarehouse(inspectionOf(68, 44, "NOT_FOUND"), daosOf(68));
  expect(next).toContain(
    "The hub has no space for 44: correct their ids in the registry, or set `snapshot: none`.",
  );
});
