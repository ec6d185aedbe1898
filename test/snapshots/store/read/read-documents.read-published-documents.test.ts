import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPublishedDocuments } from "../../../../snapshots/store/read/read-documents.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture, runReport } from "../../../support/published-set.ts";
import { currentDirectory, replaceFile, temporaryRoot } from "../temporary-root.ts";

describe("readPublishedDocuments", () => {
  it("gives what a gate compares with", async () => {
    const root = temporaryRoot();
    const { version, manifest } = await publishFixture(root);
    const set = publishedSet();
    expect(readPublishedDocuments(root)).toEqual({
      version,
      manifest,
      daos: set.daos,
      details: set.details.toSorted((a, b) => (a.space_id < b.space_id ? -1 : 1)),
      spaceIds: set.daos.map((dao) => dao.space_id),
      run: runReport(set, FIXTURE_AS_OF_MS + 3_600_001),
    });
    expect(readPublishedDocuments(root, version).daos).toEqual(set.daos);
  });

  it("refuses a list that is not what the manifest says", async () => {
    const root = temporaryRoot();
    await publishFixture(root);
    replaceFile(join(currentDirectory(root), "daos.json"), "[]\n");
    expect(() => readPublishedDocuments(root)).toThrow(/^daos\.json: holds 3 bytes, not the \d+ expected$/);
  });
});
