import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestOf } from "../../../../snapshots/format/agreement/check-documents.ts";
import {
  type CheckedDocuments,
  checkDaoDocuments,
  checkVersionLists,
} from "../../../../snapshots/format/agreement/check-shapes.ts";
import { sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import { DataPackage, type TableSchema } from "../../../../snapshots/format/data-package.ts";
import { DelegateItem } from "../../../../snapshots/format/delegates.ts";
import { Manifest } from "../../../../snapshots/format/manifest.ts";
import { redactSnapshot } from "../../../../snapshots/store/maintain/redact-snapshot.ts";
import { rollbackVersion } from "../../../../snapshots/store/maintain/rollback-version.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { documentsAt } from "../../../../snapshots/store/read/parse-document.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { certaintyIn, indexRowsOf, packRows } from "../../../../snapshots/store/write/build-index.ts";
import { type RenderedPart, renderPart } from "../../../../snapshots/store/write/render-part.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { publishedEvidenceOf, variedDao } from "../../../pipeline/documents/evidence-world.ts";
import { partsOf } from "../../../support/parts-of.ts";
import {
  FIXTURE_AS_OF_MS,
  FIXTURE_ENTITY_ID,
  publishedSet,
  publishFixture,
  renderedParts,
} from "../../../support/published-set.ts";
import { namingSet, WISH } from "../redact-stage.ts";
import { copyOf, currentDirectory, replaceFile, reseal, sealAgain, sharedRoot } from "../temporary-root.ts";

describe("render data package", () => {
  const FILE = "datapackage.json";
  const FIELDS = "schemas/delegates-all.json";
  const ENTITY_PATH = `entities/${FIXTURE_ENTITY_ID}.json`;
  const SCHEMA: TableSchema = {
    fields: Object.keys(DelegateItem.shape).map((name) => ({
      name,
      type: "string",
      description: "Words of the program that published it.",
    })),
    missingValues: [""],
  };

  const { root: published, remove } = sharedRoot();
  afterAll(remove);

  /** Two versions that name two entities; their whole rankings are tables. */
  beforeAll(async () => {
    const tables = { wholeListing: SCHEMA };
    for (const day of [1, 2]) await publishFixture(published, { set: namingSet(day), tables });
  });

  const readPackage = (directory: string) =>
    DataPackage.parse(JSON.parse(readFileSync(join(directory, FILE), "utf8")));
  const readManifest = (directory: string) =>
    Manifest.parse(JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8")));
  const problemsOf = async (root: string, deep = true) =>
    (await verifySnapshot(root, { deep })).problems.map(({ code, message }) => `${code} ${message}`);

  /** Names, sizes and hashes, of the package and of the files that lie there. */
  function expectDescribed(root: string): void {
    const directory = currentDirectory(root);
    const { resources } = readPackage(directory);
    const others = readManifest(directory).files.filter(({ path }) => path !== FILE);
    expect(resources.map(({ path }) => path)).toEqual(others.map(({ path }) => path));
    for (const { path, bytes, hash, schema } of resources) {
      const content = readFileSync(join(directory, path));
      expect([path, bytes, hash]).toEqual([path, content.length, `sha256:${sha256Hex(content)}`]);
      expect(schema).toEqual(path.endsWith("/all.csv") ? FIELDS : undefined);
    }
    expect(JSON.parse(readFileSync(join(directory, FIELDS), "utf8"))).toEqual(SCHEMA);
  }

  const redact = (root: string) => redactSnapshot(createSnapshotDisk(root), WISH);
  const backTo = (root: string, version: string) =>
    rollbackVersion(
      { version, createdAtMs: FIXTURE_AS_OF_MS + 9 * 86_400_000, runId: "00000000000000ff" },
      createSnapshotDisk(root),
    );

  describe("datapackage.json", () => {
    it("lies in every version, with the size and the hash of every other file, and its own in the manifest", async () => {
      expectDescribed(published);
      const directory = currentDirectory(published);
      const bytes = readFileSync(join(directory, FILE));
      expect(readManifest(directory).files.find(({ path }) => path === FILE)).toEqual({
        path: FILE,
        bytes: bytes.length,
        sha256: sha256Hex(bytes),
        records: 1,
        media_type: "application/json",
      });
      const { version } = readPointer(published);
      for (const name of [version, version.slice(-8), "manifest.json"]) {
        expect(bytes.toString("utf8")).not.toContain(name);
      }
      expect(await problemsOf(published)).toEqual([]);
    });

    it("is written anew by redact, in the current version and in an older one, and keeps its words", async () => {
      const root = copyOf(published);
      expect(readPackage(currentDirectory(root)).resources.map(({ path }) => path)).toContain(ENTITY_PATH);
      const { versions } = await redact(root);
      expectDescribed(root);
      for (const { replacedBy = "" } of versions) {
        const directory = join(root, replacedBy);
        expect(readFileSync(join(directory, FILE), "utf8")).not.toContain(FIXTURE_ENTITY_ID);
        expect(readPackage(directory).resources.length).toBe(readManifest(directory).files.length - 1);
      }
      expect(versions.length).toBe(2);
      expect(await problemsOf(root)).toEqual([]);
    });

    it("comes back with rollback, but for the hash of run.json", async () => {
      const root = copyOf(published);
      const { version: first } = await backTo(
        root,
        readManifest(currentDirectory(root)).previous?.version ?? "",
      );
      const { replaces } = readManifest(join(root, first));
      const [old, now] = [join(root, replaces ?? ""), currentDirectory(root)].map(readPackage);
      const ofOthers = (dataPackage: DataPackage | undefined) => ({
        ...dataPackage,
        resources: dataPackage?.resources.filter(({ path }) => path !== "run.json"),
      });
      expect(ofOthers(now)).toEqual(ofOthers(old));
      expectDescribed(root);
      expect(await problemsOf(root)).toEqual([]);
    });
  });

  describe("verify --deep of a data package, when every hash of the manifest agrees", () => {
    it.each<{ why: string; file?: string; change: (text: string) => string; want: string }>([
      {
        why: "it says another size",
        change: (text) => text.replace(/("path":"dgi.json".*?"bytes":)\d+/, "$17"),
        want: "resources is not that of the manifest",
      },
      {
        why: "it says another hash",
        change: (text) =>
          text.replace(
            /("path":"dgi.json".*?sha256:)[0-9a-f]{64}/,
            (_, start) => `${start}${"0".repeat(64)}`,
          ),
        want: "resources is not that of the manifest",
      },
      {
        why: "it leaves an entity out",
        change: (text) => {
          const { resources, ...about } = JSON.parse(text) as DataPackage;
          return `${JSON.stringify({ ...about, resources: resources.filter(({ path }) => path !== ENTITY_PATH) })}\n`;
        },
        want: "resources is not that of the manifest",
      },
      {
        why: "it names a file that is not there",
        change: (text) => text.replaceAll("dgi-history.json", "dgi-histori.json"),
        want: "resources is not that of the manifest",
      },
      {
        why: "it has columns in another order",
        file: FIELDS,
        change: (text) => text.replaceAll('"name":"rank"', '"name":"place"'),
        want: `${FIELDS} has other columns than its files`,
      },
      {
        why: "it names fields that are nowhere",
        change: (text) => text.replaceAll(`"schema":"${FIELDS}"`, '"schema":"schemas/nothing.json"'),
        want: "resources is not that of the manifest",
      },
      {
        why: "it names a document as fields",
        change: (text) => text.replaceAll(`"schema":"${FIELDS}"`, '"schema":"dgi.json"'),
        want: "resources is not that of the manifest",
      },
      {
        why: "it names a file twice",
        change: (text) => text.replace(/\{"name":"dgi\.json".*?\}/, "$&,$&"),
        want: "resources is not that of the manifest",
      },
      {
        why: "it gives fields to what is no table",
        change: (text) => text.replace(/("path":"dgi\.json".*?)\}/, `$1,"schema":"${FIELDS}"}`),
        want: "resources is not that of the manifest",
      },
      {
        why: "it is of another method",
        change: (text) => text.replace(/"methodology_version":"\d/, '"methodology_version":"9'),
        want: "methodology_version is not that of the manifest",
      },
      {
        why: "it is of another moment",
        change: (text) => text.replace(/"as_of":"20\d\d/, '"as_of":"2016'),
        want: "as_of is not that of the manifest",
      },
    ])("finds that $why", async ({ file = FILE, change, want }) => {
      const root = copyOf(published);
      const path = join(currentDirectory(root), file);
      const text = readFileSync(path, "utf8");
      expect(change(text)).not.toBe(text);
      replaceFile(path, change(text));
      sealAgain(root, file);
      expect(await problemsOf(root, false)).toEqual([]);
      expect(await problemsOf(root)).toContain(`DATA_PACKAGE_DIFFERS ${FILE}: ${want}`);
    });

    it("finds that it is not there, without which nobody could be taken out of the version", async () => {
      const root = copyOf(published);
      reseal(root, ({ files }, directory) => {
        rmSync(join(directory, FILE));
        return { files: files.filter(({ path }) => path !== FILE) };
      });
      const message = `manifest.json: does not name ${FILE}`;
      expect(await problemsOf(root, false)).toEqual([]);
      expect(await problemsOf(root)).toEqual([`SNAPSHOT_INVALID ${message}`]);
      expect((await redact(root)).unredacted).toMatchObject([{ isCurrent: true, message }]);
    });

    it("finds a file that was replaced without telling the package", async () => {
      const root = copyOf(published);
      const before = readFileSync(join(currentDirectory(root), FILE));
      reseal(root, ({ sources }) => ({ sources: [...sources, ...sources] }));
      replaceFile(join(currentDirectory(root), FILE), before);
      sealAgain(root, FILE);
      expect(await problemsOf(root)).toEqual([
        `DATA_PACKAGE_DIFFERS ${FILE}: sources is not that of the manifest`,
      ]);
    });

    it("refuses one that is no data package, or not spelled canonically, in a quick look too", async () => {
      const root = copyOf(published);
      const path = join(currentDirectory(root), FILE);
      const text = readFileSync(path, "utf8");
      replaceFile(path, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
      sealAgain(root, FILE);
      expect(await problemsOf(root, false)).toEqual([`DOCUMENT_NOT_CANONICAL ${FILE}: is not canonical`]);
      replaceFile(join(currentDirectory(root), FILE), "{}\n");
      sealAgain(root, FILE);
      expect((await problemsOf(root, false)).join()).toMatch(/^SNAPSHOT_INVALID datapackage\.json: /);
    });
  });
});

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
    const rendered = renderPart(unchecked(documents), { ...about, certainty });
    const { gvs_30d_dates } = set.details.find(({ space_id }) => space_id === "orchard") ?? {};
    expect(metaOf(rendered, "dao", "orchard")).toEqual({ ...version, ...known, gvs_30d_dates });
    expect(metaOf(rendered, "risk", "orchard")).toEqual({ ...version, ...known });
    const listed = renderPart(lists, { ...about, certainty });
    expect(Object.keys(metaOf(listed, "daos", "all").by_space_id)).toEqual(["orchard"]);
    expect(metaOf(renderPart(lists, about), "daos", "all").by_space_id).toEqual({});
  });

  it("packs a body that comes twice within a part once", () => {
    const { rows } = renderPart(unchecked(lists.filter(({ kind }) => kind !== "unscored")), about);
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
