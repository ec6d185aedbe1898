import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONTENT_ENCODINGS, negotiateEncoding } from "../../../proxy/request/request-head.ts";

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
