import { describe, expect, it } from "vitest";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { findingsOf, spoken, validSet, withDao, withListing } from "./valid-set.ts";

const set = validSet();

const checkShapes = (of: PublishedSet) => findingsOf("SHAPE_INVALID", { set: of });

/** A value that only a fault of ours, against the types, could bring. */
const impossible = <Value>(value: unknown): Value => value as Value;

describe("SHAPE_INVALID", () => {
  it("finds nothing in a valid set", () => {
    expect(checkShapes(set)).toEqual([]);
  });

  it.each<{ why: string; set: PublishedSet; place: string }>([
    { why: "NaN", set: withDao({ gvs: Number.NaN }), place: "daos.json 0 gvs:" },
    { why: "Infinity", set: withDao({ delta_24h: Infinity }), place: "daos.json 0 delta_24h:" },
    { why: "-0", set: withDao({ delta_24h: -0 }), place: "daos.json 0 delta_24h:" },
    { why: "above the range", set: withDao({ gvs: 10.01 }), place: "daos.json 0 gvs:" },
    { why: "below the range", set: withDao({ gvs: -0.01 }), place: "daos.json 0 gvs:" },
    { why: "not rounded", set: withDao({ gvs: 7.254 }, 1), place: "daos.json 1 gvs:" },
    { why: "null for a number", set: withDao({ gvs: impossible(null) }), place: "daos.json 0 gvs:" },
    { why: "a rank of 0", set: withDao({ rank: 0 }), place: "daos.json 0 rank:" },
    {
      why: "an id that leaves its folder",
      set: withDao({ space_id: "../x" }),
      place: "daos.json 0 space_id:",
    },
    { why: "a name that lies", set: withDao({ name: "Tide\u202Ewater" }), place: "daos.json 0 name:" },
    { why: "a field too many", set: withDao(impossible({ note: "x" })), place: "daos.json 0:" },
    {
      why: "votes without end",
      set: withListing((listing) => ({
        ...listing,
        all: listing.all.map((row) => ({ ...row, votes_human: Infinity })),
      })),
      place: "delegates/tidewater/all.csv 0 votes_human:",
    },
    {
      why: "a dated listing",
      set: withListing((listing) => ({
        ...listing,
        dated: listing.dated.map((day) => ({ ...day, listing: { ...day.listing, total_delegates: -1 } })),
      })),
      place: "delegates/tidewater/2026-03.ndjson 0 total_delegates:",
    },
    {
      why: "an entity stands under its place, not its id",
      set: { ...set, entities: set.entities.map((entity) => ({ ...entity, wallets: [] })) },
      place: "entities[0] wallets:",
    },
    { why: "as_of that is no moment", set: { ...set, asOf: "2026-03-31" }, place: "as_of:" },
    {
      why: "a method without version",
      set: { ...set, methodologyVersion: "1" },
      place: "methodology_version:",
    },
  ])("refuses $why", ({ set: broken, place }) => {
    const findings = checkShapes(broken);
    expect(spoken(findings)[0]).toMatch(/^refuse SHAPE_INVALID /);
    expect(findings[0]?.message.startsWith(place)).toBe(true);
    expect(findings[0]).not.toHaveProperty("override");
  });

  it("answers all problems, not the first", () => {
    const details = set.details.map((detail) => ({ ...detail, gvs: 11, data_completeness: 101 }));
    expect(
      checkShapes({ ...withDao({ gvs: 11 }), details }).map(({ message }) => message.split(":")[0]),
    ).toEqual([
      "daos.json 0 gvs",
      "daos/orchard.json gvs",
      "daos/orchard.json data_completeness",
      "daos/tidewater.json gvs",
      "daos/tidewater.json data_completeness",
    ]);
  });

  it("repeats no content in its messages", () => {
    const name = "Secret\u200BName";
    expect(JSON.stringify(checkShapes(withDao({ name })))).not.toContain("Secret");
  });
});
