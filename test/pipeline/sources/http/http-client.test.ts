import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { requireAllowedUrl } from "../../../../pipeline/sources/http/http-client.ts";
import { type Answering, closeAfterEach, openClient, openServer, sendJson } from "./loopback-server.ts";

closeAfterEach();

describe("createHttpClient", () => {
  it("posts JSON, says who asks, and gives the answer", async () => {
    const server = await openServer((response) => sendJson(response, 200, { data: [1] }));
    const { client } = openClient();
    const answer = await client.postJson({
      url: `${server.origin}/graphql?x=1`,
      body: { query: "{a}" },
      headers: { "X-Api-Key": "k", "User-Agent": "other" },
    });
    expect(answer).toMatchObject({ status: 200, body: { data: [1] } });
    expect(server.arrived).toHaveLength(1);
    expect(server.arrived[0]).toMatchObject({
      path: "/graphql?x=1",
      body: '{"query":"{a}"}',
      headers: {
        "content-type": "application/json",
        "user-agent": "govdata/1.2.3",
        "x-api-key": "k",
      },
    });
  });
});

closeAfterEach();

describe("which addresses are asked", () => {
  it.each([
    { why: "https", address: "https://hub.example/graphql" },
    { why: "this machine by number", address: "http://127.0.0.1:8545" },
    { why: "this machine by another number", address: "http://127.8.9.1/" },
    { why: "this machine by name", address: "http://localhost:3000/graphql" },
    { why: "this machine by its newer number", address: "http://[::1]:8545/" },
    { why: "this machine in an odd spelling, which the URL makes plain", address: "http://0x7f.1/" },
  ])("$why", ({ address }) => {
    expect(requireAllowedUrl(address)).toBeInstanceOf(URL);
  });

  it.each([
    { why: "plain http", address: "http://hub.example/s3cret", says: "hub.example is not https" },
    {
      why: "a name that begins like loopback",
      address: "http://127.0.0.1.example/s3cret",
      says: "not https",
    },
    { why: "a name that ends like it", address: "http://notlocalhost/s3cret", says: "not https" },
    { why: "every address of this machine", address: "http://0.0.0.0/s3cret", says: "not https" },
    { why: "the house's network", address: "http://10.0.0.1/s3cret", says: "not https" },
    { why: "a file", address: "file:///s3cret", says: "not https" },
    { why: "another protocol", address: "ws://127.0.0.1/s3cret", says: "not https" },
    { why: "data", address: "data:text/plain,s3cret", says: "not https" },
    {
      why: "a password",
      address: "https://me:s3cret@hub.example/",
      says: "contains a user name or a password",
    },
    { why: "no URL", address: "s3cret", says: "URL is not valid" },
    { why: "nothing", address: "", says: "URL is not valid" },
  ])("never $why, nor quotes it", async ({ address, says }) => {
    const { client } = openClient();
    const error = await client.postJson({ url: address, body: {} }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "SOURCE_FAILED", message: expect.stringContaining(says) });
    expect(inspect(error)).not.toContain("s3cret");
    expect(client.counters().requests).toBe(0);
  });
});

describe("redirects", () => {
  it.each([301, 302, 303, 307, 308])(
    "%i to another host is refused, and the host never asked",
    async (status) => {
      const other = await openServer((response) => sendJson(response, 200, {}));
      const server = await openServer((response) => {
        response.writeHead(status, { location: `${other.origin}/s3cret` }).end();
      });
      const { client } = openClient();
      const error = await client
        .postJson({ url: server.origin, body: {} })
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: "SOURCE_FAILED",
        message: `${server.origin} redirects to another host (${status}), and redirects are not followed`,
      });
      expect(inspect(error)).not.toContain("s3cret");
      expect(other.arrived).toHaveLength(0);
      expect(server.arrived).toHaveLength(1);
    },
  );

  it.each([
    {
      why: "on the same host",
      location: "/elsewhere",
      says: "redirects to another address of its own (308)",
    },
    { why: "without a host's scheme", location: "//other.example/", says: "redirects to another host (308)" },
    { why: "that is no address", location: "http://[", says: "answered 308" },
    { why: "to nowhere", location: undefined, says: "answered 308" },
  ])("one $why is refused too", async ({ location, says }) => {
    const server = await openServer((response) => {
      response.writeHead(308, location === undefined ? {} : { location }).end();
    });
    const { client } = openClient();
    await expect(client.postJson({ url: server.origin, body: {} })).rejects.toThrow(says);
    expect(server.arrived).toHaveLength(1);
  });
});

