import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DataPackage, TableSchema } from "../../../../snapshots/format/data-package.ts";
import { monthOf } from "../../../../snapshots/format/delegate-months.ts";
import { DelegateDay, DelegateItem } from "../../../../snapshots/format/delegates.ts";
import { FORMAT_VERSION } from "../../../../snapshots/format/limits.ts";
import type { Manifest, ManifestFile } from "../../../../snapshots/format/manifest.ts";
import type { DatedListing } from "../../../../snapshots/format/published-set.ts";
import { compareDataPackage } from "../../../../snapshots/store/maintain/compare-files.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { publishedSet, publishFixture } from "../../../support/published-set.ts";
import { wholePackage } from "../../../support/whole-package.ts";
import { currentDirectory, replaceFile, reseal, temporaryRoot } from "../temporary-root.ts";

const file = (path: string): ManifestFile => ({
  path,
  bytes: 7,
  sha256: "ab".repeat(32),
  records: 1,
  media_type: "application/json",
});

const MANIFEST: Manifest = {
  format: FORMAT_VERSION,
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
const GOOD = wholePackage(MANIFEST, () => undefined);
const [daos, run] = GOOD.resources;
if (daos === undefined || run === undefined) throw new Error("the package has two files");

/** With the fields of a table in the package itself. */
const comparePackage = (manifest: Manifest, dataPackage: DataPackage) =>
  compareDataPackage(manifest, dataPackage, new Map());
const problemsOf = (change: Partial<DataPackage>) => comparePackage(MANIFEST, { ...GOOD, ...change });

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
      want: ["describes daos.json differently than the manifest"],
    },
    {
      why: "a hash is another",
      change: { resources: [{ ...daos, hash: `sha256:${"ac".repeat(32)}` }, run] },
      want: ["describes daos.json differently than the manifest"],
    },
    {
      why: "a name is another's",
      change: { resources: [{ ...daos, name: "run.json" }, run] },
      want: ["describes daos.json differently than the manifest"],
    },
    {
      why: "a table has no fields",
      change: { resources: [{ ...daos, profile: "tabular-data-resource" }, run] },
      want: ["describes daos.json differently than the manifest"],
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
        "describes daos.json differently than the manifest",
        "describes run.json differently than the manifest",
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

describe("compareDataPackage, of tables", () => {
  const ROWS = ["all", "days"].flatMap((name) =>
    ["orchard", "tidewater"].map((dao) => `delegates/${dao}/${name}.csv`),
  );
  const LINES = ["orchard", "tidewater"].map((dao) => `proposals/${dao}.ndjson`);
  const files: readonly ManifestFile[] = [
    ...["daos.json", "datapackage.json", "run.json"].map(file),
    ...ROWS.map((path): ManifestFile => ({ ...file(path), media_type: "text/csv" })),
    ...LINES.map((path): ManifestFile => ({ ...file(path), media_type: "application/x-ndjson" })),
  ];
  const manifest: Manifest = { ...MANIFEST, files: [...files] };
  const tableOf = (names: readonly string[], description = "Words."): TableSchema => ({
    fields: names.map((name) => ({ name, type: "string", description })),
    missingValues: [""],
  });
  const ALL = Object.keys(DelegateItem.shape);
  const DAYS = Object.keys(DelegateDay.shape);

  function rightOf(path: string): TableSchema | undefined {
    if (path.endsWith("/all.csv")) return tableOf(ALL);
    if (path.endsWith("/days.csv")) return tableOf(DAYS);
    if (path.endsWith(".ndjson")) return tableOf(["id", "place"]);
    return path === "daos.json" ? tableOf(["rank"]) : undefined;
  }

  const saidOf = (path: string, schema: TableSchema | undefined): string[] =>
    comparePackage(
      manifest,
      wholePackage(manifest, (schemaPath) => (schemaPath === path ? schema : rightOf(schemaPath))),
    ).map(({ message }) => message.replace("datapackage.json: ", ""));

  it("finds nothing in what is published, nor where no kind of table has fields yet", () => {
    expect(saidOf("", undefined)).toEqual([]);
    for (const without of ["/all.csv", "/days.csv", ".ndjson", "daos.json"]) {
      const schemaOf = (path: string) => (path.endsWith(without) ? undefined : rightOf(path));
      expect(comparePackage(manifest, wholePackage(manifest, schemaOf)), without).toEqual([]);
    }
  });

  it.each<{ why: string; path: string; schema: TableSchema | undefined; want: readonly string[] }>([
    {
      why: "columns in another order",
      path: ROWS[1]!,
      schema: tableOf(ALL.toReversed()),
      want: ["other fields than a table of its kind", "other fields than its columns"],
    },
    {
      why: "a column too few",
      path: ROWS[3]!,
      schema: tableOf(DAYS.slice(1)),
      want: ["other fields than a table of its kind", "other fields than its columns"],
    },
    {
      why: "the columns of another kind",
      path: ROWS[3]!,
      schema: tableOf(ALL),
      want: ["other fields than a table of its kind", "other fields than its columns"],
    },
    {
      why: "the fields of one taken away",
      path: ROWS[1]!,
      schema: undefined,
      want: ["other fields than a table of its kind"],
    },
    {
      why: "other words for one of two",
      path: LINES[1]!,
      schema: tableOf(["id", "place"], "Lies."),
      want: ["other fields than a table of its kind"],
    },
  ])("says so of $why", ({ path, schema, want }) => {
    expect(saidOf(path, schema)).toEqual(want.map((words) => `gives ${path} ${words}`));
  });

  it("says so where every file of a kind has wrong columns", () => {
    const schemaOf = (path: string) =>
      path.endsWith("/all.csv") ? tableOf(ALL.toReversed()) : rightOf(path);
    const problems = comparePackage(manifest, wholePackage(manifest, schemaOf));
    expect(problems.map(({ message }) => message)).toEqual(
      ROWS.slice(0, 2).map((path) => `datapackage.json: gives ${path} other fields than its columns`),
    );
  });

  it("says so where a file that is no table has fields", () => {
    expect(saidOf("run.json", tableOf(["rank"]))).toEqual(["gives fields to run.json, which is no table"]);
  });
});

describe("compare days", () => {
  const PATH = "delegates/tidewater.example/days.csv";
  const set = publishedSet();

  /** The listings of the fixture: the second one from logs, the first one of the month before. */
  const DATED = set.listings[0]!.dated.map(
    (day, index): DatedListing => ({
      ...day,
      date: index === 0 ? "2026-02-28" : day.date,
      total_votes: 1234.5,
      ...(index === 1 ? { block: 12_345_678, source: "logs" } : {}),
    }),
  );

  async function published(dated: readonly DatedListing[] = DATED): Promise<string> {
    const root = temporaryRoot();
    const listings = [{ ...set.listings[0]!, dated }, set.listings[1]!];
    await publishFixture(root, { set: { ...set, listings } });
    return root;
  }

  const problemsOf = async (root: string) =>
    (await verifySnapshot(root, { deep: true })).problems.map(({ path, message }) => `${path} ${message}`);

  describe("days.csv", () => {
    it("holds a line for each dated listing, and none where there is none", async () => {
      const root = await published();
      expect(await problemsOf(root)).toEqual([]);
      const files = publishedFiles(root);
      expect(files.bytes(PATH).toString("utf8")).toBe(
        [
          "date,block,as_of,source,delegates,total_votes",
          "2026-02-28,,2026-03-29T00:00:00.000Z,list,300,1234.5",
          "2026-03-30,12345678,2026-03-30T00:00:00.000Z,logs,301,1234.5",
          "2026-03-31,,2026-03-31T00:00:00.000Z,list,302,1234.5",
          "",
        ].join("\n"),
      );
      expect(files.paths.filter((path) => path.endsWith("days.csv"))).toEqual([PATH]);
      expect(new Set(DATED.map(({ date }) => `delegates/tidewater.example/${monthOf(date)}.ndjson`))).toEqual(
        new Set(files.paths.filter((path) => /^delegates\/.*\.ndjson$/.test(path))),
      );
    });

    it.each([
      { why: "a day too few", from: /2026-03-31.*\n/, to: "", says: "does not have a line for each listing" },
      {
        why: "a day of another month",
        from: "2026-02-28,",
        to: "2026-01-28,",
        says: "does not have a line for",
      },
      {
        why: "a day that lies elsewhere",
        from: "2026-02-28,",
        to: "2026-03-01,",
        says: "does not have a line for",
      },
      { why: "days out of order", from: "2026-03-30,", to: "2026-03-31,", says: "not sorted by day" },
      { why: "other delegates", from: ",302,", to: ",303,", says: "counts other delegates" },
      { why: "a block of a list", from: "2026-03-31,,", to: "2026-03-31,1,", says: "has a block for a list" },
      {
        why: "logs without a block",
        from: "12345678",
        to: "",
        says: "has a block for a list, or none for logs",
      },
      { why: "another spelling", from: "1234.5", to: "1234.50", says: "is not canonical" },
      { why: "a line that is no day", from: "list", to: "lots", says: "contains a line that is no day" },
    ])("is a problem with $why", async ({ from, to, says }) => {
      const root = await published();
      const file = join(currentDirectory(root), PATH);
      replaceFile(file, readFileSync(file, "utf8").replace(from, to));
      reseal(root);
      const problems = await problemsOf(root);
      expect(problems.filter((problem) => problem.includes(says))).not.toEqual([]);
      expect(problems.every((problem) => /^(delegates|index|manifest)/.test(problem))).toBe(true);
    });

    it("is missed where there are months", async () => {
      const root = await published();
      reseal(root, ({ files }) => {
        return { files: files.filter(({ path }) => path !== PATH) };
      });
      expect(await problemsOf(root)).toContain(
        "delegates delegates: a DAO with dated listings has no days.csv",
      );
    });

    it("is refused before a byte is written where it has not its shape", async () => {
      await expect(published(DATED.map((day) => ({ ...day, total_votes: -1 })))).rejects.toThrow(/days\.csv/);
    });
  });
});
