import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { dgiTail } from "../../../../snapshots/format/agreement/check-documents.ts";
import { dayOf } from "../../../../snapshots/format/ids.ts";
import { type Change, changeAt, changed } from "../../changed-set.ts";

describe("checkEntities", () => {
  it.each<{ why: string; change: Change; message: RegExp }>([
    {
      why: "an entity named that is not published",
      change: () => ({ entities: [] }),
      message: /top_entities names an entity that is not published/,
    },
    {
      why: "an entity named by another label",
      change: (set) => ({ entities: changeAt(set.entities, 0, (entity) => ({ ...entity, label: "Other" })) }),
      message: /by another label/,
    },
    {
      why: "an entity given twice",
      change: (set) => ({ entities: [...set.entities, ...set.entities] }),
      message: /entities: an entity_id occurs twice/,
    },
    {
      why: "a wallet given to two entities",
      change: (set) => ({
        entities: [...set.entities, { ...set.entities[0]!, entity_id: "ent_00000000000000000000second" }],
      }),
      message: /has a wallet that occurs before/,
    },
  ])("refuses $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });

  it("names no wallet in what it refuses", () => {
    const twice: Change = (set) => ({
      entities: [...set.entities, { ...set.entities[0]!, entity_id: "ent_00000000000000000000second" }],
    });
    expect(changed(twice)).not.toThrow(/0x/);
  });
});

describe("checkSeries", () => {
  it.each<{ why: string; change: Change; message: RegExp }>([
    {
      why: "a DGI of more DAOs than there are",
      change: (set) => ({ dgi: { ...set.dgi!, dao_count: 4 } }),
      message: /dao_count exceeds/,
    },
    {
      why: "a short DGI history",
      change: (set) => ({ dgiHistory: { ...set.dgiHistory!, period: "30d" } }),
      message: /is not the history of 365 days/,
    },
    {
      why: "a DGI day given twice",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [...set.dgiHistory!.values, set.dgiHistory!.values.at(-1)!] },
      }),
      message: /dates are not ascending/,
    },
    {
      why: "a DGI day that has not ended",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [{ ...set.dgiHistory!.values[0]!, date: "2026-04-01" }] },
      }),
      message: /outside the 365/,
    },
    {
      why: "a DGI day 365 days before the last",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [{ ...set.dgiHistory!.values[0]!, date: "2025-03-31" }] },
      }),
      message: /outside the 365/,
    },
    {
      why: "a value of the last days without a date",
      change: (set) => ({
        details: changeAt(set.details, 0, (detail) => ({ ...detail, gvs_30d_dates: [] })),
      }),
      message: /does not date each value/,
    },
    {
      why: "a date that is older than the last days",
      change: (set) => ({
        details: changeAt(set.details, 0, (detail) => ({
          ...detail,
          gvs_30d_dates: ["2026-03-01", ...detail.gvs_30d_dates.slice(1)],
        })),
      }),
      message: /not ascending days/,
    },
    {
      why: "a history of tomorrow",
      change: (set) => ({
        histories: changeAt(set.histories, 0, (history) => ({
          ...history,
          points: [{ ...history.points[0]!, date: "2026-04-01" }],
        })),
      }),
      message: /had not ended/,
    },
  ])("refuses $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });
});

describe("dgiTail", () => {
  const components = { hpr: 1, dei: 1, pdi: 1, gpi: 1 };
  const point = (date: string) => ({ date, composite: 1, components });
  const asOf = "2026-03-31T23:59:59.999Z";

  const beside = (day: string, days: number) => dayOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);

  it.each([
    {
      why: "the last millisecond of a day ends it",
      time: "2026-03-31T23:59:59.999Z",
      of: "30d",
      first: "2026-03-02",
      last: "2026-03-31",
    },
    {
      why: "a millisecond earlier it has not ended",
      time: "2026-03-31T23:59:59.998Z",
      of: "30d",
      first: "2026-03-01",
      last: "2026-03-30",
    },
    { why: "midnight", time: "2026-04-01T00:00:00.000Z", of: "30d", first: "2026-03-02", last: "2026-03-31" },
    {
      why: "from a leap day",
      time: "2024-03-29T23:59:59.999Z",
      of: "30d",
      first: "2024-02-29",
      last: "2024-03-29",
    },
    { why: "a year", time: asOf, of: "365d", first: "2025-04-01", last: "2026-03-31" },
  ] as const)("holds the days that have ended: $why", ({ time, of, first, last }) => {
    const points = [beside(first, -1), first, last, beside(last, 1)].map(point);
    expect(dgiTail(points, of, time).values.map(({ date }) => date)).toEqual([first, last]);
  });

  it("counts calendar days, not points: missing days are missing", () => {
    const points = ["2025-12-01", "2026-03-01", "2026-03-02", "2026-03-31"].map(point);
    expect(dgiTail(points, "30d", asOf).values.map((value) => value.date)).toEqual([
      "2026-03-02",
      "2026-03-31",
    ]);
    expect(dgiTail(points, "90d", asOf).values).toHaveLength(3);
    expect(dgiTail(points, "365d", asOf)).toEqual({ period: "365d", values: points });
  });

  it("may be empty", () => {
    expect(dgiTail([point("2026-01-01")], "30d", asOf)).toEqual({ period: "30d", values: [] });
  });
});
