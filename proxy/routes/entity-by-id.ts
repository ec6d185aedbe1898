import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { EntityId } from "../../snapshots/format/ids.ts";
import { problem } from "../request/answer.ts";
import { documentAnswer } from "./document-answer.ts";
import { describeEndpoint } from "./endpoint.ts";

/** `GET /v1/entities/{entity_id}`: a labelled entity. One that opted out is not in the snapshot, and answers as an unknown one. */
export const entityById = describeEndpoint(
  {
    operationId: "getEntity",
    tag: "Entities",
    summary: "One labelled entity by its id",
    description:
      "An entity, its wallets, and the DAOs it takes part in. One that opted out answers exactly as one that does not exist.",
    parameters: {},
    answers: { shape: ENVELOPES.entity, mayBeKept: false },
    refusals: ["entity-unknown"],
  },
  {
    url: "/v1/entities/:entity_id",
    lowestTier: "pro",
    parameters: {},
    find: (_values, { pathId, snapshot }) => {
      if (!EntityId.safeParse(pathId).success) return problem("entity-unknown");
      return documentAnswer(snapshot, "entity", pathId, "entity-unknown");
    },
  },
);
