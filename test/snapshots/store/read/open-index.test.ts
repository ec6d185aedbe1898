import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { identifyFile } from "../../../../snapshots/format/documents.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { locateVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { etagOf, readyDocumentOf } from "../../../../snapshots/store/read/snapshot-reader.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { EVERY_KIND_AS_OF_MS } from "../../../faults/every-kind-set.ts";
import { publishOn } from "../../../faults/staged-root.ts";
import { copyOf, type Forge, forgeIndex, replaceFile, sharedRoot } from "../temporary-root.ts";

/** Seventeen kilobytes that unpack to seventeen megabytes. */
const BOMB = gzipSync(Buffer.alloc(17_000_000));

describe("hostile", () => {
  let pristine: string;

  beforeAll(async () => {
    const { root, remove } = sharedRoot();
    pristine = root;
    await publishOn(createSnapshotDisk(root), EVERY_KIND_AS_OF_MS + 3_600_001);
    return remove;
  });

  const forged = (forge: Forge) => forgeIndex(pristine, forge);

  const sql =
    (...statements: readonly string[]): Forge =>
    (database) => {
      for (const statement of statements) database.exec(statement);
    };

  /** Edits the schema itself, as `writable_schema` allows. */
  const schema = (statement: string): Forge =>
    sql("PRAGMA writable_schema = ON", statement, "PRAGMA writable_schema = OFF");

  /** Edits the bytes of the file, past SQLite. */
  const bytes =
    (edit: (file: Buffer) => Buffer): Forge =>
    (database, path) => {
      database.close();
      writeFileSync(path, edit(readFileSync(path)));
    };

  const PAGE = 4096;
  const otherTables = /does not have the tables of this format/;
  const otherDays = /the table dated_listings differs from the files/;
  const broken = /fails SQLite.s quick_check|cannot be opened|is not an index of this program/;

  const refusedAtOnce: readonly { readonly why: string; readonly forge: Forge; readonly says: RegExp }[] = [
    {
      why: "another application id",
      forge: sql("PRAGMA application_id = 1"),
      says: /is not an index of this/,
    },
    {
      why: "another version of the tables",
      forge: sql("PRAGMA user_version = 1"),
      says: /of a version that/,
    },
    {
      why: "a trigger that writes",
      forge: sql("CREATE TRIGGER t AFTER INSERT ON wallets BEGIN DELETE FROM documents; END"),
      says: otherTables,
    },
    {
      why: "a dated listing of a month that is a path to elsewhere",
      forge: sql("UPDATE dated_listings SET date = '../../../etc/passwd'"),
      says: otherDays,
    },
    {
      why: "a dated listing of a month that is not there",
      forge: sql("UPDATE dated_listings SET date = '2019-02-28'"),
      says: otherDays,
    },
    {
      why: "a column of another name",
      forge: sql("ALTER TABLE wallets RENAME COLUMN entity_id TO entity"),
      says: otherTables,
    },
    {
      why: "a DAO that is a path to elsewhere",
      forge: sql(
        "INSERT INTO dated_listings SELECT '../..', date, offset, bytes, sha256 FROM dated_listings",
      ),
      says: otherDays,
    },
    {
      why: "a dated listing beyond the end of its month",
      forge: sql("UPDATE dated_listings SET offset = offset + 1"),
      says: otherDays,
    },
    {
      why: "a dated listing of no bytes",
      forge: sql("UPDATE dated_listings SET bytes = -bytes, offset = offset + bytes"),
      says: otherDays,
    },
    {
      why: "a dated listing of two lines",
      forge: sql("UPDATE dated_listings SET bytes = bytes * 2"),
      says: otherDays,
    },
    { why: "no dated listings", forge: sql("DELETE FROM dated_listings"), says: otherDays },
    { why: "a view", forge: sql("CREATE VIEW v AS SELECT load_extension('x')"), says: otherTables },
    {
      why: "a view in the place of a table",
      forge: sql(
        "DROP TABLE documents",
        "CREATE VIEW documents AS SELECT 'dgi' kind, 'current' id, zeroblob(1000000000) body",
      ),
      says: otherTables,
    },
    {
      why: "a view that never ends",
      forge: sql(
        "DROP TABLE wallets",
        "CREATE VIEW wallets AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i wallet, i entity_id FROM n",
      ),
      says: otherTables,
    },
    {
      why: "a column that is computed",
      forge: sql(
        "DROP TABLE wallets",
        "CREATE TABLE wallets (wallet TEXT NOT NULL PRIMARY KEY, entity_id TEXT GENERATED ALWAYS AS (hex(zeroblob(100000000))) VIRTUAL)",
      ),
      says: otherTables,
    },
    {
      why: "an index with an expression",
      forge: sql("CREATE INDEX i ON documents (length(body))"),
      says: otherTables,
    },
    { why: "one table more", forge: sql("CREATE TABLE more (x)"), says: otherTables },
    { why: "one table less", forge: sql("DROP TABLE wallets"), says: otherTables },
    {
      why: "a virtual table",
      forge: sql("CREATE VIRTUAL TABLE f USING fts5(x)"),
      says: otherTables,
    },
    {
      why: "ten thousand views",
      forge: schema(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO sqlite_schema SELECT 'view', 'v' || i, 'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT 1' FROM n",
      ),
      says: otherTables,
    },
    {
      why: "a schema that calls another root its own",
      forge: schema("UPDATE sqlite_schema SET rootpage = 2 WHERE type = 'table'"),
      says: broken,
    },
    {
      why: "a schema that points past the end",
      forge: schema("UPDATE sqlite_schema SET rootpage = 4000000 WHERE name = 'wallets'"),
      says: broken,
    },
    {
      why: "a schema that points at itself",
      forge: schema("UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'delegates'"),
      says: broken,
    },
    {
      why: "a schema of no SQL",
      forge: schema("UPDATE sqlite_schema SET sql = 'nonsense' WHERE name = 'wallets'"),
      says: broken,
    },
    {
      why: "a schema of the right words under another name",
      forge: schema("UPDATE sqlite_schema SET name = 'other', tbl_name = 'other' WHERE name = 'wallets'"),
      says: broken,
    },
    {
      why: "a number where a blob must be",
      forge: sql(
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'documents'",
        "PRAGMA writable_schema = RESET",
        "UPDATE documents SET body = 7 WHERE kind = 'dgi'",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'documents'",
      ),
      says: broken,
    },
    {
      why: "a database in WAL mode",
      forge: sql("PRAGMA journal_mode = WAL"),
      says: /is not an index of this/,
    },
    {
      why: "no database at all",
      forge: bytes((file) => Buffer.from("{}".repeat(file.length / 2))),
      says: /is not an index of this/,
    },
    { why: "an empty file", forge: bytes(() => Buffer.alloc(0)), says: /is not an index of this/ },
    { why: "a header and nothing else", forge: bytes((file) => file.subarray(0, 100)), says: broken },
    { why: "half of its pages", forge: bytes((file) => file.subarray(0, 5 * PAGE)), says: broken },
    {
      why: "a page that is its own child",
      forge: bytes((file) => {
        const copy = Buffer.from(file);
        // The root of the second table becomes an inner page whose right child is itself.
        copy[PAGE] = 5;
        copy.writeUInt16BE(0, PAGE + 3);
        copy.writeUInt32BE(2, PAGE + 8);
        return copy;
      }),
      says: broken,
    },
    {
      why: "a list of free pages that goes round",
      forge: bytes((file) => {
        const copy = Buffer.from(file);
        copy.writeUInt32BE(3, 32);
        copy.writeUInt32BE(1_000_000, 36);
        copy.writeUInt32BE(3, 2 * PAGE);
        return copy;
      }),
      says: broken,
    },
    {
      why: "cells that lie outside their page",
      forge: bytes((file) =>
        Buffer.concat([file.subarray(0, PAGE + 8), Buffer.alloc(PAGE - 8, 0xff), file.subarray(2 * PAGE)]),
      ),
      says: broken,
    },
  ];

  describe("an index made by an enemy, with every hash made to agree", () => {
    it.each(refusedAtOnce)("is refused at once: $why", async ({ forge, says }) => {
      const root = forged(forge);
      const refusal = { code: "SNAPSHOT_INVALID", path: "index.sqlite" };
      await expect(openSnapshot(root)).rejects.toMatchObject({
        ...refusal,
        message: expect.stringMatching(says) as string,
      });
      expect((await verifySnapshot(root)).problems).toMatchObject([refusal]);
      expect((await verifySnapshot(root, { deep: true })).problems).toContainEqual(
        expect.objectContaining(refusal),
      );
    });
  });

  describe("a version that cannot be served, although every hash agrees", () => {
    /** A statement with values of its own. */
    const bound =
      (statement: string, ...values: readonly unknown[]): Forge =>
      (database) => {
        database.prepare(statement).run(...values);
      };

    /** Another body in every encoding, with the right ETags. */
    const served = (kind: string, text: string): Forge => {
      const { identity, gzip, brotli } = readyDocumentOf(Buffer.from(text));
      return bound(
        "UPDATE documents SET (body, body_etag, gzip, gzip_etag, brotli, brotli_etag) = (?, ?, ?, ?, ?, ?) WHERE kind = ?",
        ...[identity, gzip, brotli].flatMap(({ bytes, etag }) => [bytes, etag]),
        kind,
      );
    };

    const unreadable: readonly { readonly why: string; readonly forge: Forge; readonly says: RegExp }[] = [
      {
        why: "a body that is no JSON",
        forge: served("risk", '{"data":'),
        says: /risk \S+: is not JSON/,
      },
      {
        why: "another body than the one that is compressed",
        forge: sql("UPDATE documents SET body = CAST(body || x'0a' AS BLOB) WHERE kind = 'risk'"),
        says: /risk \S+ has another body in gzip/,
      },
      {
        why: "an entity without a shape, which opt-outs are compared with at every request",
        forge: served("entity", "{}"),
        says: /entity \S+: data: /,
      },
      {
        why: "a gzip bomb",
        forge: bound("UPDATE documents SET gzip = ?, gzip_etag = ? WHERE kind = 'dgi'", BOMB, etagOf(BOMB)),
        says: /dgi current has another body in gzip/,
      },
      {
        why: "another body in brotli",
        forge: sql("UPDATE documents SET brotli = gzip, brotli_etag = gzip_etag WHERE kind = 'dao'"),
        says: /dao \S+ has another body in brotli/,
      },
      {
        why: "an ETag of other bytes",
        forge: sql("UPDATE documents SET body_etag = '\"0\"' WHERE kind = 'dao'"),
        says: /dao \S+ has a wrong ETag/,
      },
      {
        why: "no list",
        forge: sql("DELETE FROM documents WHERE kind = 'daos' AND id = 'defi'"),
        says: /daos defi is missing/,
      },
      {
        why: "a document of another kind",
        forge: sql("UPDATE documents SET kind = 'toString' WHERE kind = 'dgi'"),
        says: /toString current: is of no kind that is served/,
      },
      {
        why: "a listing whose meta is cut",
        forge: sql("UPDATE listings SET meta = substr(meta, 2)"),
        says: /the listing of \S+: is not JSON/,
      },
      {
        why: "a listing whose totals are none",
        forge: sql("UPDATE listings SET summary = '[]'"),
        says: /the listing of \S+: the whole document/,
      },
      {
        why: "a delegate of no tier",
        forge: sql("UPDATE delegates SET weight_tier = 'T9' WHERE rank = 1"),
        says: /the listing of \S+ contains a row that is no delegate/,
      },
      {
        why: "a delegate that is no JSON",
        forge: sql("UPDATE delegates SET json = json || ',' WHERE rank = 1"),
        says: /the listing of \S+ contains a row that is no delegate/,
      },
      {
        why: "a listing without end",
        forge: sql(
          "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO delegates SELECT 'varied.eth', i, 'T1', '{}' FROM n",
        ),
        says: /the listing of varied\.eth has \d+ rows, more than 400/,
      },
    ];

    it.each(unreadable)(
      "is refused when it is opened, and found by a deep look: $why",
      async ({ forge, says }) => {
        const root = forged(forge);
        await expect(openSnapshot(root)).rejects.toMatchObject({
          code: "SNAPSHOT_INVALID",
          path: "index.sqlite",
          message: expect.stringMatching(says) as string,
        });
        const { problems } = await verifySnapshot(root, { deep: true });
        expect(new Set(problems.map(({ path, code }) => `${path} ${code}`))).toEqual(
          new Set(["index.sqlite INDEX_DIFFERS"]),
        );
      },
    );

    it.each([
      { why: "missing", change: (path: string) => rmSync(path), says: /is missing/ },
      { why: "cut", change: (path: string) => replaceFile(path, "{}\n"), says: /has 3 bytes, not the/ },
    ])("is refused with a month of dated listings that is $why", async ({ change, says }) => {
      const root = copyOf(pristine);
      const { version, manifest } = locateVersion(root);
      const month =
        manifest.files.find(({ path }) => identifyFile(path)?.kind === "delegateMonth")?.path ?? "";
      change(join(root, version, month));
      await expect(openSnapshot(root)).rejects.toMatchObject({
        code: "SNAPSHOT_INVALID",
        path: month,
        message: expect.stringMatching(says) as string,
      });
    });
  });
});
