import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { SpaceId } from "../../snapshots/format/ids.ts";
import { problem } from "../request/answer.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentAnswer } from "./document-answer.ts";

/** `GET /v1/daos/{space_id}/risk`: the risk assessment of one DAO. */
export const daoRisk = defineEndpoint({
  url: "/v1/daos/:space_id/risk",
  lowestTier: "pro",
  operationId: "getDaoRisk",
  tag: "DAOs",
  summary: "The risk assessment of one DAO",
  description: "The governance risk score, its level, its factors, and where it is heading.",
  answers: { shape: ENVELOPES.risk, mayBeKept: true },
  refusals: ["risk-unknown"],
  parameters: {},
  find: (_values, { pathId, snapshot }) => {
    if (!SpaceId.safeParse(pathId).success) return problem("risk-unknown");
    return documentAnswer(snapshot, "risk", pathId, "risk-unknown");
  },
});