describe("no error tells what was sent or received", () => {
  const secret = "s3cret-key";
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
    const request = {
      url: `${server.origin}/v3/${secret}?key=${secret}`,
      headers: { "x-api-key": secret },
      body: { query: secret },
    };
    const error = await openClient()
      .client.postJson(request)
      .catch((thrown: unknown) => thrown);
    expect(server.arrived[0]!.headers["x-api-key"]).toBe(secret);
    expect(error).toMatchObject({ code: "SOURCE_FAILED" });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
  });

  it("a key that no header can hold", async () => {
    const server = await openServer((response) => sendJson(response, 200, {}));
    const { client } = openClient();
    const headers = { "x-api-key": `${secret}\n` };
    const error = await client
      .postJson({ url: server.origin, headers, body: {} })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "SOURCE_FAILED",
      message: `${server.origin} cannot be requested: a header or the URL contains characters that HTTP does not allow`,
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
    expect(server.arrived).toHaveLength(0);
  });
});

closeAfterEach();

const page =
  (status: number): Answering =>
  (response) =>
    void response.writeHead(status).end("<html>");
const settings = {
  attemptTimeoutMs: 250,
  attemptsMax: 3,
  serverErrorAttemptsMax: 3,
  responseBytesMax: 1_000,
};

const SIZE: readonly { why: string; answer: Answering; requests: number }[] = [
  { why: "a 500", answer: page(500), requests: 2 },
  { why: "a 502 of a proxy", answer: page(502), requests: 2 },
  {
    why: "a 503 with an error in it",
    answer: (response) => sendJson(response, 503, { error: {} }),
    requests: 2,
  },
  { why: "a 504", answer: page(504), requests: 2 },
  { why: "a 408", answer: page(408), requests: 2 },
  { why: "no answer", answer: () => {}, requests: 2 },
  { why: "half an answer", answer: (response) => void response.writeHead(200).write("{"), requests: 2 },
  { why: "a connection broken off", answer: (response) => void response.socket?.destroy(), requests: 2 },
  { why: "too many bytes", answer: (response) => sendJson(response, 200, "x".repeat(2_000)), requests: 1 },
  { why: "a 413", answer: page(413), requests: 1 },
];

describe("a request that can be made smaller", () => {
  it.each(SIZE)("$why is answered as too much, after a second try where it may pass", async (row) => {
    const server = await openServer(row.answer);
    const { client } = openClient({ settings });
    const answer = await client.postJson({ url: server.origin, body: {}, canAskForLess: true });
    expect(answer).toMatchObject({ status: 413, body: undefined });
    expect(server.arrived).toHaveLength(row.requests);
  });

  it.each(SIZE.filter(({ requests }) => requests === 2))(
    "$why of any other request fails it",
    async (row) => {
      const server = await openServer(row.answer);
      const { client } = openClient({ settings });
      await expect(client.postJson({ url: server.origin, body: {} })).rejects.toMatchObject({
        code: "SOURCE_FAILED",
      });
      expect(server.arrived).toHaveLength(3);
    },
  );

  it("that passes at the second try is answered", async () => {
    const server = await openServer((response, index, arrived) =>
      index === 0 ? page(503)(response, index, arrived) : sendJson(response, 200, { ok: true }),
    );
    const { client } = openClient();
    const answer = await client.postJson({ url: server.origin, body: {}, canAskForLess: true });
    expect(answer.body).toEqual({ ok: true });
  });

  it.each([
    ["a rate limit, which asks for patience", page(429), 6],
    [
      "a redirect",
      ((response) => void response.writeHead(302, { location: "https://example.org" }).end()) as Answering,
      1,
    ],
    ["a refusal", page(401), 1],
    ["the page of a firewall, which asks for patience", page(403), 6],
  ])("%s is not about its size", async (_why, answer, requests) => {
    const server = await openServer(answer);
    const { client } = openClient();
    const asked = client.postJson({ url: server.origin, body: {}, canAskForLess: true });
    await expect(asked).rejects.toMatchObject({ code: "SOURCE_FAILED" });
    expect(server.arrived).toHaveLength(requests);
  });
});
