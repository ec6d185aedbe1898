import { describe, expect, it } from "vitest";
import { presentedKey } from "../../../proxy/request/request-head.ts";

describe("presentedKey", () => {
  it.each([
    { why: "no headers", raw: [], want: undefined },
    { why: "others only", raw: ["Host", "x", "x-api-keys", "k"], want: undefined },
    { why: "empty", raw: ["x-api-key", ""], want: undefined },
    { why: "blank", raw: ["x-api-key", " \t"], want: undefined },
    { why: "one", raw: ["Host", "x", "x-api-key", "k"], want: "k" },
    { why: "other case of the name", raw: ["X-API-Key", "k"], want: "k" },
    { why: "a value that looks like a name", raw: ["a", "x-api-key", "b", "k"], want: undefined },
    { why: "two different", raw: ["x-api-key", "k", "X-Api-Key", "l"], want: "" },
    { why: "two the same", raw: ["x-api-key", "k", "x-api-key", "k"], want: "" },
    { why: "two, one empty", raw: ["x-api-key", "", "x-api-key", "k"], want: "" },
  ])("$why", ({ raw, want }) => {
    expect(presentedKey(raw)).toEqual(want);
  });
});
