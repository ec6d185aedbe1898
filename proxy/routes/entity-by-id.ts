import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentResponse } from "../request/response.ts";

/** `GET /v1/entities/{entity_id}`: a labelled entity. One that opted out is not in the snapshot, and answers as an unknown one. */
export const entityById = defineEndpoint({
  url: "/v1/entities/:entity_id",
  lowestTier: "pro",
  operationId: "getEntity",
  tag: "Entities",
  summary: "One labelled entity by its id",
  description:
    "An entity, its wallets, and the DAOs it takes part in. One that opted out answers exactly as one that does not exist.",
  answers: { shape: ENVELOPES.entity, mayBeKept: false },
  refusals: ["entity-unknown"],
  parameters: {},
  find: (_values, { pathId, snapshot }) => documentResponse(snapshot, "entity", pathId, "entity-unknown"),
});
