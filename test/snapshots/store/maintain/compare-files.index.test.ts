import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { encodeLines } from "../../../../snapshots/format/canonical-json.ts";
import type { Evidence } from "../../../../snapshots/format/evidence.ts";
import type { ManifestFile } from "../../../../snapshots/format/manifest.ts";
import { PATHS } from "../../../../snapshots/format/paths.ts";
import { compareLines } from "../../../../snapshots/store/maintain/compare-files.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { parseDocument } from "../../../../snapshots/store/read/parse-document.ts";
import { publishedEvidenceOf, variedDao } from "../../../pipeline/documents/evidence-world.ts";
import { FIXTURE_ENTITY_ID, publishFixture } from "../../../support/published-set.ts";
import { currentDirectory, replaceFile, reseal, temporaryRoot } from "../temporary-root.ts";

async function published(): Promise<string> {
  const root = temporaryRoot();
  await publishFixture(root);
  return root;
}

/** Runs SQL on the index of the current version, and seals it again. */
function forgeIndex(root: string, sql: string): void {
  const file = join(currentDirectory(root), "index.sqlite");
  const bytes = readFileSync(file);
  replaceFile(file, bytes);
  const database = openSqlite(file);
  database.exec(sql);
  database.close();
  reseal(root);
}

const codesOf = async (root: string, deep: boolean) =>
  (await verifySnapshot(root, { deep })).problems.map(({ path, code }) => `${path} ${code}`);

describe("an index forged so that every hash agrees", () => {
  it.each([
    { why: "another body", sql: `UPDATE documents SET body = x'7b7d' WHERE kind = 'risk'` },
    {
      why: "another body in gzip",
      sql: `UPDATE documents SET gzip = (SELECT gzip FROM documents WHERE kind = 'dgi') WHERE kind = 'risk'`,
    },
    { why: "brotli that is none", sql: `UPDATE documents SET brotli = x'00' WHERE id = 'orchard'` },
    { why: "another ETag", sql: `UPDATE documents SET gzip_etag = body_etag WHERE id = 'orchard'` },
    { why: "another path", sql: `UPDATE documents SET path = 'daos.json' WHERE kind = 'dgi'` },
    { why: "a document too few", sql: `DELETE FROM documents WHERE id = '30d'` },
    {
      why: "a document too many",
      sql: `INSERT INTO documents SELECT kind, 'quiet-reef', path, meta, body, body_etag, gzip, gzip_etag, brotli, brotli_etag FROM documents WHERE kind = 'dao' LIMIT 1`,
    },
    { why: "a delegate's row that differs", sql: `UPDATE delegates SET weight_tier = 'T1' WHERE rank = 50` },
    {
      why: "a wallet too many",
      sql: `INSERT INTO wallets VALUES ('0x${"9".repeat(40)}', '${FIXTURE_ENTITY_ID}')`,
    },
    {
      why: "a dated listing of another day",
      sql: `UPDATE dated_listings SET date = '2026-03-01' WHERE date = '2026-03-29'`,
    },
    {
      why: "another line's hash",
      sql: `UPDATE dated_listings SET sha256 = '${"0".repeat(64)}' WHERE date = '2026-03-29'`,
    },
    { why: "another total", sql: `UPDATE listings SET total_delegates = 5 WHERE space_id = 'orchard'` },
  ])("finds an index with $why", async ({ sql }) => {
    const root = await published();
    forgeIndex(root, sql);
    expect(await codesOf(root, false)).toEqual([]);
    const problems = await codesOf(root, true);
    expect(new Set(problems)).toEqual(new Set(["index.sqlite INDEX_DIFFERS"]));
  });

  it.each([
    { why: "of another program", sql: "PRAGMA application_id = 1" },
    { why: "of another version", sql: "PRAGMA user_version = 9" },
    { why: "with a view in it", sql: "CREATE VIEW extra AS SELECT 1" },
    { why: "with a trigger in it", sql: "CREATE TRIGGER extra AFTER INSERT ON wallets BEGIN SELECT 1; END" },
    { why: "with a column of another name", sql: "ALTER TABLE wallets RENAME COLUMN entity_id TO entity" },
    { why: "without a table", sql: "DROP TABLE wallets" },
    {
      why: "with a dated listing of another month",
      sql: `UPDATE dated_listings SET date = '2026-02-28' WHERE date = '2026-03-29'`,
    },
  ])("refuses an index $why", async ({ sql }) => {
    const root = await published();
    forgeIndex(root, sql);
    expect(await codesOf(root, false)).toEqual(["index.sqlite SNAPSHOT_INVALID"]);
  });

  it("refuses an index that fails its own check", async () => {
    const root = await published();
    const file = join(currentDirectory(root), "index.sqlite");
    const bytes = Buffer.from(readFileSync(file));
    bytes.fill(0xff, 3 * 4096, 4 * 4096);
    replaceFile(file, bytes);
    reseal(root);
    expect(await codesOf(root, false)).toEqual(["index.sqlite SNAPSHOT_INVALID"]);
  });
});

