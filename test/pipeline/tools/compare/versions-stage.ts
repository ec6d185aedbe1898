import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { writeWorld } from "../../../../fixtures/world.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import type { CommandEnd } from "../../../support/run-in-process.ts";
import { govdata } from "../../cli/stand.ts";

/** DAOs of the invented world: one that votes a lot, one that one head rules, one whose votes have no power, one that has just begun, and one that nobody uses. */
export const BUSY = "paper-orchard.example";
export const RULED = "velvet-anchor.example";
export const POWERLESS = "feather-scale.example";
export const BEGUN = "second-breakfast.example";
export const UNUSED = "unlit-beacon.example";

/** What a person reads fits 80 columns, and nothing in it stands for a missing value. */
export function expectReadable(text: string): void {
  for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object/);
}

/** Versions of an invented world, one for each day, published one after the other. */
export interface Versions {
  readonly snapshots: string;
  readonly versions: readonly string[];
  /** `govdata` on them; there is no warehouse any more where it must not matter. */
  govdata(...args: readonly string[]): Promise<CommandEnd>;
}

/** Publishes the DAOs named as of each moment, in a folder that goes with the tests; each by its method, if one is named. */
export async function publishVersions(
  spaceIds: readonly string[],
  moments: readonly string[],
  methods: readonly string[] = [],
): Promise<Versions> {
  const root = mkdtempSync(join(tmpdir(), "govdata-versions-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const archive = join(root, "archive");
  writeWorld({ directory: archive, seed: "versions", endDay: "2026-10-31", spaceIds });
  const snapshots = join(root, "published");
  const registry = join(archive, "registry.yaml");
  const optionsOf = (home: string) => [
    "--home",
    join(root, home),
    "--snapshots",
    snapshots,
    "--registry",
    registry,
  ];
  const versions: string[] = [];
  for (const [index, moment] of moments.entries()) {
    const command = index === 0 ? ["run", "--from", archive] : ["publish"];
    const nowMs = () => Date.parse("2026-11-01T06:00:00.000Z") + index * 60_000;
    const current = METHODOLOGY.version;
    Object.assign(METHODOLOGY, { version: methods[index] ?? current });
    const end = await govdata([...optionsOf("home"), ...command, "--as-of", moment], { nowMs }).finally(() =>
      Object.assign(METHODOLOGY, { version: current }),
    );
    if (end.code !== 0) throw new Error(`${command[0]} ended with ${end.code}: ${end.stderr}`);
    versions.push(publishedFiles(snapshots).version);
  }
  const nowMs = () => Date.parse("2026-11-01T07:00:00.000Z");
  return {
    snapshots,
    versions,
    govdata: (...args) => govdata([...optionsOf("no-home"), ...args], { nowMs }),
  };
}
