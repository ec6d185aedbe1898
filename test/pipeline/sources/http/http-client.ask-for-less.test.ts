import { describe, expect, it } from "vitest";
import { type Answering, sendJson } from "./loopback-server.ts";
import { closeAfterEach, openClient, openServer } from "./opened.ts";

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
