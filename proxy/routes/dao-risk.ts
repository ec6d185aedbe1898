import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentResponse } from "../request/response.ts";

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
  find: (_values, { pathId, snapshot }) => documentResponse(snapshot, "risk", pathId, "risk-unknown"),
});
