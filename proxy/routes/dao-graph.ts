import { problem } from "../request/answer.ts";
import { defineEndpoint } from "../request/endpoint.ts";

/** `GET /v1/daos/{space_id}/graph`: not built; the same 404 for every space and query, so that it tells nothing. */
export const daoGraph = defineEndpoint({
  url: "/v1/daos/:space_id/graph",
  lowestTier: "pro",
  operationId: "getDaoGraph",
  tag: "DAOs",
  summary: "The delegation graph of one DAO (not available yet)",
  description: "Not available yet: the same 404 for every space and every query.",
  refusals: ["graph-not-built"],
  find: () => problem("graph-not-built"),
});
