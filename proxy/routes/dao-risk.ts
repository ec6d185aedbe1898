import { SpaceId } from "../../snapshots/format/ids.ts";
import { problem } from "../http/answer.ts";
import { documentAnswer } from "./document-answer.ts";
import { defineEndpoint } from "./endpoint.ts";

/** `GET /v1/daos/{space_id}/risk`: the risk assessment of one DAO. */
export const daoRisk = defineEndpoint({
  url: "/v1/daos/:space_id/risk",
  lowestTier: "pro",
  parameters: {},
  find: (_values, { pathId, snapshot }) => {
    if (!SpaceId.safeParse(pathId).success) return problem("risk-unknown");
    return documentAnswer(snapshot, "risk", pathId, "risk-unknown");
  },
});
