import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type S3TestServer, startS3Server } from "./s3-server.ts";

let server: S3TestServer;
let client: S3Client;
let leave: () => void;

beforeAll(async () => {
  server = await startS3Server();
  leave = server.enterEnvironment();
  client = new S3Client({ forcePathStyle: true, maxAttempts: 1 });
});

afterEach(() => {
  server.meet();
  server.enforceConditions(false);
});

afterAll(async () => {
  client.destroy();
  leave();
  await server.close();
});

const put = (key: string, body: string | Buffer, more: { IfMatch?: string; IfNoneMatch?: string } = {}) =>
  client.send(new PutObjectCommand({ Bucket: server.bucket, Key: key, Body: body, ...more }));

const get = async (key: string, more: { IfNoneMatch?: string } = {}) => {
  const { Body, ETag } = await client.send(
    new GetObjectCommand({ Bucket: server.bucket, Key: key, ...more }),
  );
  return { text: await (Body as { transformToString(): Promise<string> }).transformToString(), etag: ETag };
};

const statusOf = (work: Promise<unknown>): Promise<number | undefined> =>
  work.then(
    () => 200,
    (error) => error.$metadata?.httpStatusCode,
  );

it("keeps what the client sends, with its type and our own words, and lists it", async () => {
  await client.send(
    new PutObjectCommand({
      Bucket: server.bucket,
      Key: "a/b c.json",
      Body: "{}",
      ContentType: "application/json",
      CacheControl: "no-cache",
      Metadata: { sha256: "00" },
    }),
  );
  const head = await client.send(new HeadObjectCommand({ Bucket: server.bucket, Key: "a/b c.json" }));
  expect(head).toMatchObject({
    ContentLength: 2,
    ContentType: "application/json",
    CacheControl: "no-cache",
    Metadata: { sha256: "00" },
  });
  const list = await client.send(new ListObjectsV2Command({ Bucket: server.bucket, Prefix: "a/" }));
  expect(list.Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([["a/b c.json", 2]]);
  await client.send(new DeleteObjectCommand({ Bucket: server.bucket, Key: "a/b c.json" }));
  expect(await statusOf(get("a/b c.json"))).toBe(404);
});

it("takes a stream apart that the client sends in frames, and reads back what was sent", async () => {
  const body = "x".repeat(200_000);
  const stream = Readable.from([Buffer.from(body.slice(0, 70_000)), Buffer.from(body.slice(70_000))]);
  await client.send(
    new PutObjectCommand({ Bucket: server.bucket, Key: "stream", Body: stream, ContentLength: body.length }),
  );
  expect(server.records().at(-1)?.headers["content-encoding"]).toBe("aws-chunked");
  expect((await get("stream")).text).toBe(body);
});

it("refuses content that is not what its checksum says", async () => {
  const answer = await fetch(`${server.endpoint}/${server.bucket}/sum`, {
    method: "PUT",
    body: "one",
    headers: { "x-amz-checksum-sha256": "AAAA" },
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("BadDigest");
});

it("answers an unchanged object without a body", async () => {
  await put("same", "same");
  const { etag } = await get("same");
  expect(await statusOf(get("same", { IfNoneMatch: etag! }))).toBe(304);
  expect(server.records().at(-1)).toMatchObject({ status: 304, bytesSent: 0 });
});

it("takes every conditional write until told to refuse them, as S3 does", async () => {
  await put("condition", "first");
  expect(await statusOf(put("condition", "second", { IfNoneMatch: "*" }))).toBe(200);
  server.enforceConditions(true);
  const { etag } = await get("condition");
  const cases = [
    { key: "condition", more: { IfNoneMatch: "*" }, status: 412 },
    { key: "condition", more: { IfMatch: '"0"' }, status: 412 },
    { key: "missing", more: { IfMatch: '"0"' }, status: 404 },
    { key: "condition", more: { IfMatch: etag! }, status: 200 },
    { key: "condition", more: { IfMatch: etag! }, status: 412 },
    { key: "fresh", more: { IfNoneMatch: "*" }, status: 200 },
  ];
  for (const { key, more, status } of cases) expect(await statusOf(put(key, "third", more))).toBe(status);
});

it("lets exactly one of many conditional writes through", async () => {
  server.enforceConditions(true);
  const ends = await Promise.all(
    Array.from({ length: 8 }, (_, at) => statusOf(put("race", `${at}`, { IfNoneMatch: "*" }))),
  );
  expect(ends.toSorted()).toEqual([200, 412, 412, 412, 412, 412, 412, 412]);
});

it("cuts before the server took it, and after", async () => {
  await put("cut", "before");
  server.meet(({ method }) => (method === "PUT" ? { kind: "cut", when: "before" } : undefined));
  expect(await statusOf(put("cut", "lost"))).toBe(undefined);
  expect((await get("cut")).text).toBe("before");
  server.meet(({ method }) => (method === "PUT" ? { kind: "cut", when: "after" } : undefined));
  expect(await statusOf(put("cut", "taken"))).toBe(undefined);
  server.meet();
  expect((await get("cut")).text).toBe("taken");
});

it("cuts an answer in its middle", async () => {
  await put("half", "0123456789");
  server.meet(() => ({ kind: "cut", when: "within" }));
  await expect(get("half")).rejects.toThrow();
  expect(server.records().at(-1)).toMatchObject({ status: undefined, bytesSent: 5 });
});

it.each(["before", "after", "within"] as const)("holds a request %s until it is let go", async (when) => {
  await put(`slow-${when}`, "0123456789");
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = () => {};
  const isHere = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  server.meet(() => {
    arrived();
    return { kind: "stall", when, until };
  });
  const reading = get(`slow-${when}`);
  await isHere;
  expect(server.records().at(-1)?.status).toBe(undefined);
  release();
  expect((await reading).text).toBe("0123456789");
});

it("answers with a copy that was read before, its own ETag included, and with 404 where there was none", async () => {
  await put("old", "one");
  const first = await get("old");
  await put("old", "two");
  server.meet(() => ({ kind: "stale" }));
  expect(await get("old")).toEqual(first);
  expect(await statusOf(get("old", { IfNoneMatch: first.etag! }))).toBe(304);
  server.meet();
  expect((await get("old")).text).toBe("two");
  await put("unseen", "new");
  server.meet(() => ({ kind: "stale" }));
  expect(await statusOf(get("unseen"))).toBe(404);
});

it("refuses and changes what it is told to, by the request's number", async () => {
  await put("number", "right");
  server.forget();
  server.meet(({ number }) => {
    if (number === 1) return { kind: "refuse", status: 503, code: "SlowDown" };
    if (number === 2) return { kind: "change", change: (bytes) => bytes.subarray(1) };
    return undefined;
  });
  expect(await statusOf(get("number"))).toBe(503);
  expect((await get("number")).text).toBe("ight");
  expect((await get("number")).text).toBe("right");
  expect(server.records().map(({ status }) => status)).toEqual([503, 200, 200]);
});

it("serves whom it does not know as a mirror does, and refuses a stranger's key", async () => {
  await put("open", "all");
  const answer = await fetch(`${server.endpoint}/${server.bucket}/open`);
  expect(await text(answer.body!)).toBe("all");
  const stranger = new S3Client({
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: "SOMEBODY", secretAccessKey: "else" },
  });
  expect(await statusOf(stranger.send(new GetObjectCommand({ Bucket: server.bucket, Key: "open" })))).toBe(
    403,
  );
  stranger.destroy();
});
