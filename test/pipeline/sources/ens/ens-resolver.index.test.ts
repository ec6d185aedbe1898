import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NameCache } from "../../../../pipeline/facts/dao-facts.ts";
import { PipelineError } from "../../../../pipeline/facts/errors.ts";
import { createEnsResolver } from "../../../../pipeline/sources/ens/ens-resolver.ts";
import { addressAnswer, fakeEns, textAnswer } from "./fake-ens.ts";
import { createMemoryNameCache } from "./memory-name-cache.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse("2026-11-01T06:00:00.000Z");
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;
const ALICE = addressOf(0xa11ce);
const BOB = addressOf(0xb0b);

/** A resolver over a hand-filled ENS, with a clock that can be set. */
function stand(cache: NameCache = createMemoryNameCache()) {
  const ens = fakeEns();
  const clock = { nowMs: NOW_MS };
  const resolver = createEnsResolver({ reader: ens.reader, nowMs: () => clock.nowMs, cache });
  const named = (address: string, name: string) => {
    ens.reverse(address, textAnswer(name));
    ens.forward(name, addressAnswer(address));
  };
  const nameOf = async (address: string) => (await resolver.namesOf([address])).get(address);
  return { ens, clock, resolver, named, nameOf };
}

describe("createEnsResolver", () => {
  it("names those who have a confirmed name, and leaves the others out", async () => {
    const { resolver, named } = stand();
    named(ALICE, "alice.eth");
    expect(await resolver.namesOf([ALICE, BOB])).toEqual(new Map([[ALICE, "alice.eth"]]));
    expect(resolver.counters()).toEqual({ fromCache: 0, found: 1, without: 1, failed: 0, skipped: 0 });
  });

  it("asks once for an address, however it is spelled and however often it comes", async () => {
    const { ens, resolver, named } = stand();
    named(ALICE, "alice.eth");
    const names = await resolver.namesOf([ALICE, ALICE.toUpperCase().replace("0X", "0x"), ALICE]);
    expect([names, ens.asked().length]).toEqual([new Map([[ALICE, "alice.eth"]]), 4]);
  });

  it.each([
    { why: "a Starknet address", address: `0x${"7".repeat(64)}` },
    { why: "a name", address: "alice.eth" },
    { why: "nothing", address: "" },
  ])("asks nobody about $why", async ({ address }) => {
    const { ens, nameOf } = stand();
    expect(await nameOf(address)).toBeUndefined();
    expect(ens.asked()).toEqual([]);
  });

  it.each([
    { why: "a name a moment before its end", name: "alice.eth", ageMs: 3.5 * DAY_MS - 1, isAsked: false },
    { why: "a name at its end", name: "alice.eth", ageMs: 3.5 * DAY_MS, isAsked: true },
    { why: "no name a moment before its end", name: undefined, ageMs: 14 * DAY_MS - 1, isAsked: false },
    { why: "no name at its end", name: undefined, ageMs: 14 * DAY_MS, isAsked: true },
    { why: "a name from the future: the clock was set back", name: "alice.eth", ageMs: -1, isAsked: true },
    { why: "a name of this very moment", name: "alice.eth", ageMs: 0, isAsked: false },
  ])("remembers $why", async ({ name, ageMs, isAsked }) => {
    const cache = createMemoryNameCache();
    cache.write(ALICE, { name, checkedAtMs: NOW_MS - ageMs });
    const { ens, resolver, nameOf } = stand(cache);
    expect(await nameOf(ALICE)).toBe(isAsked ? undefined : name);
    expect([ens.asked().length > 0, resolver.counters().fromCache]).toEqual([isAsked, isAsked ? 0 : 1]);
  });

  it("drops a name whose lifetime ended while it was pointed elsewhere", async () => {
    const { ens, clock, nameOf, named } = stand();
    named(ALICE, "alice.eth");
    expect(await nameOf(ALICE)).toBe("alice.eth");
    ens.forward("alice.eth", addressAnswer(BOB));
    expect(await nameOf(ALICE)).toBe("alice.eth");
    clock.nowMs += 4 * DAY_MS;
    expect(await nameOf(ALICE)).toBeUndefined();
  });

  it("remembers a refusal but not a fault", async () => {
    const cache = createMemoryNameCache();
    const { ens, resolver, nameOf, named } = stand(cache);
    ens.reverse(ALICE, { revert: "0x556f1830" });
    named(BOB, "bob.eth");
    ens.reverse(BOB, { flaky: (textAnswer("bob.eth") as { answer: `0x${string}` }).answer });
    expect([await nameOf(ALICE), await nameOf(BOB)]).toEqual([undefined, undefined]);
    expect([cache.read(ALICE), cache.read(BOB)]).toEqual([
      { name: undefined, checkedAtMs: NOW_MS },
      undefined,
    ]);
    expect(await nameOf(BOB)).toBe("bob.eth");
    expect(resolver.counters()).toEqual({ fromCache: 0, found: 1, without: 1, failed: 1, skipped: 0 });
  });

  it("stops asking once the node is given up, and still says what it remembers", async () => {
    const cache = createMemoryNameCache();
    cache.write(BOB, { name: "bob.eth", checkedAtMs: NOW_MS });
    const { ens, resolver, named } = stand(cache);
    named(ALICE, "alice.eth");
    ens.state.isAway = true;
    expect(await resolver.namesOf([ALICE, BOB])).toEqual(new Map([[BOB, "bob.eth"]]));
    expect(resolver.counters()).toEqual({ fromCache: 1, found: 0, without: 0, failed: 0, skipped: 1 });
    expect([ens.asked(), resolver.trouble()]).toEqual([[], "the node went away"]);
  });

  it.each([
    { why: "one group", count: 400, rounds: [400] },
    { why: "one more than a group", count: 401, rounds: [400, 1] },
  ])("asks in groups: $why", async ({ count, rounds }) => {
    const { ens, resolver } = stand();
    await resolver.namesOf(Array.from({ length: count }, (_, index) => addressOf(index + 1)));
    // Nobody has a reverse record: the second round of a group has no questions.
    expect(ens.rounds.map((round) => round.length).filter((length) => length > 0)).toEqual(rounds);
    expect(resolver.counters()).toMatchObject({ without: count });
  });

  it.each([
    { why: "an interrupt ends the run", error: new PipelineError("INTERRUPTED", "x"), throws: true },
    { why: "another failure does not", error: new PipelineError("SOURCE_FAILED", "x"), throws: false },
    { why: "nor does a mistake of our own", error: new TypeError("x"), throws: false },
  ])("$why", async ({ error, throws }) => {
    const read = () => Promise.reject(error);
    const resolver = createEnsResolver({
      reader: { read, isAway: () => false, trouble: () => undefined },
      nowMs: () => NOW_MS,
      cache: createMemoryNameCache(),
    });
    const asked = resolver.namesOf([ALICE]);
    if (throws) await expect(asked).rejects.toBe(error);
    else expect([await asked, resolver.counters().failed]).toEqual([new Map(), 1]);
  });

  it("goes on without a cache that is broken", async () => {
    const broken = () => {
      throw new Error("disk I/O error");
    };
    const { resolver, nameOf, named } = stand({ read: broken, write: broken });
    named(ALICE, "alice.eth");
    expect(await nameOf(ALICE)).toBe("alice.eth");
    // Nothing will be published of what is not kept.
    expect(resolver.counters()).toMatchObject({ found: 0, failed: 1 });
    expect(resolver.trouble()).toBe("what was found out could not be kept");
  });

  it("never throws and never names an address that a name does not lead back to, whatever a node answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string({ unit: "binary" }),
            fc.uint8Array({ maxLength: 200 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
          ),
          { minLength: 1, maxLength: 4 },
        ),
        async (answers) => {
          let next = 0;
          const say = () => answers[next++ % answers.length] as `0x${string}`;
          const resolver = createEnsResolver({
            reader: {
              read: async (reads) => reads.map(() => ({ kind: "answer" as const, data: say() })),
              isAway: () => false,
              trouble: () => undefined,
            },
            nowMs: () => NOW_MS,
            cache: createMemoryNameCache(),
          });
          expect(await resolver.namesOf([ALICE])).toEqual(new Map());
        },
      ),
    );
  });
});
