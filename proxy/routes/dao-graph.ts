import { problem } from "../request/answer.ts";
import { isTierEnough } from "../request/is-tier-enough.ts";
import type { DescribedEndpoint } from "./endpoint.ts";

/** `GET /v1/daos/{space_id}/graph`: not built; the same 404 for every space and query, so that it tells nothing. */
export const daoGraph: DescribedEndpoint = {
  url: "/v1/daos/:space_id/graph",
  lowestTier: "pro",
  parameters: {},
  about: {
    operationId: "getDaoGraph",
    tag: "DAOs",
    summary: "The delegation graph of one DAO (not available yet)",
    description: "Not available yet: the same 404 for every space and every query.",
    parameters: {},
    refusals: ["graph-not-built"],
  },
  answer: ({ tier }) => problem(isTierEnough(tier, "pro") ? "graph-not-built" : "endpoint-needs-pro"),
};
