import { describe, expect, it } from "vitest";
import { digestOf } from "../../../../snapshots/format/agreement/check-documents.ts";
import {
  type CheckedDocuments,
  checkDaoDocuments,
  checkVersionLists,
} from "../../../../snapshots/format/agreement/check-shapes.ts";
import { documentsAt } from "../../../../snapshots/store/read/parse-document.ts";
import { certaintyIn, indexRowsOf, packRows } from "../../../../snapshots/store/write/build-index.ts";
import { type RenderedPart, renderPart } from "../../../../snapshots/store/write/render-part.ts";
import { publishedEvidenceOf, variedDao } from "../../../pipeline/documents/evidence-world.ts";
import { partsOf } from "../../../support/parts-of.ts";
import { publishedSet, renderedParts } from "../../../support/published-set.ts";

const set = publishedSet();
const version = { as_of: set.asOf, methodology_version: set.methodologyVersion };
const about = { ...version, certainty: new Map() };
const parts = renderedParts(set);

/** Documents as they are checked; the evidence of another world has numbers that agree with nothing here. */
const unchecked = (documents: unknown) => documents as CheckedDocuments;

const [explained] = publishedEvidenceOf([variedDao("orchard")]);
if (explained === undefined) throw new Error("one DAO makes one evidence");
const evidence = { kind: "evidence", id: "orchard", date: "", path: "evidence/orchard.json" };
const orchard = partsOf(set).find(({ spaceId }) => spaceId === "orchard");
const documents = [
  ...(orchard === undefined ? [] : (checkDaoDocuments(orchard).checked ?? [])),
  { ...evidence, value: explained.evidence },
];
const lists = checkVersionLists(set, partsOf(set).map(digestOf)).checked ?? unchecked([]);

/** The `meta` of one answer. */
const metaOf = ({ rows }: RenderedPart, kind: string, id: string) =>
  JSON.parse(rows.documents.find((row) => row.kind === kind && row.id === id)?.meta ?? "null");

describe("renderPart", () => {
  it("gives a file for each document, each with what the manifest says of it", () => {
    const files = parts.flatMap((part) => part.files);
    const paths = files.map(({ entry }) => entry.path);
    expect(paths).toContain("daos.json");
    expect(paths).toContain("delegates/tidewater.example/all.csv");
    expect(new Set(paths).size).toBe(paths.length);
    for (const { entry, bytes } of files)
      expect([entry.path, entry.bytes]).toEqual([entry.path, bytes.length]);
  });

  it("gives the rows that the index of all these files would have", () => {
    const files = parts.flatMap((part) => part.files);
    const byPath = new Map(files.map(({ entry, bytes }) => [entry.path, bytes]));
    const bytesOf = (path: string) => byPath.get(path) ?? Buffer.alloc(0);
    const whole = packRows(indexRowsOf(about, documentsAt([...byPath.keys()], bytesOf), bytesOf));
    const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();
    for (const table of ["documents", "listings", "delegates", "wallets", "dated_listings"] as const)
      expect(sorted(parts.flatMap((part): readonly object[] => part.rows[table]))).toEqual(
        sorted(whole[table]),
      );
  });

  it("tells how far the scores of a DAO are known, in its own answers and in the list", () => {
    const certainty = certaintyIn(unchecked(documents), set.rankings);
    expect([...certainty.keys()]).toEqual(["orchard"]);
    const known = certainty.get("orchard");
    expect([known?.interval === undefined, known?.rank_range]).toEqual([false, [2, 2]]);
    const own = renderPart(unchecked(documents), { ...about, certainty });
    for (const kind of ["dao", "risk"])
      expect(metaOf(own, kind, "orchard")).toEqual({ ...version, ...known });
    const listed = renderPart(lists, { ...about, certainty });
    expect(Object.keys(metaOf(listed, "daos", "all").by_space_id)).toEqual(["orchard"]);
    expect(metaOf(renderPart(lists, about), "daos", "all").by_space_id).toEqual({});
  });

  it("packs a body that comes twice within a part once", () => {
    const { rows } = renderPart(lists, about);
    const bodies = new Map<string, Uint8Array>();
    let shared = 0;
    for (const { body_etag, gzip } of rows.documents) {
      const known = bodies.get(body_etag);
      if (known !== undefined) {
        shared += 1;
        expect(gzip).toBe(known);
      }
      bodies.set(body_etag, gzip);
    }
    expect(shared, "some lists of a category are the same, or nothing is tested").toBeGreaterThan(0);
  });
});
