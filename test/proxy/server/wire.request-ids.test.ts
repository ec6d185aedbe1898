import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createRequestIds } from "../../../proxy/server/wire.ts";

it("gives another id each time, of 96 bits in hex, and draws for many at once", () => {
  let draws = 0;
  const newId = createRequestIds((count) => {
    draws += 1;
    return randomBytes(count);
  });
  const ids = Array.from({ length: 2_000 }, newId);
  expect(new Set(ids).size).toBe(2_000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(draws).toBe(8);
});

it("spells the very bytes it was given, each of them once", () => {
  let next = 0;
  const newId = createRequestIds((count) =>
    Uint8Array.from({ length: count }, () => {
      next += 1;
      return next % 251;
    }),
  );
  const spelt = Array.from({ length: 512 }, newId).join("");
  const wanted = Buffer.from(Array.from({ length: 512 * 12 }, (_, index) => (index + 1) % 251)).toString(
    "hex",
  );
  expect(spelt).toBe(wanted);
});
