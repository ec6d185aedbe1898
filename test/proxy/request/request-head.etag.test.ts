import { describe, expect, it } from "vitest";
import { matchesEtag } from "../../../proxy/request/request-head.ts";

const ETAG = '"abc123"';

describe("matchesEtag", () => {
  it.each([
    { why: "nothing sent", header: undefined, want: false },
    { why: "empty", header: "", want: false },
    { why: "the same", header: '"abc123"', want: true },
    { why: "the same, weak", header: 'W/"abc123"', want: true },
    { why: "any", header: "*", want: true },
    { why: "any, with spaces", header: " * ", want: true },
    { why: "in a list", header: '"x", W/"y", "abc123"', want: true },
    { why: "in a list without spaces", header: '"x","abc123"', want: true },
    { why: "another", header: '"abc124"', want: false },
    { why: "without quotes", header: "abc123", want: false },
    { why: "a part", header: '"abc12"', want: false },
    { why: "a tag that holds a comma", header: '"x,abc123"', want: false },
    { why: "other case", header: '"ABC123"', want: false },
    { why: "a star in a list is no star", header: '"x", *', want: false },
  ])("$why", ({ header, want }) => {
    expect(matchesEtag(header, ETAG)).toBe(want);
  });
});
