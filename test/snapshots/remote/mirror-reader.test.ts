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
import { codeOf, publishNth, pull } from "./remote-stage.ts";

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
