import { defineEndpoint } from "../request/endpoint.ts";
import { problem } from "../request/response.ts";

/** `GET /v1/daos/{space_id}/graph`: the same 404 for every space and query, so that it reveals nothing; graphs are published as files. */
export const daoGraph = defineEndpoint({
  url: "/v1/daos/:space_id/graph",
  lowestTier: "pro",
  operationId: "getDaoGraph",
  tag: "DAOs",
  summary: "Always 404: delegation graphs are only in the published files",
  description:
    "Every space and every query gets the same 404, which is counted. The graph of a DAO is published as `graph/<space_id>.json`, which `govdata graph` prints and draws.",
  refusals: ["graph-not-built"],
  find: () => problem("graph-not-built"),
});
