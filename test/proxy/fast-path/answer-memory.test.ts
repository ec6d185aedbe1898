import { describe, expect, it } from "vitest";
import { createAnswerMemory, type RememberedAnswer } from "../../../proxy/fast-path/answer-memory.ts";
import { ACCESS_TIERS } from "../../../snapshots/format/value-sets.ts";
import { fakeReader } from "../support/fake-reader.ts";

function given({ mayBeKept = true, bodyBytes = 2 } = {}): RememberedAnswer {
  const body = { bytes: Buffer.alloc(bodyBytes), etag: '"e"' };
  return { route: "/v1/x", answer: { kind: "body", encode: () => body, mayBeKept, snapshotVersion: "v" } };
}

describe("createAnswerMemory", () => {
  it("finds an answer by target and tier, for the version that gave it", () => {
    const memory = createAnswerMemory(1_000_000);
    const [one, other] = [fakeReader(1), fakeReader(2)];
    const answer = given();
    memory.remember(one, "/v1/x", "pro", answer);
    expect(memory.find(one, "/v1/x", "pro")).toBe(answer);
    for (const tier of ACCESS_TIERS.filter((each) => each !== "pro")) {
      expect(memory.find(one, "/v1/x", tier)).toBeUndefined();
    }
    expect(memory.find(one, "/v1/y", "pro")).toBeUndefined();
    expect(memory.find(other, "/v1/x", "pro")).toBeUndefined();
  });

  it("keeps each tier its own answer to the same target", () => {
    const memory = createAnswerMemory(1_000_000);
    const reader = fakeReader(1);
    const answers = ACCESS_TIERS.map((tier) => ({ tier, answer: given() }));
    for (const { tier, answer } of answers) memory.remember(reader, "/v1/x", tier, answer);
    for (const { tier, answer } of answers) expect(memory.find(reader, "/v1/x", tier)).toBe(answer);
  });

  it("forgets everything of a version once another gives an answer", () => {
    const memory = createAnswerMemory(1_000_000);
    const [one, other] = [fakeReader(1), fakeReader(2)];
    memory.remember(one, "/v1/x", "free", given());
    memory.remember(one, "/v1/y", "free", given());
    memory.remember(other, "/v1/x", "pro", given());
    memory.remember(one, "/v1/x", "free", given());
    expect(memory.find(one, "/v1/y", "free")).toBeUndefined();
    memory.remember(other, "/v1/x", "pro", given());
    expect(memory.find(other, "/v1/x", "free")).toBeUndefined();
    expect(memory.find(one, "/v1/x", "pro")).toBeUndefined();
  });

  it.each([
    { why: "nobody may keep it", target: "/v1/entities/e", mayBeKept: false },
    { why: "its target has an escape", target: "/v1/d%61os", mayBeKept: true },
    { why: "its target names the server", target: "http://localhost/v1/daos", mayBeKept: true },
    { why: "its target is longer than any id", target: `/v1/${"x".repeat(256)}`, mayBeKept: true },
  ])("does not remember an answer where $why", ({ target, mayBeKept }) => {
    const memory = createAnswerMemory(1_000_000);
    const reader = fakeReader(1);
    memory.remember(reader, target, "pro", given({ mayBeKept }));
    expect(memory.find(reader, target, "pro")).toBeUndefined();
  });

  it.each([
    { why: "many small ones", bodyBytes: 100, targetLength: 10 },
    { why: "large bodies", bodyBytes: 20_000, targetLength: 10 },
    { why: "long targets", bodyBytes: 100, targetLength: 200 },
  ])("holds so many bytes and no more, the latest: $why", ({ bodyBytes, targetLength }) => {
    const memory = createAnswerMemory(1_000_000);
    const reader = fakeReader(1);
    const targets = Array.from({ length: 2_000 }, (_, n) => `/v1/${n}`.padEnd(targetLength, "x"));
    for (const target of targets) memory.remember(reader, target, "pro", given({ bodyBytes }));
    const kept = targets.filter((target) => memory.find(reader, target, "pro") !== undefined);
    expect(kept.length * (bodyBytes + targetLength)).toBeLessThan(1_000_000);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept).toEqual(targets.slice(-kept.length));
  });

  it("counts the bodies of every tier of a target", () => {
    const memory = createAnswerMemory(100_000);
    const reader = fakeReader(1);
    for (const tier of ACCESS_TIERS) memory.remember(reader, "/v1/1", tier, given({ bodyBytes: 10_000 }));
    expect(memory.find(reader, "/v1/1", "free")).toBeDefined();
    memory.remember(reader, "/v1/2", "pro", given({ bodyBytes: 10_000 }));
    expect(memory.find(reader, "/v1/1", "free")).toBeUndefined();
    expect(memory.find(reader, "/v1/2", "pro")).toBeDefined();
  });
});
