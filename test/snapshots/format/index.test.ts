import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as format from "../../../snapshots/format/index.ts";

const FOLDER = join(import.meta.dirname, "../../../snapshots/format");

/** Shapes of our own kitchen: what a reader meets is always a part of a named one. */
const INNER: ReadonlySet<string> = new Set(["Sha256", "WalletAddress"]);

/** What every file of the format exports, by name. */
async function everyExport(): Promise<ReadonlyMap<string, unknown>> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ts") && name !== "index.ts");
  const modules = await Promise.all(
    names.map((name): Promise<Record<string, unknown>> => import(join(FOLDER, name))),
  );
  return new Map(modules.flatMap((module) => Object.entries(module)));
}

describe("govdata/format", () => {
  it("gives every shape of the format and every set of words", async () => {
    const all = [...(await everyExport())];
    const wanted = all.filter(
      ([name, value]) =>
        !INNER.has(name) &&
        (value instanceof z.ZodType ||
          (Array.isArray(value) && value.every((word) => typeof word === "string"))),
    );
    expect(wanted.length, "the rule must have seen the format").toBeGreaterThan(50);
    const given: Readonly<Record<string, unknown>> = format;
    expect(wanted.filter(([name, value]) => given[name] !== value).map(([name]) => name)).toEqual([
      // A list made of a shape's own keys.
      "MEASURE_COLUMNS",
    ]);
  });

  it("gives shapes that are types as well", () => {
    const pointer: format.Pointer = format.Pointer.parse({
      format: format.FORMAT_VERSION,
      sequence: 1,
      version: "20261121T060000Z-3f9ac2d1",
      manifest: { sha256: "0".repeat(64), bytes: 0 },
      published_at: "2026-11-21T06:00:00.000Z",
    });
    const tier: format.AccessTier = format.ACCESS_TIERS[0];
    expect([pointer.sequence, tier, format.PATHS.daos]).toEqual([1, "free", "daos.json"]);
  });
});
