import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { etagOf } from "../../../../snapshots/store/read/snapshot-reader.ts";
import {
  createIndex,
  noIndexRows,
  packRows,
  renderIndex,
} from "../../../../snapshots/store/write/build-index.ts";

/** Rows of which each holds such a body. */
const rowsOf = (bodies: Readonly<Record<string, string>>) => ({
  ...noIndexRows(),
  documents: Object.entries(bodies).map(([id, body]) => ({
    kind: "dao" as const,
    id,
    path: id,
    meta: "{}",
    body,
  })),
});

describe("packRows", () => {
  it("packs each body so that it unpacks to what it was, sealed by its bytes", () => {
    const body = '{"a":1}\n';
    const [row] = packRows(rowsOf({ a: body })).documents;
    if (row === undefined) throw new Error("a row stays a row");
    expect(row.body.toString()).toBe(body);
    expect([gunzipSync(row.gzip), brotliDecompressSync(row.brotli)].map(String)).toEqual([body, body]);
    expect([row.body_etag, row.gzip_etag, row.brotli_etag]).toEqual(
      [row.body, row.gzip, row.brotli].map((bytes) => etagOf(bytes)),
    );
  });

  it("packs the same body once", () => {
    const [a, b, c] = packRows(rowsOf({ a: "{}", b: "{}", c: "[]" })).documents;
    expect(b?.gzip).toBe(a?.gzip);
    expect(b?.brotli).toBe(a?.brotli);
    expect(c?.gzip).not.toEqual(a?.gzip);
  });
});

describe("createIndex", () => {
  it("gives the very bytes of all rows at once, however they come", () => {
    const bodies = { a: '{"a":1}\n', b: '{"b":1}\n', c: '{"c":1}\n' };
    const index = createIndex();
    for (const [id, body] of Object.entries(bodies)) index.add(packRows(rowsOf({ [id]: body })));
    const { entry, bytes } = index.finish();
    const whole = renderIndex(rowsOf(bodies));
    expect(bytes.equals(whole.bytes)).toBe(true);
    expect(entry).toEqual(whole.entry);
    expect(entry.records).toBe(3);
  });
});