const [made] = publishedEvidenceOf([variedDao("varied.eth")]);
if (made === undefined) throw new Error("one DAO makes one evidence");
const { evidence, proposals } = made;
const PATH = PATHS.proposals("varied.eth");
const bytes = encodeLines(proposals);
const text = bytes.toString();

/** What is said of a file of such bytes, beside the evidence. */
function said(bytes: Buffer, { records = proposals.length, beside = evidence as Evidence } = {}): string[] {
  const file: ManifestFile = {
    path: PATH,
    bytes: bytes.length,
    sha256: "",
    records,
    media_type: "application/x-ndjson",
  };
  return compareLines(file, bytes, beside).map(({ message }) => message);
}

describe("compareLines", () => {
  it("finds nothing in a file that is what the evidence was made of", () => {
    expect(said(bytes)).toEqual([]);
    expect(parseDocument("proposals", PATH, bytes)).toEqual(proposals);
  });

  it.each<{ why: string; of: Buffer; records?: number; beside?: Evidence; says: readonly string[] }>([
    {
      why: "the manifest counts another number of lines",
      of: bytes,
      records: proposals.length + 1,
      says: ["does not contain as many lines as the manifest says"],
    },
    {
      why: "a space that changes no value",
      of: Buffer.from(text.replace('":', '": ')),
      says: ["is not canonical"],
    },
    {
      why: "a file that ends without its newline",
      of: bytes.subarray(0, -1),
      says: ["is not canonical"],
    },
    {
      why: "fields in another order",
      of: Buffer.from(
        text.replace(/"is_flagged":(\w+),"is_deleted":(\w+)/, '"is_deleted":$2,"is_flagged":$1'),
      ),
      says: ["is not canonical"],
    },
    {
      why: "a number that differs by its last bit",
      of: Buffer.from(text.replace(/"gini":0\.(\d+)\d,/, '"gini":0.$1,')),
      says: ["is not the file that the evidence was made from"],
    },
    {
      why: "the lines of another DAO's evidence",
      of: bytes,
      beside: { ...evidence, frame: { ...evidence.frame, known: 3 } },
      says: ["does not contain as many lines as there are known proposals"],
    },
    {
      why: "low: an empty file",
      of: Buffer.alloc(0),
      says: [
        "does not contain as many lines as the manifest says",
        "does not contain as many lines as there are known proposals",
      ],
    },
  ])("notices $why", ({ of, says, ...rest }) => {
    expect(said(of, rest)).toEqual(expect.arrayContaining(says.map((say) => `${PATH}: ${say}`)));
  });

  it.each([
    { why: "impossible: no JSON", of: `${text}{`, says: "is not JSON in UTF-8" },
    {
      why: "impossible: not UTF-8",
      of: Buffer.concat([bytes, Buffer.from([0xff, 0x0a])]),
      says: "is not JSON",
    },
    { why: "an empty line", of: text.replace("\n", "\n\n"), says: "is not JSON in UTF-8" },
    { why: "a field more", of: text.replace("{", '{"author":"0xa",'), says: "" },
    { why: "a field less", of: text.replace(/"unit":\d+,/, ""), says: "unit: " },
    { why: "a list around them", of: `[${text.trim().replaceAll("\n", ",")}]\n`, says: "" },
  ])("refuses $why, and says which file", ({ of, says }) => {
    expect(() => said(Buffer.from(of))).toThrow(`${PATH}: ${says}`);
  });

  it("does not repeat what a hostile line holds", () => {
    const hostile = text.replace(/"place":"\w+"/, '"place":"\\u001b[2Jsecret"');
    expect(() => said(Buffer.from(hostile))).toThrow(/^(?!.*secret).*place/);
  });
});
