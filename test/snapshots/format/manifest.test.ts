import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeCanonical } from "../../../snapshots/format/canonical-json.ts";
import { DataPackage, TableSchema } from "../../../snapshots/format/data-package.ts";
import { ManifestFile } from "../../../snapshots/format/manifest.ts";
import { wholePackage } from "../store/temporary-root.ts";

const HASH = "0".repeat(64);
const FILE = { path: "daos.json", bytes: 2, sha256: HASH, records: 0, media_type: "application/json" };

describe("ManifestFile", () => {
  it.each(["daos.json", "delegates/a.eth/2026-01-01.json", "delegates/a..b/all.csv", "daos/a.json.json"])(
    "may lie at %s",
    (path) => {
      expect(ManifestFile.safeParse({ ...FILE, path }).success).toBe(true);
    },
  );

  it.each([
    "",
    "/etc/passwd",
    "../x",
    "a/../x",
    "a/..",
    ".staging-1/a",
    "a//b",
    "a/",
    "a\\b",
    "a\0b",
    "a\nb",
    "~/a",
    "./a",
  ])("may not lie at %j", (path) => {
    expect(ManifestFile.safeParse({ ...FILE, path }).success).toBe(false);
  });
});

/** Up to 0.6.0 they stood in the package itself. */
const SCHEMA: TableSchema = {
  fields: [{ name: "rank", type: "integer", description: "Place.", constraints: { required: true } }],
  missingValues: [""],
};

const fileAt = (path: string, media_type: ManifestFile["media_type"] = "application/json"): ManifestFile => ({
  path,
  bytes: 7,
  sha256: "ab".repeat(32),
  records: 1,
  media_type,
});

const VERSION = {
  as_of: "2026-03-31T23:59:59.999Z",
  methodology_version: "1.0.0",
  sources: [{ source_id: "archive" }, { source_id: "hub" }],
  files: [fileAt("run.json"), fileAt("datapackage.json"), fileAt("daos.json")],
};

describe("describeVersion", () => {
  it("says all that Frictionless asks for, of every file but its own, by path", () => {
    expect(wholePackage(VERSION, (path) => (path === "daos.json" ? "schemas/daos.json" : undefined))).toEqual(
      {
        profile: "data-package",
        name: "govdata",
        title: "Governance health of DAOs",
        description: expect.stringContaining("2026-03-31T23:59:59.999Z"),
        as_of: "2026-03-31T23:59:59.999Z",
        methodology_version: "1.0.0",
        sources: [{ title: "archive" }, { title: "hub" }],
        resources: [
          {
            name: "daos.json",
            path: "daos.json",
            profile: "tabular-data-resource",
            format: "json",
            mediatype: "application/json",
            encoding: "utf-8",
            bytes: 7,
            hash: `sha256:${"ab".repeat(32)}`,
            schema: "schemas/daos.json",
          },
          {
            name: "run.json",
            path: "run.json",
            profile: "data-resource",
            format: "json",
            mediatype: "application/json",
            encoding: "utf-8",
            bytes: 7,
            hash: `sha256:${"ab".repeat(32)}`,
          },
        ],
      },
    );
  });

  it("gives the same bytes whatever order the files come in", () => {
    const paths = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,9}(-[a-z0-9]{1,9})?\.json$/), {
      minLength: 1,
    });
    const twoOrders = paths.chain((order) =>
      fc.tuple(
        fc.constant(order),
        fc.shuffledSubarray(order, { minLength: order.length, maxLength: order.length }),
      ),
    );
    const spelled = (order: readonly string[]) => {
      const files = ["run.json", ...order].map((path) => fileAt(path));
      const described = wholePackage({ ...VERSION, files }, () => undefined);
      return encodeCanonical(DataPackage, described).toString("utf8");
    };
    fc.assert(
      fc.property(twoOrders, ([one, other]) => {
        expect(spelled(other)).toBe(spelled(one));
      }),
    );
  });

  it.each<{ media_type: ManifestFile["media_type"]; format: string; isText: boolean }>([
    { media_type: "application/json", format: "json", isText: true },
    { media_type: "application/x-ndjson", format: "ndjson", isText: true },
    { media_type: "text/csv", format: "csv", isText: true },
    { media_type: "application/vnd.sqlite3", format: "sqlite", isText: false },
  ])("calls $media_type $format", ({ media_type, format, isText }) => {
    const files = [fileAt("some.file", media_type)];
    const [resource] = wholePackage({ ...VERSION, files }, () => undefined).resources;
    expect(resource).toMatchObject({ format, mediatype: media_type });
    expect("encoding" in resource!).toBe(isText);
  });
});

describe("DataPackage", () => {
  const good = wholePackage(VERSION, () => "schemas/daos.json");
  const [first] = good.resources;
  const withFirst = (change: object) => ({ ...good, resources: [{ ...first, ...change }] });

  it.each([
    { why: "no file", value: { ...good, resources: [] } },
    { why: "the version's name", value: { ...good, version: "20260401T000000Z-0123abcd" } },
    { why: "a moment of the run", value: { ...good, created: "2026-04-01T00:00:00.000Z" } },
    { why: "a name with capitals", value: { ...good, name: "Govdata" } },
    { why: "a title that drives a terminal", value: { ...good, title: "a\u001B[2Jb" } },
    { why: "an end in the description", value: { ...good, description: "a\0" } },
    { why: "a path out of the version", value: withFirst({ path: "daos/../../x.json" }) },
    { why: "a path from the root", value: withFirst({ path: "/daos.json" }) },
    { why: "a hash without its kind", value: withFirst({ hash: "ab".repeat(32) }) },
    { why: "a hash of another kind", value: withFirst({ hash: `md5:${"ab".repeat(16)}` }) },
    { why: "a negative size", value: withFirst({ bytes: -1 }) },
    { why: "fields out of the version", value: withFirst({ schema: "../daos.json" }) },
    { why: "fields at another address", value: withFirst({ schema: "https://example.com/daos.json" }) },
  ])("refuses $why", ({ value }) => {
    expect(DataPackage.safeParse(good).success).toBe(true);
    expect(DataPackage.safeParse(value).success).toBe(false);
  });
});

describe("TableSchema", () => {
  const withField = (change: object) => ({ ...SCHEMA, fields: [{ ...SCHEMA.fields[0], ...change }] });

  it.each([
    { why: "text that turns around", value: withField({ description: "a\u202E" }) },
    { why: "a unit of two lines", value: withField({ unit: "votes\n" }) },
    { why: "no fields", value: { fields: [], missingValues: [""] } },
    { why: "a field of no type", value: { ...SCHEMA, fields: [{ name: "rank" }] } },
  ])("refuses $why", ({ value }) => {
    expect(TableSchema.safeParse(SCHEMA).success).toBe(true);
    expect(TableSchema.safeParse(value).success).toBe(false);
  });
});
