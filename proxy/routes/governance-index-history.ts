import { z } from "zod";
import { DGI_PERIODS, type DgiPeriod } from "../../snapshots/format/value-sets.ts";
import { documentAnswer } from "./document-answer.ts";
import { defineEndpoint } from "./endpoint.ts";

const PERIOD_DEFAULT: DgiPeriod = "30d";

/** `GET /v1/dgi/history`: the index of each of the last 30, 90 or 365 days. */
export const governanceIndexHistory = defineEndpoint({
  url: "/v1/dgi/history",
  lowestTier: "free",
  parameters: { period: { shape: z.enum(DGI_PERIODS), invalid: "period-invalid" } },
  find: ({ period = PERIOD_DEFAULT }, { snapshot }) =>
    documentAnswer(snapshot, "dgi-history", period, "index-unknown"),
});
