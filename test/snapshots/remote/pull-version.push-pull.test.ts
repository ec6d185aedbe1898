import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readNewPointer, readRemotePointer } from "../../../snapshots/remote/remote-pointer.ts";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { bytesByPath, currentDirectory, temporaryRoot } from "../store/temporary-root.ts";
import { codeOf, publishNth, pull, push, remoteStage } from "./remote-stage.ts";

const { server, place, again, rootOf } = remoteStage();

/** What was asked of the storage, without the bucket. */
const asked = () =>
  server()
    .records()
    .map(({ method, path }) => `${method} ${path.split("/").slice(3).join("/")}`);

const writes = () => asked().filter((line) => line.startsWith("PUT") && !line.includes("probe"));

describe("a version that is pushed", () => {
  it("comes back with the same bytes, and verifies deeply", async () => {
    const writer = await place();
    const root = await rootOf(1);
    const pushed = await push(root, writer);
    const copy = temporaryRoot();
    const pulled = await pull(copy, writer);
    expect(pulled).toMatchObject({
      kind: "pulled",
      version: pushed.version,
      sequence: 1,
      linked: 0,
      kept: 0,
    });
    expect(bytesByPath(currentDirectory(copy))).toEqual(bytesByPath(currentDirectory(root)));
    expect(readFileSync(join(copy, "current.json"))).toEqual(readFileSync(join(root, "current.json")));
    expect(await verifySnapshot(copy, { deep: true })).toMatchObject({ problems: [] });
  });

  it("is written in the order that survives a crash: files, manifest, the pointer last", async () => {
    const writer = await place();
    const root = await rootOf(1);
    const { version } = await push(root, writer);
    const written = writes();
    const files = [...bytesByPath(currentDirectory(root)).keys()];
    expect(written).toHaveLength(files.length + 1);
    expect(written.at(-1)).toBe("PUT current.json");
    expect(written.at(-2)).toBe(`PUT ${version}/manifest.json`);
    const lines = asked();
    expect(lines.indexOf(`GET ${version}/manifest.json`)).toBeGreaterThan(
      lines.indexOf(`PUT ${version}/manifest.json`),
    );
    expect(lines.indexOf("PUT current.json")).toBeGreaterThan(lines.indexOf(`GET ${version}/manifest.json`));
  });

  it("says of each file how long it may be kept, and what it is", async () => {
    const writer = await place();
    const { version } = await push(await rootOf(1), writer);
    const headersOf = (end: string) =>
      server()
        .records()
        .find(({ method, path }) => method === "PUT" && path.endsWith(end))?.headers;
    for (const end of ["daos.json", "manifest.json", "index.sqlite"]) {
      expect(headersOf(`${version}/${end}`)).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "x-amz-meta-sha256": expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    }
    expect(headersOf(`${version}/index.sqlite`)?.["content-type"]).toBe("application/vnd.sqlite3");
    expect(headersOf("/current.json")).toMatchObject({
      "cache-control": "no-cache",
      "content-type": "application/json",
    });
  });

  it("is not pushed again, and not pulled again", async () => {
    const writer = await place();
    const root = await rootOf(1);
    await push(root, writer);
    server().forget();
    expect(await push(root, writer)).toMatchObject({ kind: "unchanged", files: 0 });
    expect(asked()).toEqual(["GET current.json"]);
    const copy = temporaryRoot();
    await pull(copy, writer);
    expect(await pull(copy, writer)).toMatchObject({ kind: "unchanged", sequence: 1, files: 0 });
    const pointer = await readRemotePointer(writer);
    server().forget();
    expect(await readNewPointer(writer, pointer?.etag, undefined)).toBe("unchanged");
    expect(server().records()).toMatchObject([{ status: 304, bytesSent: 0 }]);
  });

  it("sends and fetches only what the version before does not hold", async () => {
    const writer = await place();
    const root = await rootOf(1);
    const copy = temporaryRoot();
    await push(root, writer);
    await pull(copy, writer);
    await publishNth(root, 2);
    await push(root, writer);
    const pulled = await pull(copy, writer);
    expect(pulled).toMatchObject({ kind: "pulled", sequence: 2 });
    if (pulled.kind !== "pulled") return;
    expect(pulled.linked).toBeGreaterThan(pulled.files);
    expect(bytesByPath(currentDirectory(copy))).toEqual(bytesByPath(currentDirectory(root)));
    expect(await verifySnapshot(copy)).toMatchObject({ problems: [] });
  });

  it("is pulled in part where only part of it is wanted, with what seals it", async () => {
    const writer = await place();
    const root = await rootOf(1);
    await push(root, writer);
    const copy = temporaryRoot();
    const told: number[] = [];
    const pulled = await pull(copy, writer, {
      wanted: (path) => path === "index.sqlite",
      onProgress: ({ filesDone, filesTotal }) => told.push(filesTotal - filesDone),
    });
    expect(pulled).toMatchObject({ kind: "pulled", files: 1 });
    expect(told).toEqual([1, 0]);
    expect([...bytesByPath(currentDirectory(copy)).keys()].sort()).toEqual(["index.sqlite", "manifest.json"]);
    expect(readPointer(copy)).toEqual(readPointer(root));
  });
});

describe("where nothing can be pulled", () => {
  it.each([
    { why: "nothing was published", address: "empty", code: "REMOTE_MISSING" },
    { why: "the bucket is not there", address: undefined, code: "REMOTE_MISSING" },
  ])("says so: $why", async ({ address, code }) => {
    const writer = await place();
    const { openRemote } = await import("../../../snapshots/remote/open-remote.ts");
    const { environment } = server();
    const reader =
      address === undefined ? await openRemote("s3://nowhere/x", { environment }) : await again(writer);
    expect(await codeOf(pull(temporaryRoot(), reader))).toBe(code);
    reader.close();
  });
});
