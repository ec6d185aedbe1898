import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openRemote, openRemoteWriter } from "../../../snapshots/remote/open-remote.ts";
import { isRemoteAddress, parseRemoteAddress } from "../../../snapshots/remote/remote-address.ts";
import { readNewPointer, readRemotePointer } from "../../../snapshots/remote/remote-pointer.ts";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { type StaticServer, serveFolder } from "../../support/static-server.ts";
import {
  bytesByPath,
  currentDirectory,
  replaceFile,
  sharedRoot,
  temporaryRoot,
} from "../store/temporary-root.ts";
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

describe("mirror reader", () => {
  const shared = sharedRoot();
  let server: StaticServer;

  beforeAll(async () => {
    await publishNth(shared.root, 1);
    server = await serveFolder(shared.root);
  });
  beforeEach(() => server.refuseWith(undefined));
  afterAll(async () => {
    await server.close();
    shared.remove();
  });

  async function mirror(address = server.address) {
    const reader = await openRemote(address, { silenceMs: 2_000 });
    onTestFinished(reader.close);
    return reader;
  }

  describe("a mirror on any web server", () => {
    it("is pulled from with the same bytes, and asked for no body where nothing moved", async () => {
      const reader = await mirror();
      const copy = temporaryRoot();
      await pull(copy, reader);
      expect(bytesByPath(currentDirectory(copy))).toEqual(bytesByPath(currentDirectory(shared.root)));
      expect(await verifySnapshot(copy)).toMatchObject({ problems: [] });
      const pointer = await readRemotePointer(reader);
      expect(await readNewPointer(reader, pointer?.etag, undefined)).toBe("unchanged");
      expect(server.answered().at(-1)).toBe("GET /current.json 304");
    });

    it.each([
      { status: 403, code: "REMOTE_REFUSED" },
      { status: 302, code: "REMOTE_REFUSED" },
      { status: 404, code: "REMOTE_MISSING" },
      { status: 503, code: "REMOTE_AWAY" },
      { status: 429, code: "REMOTE_AWAY" },
    ])("that answers $status is $code", async ({ status, code }) => {
      server.refuseWith(status);
      expect(await codeOf(pull(temporaryRoot(), await mirror()))).toBe(code);
    });

    it("that is not there is away", async () => {
      const gone = await serveFolder(shared.root);
      await gone.close();
      expect(await codeOf(pull(temporaryRoot(), await mirror(gone.address)))).toBe("REMOTE_AWAY");
    });

    it("that gives other bytes is not believed, and one that gives too many is not waited for", async () => {
      const root = temporaryRoot();
      await publishNth(root, 1);
      const spoilt = await serveFolder(root);
      onTestFinished(spoilt.close);
      const { version } = readPointer(root);
      for (const bytes of ["[]\n", Buffer.alloc(3_000_000)]) {
        replaceFile(join(root, version, "daos.json"), bytes);
        expect(await codeOf(pull(temporaryRoot(), await mirror(spoilt.address)))).toBe("REMOTE_INVALID");
      }
      replaceFile(join(root, version, "manifest.json"), "{}\n");
      expect(await codeOf(pull(temporaryRoot(), await mirror(spoilt.address)))).toBe("REMOTE_INVALID");
    });

    it("is read only", async () => {
      expect(await codeOf(openRemoteWriter("https://mirror.example/x"))).toBe("REMOTE_ADDRESS");
    });
  });

  describe("an address", () => {
    it.each([
      { text: "s3://bucket", name: "s3://bucket" },
      { text: "s3://bucket/", name: "s3://bucket" },
      { text: "s3://my.bucket-1/a/b_c/", name: "s3://my.bucket-1/a/b_c" },
      { text: "https://mirror.example", name: "https://mirror.example" },
      { text: "https://mirror.example/dao/", name: "https://mirror.example/dao" },
      { text: "http://127.0.0.1:8080/x", name: "http://127.0.0.1:8080/x" },
      { text: "http://[::1]:8080", name: "http://[::1]:8080" },
    ])("$text is $name", ({ text, name }) => {
      expect(parseRemoteAddress(text).name).toBe(name);
      expect(isRemoteAddress(text)).toBe(true);
    });

    it.each([
      { why: "a folder", text: "snapshots/published" },
      { why: "nothing", text: "" },
      { why: "no bucket", text: "s3://" },
      { why: "a bucket with a capital", text: "s3://Bucket/x" },
      { why: "a way upwards", text: "s3://bucket/../other" },
      { why: "an empty part", text: "s3://bucket//x" },
      { why: "a name that hides", text: "s3://bucket/.x" },
      { why: "a query", text: "https://mirror.example/?token=secret" },
      { why: "a password", text: "https://me:secret@mirror.example/" },
      { why: "plain HTTP over a network", text: "http://mirror.example/" },
      { why: "another protocol", text: "ftp://mirror.example/" },
      { why: "no host", text: "https://" },
    ])("is refused, and not repeated: $why", ({ text }) => {
      const parse = () => parseRemoteAddress(text);
      expect(parse).toThrow(expect.objectContaining({ code: "REMOTE_ADDRESS" }));
      if (text.includes("secret")) expect(parse).not.toThrow(/secret/);
    });
  });
});
