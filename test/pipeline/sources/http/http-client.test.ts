import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { sleepOnTimer } from "../../../../pipeline/sources/http/http-settings.ts";
import { closeAfterEach, openClient, openServer, postOnce, sendJson } from "./loopback-server.ts";

closeAfterEach();

it("posts JSON, says who asks, and gives the answer", async () => {
  const server = await openServer((response) => sendJson(response, 200, { data: [1] }));
  const answer = await openClient().client.postJson({
    url: `${server.origin}/graphql?x=1`,
    body: { query: "{a}" },
    headers: { "X-Api-Key": "k", "User-Agent": "other" },
  });
  expect(answer).toMatchObject({ status: 200, body: { data: [1] } });
  const headers = { "content-type": "application/json", "user-agent": "govdata/1.2.3", "x-api-key": "k" };
  expect(server.arrived).toMatchObject([{ path: "/graphql?x=1", body: '{"query":"{a}"}', headers }]);
});

describe("which addresses are asked", () => {
  it.each<[why: string, address: (port: string) => string, says?: string]>([
    ["https", (port) => `https://127.0.0.1:${port}/graphql`],
    ["this machine by number", (port) => `http://127.0.0.1:${port}`],
    ["this machine by another number", (port) => `http://127.8.9.1:${port}/`],
    ["this machine by name", (port) => `http://localhost:${port}/graphql`],
    ["this machine by its newer number", (port) => `http://[::1]:${port}/`],
    ["this machine in an odd spelling, which the URL makes plain", (port) => `http://0x7f.1:${port}/`],
    ["not plain http", () => "http://hub.example/s3cret", "hub.example is not https"],
    ["not a name that begins like loopback", () => "http://127.0.0.1.example/s3cret", "not https"],
    ["not a name that ends like it", () => "http://notlocalhost/s3cret", "not https"],
    ["not every address of this machine", () => "http://0.0.0.0/s3cret", "not https"],
    ["not the house's network", () => "http://10.0.0.1/s3cret", "not https"],
    ["not a file", () => "file:///s3cret", "not https"],
    ["not another protocol", () => "ws://127.0.0.1/s3cret", "not https"],
    ["not a password", () => "https://me:s3cret@hub.example/", "contains a user name or a password"],
    ["not what is no URL", () => "s3cret", "URL is not valid"],
  ])("%s", async (_why, address, says) => {
    const { origin } = await openServer((response) => sendJson(response, 200, {}));
    const { client } = openClient({ settings: { attemptsMax: 1 } });
    const asked = client.postJson({ url: address(new URL(origin).port), body: {} });
    const error = await asked.then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(client.counters().requests).toBe(says === undefined ? 1 : 0);
    if (says === undefined) return;
    expect(error).toMatchObject({ code: "SOURCE_FAILED", message: expect.stringContaining(says) });
    expect(inspect(error), "the address may contain a key").not.toContain("s3cret");
  });
});

describe("a redirect", () => {
  it.each([
    {
      status: 301,
      location: "other",
      says: "redirects to another host (301), and redirects are not followed",
    },
    {
      status: 308,
      location: "other",
      says: "redirects to another host (308), and redirects are not followed",
    },
    { status: 308, location: "/s3cret", says: "redirects to another address of its own (308)" },
    { status: 308, location: "//other.example/", says: "redirects to another host (308)" },
    { status: 308, location: "http://[", says: "answered 308" },
    { status: 304, location: undefined, says: "answered 304" },
  ])("$status to $location is refused, and not followed", async ({ status, location, says }) => {
    const other = await openServer((response) => sendJson(response, 200, {}));
    const to = location === "other" ? `${other.origin}/s3cret` : location;
    const { error, server } = await postOnce((response) => {
      response.writeHead(status, to === undefined ? {} : { location: to }).end();
    });
    const message = expect.stringContaining(`${server.origin} ${says}`);
    expect(error).toMatchObject({ code: "SOURCE_FAILED", message });
    expect(inspect(error)).not.toContain("s3cret");
    expect([server.arrived.length, other.arrived.length]).toEqual([1, 0]);
  });
});

describe("no error tells what was sent or received", () => {
  const secret = "s3cret-key";
  const isTold = (error: unknown) => inspect(error, { depth: 9, showHidden: true }).includes(secret);

  it.each([
    { why: "a page", answer: (key: string) => ({ status: 400, text: `<p>${key}` }) },
    { why: "no JSON", answer: (key: string) => ({ status: 200, text: `{"${key}` }) },
    { why: "a failing server", answer: (key: string) => ({ status: 503, text: key }) },
    { why: "a rate limit", answer: (key: string) => ({ status: 429, text: `{"error":"${key}"}` }) },
  ])("$why that repeats everything", async ({ answer }) => {
    const server = await openServer((response, _, arrived) => {
      const { status, text } = answer(`${arrived.headers["x-api-key"]}${arrived.path}${arrived.body}`);
      response.writeHead(status, { "x-echo": secret }).end(text);
    });
    const url = `${server.origin}/v3/${secret}?key=${secret}`;
    const request = { url, headers: { "x-api-key": secret }, body: { query: secret } };
    const error = await openClient()
      .client.postJson(request)
      .catch((thrown: unknown) => thrown);
    expect(server.arrived[0]!.headers["x-api-key"]).toBe(secret);
    expect(error).toMatchObject({ code: "SOURCE_FAILED" });
    expect(isTold(error)).toBe(false);
  });

  it("a key that no header can hold", async () => {
    const { error, server } = await postOnce((response) => sendJson(response, 200, {}), {
      request: { headers: { "x-api-key": `${secret}\n` } },
    });
    const message = `${server.origin} cannot be requested: a header or the URL contains characters that HTTP does not allow`;
    expect(error).toMatchObject({ code: "SOURCE_FAILED", message });
    expect(isTold(error)).toBe(false);
    expect(server.arrived).toHaveLength(0);
  });
});

describe("closing", () => {
  const closed = { code: "SOURCE_FAILED", message: "the network client was closed" };

  it("ends a request that is under way, the one that waits for room, and all that come after", async () => {
    let close = async () => {};
    const server = await openServer(() => void close());
    const { client } = openClient({ settings: { concurrencyMax: 1 } });
    close = () => client.close();
    const both = [1, 2].map(() => client.postJson({ url: server.origin, body: {} }));
    for (const { status, reason } of (await Promise.allSettled(both)) as PromiseRejectedResult[]) {
      expect(status).toBe("rejected");
      expect(reason).toMatchObject(closed);
    }
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toMatchObject(closed);
    expect([server.arrived.length, client.counters().requests]).toEqual([1, 1]);
  });

  it("ends a body in its middle", async () => {
    let close = async () => {};
    const server = await openServer((response) => {
      response.writeHead(200).write('{"data":');
      setImmediate(() => void close());
    });
    const { client } = openClient();
    close = () => client.close();
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toMatchObject(closed);
  });

  it.each([
    { why: "a back-off", status: 502, headers: {} },
    { why: "a pause that the origin asked for", status: 429, headers: { "retry-after": "100" } },
  ])("ends $why on a real timer", async ({ status, headers }) => {
    let close = async () => {};
    const sleep = (waitMs: number, signal: AbortSignal) => {
      setImmediate(() => void close());
      return sleepOnTimer(waitMs, signal);
    };
    const server = await openServer((response) => sendJson(response, status, {}, headers));
    const { client } = openClient({
      sleep,
      settings: { backOffFirstMs: 100_000, backOffLongestMs: 100_000 },
    });
    close = () => client.close();
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toMatchObject(closed);
    expect(server.arrived).toHaveLength(1);
  });
});
