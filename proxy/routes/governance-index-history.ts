import { z } from "zod";
import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { DGI_PERIODS, type DgiPeriod } from "../../snapshots/format/value-sets.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentResponse } from "../request/response.ts";

const PERIOD_DEFAULT: DgiPeriod = "30d";

/** `GET /v1/dgi/history`: the index of each of the last 30, 90 or 365 days. */
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
