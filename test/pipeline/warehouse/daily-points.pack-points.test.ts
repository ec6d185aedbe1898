import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import { packPoints, unpackPoints } from "../../../pipeline/warehouse/daily-points.ts";
import { checksumOf } from "../../../pipeline/warehouse/database.ts";
import { Failure } from "../../../snapshots/base/failure.ts";

const NAME = "a.eth by method 1";
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const arbitraryPoint: fc.Arbitrary<DailyPoint> = fc.record({
  date: fc.string({ maxLength: 12 }),
  methodologyVersion: fc.constantFrom("1.1.0", "2.0.0", "3.0.0"),
  gvs: number,
  components: fc.record({ hpr: number, dei: number, pdi: number, gpi: number }),
  riskScore: fc.option(number, { nil: undefined }),
  completenessPct: number,
  indexWeight: number,
});

function pointOn(date: string, change: Partial<DailyPoint> = {}): DailyPoint {
  return {
    date,
    methodologyVersion: "1.0.0",
    gvs: 5,
    components: { hpr: 1, dei: 2, pdi: 3, gpi: 4 },
    riskScore: 40,
    completenessPct: 90,
    indexWeight: 20,
    ...change,
  };
}

function expectRefused(bytes: Uint8Array, says: string, name = NAME): void {
  const unpack = () => unpackPoints(name, bytes);
  expect(unpack).toThrow(Failure);
  expect(unpack).toThrow(`points of ${name}: ${says}`);
}

describe("packed points", () => {
  it("come back bit by bit, in their order, −0 and texts of any kind included", () => {
    fc.assert(
      fc.property(fc.array(arbitraryPoint, { maxLength: 20 }), (points) => {
        const back = unpackPoints(NAME, packPoints(NAME, points));
        expect(back).toEqual(points);
        expect(back.every(({ gvs }, index) => Object.is(gvs, points[index]?.gvs))).toBe(true);
      }),
    );
  });

  it("take 64 bytes for the numbers of a day, and a dozen for its date", () => {
    const days = (count: number) =>
      Array.from({ length: count }, (_, n) => pointOn(`2026-01-${String(n + 10)}`));
    expect(packPoints(NAME, days(20)).length - packPoints(NAME, days(10)).length).toBeLessThanOrEqual(
      10 * 80,
    );
  });

  it.each([
    { why: "NaN", change: { gvs: Number.NaN } },
    { why: "an infinite number", change: { indexWeight: Number.POSITIVE_INFINITY } },
    { why: "a risk score that is NaN, which would read as none", change: { riskScore: Number.NaN } },
    { why: "a component that is NaN", change: { components: { hpr: 1, dei: 2, pdi: Number.NaN, gpi: 4 } } },
  ])("are no $why: the point is named", ({ change }) => {
    const pack = () => packPoints(NAME, [pointOn("2026-01-01"), pointOn("2026-01-02", change)]);
    expect(pack).toThrow("a.eth by method 1 on 2026-01-02 is not finite");
  });

  it("are refused with any bit flipped, cut anywhere, or as those of another DAO or method", () => {
    const whole = packPoints(NAME, [pointOn("2026-01-01", { riskScore: undefined })]);
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const damaged = Buffer.from(whole);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expectRefused(damaged, "their checksum");
    }
    for (let length = 0; length < whole.length; length += 1)
      expectRefused(whole.subarray(0, length), "their");
    expectRefused(whole, "their checksum", "b.eth by method 1");
    expectRefused(whole, "their checksum", "a.eth by method 2");
  });

  it.each([
    { why: "a later format", change: (bytes: Buffer) => bytes.writeUInt32LE(2, 0), says: "format 2" },
    {
      why: "a count that is too large",
      change: (bytes: Buffer) => bytes.writeUInt32LE(9, 4),
      says: "their columns",
    },
    {
      why: "a count that is too small",
      change: (bytes: Buffer) => bytes.writeUInt32LE(1, 4),
      says: "their columns",
    },
    {
      why: "no texts",
      change: (bytes: Buffer) => bytes.fill("x", 8 + 128, bytes.length - 4),
      says: "their columns",
    },
    {
      why: "a version that is not there",
      change: (bytes: Buffer) => bytes.write("7", bytes.length - 7),
      says: "the point of 2026-01-02",
    },
  ])("are refused with $why though their checksum holds", ({ change, says }) => {
    const bytes = packPoints(NAME, [pointOn("2026-01-01"), pointOn("2026-01-02")]);
    change(bytes);
    const end = bytes.length - 4;
    bytes.writeUInt32LE(checksumOf(NAME, bytes.subarray(0, end)), end);
    expectRefused(bytes, says);
  });
});
