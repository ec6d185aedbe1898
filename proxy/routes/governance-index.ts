import { z } from "zod";
import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { DGI_PERIODS, type DgiPeriod } from "../../snapshots/format/value-sets.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentResponse } from "../request/response.ts";

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

const PERIOD_DEFAULT: DgiPeriod = "30d";

export const governanceIndexHistory = defineEndpoint({
  url: "/v1/dgi/history",
  lowestTier: "free",
  operationId: "getDgiHistory",
  tag: "Index",
  summary: "The index day by day",
  description:
    "The index of each of the last 30, 90 or 365 days that have ended, ascending. Days without an index are absent.",
  parameters: {
    period: {
      shape: z.enum(DGI_PERIODS),
      invalid: "period-invalid",
      description: "How far back.",
      default: PERIOD_DEFAULT,
    },
  },
  answers: { shape: ENVELOPES["dgi-history"], mayBeKept: true },
  refusals: ["index-unknown"],
  find: ({ period = PERIOD_DEFAULT }, { snapshot }) =>
    documentResponse(snapshot, "dgi-history", period, "index-unknown"),
});
