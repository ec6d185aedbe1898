import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PipelineError } from "../../../pipeline/base/pipeline-error.ts";
import { checkDaos, type SpaceChecker } from "../../../pipeline/run/check-daos.ts";
import type { Settings } from "../../../pipeline/run/settings.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-check-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const registryPath = join(root, "registry.yaml");
writeFileSync(
  registryPath,
  `daos:
  - { space_id: a.example, name: A, category: defi }
  - { space_id: b.example, name: B, category: defi }
  - { space_id: c.example, name: C, category: defi }
  - { space_id: d.example, name: D, category: defi }
  - { space_id: e.example, name: E, category: defi }
`,
);
const settings: Settings = {
  homeDirectory: root,
  snapshotsDirectory: join(root, "published"),
  registryPath,
  packageDirectory: root,
};

/** A live source with one DAO of every kind. */
const checker: SpaceChecker = async ({ spaceId }) => {
  if (spaceId === "c.example") return undefined;
  if (spaceId === "d.example") throw new PipelineError("SOURCE_FAILED", "the hub answered status 500");
  return { name: { "a.example": "A", "b.example": "Bee" }[spaceId] };
};

describe("checkDaos", () => {
  it("says of each DAO what the live source says, and goes on after a failure", async () => {
    const steps: string[] = [];
    const checks = await checkDaos(settings, {
      checker,
      progress: {
        step: (stage, done, total, spaceId, facts) =>
          void steps.push(`${stage} ${done}/${total} ${spaceId} ${JSON.stringify(facts)}`),
        tick: () => undefined,
        warn: () => undefined,
      },
    });
    expect(checks).toEqual([
      { spaceId: "a.example", name: "A", status: "same", detail: "A" },
      { spaceId: "b.example", name: "B", status: "renamed", detail: "Bee" },
      { spaceId: "c.example", name: "C", status: "missing", detail: undefined },
      { spaceId: "d.example", name: "D", status: "failed", detail: "the hub answered status 500" },
      // A space without a name contradicts nothing.
      { spaceId: "e.example", name: "E", status: "same", detail: undefined },
    ]);
    expect(steps).toHaveLength(5);
    expect(steps[3]).toBe('check 4/5 d.example {"status":"failed"}');
  });

  it.each([
    { why: "an interrupt", error: new PipelineError("INTERRUPTED", "interrupted") },
    { why: "what nobody foresaw", error: new TypeError("x is not a function") },
  ])("ends at $why", async ({ error }) => {
    const failing: SpaceChecker = async () => {
      throw error;
    };
    const progress = { step: () => undefined, tick: () => undefined, warn: () => undefined };
    await expect(checkDaos(settings, { checker: failing, progress })).rejects.toBe(error);
  });
});
