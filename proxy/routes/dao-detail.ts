import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentResponse } from "../request/response.ts";

/** `GET /v1/daos/{space_id}`: one DAO in detail. */
export const daoDetail = defineEndpoint({
  url: "/v1/daos/:space_id",
  lowestTier: "pro",
  operationId: "getDao",
  tag: "DAOs",
  summary: "One DAO in detail",
  description:
    "Scores with their words, ranks, the daily scores of the last 30 days, and the strongest labelled entities.",
  answers: { shape: ENVELOPES.dao, mayBeKept: true },
  refusals: ["dao-unknown"],
  parameters: {},
  find: (_values, { pathId, snapshot }) => documentResponse(snapshot, "dao", pathId, "dao-unknown"),
});
