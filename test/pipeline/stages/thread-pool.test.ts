import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeWorld } from "../../../fixtures/world.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { appendLines } from "../../support/journey/stage.ts";

const root = mkdtempSync(join(tmpdir(), "threads-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const archive = join(root, "archive");
/** One that breaks off, one with rows that are not taken, one whose chain is read, and one that never did anything. */
const [broken, odd] = ["feather-scale.example", "quiet-foundry.example"] as const;
const spaceIds = [broken, odd, "clockwork-relay.example", "unlit-beacon.example"];
const world = writeWorld({ directory: archive, seed: "threads", endDay: "2026-06-30", spaceIds });

function runChild(mode: string): unknown {
  const child = compileCopy(join(import.meta.dirname, "threads-child.ts"));
  const home = mkdtempSync(join(root, "home-"));
  return JSON.parse(
    execFileSync(process.execPath, [child, archive, home, world.asOf, mode], {
      cwd: join(import.meta.dirname, "../../.."),
      maxBuffer: 1 << 28,
      encoding: "utf8",
    }),
  );
}

describe("threads", () => {
  it("fetch and visit DAOs as one thread does, what they reject and fail at included", () => {
    appendLines(
      archive,
      `votes/${broken}.ndjson`,
      Array.from({ length: 1_200 }, () => "{"),
    );
    appendLines(archive, `votes/${odd}.ndjson`, ["no vote", '{"proposal":null,"voter":"0x1"}']);
    const [one, many] = runChild("same") as { text: string; warnings: string[] }[];
    expect(many?.warnings).toEqual(one?.warnings);
    expect(many?.warnings.join("\n")).toContain("not.there could not be fetched: the archive holds nothing");
    expect(JSON.parse(many?.text ?? "")).toEqual(JSON.parse(one?.text ?? "null"));
    const { records, rejections, files, finalPoints, differences } = JSON.parse(one?.text ?? "null");
    const statusOf = (spaceId: string) =>
      records.find((record: { spaceId: string }) => record.spaceId === spaceId).status;
    expect([broken, odd, "not.there"].map(statusOf)).toEqual(["failed", "complete", "failed"]);
    expect(rejections.length).toBeGreaterThan(1_000);
    expect(files, "nothing of a DAO is refused").toHaveLength(spaceIds.length + 1);
    expect(finalPoints.length).toBeGreaterThan(0);
    expect(differences).toEqual([]);
  });

  it("hand over one part after the other, and end the task when the last one is handled", () => {
    expect(runChild("slow")).toEqual([
      "part 1 begins",
      "part 1 ends",
      "part 2 begins",
      "part 2 ends",
      "the task ends",
    ]);
  });

  it("fail a task whose listener fails, keep the code of a failure, end what waits with the thread, and take nothing afterwards", () => {
    expect(runChild("early")).toEqual([
      "Error: the listener failed",
      "Failure: the archive holds nothing for not.there",
      "Error: a thread ended with 1",
      "Error: every thread has ended",
    ]);
  });
});
