import { PipelineError } from "../../base/pipeline-error.ts";
import { HubSpace } from "../upstream/hub-space.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { RowError } from "../upstream/row-error.ts";
import { spaceOfHub } from "../upstream/space-of-hub.ts";
import { askHub } from "./ask-hub.ts";
import type { HubReading } from "./hub-reading.ts";
import { SPACE_QUERY } from "./queries.ts";

/** Takes the space's configuration. Throws `PipelineError` SOURCE_FAILED where the hub has none that can be. */
export async function fetchSpaceObject({ door, spaceId, sink, record }: HubReading): Promise<void> {
  const object = await askHub(door, SPACE_QUERY, { id: spaceId });
  if (object === null) {
    throw new PipelineError("SOURCE_FAILED", `the hub knows no such space: ${spaceId}`, {
      hint: "It was deleted, or its id in the registry is misspelt. What was fetched before is kept.",
    });
  }
  try {
    sink.putSpace(spaceOfHub(parseShape(HubSpace, object), spaceId));
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    sink.reject({ file: `spaces/${spaceId}`, line: undefined, code: error.code, message: error.message });
    throw new PipelineError("SOURCE_FAILED", `the hub's space ${spaceId} cannot be taken: ${error.message}`);
  }
  record({ kind: "space", spaceId, object });
}
