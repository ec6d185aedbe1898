import { EntityId } from "../../snapshots/format/ids.ts";
import { problem } from "../http/answer.ts";
import { documentAnswer } from "./document-answer.ts";
import { defineEndpoint } from "./endpoint.ts";

/** `GET /v1/entities/{entity_id}`: a labelled entity. One that opted out is not in the snapshot, and answers as an unknown one. */
export const entityById = defineEndpoint({
  url: "/v1/entities/:entity_id",
  lowestTier: "pro",
  parameters: {},
  find: (_values, { pathId, snapshot }) => {
    if (!EntityId.safeParse(pathId).success) return problem("entity-unknown");
    return documentAnswer(snapshot, "entity", pathId, "entity-unknown");
  },
});
