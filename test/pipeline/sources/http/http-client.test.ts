import { describe, expect, it } from "vitest";
import { sendJson } from "./loopback-server.ts";
import { closeAfterEach, openClient, openServer } from "./opened.ts";

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
