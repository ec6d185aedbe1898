import { describe, expect, it } from "vitest";
import { createAnswerMemory, type RememberedAnswer } from "../../../proxy/fast-path/answer-memory.ts";
import { ACCESS_TIERS } from "../../../snapshots/format/value-sets.ts";
import { fakeReader } from "../support/fake-reader.ts";

function given(mayBeKept = true): RememberedAnswer {
  const body = { bytes: Buffer.from("{}"), etag: '"e"' };
  return { route: "/v1/x", answer: { kind: "body", encode: () => body, mayBeKept, snapshotVersion: "v" } };
}

describe("createAnswerMemory", () => {
  it("finds an answer by target and tier, for the version that gave it", () => {
    const memory = createAnswerMemory(10);
    const [one, other] = [fakeReader(1), fakeReader(2)];
    const answer = given();
    expect(memory.knows("/v1/x")).toBe(false);
    memory.remember(one, "/v1/x", "pro", answer);
    expect(memory.knows("/v1/x")).toBe(true);
    expect(memory.find(one, "/v1/x", "pro")).toBe(answer);
    for (const tier of ACCESS_TIERS.filter((each) => each !== "pro")) {
      expect(memory.find(one, "/v1/x", tier)).toBeUndefined();
    }
    expect(memory.find(one, "/v1/y", "pro")).toBeUndefined();
    expect(memory.find(other, "/v1/x", "pro")).toBeUndefined();
  });

  it("keeps each tier its own answer to the same target", () => {
    const memory = createAnswerMemory(10);
    const reader = fakeReader(1);
    const answers = ACCESS_TIERS.map((tier) => ({ tier, answer: given() }));
    for (const { tier, answer } of answers) memory.remember(reader, "/v1/x", tier, answer);
    for (const { tier, answer } of answers) expect(memory.find(reader, "/v1/x", tier)).toBe(answer);
  });

  it("forgets everything of a version once another gives an answer", () => {
    const memory = createAnswerMemory(10);
    const [one, other] = [fakeReader(1), fakeReader(2)];
    memory.remember(one, "/v1/x", "free", given());
    memory.remember(one, "/v1/y", "free", given());
    memory.remember(other, "/v1/x", "pro", given());
    expect(memory.knows("/v1/y")).toBe(false);
    expect(memory.find(other, "/v1/x", "free")).toBeUndefined();
    expect(memory.find(one, "/v1/x", "pro")).toBeUndefined();
  });

  it("never remembers what nobody may keep, and no more than it was told to", () => {
    const memory = createAnswerMemory(2);
    const reader = fakeReader(1);
    memory.remember(reader, "/v1/entities/e", "pro", given(false));
    expect(memory.knows("/v1/entities/e")).toBe(false);
    for (const target of ["/1", "/2", "/3"]) memory.remember(reader, target, "pro", given());
    expect(["/1", "/2", "/3"].map(memory.knows)).toEqual([false, true, true]);
  });
});
