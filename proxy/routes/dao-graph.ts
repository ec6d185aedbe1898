import { isTierEnough } from "../access/is-tier-enough.ts";
import { problem } from "../http/answer.ts";
import type { Endpoint } from "./endpoint.ts";

/** `GET /v1/daos/{space_id}/graph`: not built; the same 404 for every space and query, so that it tells nothing. */
export const daoGraph: Endpoint = {
  url: "/v1/daos/:space_id/graph",
  lowestTier: "pro",
  parameters: {},
  answer: ({ tier }) => problem(isTierEnough(tier, "pro") ? "graph-not-built" : "endpoint-needs-pro"),
};
