import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { SQLITE_PACKAGE } from "../../../../snapshots/base/sqlite.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { etagOf } from "../../../../snapshots/store/read/snapshot-reader.ts";
import {
  createIndex,
  noIndexRows,
  packRows,
  renderIndex,
} from "../../../../snapshots/store/write/build-index.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { FIXTURE_AS_OF_MS, publishFixture } from "../../../support/published-set.ts";
import { publishedRoot, temporaryRoot } from "../temporary-root.ts";

const LATER = { createdAtMs: FIXTURE_AS_OF_MS + 86_400_000 };

const HOLD = `
  const Database = require("${SQLITE_PACKAGE}");
  new Database(process.argv[1]).exec("BEGIN EXCLUSIVE");
  console.log("held");
  setInterval(() => {}, 1000);
`;

describe("the publish lock", () => {
  it("refuses a second writer in the same process, and changes nothing", async () => {
    const root = temporaryRoot();
    const { version } = await publishFixture(root);
    const names = readdirSync(root);
    const release = createSnapshotDisk(root).lock();
    await expect(publishFixture(root, LATER)).rejects.toMatchObject({ code: "PUBLISH_LOCKED" });
    expect(readdirSync(root)).toEqual(names);
    expect(readPointer(root).version).toBe(version);
    release();
    expect((await publishFixture(root, LATER)).sequence).toBe(2);
  });

  it("is a file of its owner alone, because whoever can open it can hold it", async () => {
    const root = await publishedRoot();
    expect(statSync(join(root, "publish.lock")).mode & 0o777).toBe(0o600);
  });

  it("lets one of two publishers through and refuses the other", async () => {
    const root = temporaryRoot();
    const outcomes = await Promise.allSettled([publishFixture(root), publishFixture(root, LATER)]);
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(readPointer(root).sequence).toBe(1);
  });

  it("refuses while another process holds it, and is free once that was killed", async () => {
    const root = await publishedRoot();
    const holder = spawn(process.execPath, ["-e", HOLD, join(root, "publish.lock")]);
    onTestFinished(() => {
      holder.kill("SIGKILL");
    });
    await once(holder.stdout, "data");
    await expect(publishFixture(root, LATER)).rejects.toMatchObject({ code: "PUBLISH_LOCKED" });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect((await publishFixture(root, LATER)).sequence).toBe(2);
  });
});

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
