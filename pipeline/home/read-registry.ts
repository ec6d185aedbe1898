import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { SpaceId } from "../../snapshots/format/ids.ts";
import { PublicText } from "../../snapshots/format/text.ts";
import { CATEGORIES } from "../../snapshots/format/value-sets.ts";
import { pipelineFailure } from "../facts/errors.ts";
import type { ListedSpace, ListedSpaces, Registry, TrackedDao } from "../facts/tracked.ts";
import { loadRegistry } from "../registry/registry.ts";
import { homeFile, inHome, makeHome, registryPathOf, writeHomeFile } from "./home.ts";
import type { Settings } from "./settings.ts";

/** The hub's own list of spaces, as it was last fetched. */
const HeldList = z.strictObject({
  list: z.enum(["verified", "all"]),
  spaces: z
    .array(z.strictObject({ spaceId: SpaceId, name: PublicText, category: z.enum(CATEGORIES).optional() }))
    .readonly(),
});

/**
 * Reads the registry in force. If it tracks the hub's list, the spaces of that list are among its DAOs, as far as they were
 * fetched; what the registry itself says of one counts. Throws `REGISTRY_INVALID` and `HOME_INVALID`.
 */
export function readRegistry(settings: Settings): Registry {
  const registry = loadRegistry(registryPathOf(settings));
  if (registry.spaces === undefined) return registry;
  const daos = [...registry.daos, ...listedDaos(registry, readListedSpaces(settings, registry.spaces.list))];
  return { ...registry, daos: daos.sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1)) };
}

function listedDaos({ daos, spaces }: Registry, listed: readonly ListedSpace[]): readonly TrackedDao[] {
  const named = new Set(daos.map(({ spaceId }) => spaceId));
  return listed.flatMap(({ spaceId, name, category = spaces?.category }) =>
    category === undefined || named.has(spaceId) ? [] : [{ spaceId, name, category, governor: undefined }],
  );
}

/** The list that was last fetched; empty if there is none, or another one is asked for. */
export function readListedSpaces(settings: Settings, list: ListedSpaces["list"]): readonly ListedSpace[] {
  const path = homeFile(settings, "listedSpaces");
  if (!existsSync(path)) return [];
  try {
    const held = HeldList.parse(JSON.parse(inHome(settings, () => readFileSync(path, "utf8"))));
    return held.list === list ? held.spaces : [];
  } catch (cause) {
    throw pipelineFailure("HOME_INVALID", "listed-spaces.json in the home cannot be read", {
      cause,
      hint: "Delete it and run `govdata fetch`, which gets the hub's list again.",
    });
  }
}

/** Replaces the list. Throws `HOME_INVALID` and then changes nothing. */
export function keepListedSpaces(
  settings: Settings,
  list: ListedSpaces["list"],
  spaces: readonly ListedSpace[],
): void {
  makeHome(settings);
  const text = JSON.stringify({ list, spaces } satisfies z.infer<typeof HeldList>);
  writeHomeFile(settings, "listedSpaces", `${text}\n`);
}
