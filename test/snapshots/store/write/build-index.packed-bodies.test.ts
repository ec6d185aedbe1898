import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { readPreviousVersion } from "../../../../snapshots/store/read/kept-versions.ts";
import { representationOf } from "../../../../snapshots/store/read/snapshot-reader.ts";
import {
  noIndexRows,
  type PackedBody,
  type PlainBody,
  packedBefore,
  packedOnce,
  renderIndex,
} from "../../../../snapshots/store/write/build-index.ts";
import { publishFixture } from "../../../support/published-set.ts";
import { currentDirectory, replaceFile, reseal, temporaryRoot } from "../temporary-root.ts";

function plain(kind: string, id: string, text: string): PlainBody {
  const { bytes: body, etag } = representationOf(Buffer.from(text));
  return { kind, id, body, etag };
}

/** The rows of the fixture's index, as they are. */
function rowsOf(root: string): (PlainBody & PackedBody)[] {
  const database = new Database(join(currentDirectory(root), "index.sqlite"), { readonly: true });
  try {
    return database
      .prepare<[], PlainBody & PackedBody>("SELECT *, body_etag AS etag FROM documents ORDER BY kind, id")
      .all();
  } finally {
    database.close();
  }
}

async function packedIn(root: string) {
  return packedBefore(root, readPreviousVersion(root));
}

describe("packedBefore", () => {
  it("gives every body of the version before as it was packed there", async () => {
    const root = temporaryRoot();
    await publishFixture(root);
    const { of, close } = await packedIn(root);
    const rows = rowsOf(root);
    expect(rows.length).toBeGreaterThan(10);
    for (const { kind, id, body, etag, gzip, brotli } of rows) {
      expect(of({ kind, id, body, etag })).toMatchObject({ gzip, brotli });
    }
    close();
  });

  const EVIL = Buffer.from('{"data":"EVIL"}\n');
  it.each([
    { why: "gzip that unpacks to something else", column: "gzip", bytes: gzipSync(EVIL) },
    { why: "brotli that unpacks to something else", column: "brotli", bytes: brotliCompressSync(EVIL) },
    { why: "bytes that nobody can unpack", column: "gzip", bytes: Buffer.from("no gzip") },
    { why: "a bomb", column: "brotli", bytes: brotliCompressSync(Buffer.alloc(1 << 24)) },
  ])("believes no index that fits its manifest and holds $why", async ({ column, bytes }) => {
    const root = temporaryRoot();
    await publishFixture(root);
    const rows = rowsOf(root);
    const database = new Database(join(currentDirectory(root), "index.sqlite"));
    database.prepare(`UPDATE documents SET ${column} = ?`).run(bytes);
    database.close();
    reseal(root);
    const { of, close } = await packedIn(root);
    for (const { kind, id, body, etag } of rows) expect(of({ kind, id, body, etag })).toBeUndefined();
    close();
  });

  it("seals what it takes by its bytes, whatever the index before says", async () => {
    const root = temporaryRoot();
    await publishFixture(root);
    const [row] = rowsOf(root);
    const database = new Database(join(currentDirectory(root), "index.sqlite"));
    database.prepare("UPDATE documents SET gzip_etag = 'x', brotli_etag = 'y'").run();
    database.close();
    reseal(root);
    const { of, close } = await packedIn(root);
    expect(row && of(row)).toMatchObject({ gzip_etag: row?.gzip_etag, brotli_etag: row?.brotli_etag });
    close();
  });

  it.each([
    { why: "another body", change: (row: PlainBody) => plain(row.kind, row.id, `${row.body.toString()} `) },
    { why: "another id", change: (row: PlainBody) => ({ ...row, id: "nobody" }) },
    {
      why: "another body, whatever its ETag says",
      change: (row: PlainBody) => ({ ...plain(row.kind, row.id, "{}"), etag: row.etag }),
    },
  ])("has nothing for $why", async ({ change }) => {
    const root = temporaryRoot();
    await publishFixture(root);
    const { of, close } = await packedIn(root);
    for (const row of rowsOf(root)) expect(of(change(row))).toBeUndefined();
    close();
  });

  it.each<{ why: string; damage: (directory: string) => void }>([
    { why: "index is damaged", damage: (at) => replaceFile(join(at, "index.sqlite"), "no database") },
    { why: "manifest is damaged", damage: (at) => replaceFile(join(at, "manifest.json"), "{") },
  ])("has nothing where the $why, and says nothing of it", async ({ damage }) => {
    const root = temporaryRoot();
    await publishFixture(root);
    const [row] = rowsOf(root);
    damage(currentDirectory(root));
    const { of, close } = await packedIn(root);
    expect(row && of(row)).toBeUndefined();
    close();
  });

  it("has nothing before the first version", async () => {
    const root = temporaryRoot();
    expect((await packedBefore(root, undefined)).of(plain("dao", "a", "{}"))).toBeUndefined();
  });
});

describe("packedOnce", () => {
  const packed = (name: string): PackedBody => {
    const { bytes, etag } = representationOf(Buffer.from(name));
    return { gzip: bytes, gzip_etag: etag, brotli: bytes, brotli_etag: etag };
  };

  it("takes what was packed before, and asks once for the same content", () => {
    const asked: string[] = [];
    const packedOf = packedOnce(({ id }) => {
      asked.push(id);
      return packed(id);
    });
    expect(packedOf(plain("dao", "a", "{}"))).toEqual(packed("a"));
    expect(packedOf(plain("daos", "b", "{}"))).toEqual(packed("a"));
    expect(packedOf(plain("dao", "c", "[]"))).toEqual(packed("c"));
    expect(asked).toEqual(["a", "c"]);
  });

  it("packs what was not packed before into the very bytes that it always gives", () => {
    const rows = {
      ...noIndexRows(),
      documents: ["a", "b"].map((id) => ({
        kind: "dao" as const,
        id,
        path: id,
        meta: "{}",
        body: `{"${id}":1}\n`,
      })),
    };
    const twice = packedOnce(() => undefined);
    const { bytes: index } = renderIndex(rows);
    expect(index.equals(renderIndex(rows, (each) => twice(each)).bytes)).toBe(true);
    // What is taken from before is taken as it is.
    expect(index.equals(renderIndex(rows, () => packed("x")).bytes)).toBe(false);
  });
});
