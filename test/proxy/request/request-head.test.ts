import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CONTENT_ENCODINGS,
  matchesEtag,
  negotiateEncoding,
  presentedKey,
  splitTarget,
} from "../../../proxy/request/request-head.ts";

describe("negotiateEncoding", () => {
  it.each([
    { why: "nothing sent", header: undefined, want: "identity" },
    { why: "empty", header: "", want: "identity" },
    { why: "blank", header: "  ", want: "identity" },
    { why: "gzip alone", header: "gzip", want: "gzip" },
    { why: "an old name of gzip", header: "x-gzip", want: "gzip" },
    { why: "br alone", header: "br", want: "br" },
    { why: "what browsers send", header: "gzip, deflate, br, zstd", want: "br" },
    { why: "equal weights: br first", header: "gzip;q=0.5, br;q=0.5, identity;q=0.5", want: "br" },
    { why: "equal weights: gzip before identity", header: "gzip, identity", want: "gzip" },
    { why: "the heavier one", header: "br;q=0.2, gzip;q=0.9", want: "gzip" },
    { why: "identity above the rest", header: "identity, gzip;q=0.9", want: "identity" },
    { why: "identity not named stands last", header: "gzip;q=0.001", want: "gzip" },
    { why: "a star means all", header: "*", want: "br" },
    { why: "a star but not br", header: "*, br;q=0", want: "gzip" },
    { why: "a star at 0 leaves what is named", header: "gzip, *;q=0", want: "gzip" },
    { why: "no identity, but br by the star", header: "identity;q=0, *;q=0.5", want: "br" },
    { why: "no identity, gzip named", header: "identity;q=0, gzip", want: "gzip" },
    { why: "nothing is acceptable", header: "*;q=0", want: "identity" },
    { why: "identity refused and nothing else named", header: "identity;q=0", want: "identity" },
    { why: "refused", header: "gzip;q=0, br;q=0.000", want: "identity" },
    { why: "an unknown coding", header: "zstd", want: "identity" },
    { why: "upper case", header: "GZIP;Q=1", want: "gzip" },
    { why: "spaces", header: " gzip ; q=0.5 , br ; q=0.4 ", want: "gzip" },
    { why: "a weight above 1 cannot be read", header: "br;q=2, gzip;q=0.1", want: "gzip" },
    { why: "a weight of letters cannot be read", header: "br;q=high, gzip;q=0.1", want: "gzip" },
    { why: "empty parts", header: ",, ,gzip", want: "gzip" },
  ])("$why", ({ header, want }) => {
    expect(negotiateEncoding(header)).toBe(want);
  });

  it("never sends what is refused by name while something else is welcome", () => {
    const weights = fc.record({ br: fc.nat(3), gzip: fc.nat(3), identity: fc.nat(3) });
    fc.assert(
      fc.property(weights, (q) => {
        const header = CONTENT_ENCODINGS.map((name) => `${name};q=0.${q[name]}`).join(", ");
        const chosen = negotiateEncoding(header);
        const best = Math.max(...Object.values(q));
        expect(q[chosen] === best || best === 0).toBe(true);
      }),
    );
  });

  it("gives one of the three for any text", () => {
    fc.assert(fc.property(fc.string(), (text) => CONTENT_ENCODINGS.includes(negotiateEncoding(text))));
  });
});

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

describe("splitTarget", () => {
  it.each([
    { why: "a path", target: "/v1/daos", path: "/v1/daos", query: "" },
    { why: "a query", target: "/v1/daos?a=1&b=2", path: "/v1/daos", query: "a=1&b=2" },
    { why: "an empty query", target: "/v1/daos?", path: "/v1/daos", query: "" },
    { why: "a hash splits as the router does", target: "/v1/daos#a?b", path: "/v1/daos", query: "a?b" },
    { why: "absolute form", target: "http://host:1/v1/daos?a", path: "/v1/daos", query: "a" },
    { why: "absolute form without a path", target: "http://host", path: "", query: "" },
    { why: "two slashes are no host", target: "//host/v1", path: "//host/v1", query: "" },
    { why: "escapes stay", target: "/v1/%2e%2e", path: "/v1/%2e%2e", query: "" },
  ])("$why", ({ target, path, query }) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });
});
