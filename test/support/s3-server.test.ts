import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type S3TestServer, startS3Server } from "./s3-server.ts";

let server: S3TestServer;
let client: S3Client;

beforeAll(async () => {
  server = await startS3Server();
  const { AWS_ENDPOINT_URL_S3: endpoint, AWS_ACCESS_KEY_ID: key, AWS_REGION: region } = server.environment;
  const credentials = { accessKeyId: key!, secretAccessKey: key! };
  client = new S3Client({
    endpoint: endpoint!,
    region: region!,
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
  });
});

afterEach(() => {
  server.meet();
  server.enforceConditions(false);
});

afterAll(async () => {
  client.destroy();
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
    Array.from({ length: 8 }, (_, index) => statusOf(put("race", `${index}`, { IfNoneMatch: "*" }))),
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

it.each(["before", "within"] as const)("holds a request %s until it is let go", async (when) => {
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
