import { describe, expect, it } from "vitest";
import {
  type BodyResponse,
  createResponseCache,
  documentResponse,
  type EndpointResponse,
  problem,
} from "../../../proxy/request/response.ts";
import { ANSWERS_CACHED_BYTES_MAX } from "../../../proxy/server/limits.ts";
import { ACCESS_TIERS, type AccessTier } from "../../../snapshots/format/value-sets.ts";
import type { SnapshotReader } from "../../../snapshots/store/read/snapshot-reader.ts";
import { fakeReader } from "../support/fake-reader.ts";

function body({ mayBeKept = true, bodyBytes = 2 } = {}): BodyResponse {
  const encoded = { bytes: Buffer.alloc(bodyBytes), etag: '"e"' };
  return { kind: "body", encode: () => encoded, bytes: bodyBytes, mayBeKept, snapshotVersion: "v" };
}

/** A cache, and whether an answer had to be made. */
function setUp(bytesMax = 3_000_000) {
  const cache = createResponseCache(bytesMax);
  const isMade = (
    shown: SnapshotReader,
    tier: AccessTier,
    target: string,
    answer: EndpointResponse = body(),
  ) => {
    let made = false;
    cache.answer(shown, tier, target, () => {
      made = true;
      return answer;
    });
    return made;
  };
  return { cache, isMade };
}

describe("createResponseCache", () => {
  it("gives the very answer again, for the same version, tier and target alone", () => {
    const { cache, isMade } = setUp();
    const [one, other] = [fakeReader(1), fakeReader(2)];
    const answer = body();
    expect(cache.answer(one, "pro", "/v1/x", () => answer)).toBe(answer);
    expect(cache.answer(one, "pro", "/v1/x", () => body())).toBe(answer);
    expect(isMade(one, "pro", "/v1/y")).toBe(true);
    for (const tier of ACCESS_TIERS) expect(isMade(one, tier, "/v1/x"), tier).toBe(tier !== "pro");
    expect(isMade(other, "pro", "/v1/x")).toBe(true);
  });

  it("reads the list of 30,000 DAOs once for each tier, in every encoding that was made at publishing", () => {
    const cache = createResponseCache(ANSWERS_CACHED_BYTES_MAX);
    const sizes = { identity: 7_600_000, gzip: 1_300_000, brotli: 1_100_000 };
    let reads = 0;
    const list = {
      identity: { bytes: Buffer.alloc(sizes.identity), etag: '"i"' },
      gzip: { bytes: Buffer.alloc(sizes.gzip), etag: '"g"' },
      brotli: { bytes: Buffer.alloc(sizes.brotli), etag: '"b"' },
    };
    const reader = fakeReader(1, {
      document: () => {
        reads += 1;
        return list;
      },
    });
    const ask = (tier: AccessTier) =>
      cache.answer(reader, tier, "/v1/daos", () => documentResponse(reader, "daos", "all", "internal-error"));
    for (const tier of ACCESS_TIERS) {
      for (const { etag, encoding } of [
        { etag: '"i"', encoding: "identity" },
        { etag: '"g"', encoding: "gzip" },
        { etag: '"b"', encoding: "br" },
      ] as const) {
        const answer = ask(tier);
        expect(answer.kind === "body" && answer.encode(encoding).etag).toBe(etag);
      }
    }
    expect(reads).toBe(ACCESS_TIERS.length);
  });

  it("forgets everything of a version once another one is asked for", () => {
    const { isMade } = setUp();
    const [one, other] = [fakeReader(1), fakeReader(2)];
    for (const tier of ACCESS_TIERS) isMade(one, tier, "/v1/x");
    isMade(other, "pro", "/v1/y");
    for (const tier of ACCESS_TIERS) expect(isMade(one, tier, "/v1/x")).toBe(true);
  });

  it.each([
    { why: "nobody may keep it", target: "/v1/entities/e", answer: body({ mayBeKept: false }) },
    { why: "it is a problem", target: "/v1/daos/x", answer: problem("dao-unknown") },
    { why: "its target has an escape", target: "/v1/d%61os", answer: body() },
    { why: "its target names the server", target: "http://localhost/v1/daos", answer: body() },
    { why: "its target is longer than any id", target: `/v1/${"x".repeat(256)}`, answer: body() },
  ])("does not keep an answer where $why", ({ target, answer }) => {
    const { cache, isMade } = setUp();
    const reader = fakeReader(1);
    expect(cache.answer(reader, "pro", target, () => answer)).toBe(answer);
    expect(isMade(reader, "pro", target)).toBe(true);
  });

  it.each([
    { why: "many small ones", bodyBytes: 100, targetLength: 10 },
    { why: "large bodies", bodyBytes: 20_000, targetLength: 10 },
    { why: "long targets", bodyBytes: 100, targetLength: 200 },
  ])("holds so many bytes of a tier and no more, the latest: $why", ({ bodyBytes, targetLength }) => {
    const { isMade } = setUp();
    const reader = fakeReader(1);
    const targets = Array.from({ length: 2_000 }, (_, n) => `/v1/${n}`.padEnd(targetLength, "x"));
    for (const target of targets) isMade(reader, "pro", target, body({ bodyBytes }));
    // One that is not kept would push out another, so the latest are asked for first.
    const kept: string[] = [];
    for (const target of targets.toReversed()) {
      if (isMade(reader, "pro", target, body({ mayBeKept: false }))) break;
      kept.push(target);
    }
    expect(kept.length * (bodyBytes + targetLength)).toBeLessThan(1_000_000);
    expect(kept.length).toBeGreaterThan(10);
  });
});
