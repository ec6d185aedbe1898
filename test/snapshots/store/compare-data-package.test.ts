import { describe, expect, it } from "vitest";
import { type DataPackage, describeVersion } from "../../../snapshots/format/data-package.ts";
import type { Manifest, ManifestFile } from "../../../snapshots/format/manifest.ts";
import { compareDataPackage } from "../../../snapshots/store/compare-data-package.ts";

const file = (path: string): ManifestFile => ({
  path,
  bytes: 7,
  sha256: "ab".repeat(32),
  records: 1,
  media_type: "application/json",
});

const MANIFEST: Manifest = {
  format: 1,
  methodology_version: "1.0.0",
  sequence: 1,
  previous: null,
  replaces: null,
  created_at: "2026-04-01T01:00:00.000Z",
  as_of: "2026-03-31T23:59:59.999Z",
  sources: [
    { source_id: "archive", fetched_at: "2026-04-01T00:00:00.000Z", spaces: 1, proposals: 2, votes: 3 },
  ],
  redacted: false,
  files: ["daos.json", "datapackage.json", "run.json"].map(file),
};
const GOOD = describeVersion(MANIFEST, () => undefined);
const [daos, run] = GOOD.resources;
if (daos === undefined || run === undefined) throw new Error("the package has two files");

const problemsOf = (change: Partial<DataPackage>) => compareDataPackage(MANIFEST, { ...GOOD, ...change });

describe("compareDataPackage", () => {
  it("finds nothing where the package is of the manifest, whatever words and fields it has", () => {
    const missingValues: [""] = [""];
    const fields = [{ name: "rank", type: "integer" as const, description: "Place." }];
    const table = { profile: "tabular-data-resource" as const, schema: { fields, missingValues } };
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ title: "Other words", resources: [{ ...daos, ...table }, run] })).toEqual([]);
    expect(problemsOf({ resources: [run, daos] }), "the order says nothing").toEqual([]);
  });

  it.each<{ why: string; change: Partial<DataPackage>; want: readonly string[] }>([
    { why: "a file is missing", change: { resources: [run] }, want: ["does not name daos.json"] },
    {
      why: "there is one more",
      change: { resources: [daos, run, { ...run, name: "more.json", path: "more.json" }] },
      want: ["names more.json, which the manifest does not"],
    },
    {
      why: "it names itself",
      change: { resources: [daos, run, { ...run, name: "datapackage.json", path: "datapackage.json" }] },
      want: ["names datapackage.json, which the manifest does not"],
    },
    { why: "a file is named twice", change: { resources: [daos, run, run] }, want: ["names run.json twice"] },
    {
      why: "a file is named twice, once falsely",
      change: { resources: [daos, { ...run, bytes: 8 }, run] },
      want: ["names run.json twice"],
    },
    {
      why: "a size is another",
      change: { resources: [{ ...daos, bytes: 8 }, run] },
      want: ["does not say of daos.json what the manifest says"],
    },
    {
      why: "a hash is another",
      change: { resources: [{ ...daos, hash: `sha256:${"ac".repeat(32)}` }, run] },
      want: ["does not say of daos.json what the manifest says"],
    },
    {
      why: "a name is another's",
      change: { resources: [{ ...daos, name: "run.json" }, run] },
      want: ["does not say of daos.json what the manifest says"],
    },
    {
      why: "a table has no fields",
      change: { resources: [{ ...daos, profile: "tabular-data-resource" }, run] },
      want: ["does not say of daos.json what the manifest says"],
    },
    {
      why: "two files have changed places",
      change: {
        resources: [
          { ...daos, path: run.path },
          { ...run, path: daos.path },
        ],
      },
      want: [
        "does not say of daos.json what the manifest says",
        "does not say of run.json what the manifest says",
      ],
    },
    {
      why: "it is of another moment, method and source",
      change: { as_of: "2026-03-30T23:59:59.999Z", methodology_version: "1.0.1", sources: [] },
      want: ["as_of", "methodology_version", "sources"].map((key) => `${key} is not that of the manifest`),
    },
  ])("says so when $why", ({ change, want }) => {
    expect(problemsOf(change)).toEqual(
      want.map((message) => ({
        path: "datapackage.json",
        code: "DATA_PACKAGE_DIFFERS",
        message: `datapackage.json: ${message}`,
      })),
    );
  });
});
