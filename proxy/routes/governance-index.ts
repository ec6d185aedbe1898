import { documentAnswer } from "./document-answer.ts";
import { defineEndpoint } from "./endpoint.ts";

/** `GET /v1/dgi`: the Decentralized Governance Index as of the run. */
export const governanceIndex = defineEndpoint({
  url: "/v1/dgi",
  lowestTier: "free",
  parameters: {},
  find: (_values, { snapshot }) => documentAnswer(snapshot, "dgi", "current", "index-unknown"),
});
