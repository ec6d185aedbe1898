import { rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { identifyFile } from "../../../../snapshots/format/documents.ts";
import { locateVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { etagOf, readyDocumentOf } from "../../../../snapshots/store/read/snapshot-reader.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { EVERY_KIND_AS_OF_MS } from "../../../faults/every-kind-set.ts";
import { publishOn } from "../../../faults/staged-root.ts";
import { copyOf, type Forge, forgeIndex, replaceFile, sharedRoot } from "../temporary-root.ts";

/** Seventeen kilobytes that unpack to seventeen megabytes. */
const BOMB = gzipSync(Buffer.alloc(17_000_000));

describe("a version that cannot be served is refused when it is opened, although every hash agrees", () => {
  let pristine: string;

  beforeAll(async () => {
    const { root, remove } = sharedRoot();
    pristine = root;
    await publishOn(createSnapshotDisk(root), EVERY_KIND_AS_OF_MS + 3_600_001);
    return remove;
  });

  const sql =
    (statement: string, ...values: readonly unknown[]): Forge =>
    (database) => {
      database.prepare(statement).run(...values);
    };

  /** Another body in every encoding, with the right ETags. */
  const served = (kind: string, text: string): Forge => {
    const { identity, gzip, brotli } = readyDocumentOf(Buffer.from(text));
    return sql(
      "UPDATE documents SET (body, body_etag, gzip, gzip_etag, brotli, brotli_etag) = (?, ?, ?, ?, ?, ?) WHERE kind = ?",
      ...[identity, gzip, brotli].flatMap(({ bytes, etag }) => [bytes, etag]),
      kind,
    );
  };

  const rows: readonly { readonly why: string; readonly forge: Forge; readonly says: RegExp }[] = [
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
      forge: sql("UPDATE documents SET gzip = ?, gzip_etag = ? WHERE kind = 'dgi'", BOMB, etagOf(BOMB)),
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

  it.each(rows)("$why", async ({ forge, says }) => {
    const root = forgeIndex(pristine, forge);
    await expect(openSnapshot(root)).rejects.toMatchObject({
      code: "SNAPSHOT_INVALID",
      path: "index.sqlite",
      message: expect.stringMatching(says) as string,
    });
  });

  it.each([
    { why: "missing", change: (path: string) => rmSync(path), says: /is missing/ },
    { why: "cut", change: (path: string) => replaceFile(path, "{}\n"), says: /has 3 bytes, not the/ },
  ])("a month of dated listings that is $why", async ({ change, says }) => {
    const root = copyOf(pristine);
    const { version, manifest } = locateVersion(root);
    const month = manifest.files.find(({ path }) => identifyFile(path)?.kind === "delegateMonth")?.path ?? "";
    change(join(root, version, month));
    await expect(openSnapshot(root)).rejects.toMatchObject({
      code: "SNAPSHOT_INVALID",
      path: month,
      message: expect.stringMatching(says) as string,
    });
  });
});
