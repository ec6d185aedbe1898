import { PipelineError } from "../base/pipeline-error.ts";
import { upstreamText } from "../facts/upstream-text.ts";
import { askHub, type HubDoor } from "../sources/snapshot-hub/ask-hub.ts";
import { SPACE_QUERY } from "../sources/snapshot-hub/queries.ts";
import { HubSpace } from "../sources/upstream/hub-space.ts";
import type { SpaceChecker } from "./check-daos.ts";

/** Asks a Snapshot hub for a space's configuration, one request a DAO. */
export function createHubSpaceChecker(door: HubDoor): SpaceChecker {
  return async ({ spaceId }) => {
    const object = await askHub(door, SPACE_QUERY, { id: spaceId });
    if (object === null) return undefined;
    const space = HubSpace.safeParse(object);
    if (!space.success || space.data.id !== spaceId) {
      throw new PipelineError("SOURCE_FAILED", `the hub answered what is not the space ${spaceId}`);
    }
    return { name: upstreamText(space.data.name) };
  };
}
