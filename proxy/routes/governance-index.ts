import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentResponse } from "../request/response.ts";

/** `GET /v1/dgi`: the Decentralized Governance Index as of the run. */
export const governanceIndex = defineEndpoint({
  url: "/v1/dgi",
  lowestTier: "free",
  operationId: "getDgi",
  tag: "Index",
  summary: "The Decentralized Governance Index",
  description: "The index over all tracked DAOs as of the last run, with its components.",
  answers: { shape: ENVELOPES.dgi, mayBeKept: true },
  refusals: ["index-unknown"],
  parameters: {},
  find: (_values, { snapshot }) => documentResponse(snapshot, "dgi", "current", "index-unknown"),
});
