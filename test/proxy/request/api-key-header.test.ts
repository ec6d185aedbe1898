import { describe, expect, it } from "vitest";
import { readApiKeyHeader } from "../../../proxy/request/api-key-header.ts";

describe("readApiKeyHeader", () => {
  it.each([
    { why: "no headers", raw: [], want: { kind: "absent" } },
    { why: "others only", raw: ["Host", "x", "x-api-keys", "k"], want: { kind: "absent" } },
    { why: "empty", raw: ["x-api-key", ""], want: { kind: "absent" } },
    { why: "blank", raw: ["x-api-key", " \t"], want: { kind: "absent" } },
    { why: "one", raw: ["Host", "x", "x-api-key", "k"], want: { kind: "one", text: "k" } },
    { why: "other case of the name", raw: ["X-API-Key", "k"], want: { kind: "one", text: "k" } },
    { why: "a value that looks like a name", raw: ["a", "x-api-key", "b", "k"], want: { kind: "absent" } },
    { why: "two different", raw: ["x-api-key", "k", "X-Api-Key", "l"], want: { kind: "several" } },
    { why: "two the same", raw: ["x-api-key", "k", "x-api-key", "k"], want: { kind: "several" } },
    { why: "two, one empty", raw: ["x-api-key", "", "x-api-key", "k"], want: { kind: "several" } },
  ])("$why", ({ raw, want }) => {
    expect(readApiKeyHeader(raw)).toEqual(want);
  });
});
