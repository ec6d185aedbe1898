import { z } from "zod";
import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { CATEGORIES } from "../../snapshots/format/value-sets.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import type { Problem } from "../request/problems.ts";
import { documentResponse, type EndpointResponse } from "../request/response.ts";

export const daoList = defineEndpoint({
  url: "/v1/daos",
  lowestTier: "free",
  operationId: "listDaos",
  tag: "DAOs",
  summary: "All scored DAOs by rank",
  description:
    "Every scored DAO in one answer, ascending by `rank`. With `category`, those of one category; `rank` stays the overall one. `meta.unscored` counts the tracked DAOs without a score.",
  parameters: {
    category: {
      shape: z.enum(CATEGORIES),
      invalid: "category-invalid",
      description: "Only the DAOs of this category.",
      example: "defi",
    },
  },
  answers: { shape: ENVELOPES.daos, mayBeKept: true },
  refusals: [],
  find: ({ category = "all" }, { snapshot }) => {
    const answer = documentResponse(snapshot, "daos", category, "internal-error");
    // The list always exists, empty or not: a version without it is broken, and that is our failure.
    if (typeof answer === "string") throw new Error("the snapshot has no list of DAOs");
    return answer;
  },
});

export const daoDetail = defineEndpoint({
  url: "/v1/daos/:space_id",
  lowestTier: "pro",
  operationId: "getDao",
  tag: "DAOs",
  summary: "One DAO in detail",
  description:
    "Scores with their words, ranks, the daily scores of the last 30 days, and the strongest labelled entities. A tracked DAO without a score is a 404 with the code `NOT_SCORED`, and the reason in its message.",
  answers: { shape: ENVELOPES.dao, mayBeKept: true },
  refusals: ["dao-unknown", "dao-unscored"],
  parameters: {},
  find: (_values, { pathId, snapshot }) => scoreResponse(snapshot, "dao", pathId, "dao-unknown"),
});

/** A document about the scores of a DAO, or why a tracked one has none. */
function scoreResponse(
  snapshot: SnapshotReader,
  kind: "dao" | "risk",
  id: string,
  absent: Problem,
): EndpointResponse {
  const found = documentResponse(snapshot, kind, id, absent);
  const unscored = typeof found === "string" ? snapshot.document("unscored", id) : undefined;
  if (unscored === undefined) return found;
  const { data } = ENVELOPES.unscored.parse(JSON.parse(unscored.identity.bytes.toString("utf8")));
  return { problem: "dao-unscored", reason: data.message };
}

export const daoRisk = defineEndpoint({
  url: "/v1/daos/:space_id/risk",
  lowestTier: "pro",
  operationId: "getDaoRisk",
  tag: "DAOs",
  summary: "The risk assessment of one DAO",
  description:
    "The governance risk score, its level, its factors, and how it moved in the last 30 days. `NOT_SCORED` as in detail.",
  answers: { shape: ENVELOPES.risk, mayBeKept: true },
  refusals: ["risk-unknown", "dao-unscored"],
  parameters: {},
  find: (_values, { pathId, snapshot }) => scoreResponse(snapshot, "risk", pathId, "risk-unknown"),
});

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
  find: () => "graph-not-built",
});
