import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPublishedDocuments } from "../../../../snapshots/store/read/read-documents.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture, runReport } from "../../../support/published-set.ts";
import { currentDirectory, replaceFile, temporaryRoot } from "../temporary-root.ts";

describe("readPublishedDocuments", () => {
  it("gives the list and the report, and of the details how complete they are", async () => {
    const root = temporaryRoot();
    const { version, manifest } = await publishFixture(root);
    const set = publishedSet();
    const { completenessOfSpace, unscored, ...documents } = readPublishedDocuments(root);
    expect(documents).toEqual({
      version,
      manifest,
      daos: set.daos,
      rankings: new Map(set.rankings.map((place) => [place.space_id, place])),
      spaceIds: set.daos.map((dao) => dao.space_id),
      run: runReport(set, FIXTURE_AS_OF_MS + 3_600_001),
    });
    expect(unscored()).toEqual(set.unscored);
    expect([...completenessOfSpace()].toSorted()).toEqual(
      set.details.map((dao) => [dao.space_id, dao.data_completeness]).toSorted(),
    );
    expect(readPublishedDocuments(root, version).daos).toEqual(set.daos);
  });

  it("refuses a list that is not what the manifest says", async () => {
    const root = temporaryRoot();
    await publishFixture(root);
    replaceFile(join(currentDirectory(root), "daos.json"), "[]\n");
    expect(() => readPublishedDocuments(root)).toThrow(/^daos\.json: has 3 bytes, not the \d+ expected$/);
  });

  it("reads a detail only when it is asked how complete they are, and refuses one that is damaged", async () => {
    const root = temporaryRoot();
    await publishFixture(root);
    const [dao] = publishedSet().details;
    replaceFile(join(currentDirectory(root), `daos/${dao?.space_id}.json`), "{}\n");
    const documents = readPublishedDocuments(root);
    expect(() => documents.completenessOfSpace()).toThrow(/^daos\/.+: has 3 bytes, not the \d+ expected$/);
  });
});
