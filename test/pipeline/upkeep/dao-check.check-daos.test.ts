import { describe, expect, it } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { Progress } from "../../../pipeline/home/settings.ts";
import type { DaoChecker, PartCheck } from "../../../pipeline/upkeep/check-contracts.ts";
import { checkDaos } from "../../../pipeline/upkeep/dao-check.ts";

const DAOS: readonly TrackedDao[] = ["a", "b", "c"].map((letter) => ({
  spaceId: `${letter}.example`,
  name: letter.toUpperCase(),
  category: "defi",
  governor: undefined,
}));
const SILENT: Progress = { step: () => undefined, tick: () => undefined, warn: () => undefined };

/** A checker that says this of each DAO, or throws it. */
const checkerOf = (
  part: DaoChecker["part"],
  said: Readonly<Record<string, readonly PartCheck[] | Error>>,
): DaoChecker => ({
  part,
  async check({ spaceId }) {
    const found = said[spaceId] ?? [];
    if (found instanceof Error) throw found;
    return found;
  },
});

describe("checkDaos", () => {
  it("says of each DAO what every source says, in their order, and goes on after a failure", async () => {
    const steps: string[] = [];
    const hub = checkerOf("space", {
      "a.example": [{ part: "space", status: "renamed", detail: "the hub calls it Ay" }],
      "b.example": pipelineFailure("SOURCE_FAILED", "the hub answered status 500"),
    });
    const chain = checkerOf("chain", {
      "a.example": [
        { part: "chain", status: "same" },
        { part: "token", status: "same" },
      ],
      "b.example": [{ part: "chain", status: "not-checked", detail: "no node" }],
    });
    const progress: Progress = {
      ...SILENT,
      step: (stage, done, total, spaceId, facts) =>
        void steps.push(`${stage} ${done}/${total} ${spaceId} ${JSON.stringify(facts)}`),
    };
    expect(await checkDaos(DAOS, { checkers: [hub, chain], progress })).toEqual([
      { spaceId: "a.example", name: "A", part: "space", status: "renamed", detail: "the hub calls it Ay" },
      { spaceId: "a.example", name: "A", part: "chain", status: "same" },
      { spaceId: "a.example", name: "A", part: "token", status: "same" },
      {
        spaceId: "b.example",
        name: "B",
        part: "space",
        status: "failed",
        detail: "the hub answered status 500",
      },
      { spaceId: "b.example", name: "B", part: "chain", status: "not-checked", detail: "no node" },
    ]);
    expect(steps).toEqual([
      'check 1/3 a.example {"renamed":1,"same":2}',
      'check 2/3 b.example {"failed":1,"not-checked":1}',
      "check 3/3 c.example {}",
    ]);
  });

  it.each([
    { why: "an interrupt", error: pipelineFailure("INTERRUPTED", "interrupted") },
    { why: "what nobody foresaw", error: new TypeError("x is not a function") },
  ])("ends at $why", async ({ error }) => {
    const checkers = [checkerOf("space", { "a.example": error })];
    await expect(checkDaos(DAOS, { checkers, progress: SILENT })).rejects.toBe(error);
  });
});
