import { DelegationGraph } from "../format/delegation-graph.ts";
import { SpaceId } from "../format/ids.ts";
import { PATHS } from "../format/paths.ts";
import type { LocatedVersion } from "./locate-version.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { readVerified } from "./verified-file.ts";

/** The delegation graph of one DAO, verified by hash; `undefined` where the version holds none of it. Throws `SnapshotError`. */
export function readGraph(
  { directory, manifest }: LocatedVersion,
  spaceId: string,
): DelegationGraph | undefined {
  // An id from a command line never becomes a path, whatever a manifest names.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const path = PATHS.graph(spaceId);
  const file = manifest.files.find((each) => each.path === path);
  return file && parseJsonFile(path, readVerified(directory, file), DelegationGraph);
}
