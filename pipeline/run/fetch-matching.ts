import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { SpaceId } from "../../snapshots/format/ids.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { archivedSpaces, hasArchivedChain } from "../sources/archive/archived-spaces.ts";

/** So many spaces of the archive are named. */
const NAMED = 3;

/** What an archive of ours has beside its folders. */
const OWN_REGISTRY = "registry.yaml";

function nameTheRegistry(directory: string): string {
  const own = join(directory, OWN_REGISTRY);
  return existsSync(own)
    ? `The archive has a registry of its own: --registry ${own} (GOVDATA_REGISTRY), or \`govdata init\` with it.`
    : "Give the registry that goes with it: --registry FILE (GOVDATA_REGISTRY), or `govdata init` with it.";
}

/**
 * Throws `PipelineError` NOTHING_FETCHED where an archive has no file of any of these DAOs, before each of them fails
 * with a line of its own: it is the registry, or the folder, that is the wrong one.
 */
export function assertArchiveMatches(directory: string, daos: readonly TrackedDao[]): void {
  // What is no folder is refused, with its own words, by whoever opens it.
  if (daos.length === 0 || statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  // A file's name is anybody's text until it is known to be an id, and it goes to a terminal.
  const spaceIds = archivedSpaces(directory).filter((name) => SpaceId.safeParse(name).success);
  const held = new Set(spaceIds);
  if (daos.some((dao) => held.has(dao.spaceId) || hasArchivedChain(directory, dao))) return;
  const [only, second] = daos;
  const asked =
    only !== undefined && second === undefined ? only.spaceId : `any of the ${daos.length} tracked DAOs`;
  if (spaceIds.length === 0) {
    throw new PipelineError("NOTHING_FETCHED", `the archive holds nothing for ${asked}, nor for any other`, {
      hint: "Check --source and --from; what was fetched before is kept, and nothing was published.",
    });
  }
  const named = spaceIds.slice(0, NAMED).join(", ");
  const count = spaceIds.length === 1 ? "another DAO" : `${spaceIds.length} others`;
  const more = spaceIds.length > NAMED ? ", …" : "";
  throw new PipelineError(
    "NOTHING_FETCHED",
    `the archive holds nothing for ${asked}; it holds ${count}: ${named}${more}`,
    { hint: `${nameTheRegistry(directory)} What was fetched before is kept, and nothing was published.` },
  );
}
