import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";
import { cappedStream } from "../../../snapshots/remote/capped-stream.ts";
import { openRemote, openRemoteWriter } from "../../../snapshots/remote/open-remote.ts";
import type { RemoteOptions } from "../../../snapshots/remote/remote-address.ts";
import { readRemotePointer } from "../../../snapshots/remote/remote-pointer.ts";
import type { RemoteReader, RemoteWriter } from "../../../snapshots/remote/remote-store.ts";
import { isRemoteFailure } from "../../../snapshots/remote/remote-store.ts";
import { codeOf } from "./remote-stage.ts";

const PIECE = Buffer.alloc(65_536, " ");
/** As good as no end: who takes this takes all. */
const FLOOD_BYTES = 96 * 1024 * 1024;
/** The most that is taken, and what lies in sockets on both sides. */
const TAKEN_BYTES_MAX = 24 * 1024 * 1024;
const SECRET = "SecretOfTheOperator";

/** A storage that answers as it likes. */
async function hostile(answer: (to: ServerResponse) => void): Promise<string> {
  const server = createServer((incoming, to) => {
    incoming.resume();
    to.once("error", () => {});
    answer(to);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One that sends without an end, and how much of it went out. */
async function flooding(status: number): Promise<{ address: string; sentBytes: () => number }> {
  let sentBytes = 0;
  const address = await hostile((to) => {
    to.writeHead(status, { "content-type": "application/xml" }).write('<?xml version="1.0"?>');
    const pump = () => {
      while (!to.destroyed && sentBytes < FLOOD_BYTES) {
        sentBytes += PIECE.length;
        if (!to.write(PIECE)) return void to.once("drain", pump);
      }
      to.end();
    };
    pump();
  });
  return { address, sentBytes: () => sentBytes };
}

async function storageAt(address: string, more: RemoteOptions = {}): Promise<RemoteWriter> {
  const environment = {
    AWS_ENDPOINT_URL_S3: address,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: SECRET,
    AWS_SECRET_ACCESS_KEY: SECRET,
  };
  const writer = await openRemoteWriter("s3://bucket/x", {
    environment,
    attemptsMax: 1,
    silenceMs: 5_000,
    ...more,
  });
  onTestFinished(writer.close);
  return writer;
}

async function mirrorAt(address: string): Promise<RemoteReader> {
  const reader = await openRemote(address, { silenceMs: 5_000 });
  onTestFinished(reader.close);
  return reader;
}

async function readAll(reader: RemoteReader): Promise<void> {
  for await (const _ of reader.read("a", 1_000)) {
    // What comes does not matter here.
  }
}

const FILE = {
  content: Buffer.from("{}"),
  bytes: 2,
  sha256: "0".repeat(64),
  mediaType: "application/json",
};

describe("an answer without an end is broken off", () => {
  const readPointer = (store: RemoteWriter) => store.readSmall("current.json", 4096);
  it.each<[what: string, status: number, code: string, call: (store: RemoteWriter) => Promise<unknown>]>([
    ["a refused pointer", 403, "REMOTE_REFUSED", readPointer],
    ["a pointer that is not there", 404, "none|REMOTE_MISSING", readPointer],
    ["a pointer", 200, "REMOTE_INVALID", readPointer],
    ["a file", 200, "REMOTE_INVALID", readAll],
    ["an outage", 503, "REMOTE_AWAY", readAll],
    ["a list", 200, "REMOTE_AWAY", (store) => store.list("v/")],
    ["a list of folders", 200, "REMOTE_AWAY", (store) => store.listFolders()],
    ["a write", 200, "REMOTE_AWAY", (store) => store.write("a", FILE)],
    ["a swap", 200, "REMOTE_AWAY", (store) => store.swap("a", FILE.content, '"x"')],
    ["a deletion", 200, "REMOTE_AWAY", (store) => store.remove(["a"])],
  ])("of a storage: %s (%i)", async (_what, status, code, call) => {
    const { address, sentBytes } = await flooding(status);
    expect(await codeOf(call(await storageAt(address)))).toMatch(new RegExp(`^(${code})$`));
    expect(sentBytes()).toBeLessThan(TAKEN_BYTES_MAX);
  });

  it.each([
    { status: 200, code: "REMOTE_INVALID" },
    { status: 404, code: "none" },
    { status: 302, code: "REMOTE_REFUSED" },
    { status: 500, code: "REMOTE_AWAY" },
  ])("of a mirror: $status", async ({ status, code }) => {
    const { address, sentBytes } = await flooding(status);
    expect(await codeOf((await mirrorAt(address)).readSmall("current.json", 4096))).toBe(code);
    expect(sentBytes()).toBeLessThan(TAKEN_BYTES_MAX);
  });
});

it("an answer that is compressed although nobody asked is not unpacked", async () => {
  // A thousand times as large unpacked, and more than is allowed.
  const packed = gzipSync(Buffer.alloc(1_000_000));
  const address = await hostile((to) => to.writeHead(200, { "content-encoding": "gzip" }).end(packed));
  for (const reader of [await storageAt(address), await mirrorAt(address)]) {
    expect(await reader.readSmall("current.json", 4_096)).toMatchObject({ bytes: packed });
  }
});

describe("drop by drop", () => {
  /** Pieces of one byte, so many milliseconds one after the other. */
  function drops(everyMs: number) {
    const clock = { atMs: 0 };
    async function* pieces() {
      for (let count = 0; count < 100; count += 1) {
        clock.atMs += everyMs;
        yield Buffer.alloc(1);
      }
    }
    return { clock, pieces };
  }

  it.each([
    { why: "as slow as any network", everyMs: 290, stepMs: 0, code: "none" },
    { why: "never there", everyMs: 9_000, stepMs: 0, code: "REMOTE_AWAY" },
    { why: "the reader is slow, not what is read", everyMs: 1, stepMs: 9_000, code: "none" },
  ])("a body that comes is read or given up: $why", async ({ everyMs, stepMs, code }) => {
    const { clock, pieces } = drops(everyMs);
    const read = async () => {
      for await (const _ of cappedStream(pieces(), 4_096, "x", () => clock.atMs)) clock.atMs += stepMs;
    };
    expect(await codeOf(read())).toBe(code);
  });
});

it("a pointer that comes drop by drop is away, where there is a clock", async () => {
  const address = await hostile((to) => to.end("{}"));
  let atMs = 0;
  const nowMs = () => {
    atMs += 60_000;
    return atMs;
  };
  const reader = await openRemote(address, { nowMs });
  onTestFinished(reader.close);
  for (const slow of [reader, await storageAt(address, { nowMs })]) {
    expect(await codeOf(slow.readSmall("current.json", 4_096))).toBe("REMOTE_AWAY");
    expect(await codeOf(readAll(slow))).toBe("REMOTE_AWAY");
  }
});

describe("what no storage would say", () => {
  it.each([
    {
      why: "a date that is none",
      headers: { "last-modified": "garbage" },
      status: 200,
      codes: ["REMOTE_AWAY", "none"],
    },
    {
      why: "a way to the machine's own secrets",
      headers: { location: "http://169.254.169.254/latest/meta-data/" },
      status: 307,
      codes: ["REMOTE_REFUSED", "REMOTE_REFUSED"],
    },
    {
      why: "another region",
      headers: { location: "file:///etc/passwd", "x-amz-bucket-region": "eu-west-1" },
      status: 301,
      codes: ["REMOTE_REFUSED", "REMOTE_REFUSED"],
    },
    {
      why: "unasked that nothing changed",
      headers: {},
      status: 304,
      codes: ["REMOTE_REFUSED", "REMOTE_REFUSED"],
    },
  ])("is refused or not looked at, and gives no secret away: $why", async ({ headers, status, codes }) => {
    const address = await hostile((to) =>
      to.writeHead(status, headers).end(status === 304 ? undefined : "{}"),
    );
    for (const [index, reader] of [await storageAt(address), await mirrorAt(address)].entries()) {
      const thrown = await reader.readSmall("current.json", 4_096).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(isRemoteFailure(thrown) ? thrown.code : (thrown ?? "none")).toBe(codes[index]);
      const said = thrown instanceof Error ? `${thrown.message} ${thrown.stack}` : "";
      expect(said).not.toMatch(/SecretOf|Signature|169\.254|hidden field/);
    }
  });
});

it("what is wrong with a foreign pointer is told without what would steer a terminal", async () => {
  const pointer = {
    format: FORMAT_VERSION,
    sequence: 1,
    version: "20261031T235959Z-00000000",
    manifest: { sha256: "0".repeat(64), bytes: 1 },
    published_at: "2026-10-31T23:59:59.999Z",
    [`\u001b[2J\u009b1m\u202e\r\nall is well${"x".repeat(2_000)}`]: 1,
  };
  const address = await hostile((to) => to.end(`${JSON.stringify(pointer)}\n`));
  const thrown = await readRemotePointer(await mirrorAt(address)).catch((error: unknown) => error);
  if (!isRemoteFailure(thrown)) throw thrown;
  expect(thrown.code).toBe("REMOTE_INVALID");
  expect(thrown.message).toContain("all is well");
  expect(thrown.message.length).toBeLessThan(1_000);
  expect(thrown.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(thrown.cause).toBeUndefined();
});
