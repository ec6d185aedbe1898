import { describe, expect, it } from "vitest";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import { createHubSpaceChecker } from "../../../pipeline/run/hub-space-checker.ts";
import type { HttpClient } from "../../../pipeline/sources/http/http-client.ts";

const DAO: TrackedDao = { spaceId: "sample.eth", name: "Sample", category: "defi", governor: undefined };

/** A checker of a hub that answers this body to whatever it is asked. */
function checkerOf(body: unknown) {
  const http: HttpClient = {
    postJson: async () => ({ status: 200, headers: {}, body }),
    counters: () => ({ requests: 0, retries: 0, bytes: 0, rateLimited: 0 }),
    close: async () => undefined,
  };
  return createHubSpaceChecker({ http, url: "http://127.0.0.1/graphql", apiKey: undefined });
}

describe("createHubSpaceChecker", () => {
  it.each([
    { why: "a name", space: { id: "sample.eth", name: "Sample" }, want: { name: "Sample" } },
    {
      why: "a name with a bidi control",
      space: { id: "sample.eth", name: "Sam\u202eple" },
      want: { name: "Sample" },
    },
    { why: "no name", space: { id: "sample.eth" }, want: { name: undefined } },
    { why: "a deleted or unknown space", space: null, want: undefined },
  ])("reads $why", async ({ space, want }) => {
    expect(await checkerOf({ data: { space } })(DAO)).toEqual(want);
  });

  it.each([
    { why: "another space", body: { data: { space: { id: "other.eth", name: "Sample" } } } },
    { why: "what is no space", body: { data: { space: 5 } } },
    { why: "an error with status 200", body: { data: { space: null }, errors: [{ message: "no" }] } },
    { why: "what is no GraphQL", body: "<html>" },
  ])("takes $why for a failure and not for a missing space", async ({ body }) => {
    await expect(checkerOf(body)(DAO)).rejects.toMatchObject({ code: "SOURCE_FAILED" });
  });
});
