import fc from "fast-check";
import { expect, it } from "vitest";
import { decoysOf } from "../../../../snapshots/store/read/guard-reader.ts";

const hex = (digits: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: digits, maxLength: digits })
    .map((each) => each.join(""));
const names = fc.uniqueArray(
  fc.oneof(
    hex(26).map((digits) => `ent_${digits}`),
    hex(40).map((digits) => `0x${digits}`),
  ),
  { minLength: 1, maxLength: 50 },
);

it("gives every hidden name another of its shape that nobody has, and every other name back", () => {
  fc.assert(
    fc.property(names, names, (hidden, others) => {
      const taken = new Set([...hidden, ...others]);
      const decoys = decoysOf(hidden, (name) => taken.has(name));
      for (const name of hidden) {
        const decoy = decoys.of(name);
        expect(taken.has(decoy)).toBe(false);
        expect(decoy).toMatch(name.startsWith("0x") ? /^0x[0-9a-f]{40}$/ : /^ent_[0-9a-f]{26}$/);
      }
      const unknown = others.filter((name) => !hidden.includes(name));
      expect(unknown.map((name) => decoys.of(name))).toEqual(unknown);
    }),
  );
});

it("looks for another where the first is somebody's", () => {
  const asked: string[] = [];
  const name = `ent_${"a".repeat(26)}`;
  const decoys = decoysOf([name], (each) => asked.push(each) < 3);
  expect(decoys.of(name)).toBe(asked[2]);
  expect(new Set(asked).size).toBe(3);
});
