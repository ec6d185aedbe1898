import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { documentAnswer } from "./document-answer.ts";
import { describeEndpoint } from "./endpoint.ts";

/** `GET /v1/dgi`: the Decentralized Governance Index as of the run. */
export const governanceIndex = describeEndpoint(
  {
    operationId: "getDgi",
    tag: "Index",
    summary: "The Decentralized Governance Index",
    description: "The index over all tracked DAOs as of the last run, with its components.",
    parameters: {},
    answers: { shape: ENVELOPES.dgi, mayBeKept: true },
    refusals: ["index-unknown"],
  },
  {
    url: "/v1/dgi",
    lowestTier: "free",
    parameters: {},
    find: (_values, { snapshot }) => documentAnswer(snapshot, "dgi", "current", "index-unknown"),
  },
);
